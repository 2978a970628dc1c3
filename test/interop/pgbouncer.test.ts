import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { checkConnected } from '../../src/serve/start/database-check.ts';
import { callerOf, startFailing } from '../serve/failure-project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually, gatewayText, writeProject } from '../support/project.ts';

const rest = '/gateway/RESTListeningConnector';

/** A table, and functions that write to it, which a stored query can call. */
const TRACES = `
create table trace (what text);
create function leave_trace() returns integer language sql volatile as
  $$ insert into trace values ('left') returning 1 $$;
create function leave_trace_anyway() returns integer language plpgsql volatile as $$
  begin
    set transaction read write;
    insert into trace values ('left anyway');
    return 1;
  end $$;
create function change_default() returns integer language sql volatile as
  $$ select length(set_config('default_transaction_read_only', 'off', false) || set_config('transaction_read_only', 'off', true)) $$;
`;

const QUERIES = ['leave_trace', 'leave_trace_anyway', 'change_default']
  .map(
    (name) => `query: ${name.toUpperCase()}
public: true
columns: { N: integer }
sql: select ${name}() as n
`,
  )
  .join('---\n');

const PROJECT = {
  'definitions/gateway.yaml': gatewayText(),
  'definitions/traces.yaml': `${QUERIES}---
service: Traces.v1
public: true
operations:
  TRACE: { get: Trace, query: LEAVE_TRACE }
  ANYWAY: { get: Anyway, query: LEAVE_TRACE_ANYWAY }
  CHANGE: { get: Change, query: CHANGE_DEFAULT }
`,
};

async function database(): Promise<TestDatabase> {
  const made = await createDatabase({ migrated: true });
  onTestFinished(() => made.drop());
  return made;
}

async function pooled(...args: Parameters<typeof startPgBouncer>): Promise<PgBouncer> {
  const pooler = await startPgBouncer(...args);
  onTestFinished(() => pooler.stop());
  return pooler;
}

async function started(starting: Promise<TestGateway>): Promise<TestGateway> {
  const gateway = await starting;
  onTestFinished(() => gateway.stop());
  return gateway;
}

describe.skipIf(!(hasPostgres && hasPgBouncer))('behind PgBouncer in session mode', () => {
  it('a stored query never writes, although the options of a start are dropped', async () => {
    const at = await database();
    await at.run(TRACES);
    const pooler = await pooled(at.url, {
      pool_mode: 'session',
      ignore_startup_parameters: 'options,extra_float_digits',
    });
    const gateway = await started(startTestGateway({ files: PROJECT, env: { DATABASE_URL: pooler.through(at.url) } }));
    for (const path of ['Trace', 'Anyway', 'Change', 'Trace', 'Anyway'])
      expect([path, (await gateway.call(`${rest}/Traces.v1/${path}`)).status]).toEqual([path, 500]);
    expect((await at.run('select * from trace')).rows).toEqual([]);
  });

  it.each([
    ['as Debian configures it', {}],
    ['that resets nothing between its clients', { server_reset_query: '' }],
  ])('%s, queue, notifications, polled queries and saves work', async (_, settings) => {
    const at = await database();
    const pooler = await pooled(at.url, { pool_mode: 'session', default_pool_size: 40, ...settings });
    // The second gateway gets sessions that the first one has used.
    for (const round of ['first', 'second']) {
      const gateway = await startFailing(pooler.through(at.url));
      try {
        const { poll, untilRun, note, scheduled, untilProcess, effects } = callerOf(gateway);
        const door = join(gateway.folder, 'door');
        writeFileSync(door, '');
        await untilProcess(await scheduled(round, door), 'Success');
        await untilRun(await poll('EFFECTS'), 'success');
        expect((await note(round)).status).toBe(201);
        const endless = await poll('ENDLESS');
        await untilRun(endless, 'running');
        await callerOf(gateway).get(`CancelQuery.v1/cancelquery?instanceid=${endless}&json_resp=true`);
        await eventually('the query to be stopped in the database', async () => {
          const active = "select from pg_stat_activity where state = 'active' and query like '%recursive c(n)%'";
          const { rowCount } = await at.run(`${active} and pid <> pg_backend_pid()`);
          return rowCount === 0 || undefined;
        });
        expect(await effects()).toContainEqual({ ITEM: round, ATTEMPT: 1 });
      } finally {
        await gateway.stop();
      }
    }
  });
});

describe.skipIf(!(hasPostgres && hasPgBouncer)).each(['transaction', 'statement'])(
  'PgBouncer in %s mode',
  (pool_mode) => {
    it.each([
      ['and one session', { default_pool_size: 1 }],
      ['and many sessions', { default_pool_size: 20, min_pool_size: 10 }],
      ['that gives sessions in turn', { default_pool_size: 20, min_pool_size: 10, server_round_robin: 1 }],
      ['that is used by others', { default_pool_size: 20 }],
    ])('%s, is refused at the start, with what to do', async (what, settings) => {
      const at = await database();
      const pooler = await pooled(at.url, { pool_mode, ...settings });
      if (what.includes('others')) await busy(pooler.through(at.url));
      const starting = startFailing(pooler.through(at.url));
      await expect(starting).rejects.toThrow(
        `is a pooler, such as PgBouncer, in ${pool_mode} mode: it gives each ${pool_mode} another session`,
      );
      await expect(starting).rejects.toThrow('set pool_mode = session');
    });
  },
);

describe.skipIf(!(hasPostgres && hasPgBouncer))('a datasource behind PgBouncer in transaction mode', () => {
  it('is refused at the start, and by check --connect', async () => {
    const at = await database();
    const pooler = await pooled(at.url, { pool_mode: 'transaction' });
    const files = {
      'definitions/other.yaml': `datasource: OTHER
url: ${pooler.through(at.url)}
---
query: HERE
public: true
datasource: OTHER
columns: { N: integer }
sql: select 1 as n
`,
    };
    await expect(startTestGateway({ files })).rejects.toThrow(
      /^datasource OTHER: \S+ is a pooler, such as PgBouncer, in transaction mode/,
    );
    const project = writeProject(files);
    onTestFinished(project.remove);
    const { registry } = loadProject({ root: project.root });
    const found = await checkConnected(registry as Registry, { root: project.root, env: {} });
    expect(found.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^The datasource OTHER can't be read: \S+ is a pooler, .* in transaction mode/),
    );
  });
});

/** Clients of a pooler that are never idle, until the test is finished. */
async function busy(url: string): Promise<void> {
  const clients = Array.from({ length: 5 }, () => new pg.Client(url));
  let over = false;
  onTestFinished(async () => {
    over = true;
    await Promise.all(clients.map((client) => client.end()));
  });
  for (const client of clients) {
    await client.connect();
    const work = async (): Promise<void> => {
      while (!over) await client.query('select 1').catch(() => {});
    };
    void work();
  }
}
