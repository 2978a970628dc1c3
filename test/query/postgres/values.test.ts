import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ResultFormat } from '../../../src/query/index.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { databaseOf, query, readersOf, textOf } from '../support.ts';
import { postgresOf } from './support.ts';

/** A column of both tables: how each calls its type, and its values as each is given them, as texts. */
const COLUMNS = {
  I: ['integer', 'bigint', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)],
  SMALL: ['integer', 'smallint', fc.integer({ min: -32768, max: 32767 }).map(String)],
  D: ['text', 'numeric', decimals()],
  F: ['real', 'double precision', fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => String(value))],
  B: ['integer', 'boolean', fc.constantFrom('0', '1')],
  DAY: ['text', 'date', dates()],
  T: ['text', 'time', fc.tuple(hours(), pairs(), pairs()).map((parts) => parts.join(':'))],
  AT: ['text', 'timestamp', moments()],
  OFF: ['text', 'timestamptz', moments().map((text) => `${text}+00`)],
  S: ['text', 'text', fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))],
  V: ['text', 'varchar(20)', fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\0', ''))],
  BIN: ['blob', 'bytea', fc.uint8Array({ maxLength: 20 })],
  J: ['text', 'json', fc.jsonValue().map((value) => JSON.stringify(value))],
  U: ['text', 'uuid', fc.uuid()],
  G: ['text', 'uuid', fc.uuid()],
  L: ['text', 'text', fc.webUrl()],
} as const satisfies Record<string, readonly [string, string, fc.Arbitrary<string | Uint8Array>]>;

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
  fc.record(Object.fromEntries(names.map((name) => [name, fc.option(COLUMNS[name][2] as fc.Arbitrary<string>)]))),
  { minLength: 1, maxLength: 30 },
) as unknown as fc.Arbitrary<Given[]>;

describe.skipIf(!hasPostgres)('values of PostgreSQL', async () => {
  const tableOf = (types: 0 | 1): string =>
    `create table t (n integer, ${names.map((name) => `${name} ${COLUMNS[name][types]}`).join(', ')})`;
  const sqlite = await databaseOf(tableOf(0), afterAll);
  const postgres = hasPostgres ? await postgresOf(tableOf(1), afterAll) : (undefined as never);
  const ofSqlite = readersOf(sqlite, { timezone: 'Europe/Berlin', readers: 1 }, afterAll);
  const ofPostgres = hasPostgres ? await postgres.open({ timezone: 'UTC' }) : (undefined as never);
  const inBerlin = hasPostgres ? await postgres.open({ timezone: 'Europe/Berlin' }) : (undefined as never);
  const inUtc = readersOf(sqlite, { readers: 1 }, afterAll);

  const fill = async (given: readonly Given[]): Promise<void> => {
    const file = new Database(sqlite.location);
    file.exec('delete from t');
    const marks = names.map((name) =>
      COLUMNS[name][0] === 'integer' || COLUMNS[name][0] === 'real' ? `cast(? as ${COLUMNS[name][0]})` : '?',
    );
    const insert = file.prepare(`insert into t values (?, ${marks.join(', ')})`);
    for (const [index, row] of given.entries()) {
      insert.run(index, ...names.map((name) => (row[name] instanceof Uint8Array ? Buffer.from(row[name]) : row[name])));
    }
    file.close();
    const tuples = given.map((row, index) => {
      const values = names.map((name) => `${literal(row[name])}::${COLUMNS[name][1]}`);
      return `(${[index, ...values].join(', ')})`;
    });
    await postgres.run(`truncate t; set timezone = 'UTC'; insert into t values ${tuples.join(', ')}`);
  };

  it('are written as those of SQLite of the same content, byte for byte, in every form', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        await fill(given);
        for (const format of formats) {
          const call = { query: all, prompts: {}, format };
          const [one, other] = await Promise.all([inUtc.run(call), ofPostgres.run(call)]);
          expect(await textOf(other)).toBe(await textOf(one));
        }
        const call = { query: all, prompts: {} };
        expect(await ofPostgres.rows(call)).toEqual(await inUtc.rows(call));
      }),
      { numRuns: 15 },
    );
  });

  it("without an offset get the gateway's, and are compared as they are shown", async () => {
    const some = query(
      "select timestamp '2026-07-01 10:00:00' as at, timestamp '2026-07-01 10:00:00' = :P as same",
      { AT: 'datetime', SAME: 'boolean' },
      { P: 'datetime' },
    );
    const P = '2026-07-01T10:00:00+02:00';
    expect(await inBerlin.rows({ query: some, prompts: { P } })).toEqual([{ AT: P, SAME: true }]);
    const stored = query("select '2026-07-01 10:00:00' as at", { AT: 'datetime' });
    expect(await ofSqlite.rows({ query: stored, prompts: {} })).toEqual([{ AT: P }]);
  });

  it('of the time before there were zones have whole minutes', async () => {
    const old = query("select timestamptz '1890-01-01 00:00:00+00' as at", { AT: 'datetime' });
    expect(await inBerlin.rows({ query: old, prompts: {} })).toEqual([{ AT: '1890-01-01T00:53:00+00:53' }]);
  });

  it('of other types are texts, integers with a scale are integers, and NULL is NULL', async () => {
    const other = query(
      "select array[1, 2] as a, interval '1 day 2 hours' as i, inet '10.0.0.1' as n, '{\"b\": 1, \"a\": 2}'::jsonb as j, 5.00::numeric as k, null::integer as x, 12.50::numeric as s, 0.1::real as r",
      { A: 'text', I: 'text', N: 'text', J: 'json', K: 'integer', X: 'integer', S: 'string', R: 'decimal' },
    );
    expect(await ofPostgres.rows({ query: other, prompts: {} })).toEqual([
      { A: '{1,2}', I: 'P1DT2H', N: '10.0.0.1', J: '{"a": 2, "b": 1}', K: 5, X: null, S: '12.50', R: '0.1' },
    ]);
  });

  it.each([
    ['decimal', "'NaN'::numeric"],
    ['decimal', "'NaN'::float8"],
    ['decimal', "'Infinity'::float8"],
    ['integer', '1.5::numeric'],
    ['integer', "'x'::text"],
    ['date', "'infinity'::date"],
    ['date', "'0044-03-15 BC'::date"],
    ['date', "'12026-03-15'::date"],
    ['datetime', "'-infinity'::timestamp"],
    ['datetime', "'0044-03-15 10:00:00 BC'::timestamptz"],
    ['datetime', "'12026-01-01'::timestamp"],
    ['time', "'10:00:00+02'::timetz"],
    ['boolean', "'x'::text"],
  ] as const)('that have no form are refused: %s of %s', async (kind, value) => {
    const odd = query(`select ${value} as v`, { V: kind });
    for (const format of formats.filter((each) => each !== 'raw')) {
      await expect(ofPostgres.run({ query: odd, prompts: {}, format })).rejects.toMatchObject({
        code: 'INTERNAL',
        cause: { message: expect.stringMatching(new RegExp(`^query A_QUERY: column V holds .* that is no ${kind}$`)) },
      });
    }
  });
});

function literal(value: string | Uint8Array | null): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return `'\\x${Buffer.from(value).toString('hex')}'`;
}
