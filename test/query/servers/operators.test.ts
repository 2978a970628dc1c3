import { afterAll, describe, expect, it } from 'vitest';
import { linkSavedQuery } from '../../../src/load/query/saved-query.ts';
import type { Query } from '../../../src/model/query.ts';
import { checkQueries, ownDatabase } from '../../../src/query/index.ts';
import { databaseOf } from '../support.ts';
import { SERVERS } from './support.ts';

/** A query as the loader reads it. */
function loaded(sql: string): Query {
  const linked = linkSavedQuery({ query: 'ITEMS', columns: { N: 'integer' }, prompts: { K: 'string' }, sql });
  if ('problems' in linked) throw new Error(linked.problems.join('\n'));
  return linked.query;
}

describe.each(
  SERVERS.filter(({ isThere }) => isThere),
)('the operators of PostgreSQL with a question mark, on $name', async (kind) => {
  const database = await kind.databaseOf('create table item (n integer, data json)', afterAll);
  const port = await database.open();

  it('are written twice, and stand between prompts, literals and comments as they are', async () => {
    const run = (sql: string, K: string) => port.rows({ query: loaded(sql), prompts: { K } });
    if (kind.name !== 'PostgreSQL') {
      await expect(run("select n from item where data ?? 'a' and :K = 'x'", 'x')).rejects.toMatchObject({
        code: 'INTERNAL',
      });
      return;
    }
    await database.run(
      `alter table item alter data type jsonb; insert into item values (1, '{"a":1}'), (2, '{"b":1,"c":1}')`,
    );
    expect(await run('select n from item where data ?? :K', 'a')).toEqual([{ N: 1 }]);
    expect(await run("select n from item where data ??| array['a', :K]", 'b')).toEqual([{ N: 1 }, { N: 2 }]);
    expect(await run("select n from item where data ??& array[:K,'c'] and '??' = '?' || '?' -- ??", 'b')).toEqual([
      { N: 2 },
    ]);
  });
});

it('are refused where the database is not PostgreSQL, with their place', async () => {
  const store = await databaseOf('create table item (n integer, data text)');
  const sql = "select n from item where :K = 'x' and data ?? 'a'";
  expect(await checkQueries(ownDatabase(store), [loaded(sql)])).toMatchObject([
    {
      kind: 'refused',
      message: expect.stringMatching(/^`\?\?` is the operator \? of PostgreSQL/),
      offset: sql.indexOf('??'),
    },
  ]);
});
