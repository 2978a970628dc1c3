import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type ReceivedSpan, type Receiver, startReceiver } from '../support/otlp/receiver.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';
import { bodyOf, envelope, post as postSoap } from './soap-client.ts';

const SECRET = 'c4n4ry-of-the-path';
const REST = '/gateway/RESTListeningConnector/';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

/** The gateway that partners call: it schedules a process, which calls the other gateway. */
const FRONT = {
  'definitions/gateway.yaml': `${gatewayText('delivered: [PROCESSREQUEST.v1]')}`,
  'definitions/users.yaml': USERS.replace(
    'permission-list: EVERYTHING',
    'permission-list: EVERYTHING\noperations: [PROCESSREQUEST.*]',
  ),
  'definitions/front.yaml': `node: BACK
base: "\${env:BACK_URL}/gateway/RESTListeningConnector"
credential: { basic: { user: demo, password: "\${secret:BACK_PASSWORD}" } }
retry: { attempts: 2 }
---
service: Back.v1
target: BACK
permission: EVERYTHING
operations:
  THING_GET: { get: "Things.v1/things/{ID}", request: { fields: { ID: string } }, response: json }
---
process: FETCH
type: Application Engine
permission: EVERYTHING
parameters: { ID: string }
---
query: NUMBERS
permission: EVERYTHING
prompts: { LAST: { type: integer, required: true } }
columns: { N: integer }
sql: "select :LAST as n"
---
service: Front.v1
permission: EVERYTHING
operations:
  SECRET_GET: { get: "secrets/{KEY}/more{?PAGE}", request: { fields: { KEY: { type: string, sensitive: true }, PAGE: integer } }, response: json }
  NUMBER: { soap: true, request: { fields: { LAST: integer } }, response: { fields: { N: integer } }, handler: number }
  OLD_NUMBER: { get: "numbers/{LAST}", request: { fields: { LAST: integer } }, response: { fields: { N: integer } }, call: NUMBER }
`,
  'src/handlers/fetch.ts': `export default {
  async run({ ID }, context) {
    await context.query('NUMBERS', { LAST: 4711 });
    await context.call('THING_GET', { ID });
  },
};
`,
  'src/handlers/secret-get.ts':
    "export default { onRequest: ({ KEY }, context) => (context.log('info', 'seen ' + KEY), {}) };\n",
  'src/handlers/number.ts':
    'export default { onRequest: async ({ LAST }, context) => (await context.query("NUMBERS", { LAST }))[0] };\n',
};

const BACK = {
  'definitions/back.yaml': `service: Things.v1
permission: EVERYTHING
operations:
  THING_GET: { get: "things/{ID}", request: { fields: { ID: string } }, response: json, handler: thing }
`,
  'src/handlers/thing.ts': `import { Fault } from 'signalbox';
let failed = false;
export default {
  onRequest({ ID }) {
    if (ID === 'once' && !failed) { failed = true; throw Fault.of('UNAVAILABLE', { reason: 'not yet' }); }
    if (ID === 'never') throw new Error('broken');
    return { ID };
  },
};
`,
};

const exporting = (url: string, service: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
  OTEL_SERVICE_NAME: service,
  OTEL_BSP_SCHEDULE_DELAY: '20',
  OTEL_BLRP_SCHEDULE_DELAY: '20',
  OTEL_METRIC_EXPORT_INTERVAL: '100',
});

let receiver: Receiver;
let back: TestGateway;
let front: TestGateway;
beforeAll(async () => {
  receiver = await startReceiver();
  back = await startTestGateway({ files: BACK, env: exporting(receiver.url, 'back') });
  const env = { ...exporting(receiver.url, 'front'), BACK_URL: back.gateway.address, BACK_PASSWORD: 'demo' };
  front = await startTestGateway({ files: FRONT, env });
}, 30_000);
afterAll(async () => {
  await front.stop();
  await back.stop();
  await receiver.stop();
});

const schedule = (id: string, headers: Record<string, string>): Promise<Reply> =>
  front.call(`${REST}ProcessRequest.v1/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      RunControlId: 'RC',
      ProcessType: 'Application Engine',
      ProcessName: 'FETCH',
      parameters: [{ Name: 'ID', Value: id }],
    }),
  });

const spansOf = (traceId: string): ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);

/** The names of a tree of spans, those of the database left out where they are of the gateway's own tables. */
function treeOf(spans: readonly ReceivedSpan[], parent: string): unknown[] {
  return spans
    .filter(
      (span) =>
        span.parentSpanId === parent &&
        !/ (signalbox_|psprcs)|^(SELECT|INSERT|UPDATE|DELETE|WITH|_OTHER)$/.test(span.name),
    )
    .map((span) => [
      `${span.service}: ${span.kind.replace('SPAN_KIND_', '').toLowerCase()} ${span.name}`,
      ...treeOf(spans, span.spanId),
    ]);
}

describe('the export of traces by OTLP', () => {
  it('shows the operation that answers another one as a span of that call', async () => {
    const traceId = TRACE.replace('4b', '6c');
    const headers = { traceparent: `00-${traceId}-${PARENT}-01` };
    expect((await front.call(`${REST}Front.v1/numbers/7`, { headers })).text).toBe('{"N":7}');
    const served = await eventually('the spans', () => {
      const spans = spansOf(traceId);
      return spans.some(({ kind }) => kind === 'SPAN_KIND_SERVER') ? spans : undefined;
    });
    expect(treeOf(served, PARENT)).toMatchObject([
      [`front: server GET ${REST}Front.v1/numbers/{LAST}`, ['front: internal call NUMBER', [expect.any(String)]]],
    ]);
  });

  it('follows a call over two gateways: request, job, process, query, and each attempt at the call that it makes', async () => {
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'vendor=1', 'x-request-id': 'R-1' };
    expect((await schedule('once', headers)).status).toBe(201);
    const served = await eventually('the second attempt', () => {
      const done = spansOf(TRACE).filter(({ name }) => name === 'process processes');
      const calls = spansOf(TRACE).filter(({ kind }) => kind === 'SPAN_KIND_SERVER');
      return done.length === 1 && calls.length === 3 ? spansOf(TRACE) : undefined;
    });
    const back = `back: server GET ${REST}Things.v1/things/{ID}`;
    expect(treeOf(served, PARENT)).toEqual([
      [
        `front: server POST ${REST}ProcessRequest.v1/requests`,
        [
          'front: producer send processes',
          [
            'front: consumer process processes',
            [
              'front: internal process FETCH',
              ['front: client SELECT NUMBERS'],
              ['front: client GET', [back]],
              ['front: client GET', [back]],
            ],
          ],
        ],
      ],
    ]);
    expect(new Set(served.map(({ traceState }) => traceState))).toEqual(new Set(['vendor=1']));
    expect(served.every(({ took }) => took >= 0)).toBe(true);
    const [first, second] = served.filter(({ name }) => name === 'GET');
    const { port } = new URL(front.gateway.address === '' ? '' : `${first?.attributes['url.full']}`);
    expect(first).toMatchObject({
      failed: true,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 503,
        'error.type': '503',
        'server.address': '127.0.0.1',
        'server.port': Number(port),
        'signalbox.node': 'BACK',
      },
    });
    expect(second).toMatchObject({ failed: false, attributes: { 'http.request.resend_count': 1 } });
    expect(served.find(({ name }) => name === 'SELECT NUMBERS')?.attributes).toEqual({
      'db.system.name': 'sqlite',
      'db.operation.name': 'SELECT',
      'db.query.summary': 'SELECT NUMBERS',
      'db.query.text': 'select cast(? as integer) as n',
    });
    expect(served.find(({ name }) => name === 'process processes')?.attributes).toMatchObject({
      'messaging.system': 'signalbox',
      'messaging.destination.name': 'processes',
      'messaging.operation.type': 'process',
    });
  });

  it('has the lines of both logs, with the ids of their spans', async () => {
    const traceId = 'aaaabbbbccccddddeeeeffff00001111';
    await schedule('never', { traceparent: `00-${traceId}-${PARENT}-01`, 'x-request-id': 'R-2' });
    const lines = await eventually('the lines and their spans', () => {
      const found = receiver.logs.filter((each) => each.traceId === traceId);
      const spans = new Set(spansOf(traceId).map(({ spanId }) => spanId));
      const errors = found.filter(({ severity, spanId }) => severity === 'error' && spans.has(spanId));
      return new Set(errors.map(({ service }) => service)).size === 2 ? found : undefined;
    });
    expect(new Set(lines.map(({ attributes }) => attributes.requestId))).toEqual(new Set(['R-2']));
    const logged = [...front.log(), ...back.log()].filter((line) => line.traceId === traceId);
    expect(logged.map(({ spanId }) => spanId).sort()).toEqual(lines.map(({ spanId }) => spanId).sort());
  });

  it('has a call over SOAP as a remote procedure call', async () => {
    const reply = await postSoap(front, envelope('<NUMBER xmlns="urn:test:Front.v1"><LAST>3</LAST></NUMBER>'));
    expect(bodyOf(reply)).toContain('<N>3</N>');
    const span = await eventually('its span', () =>
      receiver.spans.find(({ name }) => name === 'POST /gateway/PeopleSoftServiceListeningConnector'),
    );
    expect(span.attributes).toMatchObject({ 'rpc.system.name': 'soap', 'rpc.method': 'Front.v1/NUMBER' });
  });

  it('begins a trace where the caller has none, and records none that the caller does not record', async () => {
    const call = (headers: Record<string, string>) => front.call('/health/live', { headers });
    await call({ 'x-request-id': 'none' });
    await call({ 'x-request-id': 'unsampled', traceparent: `00-${TRACE.replace('4', '5')}-${PARENT}-00` });
    await call({ 'x-request-id': 'sampled', traceparent: `00-${TRACE.replace('4', '6')}-${PARENT}-01` });
    const traceOf = (id: string) => front.log().find(({ requestId }) => requestId === id)?.traceId as string;
    await eventually('the spans', () => (spansOf(traceOf('sampled')).length > 0 ? true : undefined));
    expect(spansOf(traceOf('none'))).toMatchObject([{ name: 'GET /health/live', parentSpanId: '' }]);
    expect(traceOf('unsampled')).toBe(TRACE.replace('4', '5'));
    expect(spansOf(traceOf('unsampled'))).toEqual([]);
  });

  it('tells no secret', async () => {
    const path = `${REST}Front.v1/secrets/${SECRET}/more?PAGE=1`;
    const reply = await front.call(path, { headers: { 'x-request-id': 'secret', authorization: `Bearer ${SECRET}` } });
    expect(reply.status).toBe(401);
    await front.call(path, { headers: { 'x-request-id': 'secret-2', cookie: `a=${SECRET}` } });
    const route = `GET ${REST}Front.v1/secrets/{KEY}/more`;
    const spans = await eventually('both spans', () => {
      const found = receiver.spans.filter(({ name }) => name === route);
      return found.length === 2 ? found : undefined;
    });
    await eventually('the line', () => receiver.logs.find(({ attributes }) => attributes.requestId === 'secret-2'));
    expect(spans.map(({ attributes }) => attributes['url.path'])).toEqual(Array(2).fill(`${REST}Front.v1/***`));
    expect(Buffer.concat(receiver.bytes).includes(SECRET)).toBe(false);
  });

  it('sends the headers of its variables', () => {
    expect(new Set(receiver.headers.map((headers) => headers['x-tenant']))).toEqual(new Set(['a b']));
  });
});

describe('the export of metrics by OTLP', () => {
  it('has those of /metrics, in the names of the semantic conventions', async () => {
    const durations = await eventually('durations', () =>
      receiver.metrics.find(({ name }) => name === 'http.server.request.duration'),
    );
    expect(durations).toMatchObject({ unit: 's', kind: 'histogram' });
    const [point] = durations.points as {
      attributes: object;
      count: number;
      bucketCounts: number[];
      explicitBounds: number[];
    }[];
    expect(Object.keys(point?.attributes ?? {}).sort()).toEqual(['http.response.status_code', 'signalbox.operation']);
    expect(point?.bucketCounts.length).toBe(Number(point?.explicitBounds.length) + 1);
    expect(point?.bucketCounts.reduce((sum, count) => sum + count, 0)).toBe(point?.count);
    expect(receiver.metrics.map(({ name }) => name)).toContain('signalbox.query_readers');
  });
});

describe('an export by OTLP', () => {
  it('that no collector takes holds up no call and no end, and is logged once', async () => {
    const deaf = await startReceiver(400);
    const test = await startTestGateway({ files: BACK, env: exporting(deaf.url, 'deaf') });
    try {
      for (let n = 0; n < 5; n++) expect((await test.call('/health/live')).status).toBe(200);
      const said = () => test.log().flatMap(({ msg }) => (/OTLP/.test(String(msg)) ? [String(msg)] : []));
      // A machine that is busy says besides that the metrics, which have 100 ms, took too long.
      await eventually('a line', () => said().find((msg) => /^The export by OTLP: [\w ]+ \(400\)$/.test(msg)));
      await eventually('several exports', () => (deaf.headers.length > 6 ? true : undefined));
      expect(said()).toEqual([...new Set(said())]);
    } finally {
      const began = performance.now();
      await test.stop();
      expect(performance.now() - began).toBeLessThan(7000);
      await deaf.stop();
    }
  });

  it('sends what waits when the gateway ends', async () => {
    const late = await startReceiver();
    const env = { ...exporting(late.url, 'late'), OTEL_BSP_SCHEDULE_DELAY: '60000', OTEL_BLRP_SCHEDULE_DELAY: '60000' };
    const test = await startTestGateway({ files: BACK, env });
    await test.call('/health/live', { headers: { 'x-request-id': 'last' } });
    expect(late.spans).toEqual([]);
    await test.stop();
    expect(late.spans.map(({ name }) => name)).toContain('GET /health/live');
    expect(late.logs.map(({ attributes }) => attributes.requestId)).toContain('last');
    await late.stop();
  });
});
