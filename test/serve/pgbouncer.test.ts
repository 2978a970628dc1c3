import { describe, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { gatewayText } from '../support/project.ts';

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

async function started(starting: Promise<TestGateway>): Promise<TestGateway> {
  const gateway = await starting;
  onTestFinished(() => gateway.stop());
  return gateway;
}

describe.skipIf(!(hasPostgres && hasPgBouncer))('behind PgBouncer in session mode', () => {
  it('a stored query never writes, although the options of a start are dropped', async () => {
    const at = await database();
    await at.run(TRACES);
    const pooler = await startPgBouncer(at.url, {
      pool_mode: 'session',
      ignore_startup_parameters: 'options,extra_float_digits',
    });
    const gateway = await started(startTestGateway({ files: PROJECT, env: { DATABASE_URL: pooler.through(at.url) } }));
    for (const path of ['Trace', 'Anyway', 'Change', 'Trace', 'Anyway'])
      expect([path, (await gateway.call(`${rest}/Traces.v1/${path}`)).status]).toEqual([path, 500]);
    expect((await at.run('select * from trace')).rows).toEqual([]);
  });
});
