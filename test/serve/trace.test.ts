import { describe, expect, it, onTestFinished } from 'vitest';
import type { Call, TestGateway } from '../support/gateway.ts';
import { startTestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { startComponents } from './components-project.ts';
import { OUTBOUND_PROJECT } from './outbound-project.ts';
import { startQueryServices } from './query-services-project.ts';
import { envelope, HTTP } from './soap-client.ts';
import { startUpstream } from './upstream.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const OTHER = '0af7651916cd43dd8448eb211c80319c';
const PARENT = '00f067aa0ba902b7';
const sent = (id: string, traceparent = `00-${TRACE}-${PARENT}-01`) => ({ 'x-request-id': id, traceparent });
const JSON_TYPE = { 'content-type': 'application/json' };
const REST = '/gateway/RESTListeningConnector/';

const linesOf = (gateway: TestGateway, id: string) => gateway.log().filter(({ requestId }) => requestId === id);

async function outbound() {
  const upstream = await startUpstream();
  const env = { UPSTREAM_URL: upstream.url, GONE_URL: 'http://127.0.0.1:9' };
  const gateway = await startTestGateway({ files: OUTBOUND_PROJECT, env });
  onTestFinished(async () => {
    await gateway.stop();
    await upstream.stop();
  });
  return { gateway, upstream };
}

describe('the trace of a request', () => {
  it.each<[string, string, Call]>([
    ['REST', `${REST}Front.v1/json`, { body: '{}', headers: JSON_TYPE }],
    [
      'SOAP',
      '/gateway/PeopleSoftServiceListeningConnector',
      {
        body: envelope('<ITEM xmlns="urn:test:Front.v1"><NAME>a</NAME><COUNT>1</COUNT></ITEM>'),
        headers: { 'content-type': 'text/xml', soapaction: '"ITEM.v1"' },
      },
    ],
    ['the HTTP connector', HTTP, { body: '{}', headers: { ...JSON_TYPE, operationname: 'JSON' } }],
  ])('over %s is continued in its lines and in the calls that it makes', async (_, path, call) => {
    const { gateway, upstream } = await outbound();
    const headers = { ...call.headers, ...sent('R-1'), tracestate: 'a=1 , b=2' };
    const { headers: answered } = await gateway.call(path, { method: 'POST', ...call, headers });
    expect(answered['x-request-id']).toBe('R-1');
    const lines = linesOf(gateway, 'R-1');
    expect(lines.map(({ traceId }) => traceId)).toEqual(lines.map(() => TRACE));
    const line = lines.find(({ decision }) => decision !== undefined);
    const [called] = upstream.seen;
    expect(called?.tracestate).toBe('a=1,b=2');
    expect(called?.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    // Each attempt is a span of its own, which is neither the request nor what that came from.
    for (const other of [PARENT, line?.spanId]) expect(called?.traceparent).not.toContain(other);
  });

  it('is a new one where the request has none, or one that is not valid', async () => {
    const { gateway, upstream } = await outbound();
    const call = (id: string, more: Record<string, string>) =>
      gateway.call(`${REST}Front.v1/json`, {
        method: 'POST',
        body: '{}',
        headers: { ...JSON_TYPE, 'x-request-id': id, ...more },
      });
    await call('none', { tracestate: 'a=1' });
    await call('zero', { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01`, tracestate: 'a=1' });
    await call('two', { traceparent: `00-${TRACE}-${PARENT}-01, 00-${OTHER}-${PARENT}-01` });
    const traces = ['none', 'zero', 'two'].map((id) => linesOf(gateway, id)[0]?.traceId);
    expect(new Set([...traces, TRACE, OTHER, '0'.repeat(32)]).size).toBe(6);
    expect(upstream.seen.map(({ traceparent }) => traceparent?.slice(3, 35))).toEqual(traces);
    expect(upstream.seen.map(({ tracestate }) => tracestate)).toEqual([undefined, undefined, undefined]);
    // Not sampled, and random (level 2).
    expect(upstream.seen[0]?.traceparent).toMatch(/-02$/);
  });

  it('is in the line of a request that never reaches an operation', async () => {
    const { gateway } = await outbound();
    const head = Object.entries(sent('dots')).map(([name, value]) => `${name}: ${value}\r\n`);
    await gateway.raw(`GET /a/../b HTTP/1.1\r\nHost: a\r\n${head.join('')}Connection: close\r\n\r\n`);
    expect(linesOf(gateway, 'dots')).toMatchObject([{ decision: 'refused', traceId: TRACE }]);
  });

  it.each<[string, string, string, number]>([
    ['REST', 'GET', `${REST}Front.v1/gone`, 502],
    ['SOAP', 'POST', '/gateway/PeopleSoftServiceListeningConnector', 500],
    ['no operation', 'GET', '/gateway/nothing', 404],
  ])('is named by a fault over %s', async (_, method, path, status) => {
    const { gateway } = await outbound();
    const soap = method === 'POST' && { body: envelope('<NONE/>'), headers: { 'content-type': 'text/xml' } };
    const { headers = {}, ...call } = soap || {};
    const reply = await gateway.call(path, { method, ...call, headers: { ...headers, ...sent('R-2') } });
    expect([reply.status, reply.headers['x-trace-id']]).toEqual([status, TRACE]);
  });

  it('joins the error of a call that failed to its request', async () => {
    const { gateway } = await outbound();
    await gateway.call(`${REST}Front.v1/gone`, { headers: sent('failed') });
    expect(linesOf(gateway, 'failed')).toMatchObject([
      { level: 'error', traceId: TRACE, err: { operation: 'GONE_GET' } },
      { status: 502, traceId: TRACE },
    ]);
  });
});

describe('the trace of work that a request caused', () => {
  it('is that of the request for a class after a save', async () => {
    const box = await startComponents('sqlite');
    onTestFinished(() => box.stop());
    await box.call(`${REST}Places.v1/places/A/1`, {
      method: 'PUT',
      headers: { ...JSON_TYPE, ...sent('saved') },
      body: '{"NAME":"a1"}',
    });
    const work = await eventually('the lines of both classes', () => {
      const lines = linesOf(box, 'saved').filter((line) => line.work === 'event');
      return lines.length === 2 ? lines : undefined;
    });
    expect(work).toMatchObject(Array(2).fill({ traceId: TRACE, complete: true }));
    expect(new Set(linesOf(box, 'saved').map(({ spanId }) => spanId)).size).toBeGreaterThan(2);
  });

  it('is that of the request for a polled query', async () => {
    const gateway = await startQueryServices();
    onTestFinished(() => gateway.stop());
    const path = 'ExecuteQueryPoll.v1/PUBLIC/COUNTED/JSON/NONFILE?prompt_uniquepromptname=N&prompt_fieldvalue=3';
    await gateway.call(REST + path, { headers: sent('polled') });
    const work = await eventually('its line', () => linesOf(gateway, 'polled').find((line) => line.work === 'query'));
    expect(work).toMatchObject({ traceId: TRACE, attempt: 1, complete: true });
  });
});
