import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { envelope, HTTP, SERVICES, type Sent, send, type Version } from './soap-client.ts';

// Operations of one name: in two versions of a service, of which the second is the default, in another service, and in two
// services that share a namespace.

const operation = (name: string, more = '') =>
  `  ${name}: { get: "places{?A}", soap: true, request: { fields: { A: string } }, response: { fields: { BY: string, A: string } }, handler: by${more} }\n`;

const DEFINITIONS = `service: Places.v1
permission: EVERYTHING
operations:
${operation('PLACES_GET')}${operation('STATUS_GET').replace('places', 'status')}---
service: Places.v2
permission: EVERYTHING
default: true
operations:
${operation('PLACES_GET')}---
service: Others.v1
permission: EVERYTHING
operations:
${operation('STATUS_GET')}---
service: Shared.v1
permission: EVERYTHING
namespace: urn:shared
operations:
${operation('SHARED_GET')}---
service: Shared.v2
permission: EVERYTHING
requires: [basic, LOGIN]
namespace: urn:shared
operations:
${operation('SHARED_GET')}---
service: Granted.v1
operations:
${operation('EVERY_GET')}${operation('ONE_GET', ', permission: NOBODY').replace('places', 'one')}---
service: Granted.v2
operations:
${operation('EVERY_GET')}${operation('ONE_GET').replace('places', 'one')}---
scheme: LOGIN
username-token: {}
---
permission-list: NOBODY
---
permission-list: SOME
operations: [EVERY_GET, Granted.v2.ONE_GET]
---
role: SOME
permission-lists: [SOME]
---
user: clerk
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [SOME]
sample: true
---
node: PARTNER
base: \${env:PARTNER_URL}
---
service: Partner.v1
permission: EVERYTHING
target: PARTNER
operations:
  NOTE_GET: { get: v1/note, response: { fields: { BY: string } } }
---
service: Partner.v2
permission: EVERYTHING
default: true
target: PARTNER
operations:
  NOTE_GET: { get: v2/note, response: { fields: { BY: string } }, fault: { fields: { MESSAGE: text } } }
flows:
  both: [{ call: Partner.v1.NOTE_GET }, { call: NOTE_GET }]
  first: [{ call: NOTE_GET }, { call: Partner.v1.NOTE_GET }]
---
service: Callers.v1
permission: EVERYTHING
response: { fields: { BY: string } }
operations:
  BARE: { get: bare, call: NOTE_GET }
  FIRST: { get: first, call: Partner.v1.NOTE_GET }
  SECOND: { get: second, call: Partner.v2.NOTE_GET }
  FLOW: { get: flow, call: Partner.both }
  FLOW_FIRST: { get: flow-first, call: Partner.first }
  CODE: { get: code }
  FAULT: { get: fault }
`;

const HANDLERS = {
  'src/handlers/by.ts':
    'export default { onRequest: (request, { operation }) => ({ BY: `${operation.service.id} ${operation.id}`, A: request.A }) };',
  'src/handlers/code.ts': `export default { async onRequest(_, context) {
    const said = [];
    for (const each of ['NOTE_GET', 'Partner.v1.NOTE_GET', 'Partner.v2.NOTE_GET', 'Partner.v3.NOTE_GET', 'SHARED_GET'])
      said.push(await context.call(each, {}).then(({ value }) => value.BY, (error) => error.message.replace('src/handlers/code.ts of operation CODE uses the operation of another system', 'no')));
    return { BY: said.join('; ') };
  } };`,
  'src/handlers/fault.ts': `export default { async onRequest(_, context) {
    const error = await context.call('NOTE_GET', {}).catch((thrown) => thrown);
    const names = ['NOTE_GET', 'Partner.v1.NOTE_GET', 'Partner.v2.NOTE_GET'];
    return { BY: names.map((each) => context.faultOf(each, error)?.MESSAGE ?? 'none').join('; ') };
  } };`,
};

let gateway: TestGateway;
let partner: Server;
let failAt: string | undefined;
beforeAll(async () => {
  partner = createServer((request, reply) => {
    const version = request.url?.slice(1, 3);
    const isFault = version === failAt;
    reply.writeHead(isFault ? 400 : 200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify(isFault ? { MESSAGE: `no ${version}` } : { BY: `partner ${version}` }));
  });
  await new Promise<void>((resolve) => partner.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(partner.address() as AddressInfo).port}`;
  gateway = await startTestGateway({
    files: { 'definitions/all.yaml': DEFINITIONS, ...HANDLERS },
    env: { PARTNER_URL: url },
  });
});
afterAll(async () => {
  await gateway.stop();
  await new Promise((resolve) => partner.close(resolve));
});

const rest = async (path: string, authorization = DEMO): Promise<unknown> => {
  const reply = await gateway.call(`/gateway/RESTListeningConnector/${path}`, { headers: { authorization } });
  return reply.status === 200 ? (JSON.parse(reply.text) as { BY: string }).BY : reply.status;
};

/** The text of the element BY of a reply, or its status and the words of its fault. */
const soap = async (sent: Sent): Promise<string> => {
  const { status, text } = await send(gateway, sent);
  const [, by] = /<BY[^>]*>([^<]*)<\/BY>/.exec(text) ?? [];
  return by ?? `${status} ${/(?:<faultstring[^>]*>|<s:Text[^>]*>|<DefaultMessage>)([^<]*)/.exec(text)?.[1]}`;
};

const TYPES: Readonly<Record<Version, (action: string | undefined) => Record<string, string>>> = {
  '1.1': (action) => ({ 'content-type': 'text/xml', ...(action === undefined ? {} : { SOAPAction: `"${action}"` }) }),
  '1.2': (action) => ({
    'content-type': `application/soap+xml${action === undefined ? '' : `; action="${action}"`}`,
  }),
};

const request = (name: string, namespace: string): string => `<${name} xmlns="${namespace}"><A>a</A></${name}>`;

describe('operations of one name', () => {
  it.each([
    ['Places.v1/places', 'Places.v1 PLACES_GET'],
    ['Places.v2/places', 'Places.v2 Places.v2.PLACES_GET'],
    ['Places/places', 'Places.v2 Places.v2.PLACES_GET'],
    ['Others.v1/places', 'Others.v1 STATUS_GET'],
    ['Places.v1/status', 'Places.v1 Places.v1.STATUS_GET'],
  ])('answer over REST at %s', async (path, by) => {
    expect(await rest(path)).toBe(by);
  });

  it.each<[Version, string, string, string | undefined, string]>(
    (['1.1', '1.2'] as const).flatMap((version) => [
      [version, 'PLACES_GET', 'urn:test:Places.v1', 'PLACES_GET.v1', 'Places.v1 PLACES_GET'],
      [version, 'PLACES_GET', 'urn:test:Places.v2', 'PLACES_GET.v2', 'Places.v2 Places.v2.PLACES_GET'],
      [version, 'PLACES_GET', 'urn:test:Places.v1', undefined, 'Places.v1 PLACES_GET'],
      [version, 'PLACES_GET', 'urn:test:Places.v1', 'PLACES_GET.v2', 'but the action of PLACES_GET is PLACES_GET.v1'],
      [version, 'STATUS_GET', 'urn:test:Places.v1', 'STATUS_GET.v1', 'Places.v1 Places.v1.STATUS_GET'],
      [version, 'STATUS_GET', 'urn:test:Others.v1', 'STATUS_GET.v1', 'Others.v1 STATUS_GET'],
      [version, 'SHARED_GET', 'urn:shared', 'SHARED_GET.v2', 'Shared.v2 Shared.v2.SHARED_GET'],
      [version, 'SHARED_GET', 'urn:shared', 'SHARED_GET.v1', 'Shared.v1 SHARED_GET'],
      [version, 'SHARED_GET', 'urn:shared', undefined, 'Shared.v1 SHARED_GET'],
    ]),
  )('answer over SOAP %s: %s of %s with the action %s', async (version, name, namespace, action, by) => {
    const body = envelope(request(name, namespace), version);
    expect(await soap({ path: SERVICES, body, headers: TYPES[version](action) })).toContain(by);
  });

  const security =
    '<w:Security xmlns:w="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" s:mustUnderstand="1"><w:BinarySecurityToken/></w:Security>';
  it.each([
    ['SHARED_GET.v1', 'The gateway does not understand the mandatory headers'],
    [undefined, 'The gateway does not understand the mandatory headers'],
    ['SHARED_GET.v2', 'Shared.v2 Shared.v2.SHARED_GET'],
  ])('that share a namespace read a Security header where the one of the action %s does', async (action, words) => {
    const body = envelope(request('SHARED_GET', 'urn:shared'), '1.1', security);
    expect(await soap({ path: SERVICES, body, headers: TYPES['1.1'](action) })).toContain(words);
  });

  const xml = { 'content-type': 'text/xml' };
  const json = { 'content-type': 'application/json' };
  it.each<[string, string, Sent]>([
    ['the version', 'Places.v1 PLACES_GET', { headers: { ...json, OperationName: 'PLACES_GET.v1' } }],
    ['the name alone', 'Places.v2 Places.v2.PLACES_GET', { headers: { ...json, OperationName: 'PLACES_GET' } }],
    ['all of it', 'Places.v1 PLACES_GET', { headers: { ...json, OperationName: 'Places.v1.PLACES_GET' } }],
  ])('answer at the HTTP connector in JSON by %s', async (_, by, sent) => {
    const { status, text } = await send(gateway, { path: HTTP, body: '{"A":"a"}', ...sent });
    expect([status, JSON.parse(text)]).toEqual([200, { BY: by, A: 'a' }]);
  });

  const others = request('STATUS_GET', 'urn:test:Others.v1');
  it.each<[string, string, string]>([
    ['STATUS_GET.v1', others, 'Others.v1 STATUS_GET'],
    ['STATUS_GET', others, 'Others.v1 STATUS_GET'],
    ['Others.v1.STATUS_GET', others, 'Others.v1 STATUS_GET'],
    ['Others.v1.STATUS_GET', envelope(others), 'Others.v1 STATUS_GET'],
    ['STATUS_GET.v1', envelope(others), 'Others.v1 STATUS_GET'],
    ['Places.v1.STATUS_GET', envelope(others), 'Invalid request: OperationName is'],
    ['PLACES_GET', request('PLACES_GET', 'urn:test:Places.v1'), 'Places.v1 PLACES_GET'],
    ['PLACES_GET.v2', request('PLACES_GET', 'urn:test:Places.v2'), 'Places.v2 Places.v2.PLACES_GET'],
  ])('at the HTTP connector %s is decided by the Body %s', async (OperationName, body, by) => {
    expect(await soap({ path: HTTP, body, headers: { ...xml, OperationName } })).toContain(by);
  });

  it.each([
    'STATUS_GET',
    'STATUS_GET.v1',
  ])('are named both where %s has no Body that decides', async (OperationName) => {
    for (const [headers, body] of [
      [json, '{"A":"a"}'],
      [xml, ''],
      [xml, request('STATUS_GET', 'urn:elsewhere')],
    ] as const) {
      const { status, text } = await send(gateway, { path: HTTP, body, headers: { ...headers, OperationName } });
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/may be (Places\.v1|Others\.v1)\.STATUS_GET or (Places\.v1|Others\.v1)\.STATUS_GET/),
      ]);
    }
  });

  it('are granted in every version by the name alone, and in one by its version', async () => {
    const clerk = `Basic ${Buffer.from('clerk:demo').toString('base64')}`;
    const found = ['v1/places', 'v2/places', 'v1/one', 'v2/one'].map((path) => rest(`Granted.${path}`, clerk));
    expect(await Promise.all(found)).toEqual([
      'Granted.v1 EVERY_GET',
      'Granted.v2 Granted.v2.EVERY_GET',
      403,
      'Granted.v2 Granted.v2.ONE_GET',
    ]);
    expect(await rest('Granted.v2/one', GUEST)).toBe(403);
  });

  it.each([
    ['bare', 'partner v2'],
    ['first', 'partner v1'],
    ['second', 'partner v2'],
    ['flow', 'partner v2'],
    ['flow-first', 'partner v1'],
    [
      'code',
      'partner v2; partner v1; partner v2; no "Partner.v3.NOTE_GET", but the operation does not exist. Did you mean Partner.v2.NOTE_GET?; no "SHARED_GET", but the gateway itself provides the operation; it does not call another system. Declared: NOTE_GET, Partner.v2.NOTE_GET.',
    ],
  ])('are called elsewhere by `call:` and code: %s', async (path, by) => {
    expect(await rest(`Callers.v1/${path}`)).toBe(by);
  });

  it('have their own faults', async () => {
    failAt = 'v2';
    try {
      expect(await rest('Callers.v1/fault')).toBe('no v2; none; no v2');
    } finally {
      failAt = undefined;
    }
  });

  it('are counted and logged apart, what was there first as before', async () => {
    await rest('Places.v1/places');
    await rest('Places.v2/places');
    const { text } = await gateway.call('/metrics');
    for (const id of ['PLACES_GET', 'Places.v2.PLACES_GET'])
      expect(text).toMatch(
        new RegExp(`^signalbox_request_duration_seconds_count\\{operation="${id}",status="200"\\} `, 'm'),
      );
    const logged = gateway.log().map(({ service, operation: id }) => `${service} ${id}`);
    expect(logged).toContain('Places.v1 PLACES_GET');
    expect(logged).toContain('Places.v2 Places.v2.PLACES_GET');
  });
});
