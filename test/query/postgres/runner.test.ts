import { mkdirSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { QueryPort } from '../../../src/query/index.ts';
import { freePort } from '../../support/free-port.ts';
import { createDatabase, hasPostgres } from '../../support/postgres.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { eventually } from '../../support/project.ts';
import { bytesOf, query, textOf } from '../support.ts';
import { postgresOf, storeAt } from './support.ts';

const asleep = query('select pg_sleep(60)::text as n', { N: 'string' });
const one = query('select 1 as n', { N: 'integer' });
const quick = (port: QueryPort): Promise<unknown> => port.rows({ query: one, prompts: {} });

describe.skipIf(!hasPostgres)('queries on PostgreSQL', async () => {
  const database = hasPostgres
    ? await postgresOf(
        `create table t (id integer primary key, name text, cost numeric(10,2));
         insert into t select x, 'name ' || x, x * 1.25 from generate_series(1, 60000) x`,
        afterAll,
      )
    : (undefined as never);
  const rows = query('select id, name, cost from t order by id', { ID: 'integer', NAME: 'string', COST: 'decimal' });
  const running = async (): Promise<number> =>
    (
      await database.run(
        "select pid from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()",
      )
    ).rows.length;

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
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('answer large results from a file without a name, and hold no connection meanwhile', async () => {
    const port = await database.open({ connections: 2 });
    const result = await port.run({ query: rows, prompts: {}, format: 'json' });
    expect(readdirSync(database.results)).toEqual([]);
    if (typeof result.body !== 'function') throw new Error('a large result should be a stream');
    const body = result.body()[Symbol.asyncIterator]();
    await body.next();
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
    await body.return?.();
    result.dispose?.();
    const { data } = JSON.parse(await textOf(await port.run({ query: rows, prompts: {}, format: 'json' })));
    expect(data.query.numrows).toBe(60_000);
    expect(data.query.rows.at(-1)).toEqual({ 'attr:rownumber': 60_000, ID: 60_000, NAME: 'name 60000', COST: 75_000 });
  });

  it('let small ones pass while a large one is rendered', async () => {
    const port = await database.open();
    let over = false;
    const large = port.run({ query: rows, prompts: {}, format: 'csv' }).finally(() => {
      over = true;
    });
    let answered = 0;
    while (!over) {
      await quick(port);
      answered += 1;
    }
    (await large).dispose?.();
    // One that waits for the large one would be the only one.
    expect(answered).toBeGreaterThan(5);
  });

  it.each([
    [100, undefined, undefined, 100, true],
    [60_000, undefined, undefined, 60_000, false],
    [100_000, 3, undefined, 3, true],
    [100_000, undefined, 4, 4, false],
    [257, undefined, undefined, 257, true],
    [10, undefined, 10, 10, false],
  ] as const)('are cut at their cap, and say so (%#)', async (cap, own, maxrows, count, truncated) => {
    const port = await database.open({ limits: { rows: cap, timeout: 20_000 } });
    const capped = own === undefined ? rows : { ...rows, rows: own };
    // The second and third runs know how large the first was.
    for (let run = 0; run < 3; run += 1) {
      const given = {
        query: capped,
        prompts: {},
        format: 'csv' as const,
        ...(maxrows === undefined ? {} : { maxrows }),
      };
      const result = await port.run(given);
      expect(result).toMatchObject({ rows: count, truncated });
      expect((await textOf(result)).split('\r\n')).toHaveLength(count + 2);
    }
  });

  it('that grew are read whole after all', async () => {
    const port = await database.open();
    const some = query('select id from t where id <= :N', { ID: 'integer' }, { N: 'integer' });
    for (const count of [3, 300, 5, 2000]) {
      expect(await port.rows({ query: some, prompts: { N: count } })).toHaveLength(count);
    }
  });

  it('that take too long are stopped in the database', async () => {
    const port = await database.open();
    await expect(port.rows({ query: { ...asleep, timeout: 200 }, prompts: {} })).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: 'Query A_QUERY took longer than 0.2 s and was stopped.',
    });
    await eventually('the end of the statement', async () => ((await running()) === 0 ? true : undefined));
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('whose caller has gone are stopped too, and one that waits is taken back', async () => {
    const port = await database.open({ connections: 2 });
    const stop = new AbortController();
    const slow = port.rows({ query: asleep, prompts: {}, signal: stop.signal });
    const ended = expect(slow).rejects.toMatchObject({ name: 'AbortError' });
    await eventually('the statement', async () => ((await running()) === 1 ? true : undefined));
    const late = new AbortController();
    const waiting = port.rows({ query: one, prompts: {}, signal: late.signal });
    late.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    expect(port.status()).toMatchObject({ waiting: 0, readers: [{ busy: true }] });
    stop.abort();
    await ended;
    await eventually('the end of the statement', async () => ((await running()) === 0 ? true : undefined));
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('wait for a connection, as many as are allowed and within their time', async () => {
    const port = await database.open({ connections: 2, maxWaiting: 1 });
    const stop = new AbortController();
    await quick(port);
    const slow = Promise.allSettled([port.rows({ query: asleep, prompts: {}, signal: stop.signal })]);
    const late = port.rows({ query: { ...one, timeout: 50 }, prompts: {} });
    await expect(quick(port)).rejects.toMatchObject({
      message: 'Temporarily unavailable: too many queries wait for a connection.',
      headers: { 'Retry-After': '1' },
    });
    await expect(late).rejects.toMatchObject({ message: 'Temporarily unavailable: no connection was free in time.' });
    stop.abort();
    await slow;
  });

  it('keep what the database says from the caller', async () => {
    const port = await database.open();
    const broken = query('select 1 / (id - id) as n from t', { N: 'integer' });
    await expect(port.rows({ query: broken, prompts: {} })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: 'Query A_QUERY failed because of an internal error.',
      cause: { message: 'query A_QUERY: 22012: division by zero' },
    });
    const misfit = query("select 'x' as n", { N: 'integer' });
    await expect(port.rows({ query: misfit, prompts: {} })).rejects.toMatchObject({
      code: 'INTERNAL',
      cause: { message: 'query A_QUERY: column N holds a text that is no integer' },
    });
    await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
  });

  it('write nothing, whatever the SQL says', async () => {
    const port = await database.open();
    for (const sql of [
      "with x as (insert into t values (0, 'no', 0) returning id) select id from x",
      'delete from t where id = 1 returning id',
    ]) {
      await expect(port.rows({ query: query(sql, { ID: 'integer' }), prompts: {} })).rejects.toMatchObject({
        code: 'INTERNAL',
      });
    }
    expect((await database.run('select count(*)::int as n from t')).rows).toEqual([{ n: 60_000 }]);
  });

  it('are prepared anew when a table is changed under them', async () => {
    const own = await postgresOf('create table u (a text, b text); insert into u values (1, 2)');
    const port = await own.open();
    const star = query('select * from u', { A: 'string', B: 'string' });
    expect(await port.rows({ query: star, prompts: {} })).toEqual([{ A: '1', B: '2' }]);
    await own.run('drop table u; create table u (b text, x text, a text); insert into u values (2, 9, 1)');
    expect(await port.rows({ query: star, prompts: {} })).toEqual([{ A: '1', B: '2' }]);
  });

  it('are unavailable while the database is away, and come back by themselves', async () => {
    const server = startPostgres(await freePort());
    const folder = `${database.results}-away`;
    mkdirSync(folder, { recursive: true });
    const { openQueries } = await import('../../../src/query/index.ts');
    const store = await storeAt(server.url, folder);
    const port = openQueries({ store, timezone: 'UTC', limits: { rows: 10, timeout: 5000 } });
    try {
      await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
      server.stop('immediate');
      const away = { code: 'UNAVAILABLE', status: 503, headers: { 'Retry-After': '1' } };
      await expect(quick(port)).rejects.toMatchObject(away);
      await expect(port.ready()).rejects.toMatchObject(away);
      server.start();
      await port.ready();
      await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
    } finally {
      await port.close();
      server.remove();
    }
  });

  it('are all bytes of what they say', async () => {
    const port = await database.open();
    for (const size of [1_048_400, 1_048_576, 1_048_700, 3_000_000]) {
      const wide = query("select repeat('é', :SIZE::int - 1) || 'x' as name", { NAME: 'text' }, { SIZE: 'integer' });
      const bytes = await bytesOf(await port.run({ query: wide, prompts: { SIZE: size }, format: 'json' }));
      expect(JSON.parse(bytes.toString()).data.query.rows[0].NAME).toBe(`${'é'.repeat(size - 1)}x`);
    }
  });

  it('end with the port, which refuses others then', async () => {
    const own = await createDatabase();
    const port = (await import('../../../src/query/index.ts')).openQueries({
      store: await storeAt(own.url, database.results),
      timezone: 'UTC',
      limits: { rows: 10, timeout: 5000 },
    });
    const last = quick(port);
    const closed = port.close();
    await expect(last).resolves.toEqual([{ N: 1 }]);
    await closed;
    await expect(quick(port)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const { rows: left } = await own.run(
      'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    expect(left).toEqual([]);
    await own.drop();
  });
});
