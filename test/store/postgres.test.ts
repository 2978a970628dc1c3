import { dirname, join, resolve } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore, type Store, type StoreOptions, sqlTransaction } from '../../src/store/index.ts';
import { Connection } from '../../src/store/postgres/client.ts';
import type { ConnectionConfig } from '../../src/store/postgres/connection-config.ts';
import { freePort } from '../support/free-port.ts';
import { hasPostgres } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { eventually } from '../support/project.ts';
import { postgresPlace } from './engines.ts';

async function open(url: string, more: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ url, root: '/somewhere', ...more });
  onTestFinished(() => store.close());
  return store;
}

describe('the URL of a PostgreSQL', () => {
  it('is told without its password, and names the files that belong to it', async () => {
    const store = await open('postgres://signalbox:hunter2@db.example.org:5433/the%20box?sslmode=disable');
    expect(store.location).toBe('db.example.org:5433/the box');
    expect(store.files).toBe(join('/somewhere', '.signalbox', 'the_box'));
    const { config, engine, connections } = store.postgres ?? {};
    expect([engine, config?.application_name, connections]).toEqual([
      'postgresql',
      expect.stringMatching(/^signalbox tables \S+:\d+$/),
      { tables: 8, queries: 8, queue: 4 },
    ]);
  });

  it.each([6, 7, 20, 100])('shares %i connections among their uses, and no more', async (connections) => {
    const store = await open('postgres://localhost/box', { connections });
    const { tables = 0, queries = 0, queue = 0 } = store.postgres?.connections ?? {};
    expect(Math.min(tables, queries, queue)).toBeGreaterThanOrEqual(2);
    expect(tables + queries + queue).toBe(connections);
  });

  it.each(['..', '.', '/etc/passwd', '../../x'])('keeps the files of the database %j in their folder', async (name) => {
    const store = await open(`postgres://localhost/${encodeURIComponent(name)}`);
    expect(dirname(resolve(store.files))).toBe('/somewhere/.signalbox');
  });

  it('that can not be read is refused without its words', async () => {
    const error = await openStore({ url: 'postgres://u:hunter2@host/db?sslrootcert=/nowhere/ca.pem', root: '/' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'StoreError', message: expect.stringMatching(/can't be read.*ca\.pem/) });
    expect(JSON.stringify(error) + String(error) + String((error as Error).cause)).not.toContain('hunter2');
  });
});

describe.skipIf(!hasPostgres)('each connection', () => {
  it('has its time limits and TCP keepalives in force in the database', async () => {
    const { url } = (await postgresPlace()).options;
    const timeouts = { connect: 4000, statement: 90_000, lock: 7000, transaction: 8000 };
    const bounds = { patience: 9000, timeouts, keepalive: { idle: 11_000, interval: 2000, count: 4 } };
    const store = await open(url, { bounds });
    const tables = await store.tables();
    const names = { lock_timeout: '7s', statement_timeout: '90s', idle_in_transaction_session_timeout: '8s' };
    const sockets = { tcp_keepalives_idle: '11', tcp_keepalives_interval: '2', tcp_keepalives_count: '4' };
    const others = { tcp_user_timeout: '19000', client_connection_check_interval: '11s' };
    for (const [name, value] of Object.entries({ ...names, ...sockets, ...others })) {
      const { rows } = await sql<{ found: string }>`select current_setting(${name}) as found`.execute(tables);
      expect([name, rows[0]?.found]).toEqual([name, value]);
    }
  });

  it('is refused when a setting of its session is not in force', async () => {
    const { url } = (await postgresPlace()).options;
    const store = await open(url);
    const config = store.postgres?.config as ConnectionConfig;
    // It ends with the transaction in which it is set, as those of a session do behind some poolers.
    const wanted = { name: 'transaction_read_only', value: 'on' };
    const connection = new Connection({ ...config, session: [...config.session, wanted] });
    await expect(connection.connect()).rejects.toThrow('the session has transaction_read_only off instead of on');
  });
});

describe('a PostgreSQL that is not there', () => {
  it('is told with its place and without the password', async () => {
    const port = await freePort();
    const store = await open(`postgres://u:hunter2@127.0.0.1:${port}/box`);
    for (const ask of [
      () => store.ready(),
      () => store.migrate(),
      () => store.pending(),
      () => store.loadSampleData([{ name: 'a', sql: '' }]),
    ]) {
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'StoreError', location: `127.0.0.1:${port}/box` });
      expect(String(error)).toMatch(/127\.0\.0\.1:\d+\/box does not answer: .*ECONNREFUSED/);
      expect(String(error)).not.toContain('hunter2');
    }
  });
});

describe.skipIf(!hasPostgres)('a PostgreSQL', () => {
  it('is told what to do where there is no such database', async () => {
    const { options } = await postgresPlace();
    const url = new URL(options.url);
    url.pathname = '/nowhere';
    const store = await open(url.href);
    await expect(store.ready()).rejects.toThrow(/\/nowhere can't be used: .*does not exist; create the database/);
  });

  it('gives dates and times as it writes them, decimals as their digits, and whole numbers as numbers', async () => {
    const store = await (await postgresPlace()).open();
    const text = `select date '2026-02-03' as day, timestamp '2026-02-03 04:05:06.789' as local, time '04:05' as hour,
      timestamptz '2026-02-03 04:05:06+00' at time zone 'UTC' as utc, 1.10::numeric as amount, 5::bigint as few,
      9223372036854775807 as many, 1.5::float8 as half, true as yes`;
    const { rows } = await store.transaction((tx) => sqlTransaction(tx, 'postgres').execute(text));
    expect(rows).toEqual([
      {
        ...{ day: '2026-02-03', local: '2026-02-03 04:05:06.789', hour: '04:05:00', utc: '2026-02-03 04:05:06' },
        ...{ amount: '1.10', few: 5, many: 9223372036854775807n, half: 1.5, yes: true },
      },
    ]);
  });

  it('keeps inserts of values prepared, and nothing whose plan or columns may change', async () => {
    const store = await (await postgresPlace()).open();
    const names = await store.transaction(async (tx) => {
      const { execute } = sqlTransaction(tx, 'postgres');
      await execute('create temporary table kept (id integer, name text)');
      for (const ID of [1, 2]) await execute('insert into kept (id, name) values (:ID, :NAME)', { ID, NAME: 'a' });
      await execute('insert into kept (id) values (:ID) returning *', { ID: 3 });
      await execute('insert into kept (id) select id from kept where id = :ID', { ID: 3 });
      await execute('update kept set name = :NAME where id = :ID', { ID: 3, NAME: 'c' });
      const { rows } = await execute<{ statement: string }>(
        "select statement from pg_prepared_statements where statement like '%kept%'",
      );
      return rows.map(({ statement }) => statement);
    });
    expect(names).toEqual(['insert into kept (id, name) values ($1, $2)']);
  });

  it('bounds what waits for its connections', async () => {
    const store = await (await postgresPlace()).open();
    const go = Promise.withResolvers<void>();
    const begun: Promise<void>[] = [];
    const holding = Array.from({ length: store.postgres?.connections.tables ?? 0 }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      begun.push(promise);
      return store.transaction(() => {
        resolve();
        return go.promise;
      });
    });
    await Promise.all(begun);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const late = expect(store.transaction(async () => {})).rejects.toThrow(
        /t_\w+ does not answer: no connection became free in time/,
      );
      await vi.advanceTimersByTimeAsync(5000);
      await late;
    } finally {
      vi.useRealTimers();
    }
    go.resolve();
    await Promise.all(holding);
    await store.ready();
  });

  it('that restarts is reached again, and the process outlives that', async () => {
    const server = startPostgres(await freePort());
    onTestFinished(() => server.remove());
    const lost: Error[] = [];
    const store = await open(server.url.replace('postgres@', 'postgres:hunter2@'), {
      onError: (error) => lost.push(error),
    });
    await store.migrate();
    // Some connections that nobody uses when the server goes, beside the one of the transaction.
    await Promise.all([store.ready(), store.ready(), store.ready()]);
    const entered = Promise.withResolvers<void>();
    const cut = Promise.withResolvers<void>();
    const working = store.transaction(async (tx) => {
      await tx.insertInto('signalbox_sample_data').values({ name: 'cut', loaded: '' }).execute();
      entered.resolve();
      await cut.promise;
    });
    await entered.promise;
    server.stop('immediate');
    cut.resolve();
    // The connection is gone before the commit: it is told as a failure, whatever the database knows of it.
    await expect(working).rejects.toThrow();
    const error = await store.ready().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', location: store.location });
    expect(String(error)).toContain(store.location);
    expect(String(error)).not.toContain('hunter2');
    server.start();
    await store.ready();
    const rows = await (await store.tables()).selectFrom('signalbox_sample_data').select('name').execute();
    expect(rows).toEqual([]);
    await eventually('the lost connections', () => lost.length > 0 || undefined);
    for (const each of lost)
      expect(String(each)).toMatch(/^StoreError: a connection to 127\.0\.0\.1:\d+\/postgres was lost: /);
  });
});
