import { afterAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../support/postgres.ts';
import { query } from '../support.ts';
import { postgresOf } from './support.ts';

describe.skipIf(!hasPostgres)('prompts on PostgreSQL', async () => {
  if (!hasPostgres) return;
  const database = await postgresOf(
    `create table t (id integer primary key, name text, cost numeric(10,2));
     insert into t select x, 'name ' || x, x * 1.25 from generate_series(1, 60000) x`,
    afterAll,
  );

  it('bind their prompts by type, each once, and use indexes', async () => {
    const port = await database.open();
    const found = query(
      "select id from t where id = :ID or (:NAME is null and :NAME is not null) or name = :NAME and cost > :COST and :YES and :AT > timestamp '2026-01-01' and :DAY = date '2026-02-03' and :KEY = uuid '0f8fad5b-d9cb-469f-a165-70867728950e' and :LINK like 'urn:%'",
      { ID: 'integer' },
      {
        ...{ ID: 'integer', NAME: 'string', COST: 'decimal', YES: 'boolean', AT: 'datetime', DAY: 'date' },
        ...{ KEY: 'uuid', LINK: 'uri' },
      },
    );
    const given = {
      ID: 7,
      NAME: 'name 9',
      COST: '11.24',
      YES: true,
      AT: '2026-01-01T00:00:01+00:00',
      DAY: '2026-02-03',
      KEY: '0F8FAD5B-D9CB-469F-A165-70867728950E',
      LINK: 'urn:a:b',
    };
    expect(await port.rows({ query: found, prompts: given })).toEqual([{ ID: 7 }, { ID: 9 }]);
    expect(await port.rows({ query: found, prompts: { ...given, YES: false } })).toEqual([{ ID: 7 }]);
    expect(await port.rows({ query: found, prompts: {} })).toEqual([]);
    const { rows: plan } = await database.run('explain select id from t where id = cast($1 as bigint)', ['7']);
    expect(JSON.stringify(plan)).toContain('Index');
  });

  it('refuse values that the database does not hold, naming the prompt', async () => {
    const port = await database.open();
    const dated = query('select :DAY::text as day', { DAY: 'string' }, { DAY: 'date' });
    await expect(port.rows({ query: dated, prompts: { DAY: '0000-01-01' } })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: 'DAY is beyond what the database holds.',
    });
    const text = query('select :T as t', { T: 'string' }, { T: 'text' });
    await expect(port.rows({ query: text, prompts: { T: 'a\0b' } })).rejects.toMatchObject({ code: 'BAD_PARAMETER' });
    await expect(port.rows({ query: query('select 1 as n', { N: 'integer' }), prompts: {} })).resolves.toEqual([
      { N: 1 },
    ]);
  });
});
