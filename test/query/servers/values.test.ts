import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ResultFormat } from '../../../src/query/index.ts';
import { databaseOf, query, readersOf, textOf } from '../support.ts';
import { SERVERS, type ServerKind } from './support.ts';

/** A column of both tables: how SQLite calls its type, and its values as each is given them, as texts. */
const COLUMNS = {
  I: ['integer', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
  SMALL: ['integer', fc.integer({ min: -32768, max: 32767 }).map(String)],
  D: ['text', decimals()],
  F: ['real', fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value))],
  B: ['integer', fc.constantFrom('0', '1')],
  DAY: ['text', dates()],
  T: ['text', fc.tuple(hours(), pairs(), pairs()).map((parts) => parts.join(':'))],
  AT: ['text', moments()],
  OFF: ['text', moments().map((text) => `${text}+00`)],
  S: ['text', fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))],
  V: ['text', fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\0', ''))],
  BIN: ['blob', fc.uint8Array({ maxLength: 20 })],
  J: ['text', fc.jsonValue().map((value) => JSON.stringify(value))],
  U: ['text', fc.uuid()],
  G: ['text', fc.uuid()],
  L: ['text', fc.webUrl()],
} as const satisfies Record<string, readonly [string, fc.Arbitrary<string | Uint8Array>]>;

function pairs(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 59 }).map((value) => String(value).padStart(2, '0'));
}

function hours(): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 23 }).map((value) => String(value).padStart(2, '0'));
}

function dates(): fc.Arbitrary<string> {
  const [min, max] = [new Date('0001-01-01'), new Date('9999-12-31')];
  return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
}

function moments(): fc.Arbitrary<string> {
  const [min, max] = [new Date('0001-01-02'), new Date('9999-12-30')];
  return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString().slice(0, 19).replace('T', ' '));
}

function decimals(): fc.Arbitrary<string> {
  const whole = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
  const fraction = fc.stringMatching(/^\d{0,12}$/);
  return fc.tuple(whole, fraction).map(([digits, rest]) => (rest === '' ? `${digits}` : `${digits}.${rest}`));
}

const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const KINDS = {
  I: 'integer',
  SMALL: 'integer',
  D: 'decimal',
  F: 'decimal',
  B: 'boolean',
  DAY: 'date',
  T: 'time',
  AT: 'datetime',
  OFF: 'datetime',
  S: 'text',
  V: 'string',
  BIN: 'binary',
  J: 'json',
  U: 'string',
  G: 'uuid',
  L: 'uri',
} as const;
const all = query(`select n as k, ${names.join(', ')} from t order by n`, { K: 'integer', ...KINDS });
const formats: readonly ResultFormat[] = ['json', 'xmlp', 'webrowset', 'csv', 'html', 'rows-json', 'raw'];

type Given = Record<keyof typeof COLUMNS, string | Uint8Array | null>;

const rows = fc.array(
  fc.record(Object.fromEntries(names.map((name) => [name, fc.option(COLUMNS[name][1] as fc.Arbitrary<string>)]))),
  { minLength: 1, maxLength: 30 },
) as unknown as fc.Arbitrary<Given[]>;

for (const kind of SERVERS) {
  describe.skipIf(!kind.isThere)(`values of ${kind.name}`, async () => {
    if (!kind.isThere) return;
    const { columns } = kind.sql;
    const sqlite = await databaseOf(
      `create table t (n integer, ${names.map((name) => `${name} ${COLUMNS[name][0]}`).join(', ')})`,
      afterAll,
    );
    const served = await kind.databaseOf(
      `create table t (n integer, ${names.map((name) => `${name} ${columns[name]}`).join(', ')})`,
      afterAll,
    );
    const onServer = await served.open({ timezone: 'UTC' });
    const inUtc = readersOf(sqlite, { readers: 1 }, afterAll);

    const fill = async (given: readonly Given[]): Promise<void> => {
      const file = new Database(sqlite.location);
      file.exec('delete from t');
      const marks = names.map((name) =>
        COLUMNS[name][0] === 'integer' || COLUMNS[name][0] === 'real' ? `cast(? as ${COLUMNS[name][0]})` : '?',
      );
      const insert = file.prepare(`insert into t values (?, ${marks.join(', ')})`);
      for (const [index, row] of given.entries()) {
        insert.run(
          index,
          ...names.map((name) => (row[name] instanceof Uint8Array ? Buffer.from(row[name]) : row[name])),
        );
      }
      file.close();
      const tuples = given.map(
        (row, index) => `(${[index, ...names.map((name) => kind.sql.literal(row[name], columns[name]))].join(', ')})`,
      );
      await served.run(kind.sql.refill(tuples.join(', ')));
    };

    it('are written as those of SQLite of the same content, byte for byte, in every form', async () => {
      await fc.assert(
        fc.asyncProperty(rows, async (drawn) => {
          const given = drawn.map(keptBy(kind));
          await fill(given);
          for (const format of formats) {
            const call = { query: all, prompts: {}, format };
            const [one, other] = await Promise.all([inUtc.run(call), onServer.run(call)]);
            expect(await textOf(other)).toBe(await textOf(one));
          }
          const call = { query: all, prompts: {} };
          expect(await onServer.rows(call)).toEqual(await inUtc.rows(call));
        }),
        { numRuns: 15 },
      );
    });

    it('without an offset get those of the zone of the gateway, and are compared as they are shown', async () => {
      const inBerlin = await served.open({ timezone: kind.sql.zone });
      const some = query(
        "select timestamp '2026-07-01 10:00:00' as at, timestamp '2026-07-01 10:00:00' = :P as same",
        { AT: 'datetime', SAME: 'boolean' },
        { P: 'datetime' },
      );
      const P = kind.sql.summer;
      expect(await inBerlin.rows({ query: some, prompts: { P } })).toEqual([{ AT: P, SAME: true }]);
      const stored = query("select '2026-07-01 10:00:00' as at", { AT: 'datetime' });
      const ofSqlite = readersOf(sqlite, { timezone: kind.sql.zone, readers: 1 });
      expect(await ofSqlite.rows({ query: stored, prompts: {} })).toEqual([{ AT: P }]);
    });

    it.each(
      kind.sql.odd.filter(([, value]) => /infinity|nan|BC|0000|-00-|12026-/i.test(value)),
    )('that have no form are NULL or a text where the query says so: %s of %s', async (declared, value) => {
      const odd = query(`select 1 as n, ${value} as v`, { N: 'integer', V: declared });
      const as = (infinity: 'null' | 'text') => ({ query: { ...odd, infinity }, prompts: {} });
      const { rows } = JSON.parse(await textOf(await onServer.run({ ...as('null'), format: 'rows-json' })));
      expect(rows).toEqual([{ N: 1 }]);
      expect(await onServer.rows(as('null'))).toEqual([{ N: 1, V: null }]);
      for (const format of formats.filter((each) => each !== 'raw')) await onServer.run({ ...as('text'), format });
      const texts = JSON.parse(await textOf(await onServer.run({ ...as('text'), format: 'rows-json' })));
      expect(texts.rows).toEqual([{ N: 1, V: expect.stringMatching(/^-?infinity$|^nan$| BC$|^0000|-00-|^12026-/i) }]);
    });

    it.each(kind.sql.odd)('that have no form are refused: %s of %s', async (declared, value) => {
      const odd = query(`select ${value} as v`, { V: declared });
      for (const format of formats.filter((each) => each !== 'raw')) {
        await expect(onServer.run({ query: odd, prompts: {}, format })).rejects.toMatchObject({
          code: 'INTERNAL',
          message: 'Query A_QUERY (row 1, column V) failed because of an internal error.',
          cause: {
            message: expect.stringMatching(
              new RegExp(`^query A_QUERY: row 1: column V holds [\\w ]+ that is no ${declared}(?:; \`infinity: .*)?$`),
            ),
          },
        });
      }
    });
  });
}

/** Rows as the columns of a server keep them. */
function keptBy({ sql }: ServerKind): (row: Given) => Given {
  return (row) => {
    const kept = names.map((name) => {
      const value = row[name];
      return [name, typeof value === 'string' ? sql.kept(name, value) : value];
    });
    return Object.fromEntries(kept) as Given;
  };
}
