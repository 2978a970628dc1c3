import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { engineOf } from '../model/query.ts';
import { StoreError } from './error.ts';

const works =
  'write sqlite:<path>, for example sqlite:.signalbox/signalbox.db, or postgres://<user>:<password>@<host>/<database>';

/** What a URL names: a file of SQLite, or a database of PostgreSQL. */
export type DatabaseUrl =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string };

/**
 * Reads a database URL: `sqlite:path`, relative to the project's folder, `sqlite:/absolute/path`, or
 * `postgres://user:password@host:port/database`. An error never repeats more of the URL than its scheme: it may hold a password.
 * @throws StoreError for every other form, with the forms that are accepted, and for a file in a folder that does not exist
 * outside the project
 */
export function readDatabaseUrl(url: string, root: string): DatabaseUrl {
  const colon = url.indexOf(':');
  const scheme = colon < 0 ? '' : url.slice(0, colon).toLowerCase();
  if (scheme === 'sqlite') return { kind: 'sqlite', file: databaseFile(url.slice(colon + 1), root) };
  if (scheme === 'postgres' || scheme === 'postgresql') return { kind: 'postgres', url };
  if (engineOf(url) === 'mysql')
    throw refuse("the gateway's own tables can't be on MariaDB or MySQL, which are for datasources of stored queries");
  if (scheme === 'jdbc')
    throw refuse('a database URL has no jdbc: at its beginning, and names the user before the host');
  if (/^postgres(?:ql)?\+/.test(scheme))
    throw refuse(`a database URL begins with postgres:, without the driver: not ${scheme}:`);
  throw refuse('the database URL does not begin with sqlite: or postgres:');
}

/** The beginning of the paths of files that belong to a database of PostgreSQL. */
export function filesOf(database: string, root: string): string {
  const name = basename(database).replaceAll(/[^\p{L}\p{N}_.-]/gu, '_');
  return join(resolve(root), '.signalbox', name.replace(/^\.*$/, 'postgres'));
}

function databaseFile(path: string, root: string): string {
  if (path.trim() === '' || path === ':memory:') {
    throw refuse('the database must be a file, because queries run in processes of their own');
  }
  if (path.includes('\0')) throw refuse('the path of the database contains a NUL character');
  if (path.startsWith('//') && !path.startsWith('///')) throw refuse('a SQLite database has no host');
  const file = resolve(root, path.replace(/^\/{3,}/, '/'));
  // Folders of the project are created. Anywhere else, a folder that does not exist is a typing error or a volume that is not
  // mounted, and an empty database in its place would look like lost data.
  const folder = dirname(file);
  const within = relative(resolve(root), folder);
  if ((/^\.\.(?:[\\/]|$)/.test(within) || isAbsolute(within)) && !existsSync(folder)) {
    const reason = `the folder ${folder} of the database ${file} does not exist; create it, or correct the path`;
    throw new StoreError(file, `${reason} (folders are created inside the project only)`);
  }
  return file;
}

function refuse(reason: string): StoreError {
  return new StoreError('', `${reason}; ${works}`);
}
