import { afterAll, describe, expect, it } from 'vitest';
import { checkQueries, ownDatabase } from '../../src/query/index.ts';
import { listOf, string } from '../support/registry.ts';
import { databaseOf, query } from './support.ts';

const store = await databaseOf('create table t (a text, b integer)', afterAll);
const id = { A: 'string' } as const;

describe('checking queries against the database', () => {
  it.each([
    ['select a from t', id],
    ['  -- a comment\n /* another; */ select a from t union select a from t', id],
    ['with x as (select a from t) select a from x;', id],
    ['values (1)', { column1: 'string' }],
    ["select 'load_extension(1)' as a", id],
    ['select A as "a", * from (select b from t), (select a from t)', { B: 'integer' }],
  ] as const)('accepts %s', async (sql, columns) => {
    expect(await checkQueries(ownDatabase(store), [query(sql, columns)])).toEqual([]);
  });

  it.each([
    ['select c from t', 'no such column: c'],
    ['selec a from t', 'the SQL must be one statement that begins with SELECT, WITH or VALUES'],
    ['select a from t; select 1', 'The supplied SQL string contains more than one statement'],
    ['delete from t returning a', 'the SQL must be one statement that begins with SELECT, WITH or VALUES'],
    ['with x as (select 1) delete from t returning a', 'the SQL must only read'],
    ['pragma user_version', 'the SQL must be one statement that begins with SELECT, WITH or VALUES'],
    ["attach 'x' as y", 'the SQL must be one statement that begins with SELECT, WITH or VALUES'],
    ['(select a from t)', 'the SQL must be one statement that begins with SELECT, WITH or VALUES'],
    [`${'/**/'.repeat(60)}(select a from t)`, 'the SQL must be one statement that begins with SELECT, WITH or VALUES'],
    ['', 'the SQL must be one statement that begins with SELECT, WITH or VALUES'],
    ["select [load_extension]('x') as a", 'the function load_extension does more than read'],
    ["select a from t where a in (select fts3_tokenizer('simple'))", 'the function fts3_tokenizer does more than read'],
    ['select b from t', 'column A is not in the result, which has b'],
    ['select a, b as A from t', 'column A is in the result more than once; give each an alias of its own'],
  ])('refuses %j', async (sql, message) => {
    const refused = query(sql, id);
    expect(await checkQueries(ownDatabase(store), [refused])).toMatchObject([{ query: refused, message }]);
  });

  it.each([
    ['select a form t where t.a = 1', 't where'],
    ['select from_a, a, from t', 'from t'],
    ["select a from t where b = 'and and' and and a = 1", 'and a ='],
    ['select t.a, t.c as c from t', 't.c as'],
    ["select 'c' as a, c from t", 'c from'],
    ['select u.a from t join u on u.a = t.a', 'u on'],
    ['select lower(nvl(a)) as a from t', 'nvl(a)'],
    ['select [none] as a from t where "other" = 1', 'none'],
    ['select a from t where', ''],
  ])('points at what SQLite refuses in %j', async (sql, from) => {
    const [problem] = await checkQueries(ownDatabase(store), [query(sql, id)]);
    const { offset } = problem ?? {};
    expect(offset === undefined ? undefined : sql.slice(offset, offset + Math.max(from.length, 1))).toBe(from);
  });

  it('tells everything that is wrong with all of them, and runs none', async () => {
    const broken = query('select a from t where a = :P', { A: 'string', B: 'integer', C: 'integer' }, { P: 'binary' });
    const list = query('select a from t', { A: listOf('string') });
    const endless = query('with recursive c(x) as (select 1 union all select x from c) select x from c', {
      X: 'integer',
    });
    const problems = await checkQueries(ownDatabase(store), [broken, endless, list]);
    expect(problems.map((problem) => problem.message)).toEqual([
      "prompt P is of type binary, which can't be bound",
      'column B is not in the result, which has a',
      'column C is not in the result, which has a',
      'column A is no single value',
    ]);
  });

  it('tells which column is of another type, and which may be longer, where the table says', async () => {
    const typed = await databaseOf('create table u (a integer, b varchar(30), c real, d boolean)');
    const declared = query('select a, b, b as e, c, d from u', {
      A: 'boolean',
      B: 'integer',
      C: 'decimal',
      D: 'date',
      E: string(10),
    });
    const problems = await checkQueries(ownDatabase(typed), [declared]);
    expect(problems.map(({ kind, message, column }) => [kind, message, column?.name])).toEqual([
      ['column-type', 'column B is varchar(30) in the database', 'B'],
      ['column-type', 'column D is boolean in the database', 'D'],
      ['narrow-column', 'column E may be longer: it is varchar(30) in the database', 'E'],
    ]);
  });
});
