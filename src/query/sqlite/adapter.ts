import { SCALARS } from '../../model/scalar.ts';
import { readDatabaseUrl } from '../../store/url.ts';
import type { EngineAdapter } from '../engine.ts';
import { BEYOND_DATABASE } from '../plan.ts';
import { EXPLAIN } from './frame.ts';
import { Pool } from './pool.ts';

/** SQLite: a file, which is read by processes of our own. */
export const sqlite: EngineAdapter<string> = {
  dialect: {
    engine: 'sqlite',
    numbered: false,
    placeholder: (_, type) => (type === undefined ? '?' : `cast(? as ${type})`),
    pages: {
      quote: (column) => `"${column.replaceAll('"', '""')}"`,
      nullsFirst: true,
      // A column may hold values of any type. 17 digits identify a real number.
      text: (column) =>
        `case typeof(${column}) when 'integer' then 'i' || ${column} when 'real' then 'r' || printf('%!.17g', ${column}) ` +
        `when 'null' then null else 't' || ${column} end`,
      value(bind) {
        const text = (): string => bind('text');
        const of = (type: string): string => `cast(substr(${text()}, 2) as ${type})`;
        // Without an affinity of its own, so that the value is compared as it is stored.
        return `(case substr(${text()}, 1, 1) when 'i' then ${of('integer')} when 'r' then ${of('real')} else substr(${text()}, 2) end)`;
      },
    },
    explain: {
      before: EXPLAIN,
      columns: [
        { name: 'detail', kind: 'text' },
        { name: 'id', kind: 'integer' },
        { name: 'parent', kind: 'integer' },
      ],
    },
    encode(kind, { refuse }) {
      const { primitive, range } = SCALARS[kind];
      if (primitive !== 'integer' || range !== undefined) return (text) => text;
      // A numeric cast makes a real number, of 15 digits, of an integer beyond 64 bits.
      return (text) => {
        const value = BigInt(text);
        if (BigInt.asIntN(64, value) !== value) throw refuse(BEYOND_DATABASE);
        return text;
      };
    },
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
