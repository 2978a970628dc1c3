import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, startQueryServices } from '../serve/query-services-project.ts';
import type { TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';

// One author fills all the places that there are with queries that do not end. Others are answered meanwhile.

const MANY = 16;
const ENDLESS = {
  query: 'MINE',
  columns: { N: 'integer' },
  sql: 'with recursive c(n) as (select 1 union all select (n + 1) % 1000 from c) select max(n) as n from c',
};

function suite(open: () => Promise<{ readonly url?: string; readonly drop?: () => Promise<void> }>): void {
  let gateway: TestGateway;
  let drop: (() => Promise<void>) | undefined;
  const client = clientOf(() => gateway);
  beforeAll(async () => {
    const database = await open();
    drop = database.drop;
    gateway = await startQueryServices(database.url, 'limits: { timeout: 25 s }\n');
    expect((await client.save(ENDLESS)).status).toBe(200);
  });
  afterAll(async () => {
    await gateway.stop();
    await drop?.();
  });

  const gauge = async (name: string): Promise<number> => {
    const { text } = await gateway.call('/metrics', { anonymous: true });
    return Number(new RegExp(`^signalbox_query_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  const lookUp = async (): Promise<void> => {
    for (let n = 1; n <= 8; n += 1) {
      const { status, body } = await client.json('ExecuteQuery.v1/PUBLIC/DEPARTMENTS/JSON/NONFILE', 'guest');
      expect([status, body.data.query.numrows]).toEqual([200, 3]);
    }
  };

  it.each(['NONFILE', 'FILE'])('who asks for rows as %s', async (form) => {
    let ended = 0;
    const stop = new AbortController();
    const asked = Array.from({ length: MANY }, () =>
      fetch(`${gateway.gateway.address}/gateway/RESTListeningConnector/ExecuteQuery.v1/PRIVATE/MINE/JSON/${form}`, {
        headers: { authorization: `Basic ${btoa('demo:demo')}` },
        signal: stop.signal,
      }).finally(() => {
        ended += 1;
      }),
    );
    const all = Promise.allSettled(asked);
    await eventually('queries that run, and others that wait', async () => {
      const waiting = await gauge('waiting');
      return waiting > 0 && waiting < MANY - 1 ? true : undefined;
    });
    await lookUp();
    expect(ended).toBe(0);
    stop.abort();
    await all;
    await eventually('the end of them', async () => ((await gauge('waiting')) === 0 ? true : undefined));
  });

  it('who enters polled runs: queries and runs of others go on', async () => {
    const path = 'ExecuteQueryPoll.v1/PRIVATE/MINE/JSON/NONFILE';
    const entered = await Promise.all(Array.from({ length: MANY }, () => client.json(path)));
    const ids = entered.map(({ body }) => body.QueryInstance as string);
    const statusOf = async (id: string, as: 'demo' | 'guest' = 'demo'): Promise<string> =>
      (await client.json(`QueryStatus.v1/getstatus?instanceid=${id}`, as)).body.status;
    await eventually('a run', async () =>
      (await Promise.all(ids.map((id) => statusOf(id)))).includes('running') ? true : undefined,
    );
    await lookUp();
    const other = await client.json('ExecuteQueryPoll.v1/PUBLIC/DEPARTMENTS/JSON/NONFILE', 'guest');
    await eventually('the run of another user', async () =>
      (await statusOf(other.body.QueryInstance, 'guest')) === 'success' ? true : undefined,
    );
    const statuses = await Promise.all(ids.map((id) => statusOf(id)));
    expect(statuses.filter((status) => status !== 'running' && status !== 'queued')).toEqual([]);
    for (const id of ids) await client.get(`CancelQuery.v1/cancelquery?instanceid=${id}`);
  });
}

describe('endless queries of one author, on SQLite', () => suite(async () => ({})));
describe.skipIf(!hasPostgres)('endless queries of one author, on PostgreSQL', () =>
  suite(async () => createDatabase({ migrated: true })),
);
