import { afterEach, describe, expect, it } from 'vitest';
import { deadAddress } from '../invoke/support.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { OUTBOUND_PROJECT } from './outbound-project.ts';
import { PROCESS_PROJECT, REST as PROCESSES } from './process-project.ts';
import { startUpstream } from './upstream.ts';

const atEnd: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of atEnd.splice(0).toReversed()) await end();
});

async function start(options: TestGatewayOptions): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  atEnd.push(() => gateway.stop());
  return gateway;
}

/** The values of a page of metrics, by name and labels: `signalbox_ready` or `signalbox_pool_waiting{pool="tables"}`. */
async function metricsOf(gateway: TestGateway): Promise<ReadonlyMap<string, number>> {
  const { text } = await gateway.call('/metrics');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

const REST = '/gateway/RESTListeningConnector/';

const ECHO = {
  'definitions/counted.yaml': `service: Counted.v1
permission: EVERYTHING
operations:
  ONE_GET: { get: one, limits: { rate: { requests: 1, per: 1 m, by: caller } }, response: text, handler: one }
  BODY_PUT: { put: body, request: text, response: text, handler: one }
`,
  'src/handlers/one.ts': "export default { onRequest: () => 'one' };\n",
};

describe('the metrics of a gateway that works', () => {
  it('count what was refused, by which rate, and bytes', async () => {
    const gateway = await start({ files: ECHO });
    for (let n = 0; n < 3; n++) await gateway.call(`${REST}Counted.v1/one`);
    await gateway.call(`${REST}Counted.v1/one`, { anonymous: true });
    await gateway.call(`${REST}Counted.v1/none`);
    await gateway.call(`${REST}Counted.v1/body`, {
      method: 'PUT',
      body: '12345',
      headers: { 'content-type': 'text/plain' },
    });
    await gateway.raw('GET / HTTP/1.1\r\n\r\n');
    const found = await metricsOf(gateway);
    expect(found.get('signalbox_rate_limited_total{rule="ONE_GET",by="caller"}')).toBe(2);
    expect(found.get('signalbox_refusals_total{reason="too_many_requests"}')).toBe(2);
    expect(found.get('signalbox_refusals_total{reason="unauthenticated"}')).toBe(1);
    expect(found.get('signalbox_refusals_total{reason="not_found"}')).toBe(1);
    // It never became a request.
    expect(found.get('signalbox_refusals_total{reason="bad_request"}')).toBe(1);
    expect(found.get('signalbox_received_bytes_total')).toBe(5);
    expect(found.get('signalbox_sent_bytes_total')).toBeGreaterThan(2 * 'one'.length);
    expect(found.get('signalbox_requests_under_way')).toBe(1);
    expect(found.get('signalbox_ready')).toBe(1);
    expect(found.get('signalbox_fleet_reporter')).toBe(1);
    expect(found.get('signalbox_pool_limit{pool="queries"}')).toBeGreaterThan(0);
  });

  it('count calls out by node and status, and show a circuit that opens', async () => {
    const upstream = await startUpstream();
    atEnd.push(() => upstream.stop());
    const env = { UPSTREAM_URL: upstream.url, GONE_URL: new URL(await deadAddress()).origin };
    const gateway = await start({ files: OUTBOUND_PROJECT, env });
    const send = (path: string, method = 'GET') =>
      gateway.call(`${REST}Front.v1/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: '{}' }),
      });
    // The first loads what makes calls, within the time of the gateway.
    await eventually('a call', async () => ((await send('items/a', 'POST')).status === 200 ? true : undefined));
    await send('items/refused', 'POST');
    await send('hasty');
    await send('gone');
    const once = await metricsOf(gateway);
    expect(once.get('signalbox_circuit_state{node="GONE"}')).toBe(0);
    await send('gone');
    await send('gone');
    const found = await metricsOf(gateway);
    const calls = (node: string, status: string) =>
      found.get(`signalbox_call_duration_seconds_count{node="${node}",status="${status}"}`);
    expect(calls('UPSTREAM', '200')).toBe(1);
    expect(calls('UPSTREAM', '422')).toBe(1);
    expect(calls('HASTY', 'TIMEOUT')).toBe(1);
    expect(found.get('signalbox_call_duration_seconds_sum{node="HASTY",status="TIMEOUT"}')).toBeGreaterThan(0.09);
    // The third was not made: the circuit was open.
    expect(calls('GONE', 'CONNECTION')).toBe(2);
    expect(found.get('signalbox_circuit_state{node="GONE"}')).toBe(2);
  });

  it('count no reader where no query of the database is declared', async () => {
    const query = 'query: ONE\npermission: EVERYTHING\nsql: select 1 as N\ncolumns: { N: integer }\n';
    const without = await start({ files: ECHO });
    const declared = await start({ files: { ...ECHO, 'definitions/one.yaml': query } });
    const readers = async (gateway: TestGateway) =>
      (await metricsOf(gateway)).get('signalbox_query_readers{state="idle"}');
    await eventually('a reader', async () => ((await readers(declared)) === 1 ? true : undefined));
    expect(await readers(without)).toBe(0);
  });

  it('identify the definitions: the same hash for the same ones, another for others', async () => {
    const hashes = await Promise.all(
      [ECHO, ECHO, { ...ECHO, 'definitions/more.yaml': 'permission-list: MORE\n' }].map(async (files) => {
        const found = await metricsOf(await start({ files }));
        return [...found.keys()].find((name) => name.startsWith('signalbox_definitions_info'));
      }),
    );
    expect(hashes[0]).toMatch(/hash="[0-9a-f]{16}"/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });
});

describe.skipIf(!hasPostgres)('the metrics of gateways that share a database', () => {
  it('hold the queues once, whichever is asked, and go on when the gateway that reports them ends', async () => {
    const database = await createDatabase();
    atEnd.push(() => database.drop());
    const files = {
      ...PROCESS_PROJECT,
      'definitions/gateway.yaml': `${PROCESS_PROJECT['definitions/gateway.yaml']}limits: { processes: 1 }\n`,
    };
    const env = { DATABASE_URL: database.url };
    const one = await start({ files, env });
    const two = await start({ files, env });
    const send = (method: string, path: string, body: object) =>
      one.call(`${PROCESSES}/requests${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const schedule = async (): Promise<number> => {
      const body = { RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: 'SLOW' };
      return (JSON.parse((await send('POST', '', body)).text) as { ProcessInstance: number }).ProcessInstance;
    };
    const scheduled = [await schedule(), await schedule(), await schedule()];
    const sum = (pages: readonly ReadonlyMap<string, number>[], name: string): number =>
      pages.reduce((all, page) => all + (page.get(name) ?? 0), 0);
    const pages = await eventually('two that run', async () => {
      const both = [await metricsOf(one), await metricsOf(two)];
      const running = sum(both, 'signalbox_queue_jobs{queue="processes",state="running"}');
      // What is known of the queues is read again after five seconds.
      return running === 2 ? both : undefined;
    });
    expect(sum(pages, 'signalbox_queue_jobs{queue="processes",state="waiting"}')).toBe(1);
    expect(sum(pages, 'signalbox_queue_oldest_seconds{queue="processes"}')).toBeGreaterThan(0);
    expect(pages.map((page) => page.get('signalbox_fleet_reporter'))).toEqual([1, 0]);
    for (const page of pages)
      for (const pool of ['tables', 'queries', 'queue'])
        expect(page.get(`signalbox_pool_limit{pool="${pool}"}`), pool).toBeGreaterThan(0);
    expect(pages[0]?.get('signalbox_pool_connections{pool="queue",state="idle"}')).toBeGreaterThanOrEqual(0);

    for (const instance of scheduled) await send('PATCH', `/${instance}`, { RunStatus: 'Cancelled' });
    await one.gateway.close({ timeoutMs: 1000 });
    const after = await metricsOf(two);
    expect(after.get('signalbox_fleet_reporter')).toBe(1);
    expect(after.get('signalbox_queue_jobs{queue="processes",state="waiting"}')).toBeDefined();
  });
});

describe('the metrics of queued work', () => {
  it('count attempts by the name of the process, and how long they took', async () => {
    const gateway = await start({ files: PROCESS_PROJECT });
    const body = JSON.stringify({ RunControlId: 'RC', ProcessType: 'SQR Report', ProcessName: 'OPEN' });
    await gateway.call(`${PROCESSES}/requests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const found = await eventually('the end of the attempt', async () => {
      const page = await metricsOf(gateway);
      return [...page.keys()].some((name) => name.startsWith('signalbox_job_attempts_total')) ? page : undefined;
    });
    expect(found.get('signalbox_job_attempts_total{queue="processes",name="OPEN",result="done"}')).toBe(1);
    expect(found.get('signalbox_job_attempt_duration_seconds_count{queue="processes",name="OPEN"}')).toBe(1);
  });
});
