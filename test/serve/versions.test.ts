import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { recordedIn } from '../support/recorded.ts';

const operation = (id: string, path = 'thing'): string =>
  `  ${id}: { get: "${path}", response: { fields: { BY: string } }, handler: by }`;

const DEFINITIONS = `service: Things.v1
public: true
deprecated: { since: 2026-06-01, sunset: 2027-01-01 }
operations:
${operation('FIRST')}
${operation('ONLY_FIRST', 'old')}
---
service: Things.v2
public: true
default: true
operations:
${operation('SECOND')}
---
service: Things.v3
public: true
active: false
operations:
${operation('THIRD')}
---
service: Others.v1
public: true
alias: Nicknamed
deprecated: true
operations:
${operation('ALIASED')}
  OWN_ALIAS: { get: "thing", alias: Apart, response: { fields: { BY: string } }, handler: by }
${operation('SWITCHED_OFF', 'off')}
${operation('LOUD', 'loud')}
---
service: Lowest.v2
public: true
operations:
${operation('LOWEST')}
---
service: Lowest.v10
public: true
operations:
${operation('HIGHER')}
---
node: ELSEWHERE
base: https://elsewhere.example
---
routing: NOT_NOW
operation: SWITCHED_OFF
active: false
---
routing: WITH_HEADERS
operation: LOUD
log: header
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/things.yaml': DEFINITIONS,
      'src/handlers/by.ts': 'export default { onRequest: (_, { operation }) => ({ BY: operation.id }) };\n',
    },
  });
});
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  gateway.call(`/gateway/RESTListeningConnector/${path}`, { anonymous: true, headers });

describe('versions side by side (field notes 6)', () => {
  it.each([
    ['Things.v1/thing', 'FIRST'],
    ['Things.v2/thing', 'SECOND'],
    ['Things/thing', 'SECOND'],
    ['LOCAL/Things/thing', 'SECOND'],
    ['LOCAL/Things.v1/thing', 'FIRST'],
    ['Lowest/thing', 'LOWEST'],
    ['Lowest.v10/thing', 'HIGHER'],
    ['Nicknamed.v1/thing', 'ALIASED'],
    ['Nicknamed/thing', 'ALIASED'],
    ['Apart.v1/thing', 'OWN_ALIAS'],
  ])('%s reaches %s', async (path, by) => {
    expect((await get(path)).text).toBe(`{"BY":"${by}"}`);
  });

  it.each([
    ['Things.v3/thing', 'service "Things.v3"; there is Things.v1, Things.v2'],
    ['Things.v4/thing', 'service "Things.v4"; there is Things.v1, Things.v2'],
    ['Things/old', 'resource "old" in service Things'],
    ['Others.v1/thing', 'service "Others.v1"'],
    ['Nicknamed.v1/off', 'resource "off"'],
    ['things.v1/thing', 'service "things.v1"'],
    ['ELSEWHERE/Things.v1/thing', 'operation of node ELSEWHERE here: this gateway is node LOCAL'],
    ['Things.v1', 'resource "" in service Things.v1'],
    ['Things.v3.wadl', 'service "Things.v3.wadl"'],
  ])('%s is 404', async (path, words) => {
    const reply = await get(path);
    expect(reply.status).toBe(404);
    expect((JSON.parse(reply.text) as { detail: string }).detail).toContain(words);
  });
});

describe('a deprecated version', () => {
  it('says so in every reply, faults too', async () => {
    const expected = { deprecation: '@1780272000', sunset: 'Fri, 01 Jan 2027 00:00:00 GMT' };
    expect(new Date(1780272000 * 1000).toISOString()).toBe('2026-06-01T00:00:00.000Z');
    expect((await get('Things.v1/thing')).headers).toMatchObject(expected);
    const refused = await get('Things.v1/thing', { accept: 'image/png' });
    expect(refused.status).toBe(406);
    expect(refused.headers).toMatchObject(expected);
  });

  it('without dates has been so always, and others are not', async () => {
    const always = (await get('Nicknamed.v1/thing')).headers;
    expect([always.deprecation, always.sunset]).toEqual(['@0', undefined]);
    const current = (await get('Things.v2/thing')).headers;
    expect([current.deprecation, current.sunset]).toEqual([undefined, undefined]);
  });
});

describe('a routing', () => {
  it('with log: header has the calls of its operation recorded with their headers, credentials masked', async () => {
    const secret = {
      authorization: 'Basic c2VjcmV0',
      cookie: 'session=secret',
      'x-shown': 'yes',
      'x-request-id': 'loud',
    };
    await get('Nicknamed.v1/loud', secret);
    await get('Nicknamed.v1/thing', { ...secret, 'x-request-id': 'quiet' });
    const ofBoth = () => recordedIn(gateway).filter(({ request_id }) => ['loud', 'quiet'].includes(request_id));
    const [loud, ...others] = await eventually('the record', () => (ofBoth().length > 0 ? ofBoth() : undefined));
    expect([loud?.request_id, others]).toEqual(['loud', []]);
    const headers = expect.objectContaining({ authorization: '***', cookie: '***', 'x-shown': 'yes' });
    expect(loud?.parts).toEqual({ call: expect.objectContaining({ headers }) });
    expect(JSON.stringify([gateway.log(), recordedIn(gateway)])).not.toMatch(/c2VjcmV0|session=secret/);
  });
});
