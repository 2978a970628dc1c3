import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import type { Field } from '../../src/model/field.ts';
import type { ScalarKind } from '../../src/model/scalar.ts';
import { decimal, field } from '../support/registry.ts';
import { databaseOf, query, readersOf, textOf } from './support.ts';

const port = readersOf(await databaseOf('', afterAll), {}, afterAll);

/** What a column of a kind shows for an SQL expression, in JSON. */
async function shown(cases: readonly (readonly [ScalarKind, string])[]): Promise<unknown[]> {
  const run = async ([kind, sql]: readonly [ScalarKind, string]): Promise<string> => {
    const one = query(`select ${sql} as v`, { V: kind });
    const text = await textOf(await port.run({ query: one, prompts: {}, format: 'json' }));
    return /"V":(.*)}\]}}}$/s.exec(text)?.[1] ?? text;
  };
  return Promise.all(cases.map((each) => run(each).catch((error: Error) => String(error.cause))));
}

describe('stored values', () => {
  it.each([
    ['integer', '9007199254740991', '9007199254740991'],
    ['integer', '9007199254740992', '9007199254740992'],
    ['integer', '-9223372036854775807 - 1', '-9223372036854775808'],
    ['integer', "'00042'", '42'],
    ['integer', '5.0', '5'],
    ['decimal', "'0012.3400'", '12.3400'],
    ['decimal', "'-.5'", '-0.5'],
    ['decimal', "'+7.'", '7'],
    ['decimal', "'123456789012345678901234567890.123456789'", '123456789012345678901234567890.123456789'],
    ['decimal', '0.1', '0.1'],
    ['decimal', '1e21', '1000000000000000000000'],
    ['decimal', '-1.5e-7', '-0.00000015'],
    ['decimal', '9007199254740993', '9007199254740993'],
    ['number', '0.1', '0.1'],
    ['number', '3', '3'],
    ['number', '1e21', '1e+21'],
    ['number', '9e999', '"INF"'],
    ['number', "'-2.50'", '-2.5'],
    ['string', '9007199254740993', '"9007199254740993"'],
    ['string', '1e21', '"1000000000000000000000"'],
    ['string', "'line' || char(10) || 'tab' || char(9) || 'nul' || char(0)", '"line\\ntab\\tnul\\u0000"'],
    ['text', "'😀 \"'", '"😀 \\""'],
    ['boolean', '1', '"true"'],
    ['boolean', "'FALSE'", '"false"'],
    ['date', "'2026-07-01 10:00:00'", '"2026-07-01"'],
    ['time', "'10:15'", '"10:15:00"'],
    ['datetime', "'2026-07-01'", '"2026-07-01T00:00:00+0000"'],
    ['datetime', "'2026-07-01T10:00:00.123Z'", '"2026-07-01T10:00:00+0000"'],
    ['datetime', "'2026-07-01 10:00:00-05:30'", '"2026-07-01T10:00:00-0530"'],
    ['datetime', "'2026-07-01 10:00'", '"2026-07-01T10:00:00+0000"'],
    ['datetime', '1782900000', '"2026-07-01T10:00:00+0000"'],
    ['uuid', "'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'", '"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"'],
    ['uri', "'HTTP://Example.com/?a#b'", '"HTTP://Example.com/?a#b"'],
    ['binary', "x'00ff10'", '"AP8Q"'],
  ] as const)('%s column of %s shows %s', async (kind, sql, expected) => {
    expect(await shown([[kind, sql]])).toEqual([expected]);
  });

  it('are null for a handler where SQL has NULL, except in a required column, where NULL is an error', async () => {
    const required = { ...field('V', 'string'), required: true };
    const rows = (column: Field | 'string', sql: string) =>
      port.rows({ query: query(`select ${sql} as v`, { V: column }), prompts: {} });
    expect(await rows('string', 'null')).toEqual([{ V: null }]);
    expect(await rows(required, "'here'")).toEqual([{ V: 'here' }]);
    expect(await rows({ ...field('V', 'number') }, '-9e999')).toEqual([{ V: Number.NEGATIVE_INFINITY }]);
    expect(await rows({ ...field('V', 'number') }, '2.5')).toEqual([{ V: 2.5 }]);
    await expect(rows(required, 'null')).rejects.toThrow(
      'query A_QUERY: column V is required, but the database returned NULL',
    );
  });

  it('that do not fit their column end the call, for the log with the column but not the value', async () => {
    const causes = await shown([
      ['integer', "'secret'"],
      ['integer', '1.5'],
      ['decimal', "'1,5'"],
      ['decimal', '9e999'],
      ['datetime', "'2026-7-1'"],
      ['datetime', '2461000.5'],
      ['date', '20260701'],
      ['boolean', '2'],
      ['string', "x'00'"],
      ['uuid', "'f81d4fae'"],
      ['uri', "'/orders'"],
    ]);
    expect(causes).toEqual([
      'Error: query A_QUERY: row 1: column V holds a text that is no integer',
      'Error: query A_QUERY: row 1: column V holds a real number that is no integer',
      'Error: query A_QUERY: row 1: column V holds a text that is no decimal',
      'Error: query A_QUERY: row 1: column V holds a real number that is no decimal; `infinity: null` or `text` of the query says what becomes of such values',
      'Error: query A_QUERY: row 1: column V holds a text that is no datetime',
      'Error: query A_QUERY: row 1: column V holds a real number that is no datetime',
      'Error: query A_QUERY: row 1: column V holds an integer that is no date',
      'Error: query A_QUERY: row 1: column V holds an integer that is no boolean',
      'Error: query A_QUERY: row 1: column V holds a blob that is no string',
      'Error: query A_QUERY: row 1: column V holds a text that is no uuid',
      'Error: query A_QUERY: row 1: column V holds a text that is no uri',
    ]);
  });

  it('that are real numbers are rounded to the declared scale only where they have more digits', async () => {
    const scaled = query('select * from (values (0.1 + 0.2), (12.5), (1234567.891), (-0.005), (3))', {
      COLUMN1: decimal(10, 2),
    });
    expect(
      (await textOf(await port.run({ query: scaled, prompts: {}, format: 'csv' }))).split('\r\n').slice(1, -1),
    ).toEqual(['0.30', '12.5', '1234567.89', '-0.01', '3']);
    const json = await textOf(await port.run({ query: scaled, prompts: {}, format: 'json' }));
    expect([...json.matchAll(/"COLUMN1":([^}]*)/g)].map((match) => match[1])).toEqual([
      '0.30',
      '12.5',
      '1234567.89',
      '-0.01',
      '3',
    ]);
  });
});

describe('columns', () => {
  it('are found by name without case, never by position', async () => {
    const turned = query('select 3 as extra, 2 as b, 1 as A', { A: 'integer', B: 'integer' });
    expect(await port.rows({ query: turned, prompts: {} })).toEqual([{ A: 1, B: 2 }]);
  });

  it('are found again after the table was changed under a star', async () => {
    const store = await databaseOf('create table t (a text, b text); insert into t values (1, 2)');
    const readers = readersOf(store, { readers: 1, maxReaders: 1 });
    const star = query('select * from t', { A: 'string', B: 'string' });
    expect(await readers.rows({ query: star, prompts: {} })).toEqual([{ A: '1', B: '2' }]);
    const database = new Database(store.location);
    database.exec('drop table t; create table t (b text, x text, a text); insert into t values (2, 9, 1)');
    database.close();
    expect(await readers.rows({ query: star, prompts: {} })).toEqual([{ A: '1', B: '2' }]);
  });
});

describe('rows for handlers', () => {
  it('are typed', async () => {
    const typed = query(
      `select 5 as i, 9007199254740993 as big, 12.50 as real, '12.50' as d, 1 as yes, null as missing, '2026-01-01 00:00:00' as at, 't' as s`,
      {
        I: 'integer',
        BIG: 'integer',
        REAL: 'decimal',
        D: 'decimal',
        YES: 'boolean',
        MISSING: 'string',
        AT: 'datetime',
        S: 'string',
      },
    );
    expect(await port.rows({ query: typed, prompts: {} })).toEqual([
      {
        I: 5,
        BIG: 9007199254740993n,
        REAL: '12.5',
        D: '12.50',
        YES: true,
        MISSING: null,
        AT: '2026-01-01T00:00:00+00:00',
        S: 't',
      },
    ]);
  });

  it('are bounded by the row cap, and may be more than fit in memory at once', async () => {
    const many = query(
      "with recursive c(x) as (select 1 union all select x + 1 from c) select x, printf('%060d', x) as s from c",
      {
        X: 'integer',
        S: 'string',
      },
      {},
      { rows: 30_000 },
    );
    const rows = await port.rows({ query: many, prompts: {} });
    expect(rows).toHaveLength(30_000);
    expect(rows.at(-1)).toEqual({ X: 30_000, S: '30000'.padStart(60, '0') });
    expect(await port.rows({ query: many, prompts: {}, maxrows: 2 })).toHaveLength(2);
  });
});
