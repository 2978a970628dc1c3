import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { QueryPort } from '../../../src/query/index.ts';
import { eventually } from '../../support/project.ts';
import { bytesOf, query, textOf } from '../support.ts';
import { SERVERS } from './support.ts';

const one = query('select 1 as n', { N: 'integer' });
const quick = (port: QueryPort): Promise<unknown> => port.rows({ query: one, prompts: {} });

for (const kind of SERVERS) {
  describe.skipIf(!kind.isThere)(`queries on ${kind.name}`, async () => {
    if (!kind.isThere) return;
    const { sql } = kind;
    const database = await kind.databaseOf(sql.fill(60_000), afterAll);
    const asleep = query(sql.asleep, { N: 'string' });
    const rows = query('select id, name, cost from t order by id', { ID: 'integer', NAME: 'string', COST: 'decimal' });
    const running = async (): Promise<number> => (await database.run(sql.sleeping)).length;

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
      expect(data.query.rows.at(-1)).toEqual({
        'attr:rownumber': 60_000,
        ID: 60_000,
        NAME: 'name 60000',
        COST: 75_000,
      });
    });

    it('let small ones pass while a large one is rendered', async () => {
      const port = await database.open();
      await Promise.all([quick(port), quick(port)]);
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
      await expect(port.rows({ query: { ...asleep, timeout: 1000 }, prompts: {} })).rejects.toMatchObject({
        code: 'TIMEOUT',
        message: 'Query A_QUERY took longer than 1 s and was stopped.',
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
      const broken = query(sql.failing, { N: 'integer' });
      await expect(port.rows({ query: broken, prompts: {} })).rejects.toMatchObject({
        code: 'INTERNAL',
        message: 'Query A_QUERY failed because of an internal error.',
        cause: { message: expect.stringMatching(sql.failure) },
      });
      const misfit = query("select 'x' as n", { N: 'integer' });
      await expect(port.rows({ query: misfit, prompts: {} })).rejects.toMatchObject({
        code: 'INTERNAL',
        message: 'Query A_QUERY (row 1, column N) failed because of an internal error.',
        cause: { message: 'query A_QUERY: row 1: column N holds a text that is no integer' },
      });
      await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
    });

    it('write nothing, whatever the SQL says', async () => {
      const port = await database.open();
      for (const text of sql.writing) {
        await expect(port.rows({ query: query(text, { ID: 'integer' }), prompts: {} })).rejects.toMatchObject({
          code: 'INTERNAL',
        });
      }
      expect(await database.run('select count(*) + 0.0 as n from t')).toMatchObject([
        { n: expect.stringMatching(/^60000/) },
      ]);
    });

    it('are prepared anew when a table is changed under them', async () => {
      const own = await kind.databaseOf('create table u (a text, b text); insert into u values (1, 2)', onTestFinished);
      const port = await own.open();
      const star = query('select * from u', { A: 'string', B: 'string' });
      expect(await port.rows({ query: star, prompts: {} })).toEqual([{ A: '1', B: '2' }]);
      await own.run('drop table u; create table u (b text, x text, a text); insert into u values (2, 9, 1)');
      expect(await port.rows({ query: star, prompts: {} })).toEqual([{ A: '1', B: '2' }]);
    });

    it('are unavailable while the database is away, and come back by themselves', { timeout: 90_000 }, async () => {
      const server = await kind.mortal();
      const port = await server.open();
      try {
        await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
        await server.kill();
        const away = { code: 'UNAVAILABLE', status: 503, headers: { 'Retry-After': '1' } };
        await expect(quick(port)).rejects.toMatchObject(away);
        if (kind.isOwn) await expect(port.ready()).rejects.toMatchObject(away);
        await server.start();
        await port.ready();
        await expect(quick(port)).resolves.toEqual([{ N: 1 }]);
      } finally {
        await port.close();
        await server.remove();
      }
    });

    it('are all bytes of what they say', async () => {
      const port = await database.open();
      for (const size of [1_048_400, 1_048_576, 1_048_700, 3_000_000]) {
        const wide = query(sql.wide, { NAME: 'text' }, { SIZE: 'integer' });
        const bytes = await bytesOf(await port.run({ query: wide, prompts: { SIZE: size }, format: 'json' }));
        expect(JSON.parse(bytes.toString()).data.query.rows[0].NAME).toBe(`${'é'.repeat(size - 1)}x`);
      }
    });

    it('end with the port, which refuses others then', async () => {
      const own = await kind.databaseOf('', onTestFinished);
      const port = await own.open();
      const last = quick(port);
      const closed = port.close();
      await expect(last).resolves.toEqual([{ N: 1 }]);
      await closed;
      await expect(quick(port)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await own.run(sql.connections)).toEqual([]);
    });
  });
}
