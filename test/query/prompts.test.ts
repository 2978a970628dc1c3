import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ScalarKind } from '../../src/model/scalar.ts';
import type { Value } from '../../src/model/value.ts';
import { field } from '../support/registry.ts';
import { databaseOf, query, readersOf } from './support.ts';

const store = await databaseOf(
  `create table t (id integer, name text, cost numeric);
   insert into t values (1, 'a', 1.5), (2, 'b', 2.25), (3, '', null), (4, '9007199254740993', 4), (9007199254740993, 'big', 0.1);`,
  afterAll,
);
const port = readersOf(store, {}, afterAll);

async function ids(
  condition: string,
  prompts: Record<string, ScalarKind>,
  given: Record<string, Value>,
): Promise<unknown[]> {
  const wanted = query(`select id from t where ${condition} order by id`, { ID: 'integer' }, prompts);
  return (await port.rows({ query: wanted, prompts: given })).map((row) => row.ID);
}

describe('prompts', () => {
  it('are bound by name, wherever and however often they stand', async () => {
    const both = ['(:B is null or name = :B) and (:A is null or id > :A)', { A: 'integer', B: 'string' }] as const;
    expect(await ids(...both, { A: 1, B: 'b' })).toEqual([2]);
    expect(await ids(...both, { B: 'a' })).toEqual([1]);
    expect(await ids(...both, { A: 3 })).toEqual([4, 9007199254740993n]);
  });

  it.each([[undefined], [null], ['']])('are a NULL of their type where %j is given', async (value) => {
    expect(await ids("typeof(:A) = 'null'", { A: 'integer' }, { A: value })).toHaveLength(5);
    expect(await ids("typeof(:A) = 'null'", { A: 'string' }, { A: value })).toHaveLength(5);
  });

  it('have the type that is declared, and all their digits', async () => {
    expect(await ids('id = :A', { A: 'integer' }, { A: 9007199254740993n })).toEqual([9007199254740993n]);
    expect(await ids('id = :A', { A: 'integer' }, { A: '9007199254740993' })).toEqual([9007199254740993n]);
    expect(await ids('name = :A', { A: 'string' }, { A: '9007199254740993' })).toEqual([4]);
    expect(await ids('cost = :A', { A: 'decimal' }, { A: '2.250' })).toEqual([2]);
    expect(await ids('id = 1 and :A', { A: 'boolean' }, { A: true })).toEqual([1]);
    const key = '0f8fad5b-d9cb-469f-a165-70867728950e';
    expect(await ids(`id = 1 and :A = '${key}'`, { A: 'uuid' }, { A: key })).toEqual([1]);
    expect(await ids("id = 1 and :A like 'urn:%'", { A: 'uri' }, { A: 'urn:a:b' })).toEqual([1]);
    expect(await ids('id = 1 and :A', { A: 'boolean' }, { A: false })).toEqual([]);
    expect(
      await ids(
        "typeof(:A) || typeof(:B) = 'integertext' and id = 1",
        { A: 'integer', B: 'date' },
        { A: 7, B: '2026-01-01' },
      ),
    ).toEqual([1]);
  });

  it.each([
    [{ A: 'x' }, 'BAD_PARAMETER', 'A is not an integer.'],
    [{ A: 1.5 }, 'BAD_PARAMETER', 'A is not an integer.'],
    [{ A: '1 or 1=1' }, 'BAD_PARAMETER', 'A is not an integer.'],
    [{ A: { b: 1 } }, 'BAD_PARAMETER', 'A is not an integer.'],
    [{ A: 2n ** 63n }, 'BAD_PARAMETER', 'A is beyond the integers that the database holds.'],
    [{ A: 1, a: 1 }, 'BAD_PARAMETER', 'a is not a prompt of A_QUERY.'],
    [{}, 'MISSING_PARAMETER', 'A is missing.'],
    [{ A: '' }, 'MISSING_PARAMETER', 'A is missing.'],
  ])('that are wrong are refused (%#)', async (given, code, message) => {
    const strict = query(
      'select id from t where id = :A',
      { ID: 'integer' },
      { A: field('A', 'integer', { required: true }) },
    );
    await expect(port.rows({ query: strict, prompts: given })).rejects.toMatchObject({ code, message, status: 400 });
  });

  it('are never read as SQL', async () => {
    const echo = query('select :A as a, (select count(*) from t) as n', { A: 'string', N: 'integer' }, { A: 'text' });
    const attacks = [
      "'; drop table t; --",
      "' or '1'='1",
      '" union select name from sqlite_schema --',
      ':A',
      '?',
      '$1',
      '\\',
      'a\'b"c',
    ];
    for (const attack of attacks) {
      expect(await port.rows({ query: echo, prompts: { A: attack } })).toEqual([{ A: attack, N: 5 }]);
    }
  });

  it('come back as they went', async () => {
    const echo = query('select :A as a, :B as b', { A: 'text', B: 'integer' }, { A: 'text', B: 'integer' });
    const texts = fc.string({ unit: 'grapheme', minLength: 1 });
    const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const property = fc.asyncProperty(texts, integers, async (a, b) => {
      const [row] = await port.rows({ query: echo, prompts: { A: a, B: b } });
      expect(row?.A).toBe(a);
      expect(BigInt(String(row?.B))).toBe(b);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
