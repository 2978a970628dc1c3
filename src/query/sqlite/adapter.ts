import { readDatabaseUrl } from '../../store/url.ts';
import type { EngineAdapter } from '../engine.ts';
import { Pool } from './pool.ts';

/** SQLite: a file, which is read by processes of our own. */
export const sqlite: EngineAdapter<string> = {
  dialect: {
    engine: 'sqlite',
    numbered: false,
    placeholder: (_, type) => `cast(? as ${type})`,
    encode: () => (text) => text,
  },
  async reach(url, root) {
    const at = readDatabaseUrl(url, root);
    if (at.kind !== 'sqlite') throw new TypeError('a database server has an adapter of its own');
    return { location: at.file, access: at.file };
  },
  open: (location, options) => new Pool(location, options),
  // The driver is loaded only here: the readers are processes that load their own.
  check: async (location) => (await import('./check.ts')).openChecked(location),
  // The system bounds the files of a reader.
  findUnbounded: async () => undefined,
};
