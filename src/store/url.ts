import { resolve } from 'node:path';
import { StoreError } from './error.ts';

const works = 'write sqlite:<path>, for example sqlite:.signalbox/signalbox.db';

/**
 * The database file that a URL names: `sqlite:path`, relative to the project's folder, or `sqlite:/absolute/path`.
 * What a refused URL holds beyond its scheme is never repeated: it may be a password.
 * @throws StoreError for every other form, saying what works
 */
export function databaseFile(url: string, root: string): string {
  const colon = url.indexOf(':');
  const scheme = colon < 0 ? '' : url.slice(0, colon).toLowerCase();
  const refuse = (reason: string): StoreError => new StoreError('', `${reason}; ${works}`);
  if (scheme === 'postgres' || scheme === 'postgresql') {
    throw refuse('PostgreSQL is not supported by this version, which stores in SQLite');
  }
  if (scheme !== 'sqlite') throw refuse('the database URL does not begin with sqlite:');
  const path = url.slice(colon + 1);
  if (path.trim() === '' || path === ':memory:') {
    throw refuse('the database must be a file, because queries run in processes of their own');
  }
  if (path.includes('\0')) throw refuse('the path of the database holds a NUL character');
  if (path.startsWith('//') && !path.startsWith('///')) {
    throw refuse('a SQLite database has no host');
  }
  return resolve(root, path.replace(/^\/{3,}/, '/'));
}
