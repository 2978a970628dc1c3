import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Datasource } from '../../src/model/query.ts';
import { openQueries, type QueryPort, reachDatabase } from '../../src/query/index.ts';
import { storeAt } from '../query/postgres/support.ts';
import { query as queryOf } from '../query/support.ts';
import { freePort } from '../support/free-port.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres-pair.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres-server.ts';
import { eventually } from '../support/project.ts';

const portOf = ({ url }: PostgresServer): number => Number(new URL(url).port);

async function run(server: PostgresServer, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const each of statements) ({ rows } = await client.query(each));
    return rows;
  } finally {
    await client.end();
  }
}

/** Queries of a reader without privileges on a datasource with replicas. */
interface Reading {
  readonly queries: QueryPort;
  /** The port of the server that runs a query. */
  where(sql?: string): Promise<number>;
  /** What operators were told. */
  readonly reports: string[];
  /** Runs queries until there is a report. */
  reported(): Promise<true>;
}

describe.skipIf(postgresPrograms() === undefined)('stored queries of a datasource with replicas', () => {
  let pair: PostgresPair;
  let second: PostgresServer;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-replicas-'));

  beforeAll(async () => {
    pair = await startPostgresPair();
    second = startPostgres(await freePort(), { max_standby_streaming_delay: '0' }, pair.primary.url);
    await run(
      pair.primary,
      'create table t (n integer)',
      'insert into t select generate_series(1, 1000)',
      'create role reader login',
      'grant select on t to reader',
    );
    for (const each of [pair.standby, second])
      await eventually('the role', async () =>
        (await run(each, "select 1 from pg_roles where rolname = 'reader'")).length > 0 ? true : undefined,
      );
  }, 60_000);
  afterAll(() => {
    second?.remove();
    pair?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const reader = (server: PostgresServer): string => server.url.replace('postgres@', 'reader@');

  async function read(replicas: readonly PostgresServer[], primary = pair.primary): Promise<Reading> {
    const reports: string[] = [];
    const url = reader(primary);
    const database = await reachDatabase(url, '/', { replicas: { lag: 2000, urls: () => replicas.map(reader) } });
    const datasource = { id: 'HR' } as Datasource;
    const queries = openQueries({
      store: await storeAt(url, join(folder, 'box')),
      datasources: [{ datasource, database }],
      timezone: 'UTC',
      limits: { rows: 10, timeout: 20_000 },
      report: (sentence) => reports.push(sentence),
    });
    onTestFinished(() => queries.close());
    const where = async (sql = "select current_setting('port')::int as n"): Promise<number> => {
      const query = { ...queryOf(sql, { N: 'integer' }), datasource };
      const [row] = await queries.rows({ query, prompts: {} });
      return row?.N as number;
    };
    const reported = (): Promise<true> =>
      eventually('a report', async () => {
        await where();
        return reports.length > 0 || undefined;
      });
    return { queries, reports, where, reported };
  }

  it('run on each replica in turn, the first one already', async () => {
    const { where, queries, reports } = await read([pair.standby, second]);
    const all = [pair.standby, second].map(portOf);
    expect(all).toContain(await where());
    const both = await eventually('both', async () => {
      const ports = [await where(), await where(), await where(), await where()];
      // The second replica may join in the middle of these.
      return ports[0] === ports[1] ? undefined : ports;
    });
    expect(both).toEqual([both[0], both[1], both[0], both[1]]);
    expect(both.slice(0, 2).toSorted()).toEqual(all.toSorted());
    expect(queries.pools().map(({ name, idle }) => [name, idle])).toEqual([
      ['queries', 0],
      ['datasource HR', 0],
      ['datasource HR replica 1', 1],
      ['datasource HR replica 2', 1],
    ]);
    expect(reports).toEqual([]);
  });

  it('leave no connection when they are closed while a replica is being waited for', async () => {
    await run(pair.standby, 'select pg_wal_replay_pause()');
    onTestFinished(() => run(pair.standby, 'select pg_wal_replay_resume()').then(() => {}));
    await run(pair.primary, 'insert into t values (0)');
    const { where, queries, reports } = await read([pair.standby]);
    const connections = async (): Promise<number> =>
      (await run(pair.standby, "select 1 from pg_stat_activity where usename = 'reader'")).length;
    const waiting = where();
    waiting.catch(() => {});
    await eventually('a connection', async () => (await connections()) > 0 || undefined);
    await queries.close();
    await expect(waiting).rejects.toThrow('the gateway is stopping');
    await eventually('its end', async () => (await connections()) === 0 || undefined);
    expect(reports).toEqual([]);
  });

  it('run on the primary while a replica is too far behind, and on the replica again afterwards', async () => {
    const { where, reports, reported } = await read([pair.standby]);
    expect(await where()).toBe(portOf(pair.standby));
    await run(pair.standby, 'select pg_wal_replay_pause()');
    onTestFinished(() => run(pair.standby, 'select pg_wal_replay_resume()').then(() => {}));
    await run(pair.primary, 'insert into t values (0)');
    await eventually('the primary', async () => (await where()) === portOf(pair.primary) || undefined);
    await reported();
    const location = `127.0.0.1:${portOf(pair.standby)}/postgres`;
    expect(reports).toEqual([`The replica ${location} is left out: it is more than 2 s behind.`]);
    await run(pair.standby, 'select pg_wal_replay_resume()');
    await eventually('the replica', async () => (await where()) === portOf(pair.standby) || undefined);
    expect(reports.slice(1)).toEqual([`The replica ${location} is used again.`]);
  });

  it('do not take a replica for recent that has lost its primary, and need no clock to find out', async () => {
    const { where, reports } = await read([pair.standby]);
    const [{ primary_conninfo: found }] = (await run(pair.standby, 'show primary_conninfo')) as [
      Record<string, string>,
    ];
    const connectTo = (info = ''): Promise<unknown> =>
      run(
        pair.standby,
        `alter system set primary_conninfo = '${info.replaceAll("'", "''")}'`,
        'select pg_reload_conf()',
      );
    await connectTo();
    onTestFinished(() => connectTo(found).then(() => {}));
    await eventually('the end of the connection', async () =>
      (await run(pair.standby, 'select 1 from pg_stat_wal_receiver')).length === 0 ? true : undefined,
    );
    // Nothing was written since: it has all that there is.
    expect(await where()).toBe(portOf(pair.standby));
    await run(pair.primary, 'insert into t values (0)');
    await eventually('the primary', async () => {
      return ((await where()) === portOf(pair.primary) && reports.length > 0) || undefined;
    });
    await connectTo(found);
    await eventually('the replica', async () => (await where()) === portOf(pair.standby) || undefined);
    expect(reports[0]).toMatch(/it is more than 2 s behind\.$/);
    expect(reports[1]).toMatch(/is used again\.$/);
  });

  it('are repeated on the primary when a conflict with what is replayed ends them', async () => {
    const { where, reports } = await read([second]);
    const slow = where("select current_setting('port')::int as n from t, (select pg_sleep(1)) s where n = 1");
    await eventually('the query on the replica', async () =>
      (await run(second, "select 1 from pg_stat_activity where wait_event = 'PgSleep'")).length > 0 ? true : undefined,
    );
    await run(pair.primary, 'delete from t where n > 500', 'vacuum t');
    expect(await slow).toBe(portOf(pair.primary));
    expect(await where()).toBe(portOf(second));
    expect(reports).toEqual([]);
  });

  it('are repeated on the primary when the table is not there yet', async () => {
    const { where } = await read([pair.standby]);
    expect(await where()).toBe(portOf(pair.standby));
    await run(pair.standby, 'select pg_wal_replay_pause()');
    onTestFinished(() => run(pair.standby, 'select pg_wal_replay_resume()').then(() => {}));
    await run(
      pair.primary,
      'create table young (n integer)',
      'grant select on young to reader',
      'insert into young values (7)',
    );
    expect(await where('select n from young')).toBe(7);
    await run(pair.primary, 'drop table young');
  });

  it('go on at the primary when the replica hangs, those that run there too', { timeout: 30_000 }, async () => {
    const { where, reports } = await read([second]);
    expect(await where()).toBe(portOf(second));
    const slow = where("select current_setting('port')::int as n from (select pg_sleep(1)) s");
    const pids = await eventually('the query on the replica', async () => {
      const rows = await run(
        second,
        "select pid, wait_event from pg_stat_activity where application_name like 'signalbox%'",
      );
      return rows.some(({ wait_event: event }) => event === 'PgSleep')
        ? rows.map(({ pid }) => pid as number)
        : undefined;
    });
    const signal = (name: NodeJS.Signals): void => {
      for (const pid of [second.pid(), ...pids]) {
        try {
          process.kill(pid, name);
        } catch {
          // It has ended meanwhile.
        }
      }
    };
    signal('SIGSTOP');
    onTestFinished(() => signal('SIGCONT'));
    const began = performance.now();
    await eventually('the primary', async () => (await where()) === portOf(pair.primary) || undefined);
    expect(await slow).toBe(portOf(pair.primary));
    expect(performance.now() - began).toBeLessThan(8000);
    expect(reports.join()).toMatch(/is left out: it does not answer/);
    signal('SIGCONT');
    await eventually('the replica', async () => (await where()) === portOf(second) || undefined);
  });

  it('fail nowhere when the replica dies, and run there when it is back', async () => {
    const { where, reports, reported } = await read([second]);
    expect(await where()).toBe(portOf(second));
    second.stop('immediate');
    expect(await where()).toBe(portOf(pair.primary));
    await reported();
    second.start();
    await eventually('the replica', async () => (await where()) === portOf(second) || undefined);
    expect(reports).toHaveLength(2);
  });

  it('never run on the replica of another database, or on one that was promoted', { timeout: 30_000 }, async () => {
    const other = startPostgres(await freePort());
    onTestFinished(() => other.remove());
    await run(other, 'create role reader login');
    const foreign = await read([second], other);
    expect(await foreign.where()).toBe(portOf(other));
    await foreign.reported();
    expect(foreign.reports[0]).toMatch(/it is not a replica of this primary\.$/);

    const { where, reports, reported } = await read([second]);
    expect(await where()).toBe(portOf(second));
    second.promote();
    await eventually('the primary', async () => (await where()) === portOf(pair.primary) || undefined);
    await reported();
    expect(reports[0]).toMatch(/it is not a replica, or was promoted\.$/);
  });

  it('go on without the primary as long as their data is recent, and fail afterwards', async () => {
    const { where, reports } = await read([pair.standby]);
    expect(await where()).toBe(portOf(pair.standby));
    const began = performance.now();
    pair.primary.stop('immediate');
    expect(await where()).toBe(portOf(pair.standby));
    const failure = await eventually('the end', () =>
      where().then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(failure).toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '1' } });
    expect(performance.now() - began).toBeGreaterThan(1000);
    await eventually('a report', () =>
      where().then(
        () => undefined,
        () => reports[0],
      ),
    );
    expect(reports[0]).toMatch(/how far it is behind is unknown, because the primary can't be asked: /);
  });
});
