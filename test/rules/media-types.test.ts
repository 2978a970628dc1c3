import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTexts } from '../../src/load/index.ts';
import { startPartners } from '../../src/mock/partners.ts';
import { startTestGateway as startTestedGateway } from '../../src/testing/index.ts';
import { project, signalbox } from '../cli/support.ts';
import { ENGINES } from '../message/project.ts';
import { envelope, SERVICES, TYPES } from '../serve/soap-client.ts';
import { atFileEnd } from '../support/file-end.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, USERS, writeProject } from '../support/project.ts';
import { type Role, type Roles, reply, startRoles } from './roles.ts';

// The media types that definitions name are those that are sent, accepted and described, in every role; and of what arrives only the
// parameters that they name count (RFC 9110, sections 8.3.1 and 12.5.1).

const SENT = 'application/vnd.acme.v2+json';
const REPLIED = 'application/vnd.acme.part+json;profile=full';
const FAULT = 'application/vnd.acme.problem+json';

const REQUEST = `request: { ${SENT}: { fields: { NAME: { type: string, required: true } } } }`;
const FAULTS = `fault: { ${FAULT}: { fields: { REASON: string } } }`;
const READING = `${REQUEST}, ${FAULTS}, response: { "${REPLIED}": { fields: { NAME: string } } }`;

describe.each(ENGINES)('a call with media types of its own, on %s', (kind) => {
  let roles: Roles;
  beforeAll(async () => {
    const sending = `post: note, ${REQUEST}, ${FAULTS}`;
    roles = await startRoles(kind, { NOTE: sending, NOTE_ONCE: sending, READ: `post: read, ${READING}` });
  });
  afterAll(() => roles?.stop());

  it.each<Role>([
    'handler',
    'relay',
    'flow',
    'delivery',
    'flow-delivery',
    'code-delivery',
    'process',
    'class',
    'read',
    'read-by-flow',
  ])('sends and accepts them in the role %s', async (role) => {
    const name = `typed-${role}`;
    const isRead = role.startsWith('read');
    roles.answer = () =>
      isRead
        ? reply('200 OK', { 'Content-Type': `${REPLIED}; charset=UTF-8; v="2"` }, JSON.stringify({ NAME: name }))
        : reply('204 No Content');
    const { status, text } = await roles.begin(role, name);
    expect(status, text).toBeLessThan(300);
    if (isRead) expect(JSON.parse(text)).toEqual({ NAME: name });
    const got = await eventually('the request', () => roles.got(name)[0]);
    // Where nothing is read of a success, any error will do.
    const accept = isRead ? `${REPLIED}, ${FAULT};q=0.9` : undefined;
    expect([got.header('content-type'), got.header('accept')]).toEqual([SENT, accept]);
    await roles.settled();
  });
});

/** What answers, what relays, and what describes and imitates these. */
const SERVED = `document: PART
fields: { NAME: { type: string, required: true, example: wheel } }
---
document: PROBLEM
fields: { REASON: { type: string, default: "{fault.message}" } }
---
service: Parts.v1
public: true
request: { ${SENT}: PART }
response: { "${REPLIED}": PART }
fault: { ${FAULT}: PROBLEM }
operations:
  ANSWERED: { post: answered, handler: answered }
  RELAYED: { post: relayed, call: CALLED }
  BOTH: { post: both, soap: true, request: PART, handler: answered }
---
node: PARTNER
base: \${env:PARTNER_URL}
---
service: Partner.v1
target: PARTNER
public: true
operations:
  CALLED:
    post: called
    request: { ${SENT}: PART }
    response: { "${REPLIED}": PART }
    fault: { ${FAULT}: PROBLEM }
  VERSIONED:
    get: "versioned{?VERSION}"
    request: { fields: { VERSION: string } }
    response:
      application/vnd.acme+json;version=1: { fields: { OLD: string } }
      application/vnd.acme+json;version=2: { fields: { NEW: string } }
      application/vnd.acme+json: { fields: { ANY: string } }
`;

const FILES = {
  'definitions/parts.yaml': SERVED,
  'src/handlers/answered.ts': 'export default { onRequest: (given) => given };\n',
};

interface Asked {
  readonly type?: string;
  readonly accept?: string;
  readonly body?: string;
}

describe('a served operation with media types of its own', () => {
  let partner: Server;
  let partnerUrl: string;
  let gateway: TestGateway;
  const got: IncomingHttpHeaders[] = [];
  beforeAll(async () => {
    partner = createServer(async (request, response) => {
      const version = /VERSION=(.*)/.exec(request.url ?? '')?.[1];
      if (version !== undefined) {
        const [type, body] = JSON.parse(decodeURIComponent(version));
        response.writeHead(200, { 'Content-Type': type }).end(JSON.stringify(body));
        return;
      }
      const body = await text(request);
      got.push(request.headers);
      if (body.includes('bad'))
        response.writeHead(422, { 'Content-Type': `${FAULT}; charset=utf-8` }).end('{"REASON":"it is bad"}');
      else response.writeHead(200, { 'Content-Type': `${REPLIED}; charset=utf-8` }).end(body);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => partner.once('listening', resolve));
    partnerUrl = `http://127.0.0.1:${(partner.address() as AddressInfo).port}/`;
    gateway = await startTestGateway({ files: FILES, env: { PARTNER_URL: partnerUrl } });
  });
  afterAll(async () => {
    await gateway.stop();
    partner.close();
  });

  const at = (operation: string): string =>
    `http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/Parts.v1/${operation}`;

  async function ask(operation: string, { type = SENT, accept = '*/*', body = '{"NAME":"n"}' }: Asked = {}) {
    const response = await fetch(at(operation), {
      ...{ method: 'POST', headers: { 'Content-Type': type, Accept: accept }, body },
    });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  }

  const OK = { status: 200, type: REPLIED, text: '{"NAME":"n"}' };

  describe.each(['answered', 'relayed'])('%s', (operation) => {
    it.each([
      SENT,
      `${SENT}; charset=UTF-8`,
      `${SENT};other="a,b;c"`,
      SENT.toUpperCase(),
      'application/json',
    ])('takes a request as %s', async (type) => expect(await ask(operation, { type })).toEqual(OK));

    it.each([
      'application/vnd.acme.v1+json',
      'application/vnd.acme.v2+xml',
      'text/plain',
    ])('refuses a request as %s', async (type) => {
      expect(await ask(operation, { type })).toMatchObject({ status: 415, type: FAULT });
    });

    it.each([
      REPLIED,
      'application/vnd.acme.part+json',
      'application/vnd.acme.part+json; profile="full"; charset=utf-8',
      'application/vnd.acme.part+json;odata=nometadata',
      `text/html, ${REPLIED};q=0.5`,
      'application/*',
    ])('answers who accepts %s', async (accept) => expect(await ask(operation, { accept })).toEqual(OK));

    it.each([
      'application/vnd.acme.part+json;profile=short',
      'application/json',
      `${REPLIED};q=0`,
    ])('refuses who accepts %s', async (accept) => {
      const { status, type } = await ask(operation, { accept });
      expect([status, type]).toEqual([406, FAULT]);
    });
  });

  it.each<[string, object]>([
    ['application/vnd.acme+json;version=1', { OLD: 'a' }],
    ['application/vnd.acme+json; charset=utf-8; Version="2"', { NEW: 'a' }],
    ['application/vnd.acme+json', { OLD: 'a' }],
    ['application/vnd.acme+json;version=3', { ANY: 'a' }],
    ['application/vnd.other+json', { OLD: 'a' }],
  ])('reads the reply of a partner as %s by the document of this type', async (type, body) => {
    const cwd = await project({ 'definitions/gateway.yaml': 'gateway: LOCAL\n', 'definitions/parts.yaml': SERVED });
    const version = JSON.stringify([type, body]);
    const { stdout, stderr } = await signalbox(['invoke', 'VERSIONED', `VERSION=${version}`, '--json'], {
      cwd,
      env: { PARTNER_URL: partnerUrl },
    });
    expect(stdout, stderr).toBe(`${JSON.stringify(body)}\n`);
  });

  it('reads the error of a partner by its type, and answers with its own', async () => {
    const { status, type, text: body } = await ask('relayed', { body: '{"NAME":"bad"}' });
    expect([status, type]).toEqual([502, FAULT]);
    expect(JSON.parse(body)).toEqual({ REASON: 'The call of CALLED failed.' });
    expect(
      gateway
        .log()
        .map((line) => JSON.stringify(line))
        .join('\n'),
    ).toContain('it is bad');
  });

  it('calls a partner with the types of the call, and not with those of its caller', async () => {
    await ask('relayed', { type: 'application/json', accept: 'application/*' });
    expect(got.at(-1)).toMatchObject({ 'content-type': SENT, accept: `${REPLIED}, ${FAULT};q=0.9` });
  });

  it.each([
    ['1.1', 'text/xml; charset=utf-8; other="a;b"'],
    ['1.2', 'application/soap+xml; charset=\'utf-8\'; action="BOTH.v1"; other=1'],
  ] as const)('has those of SOAP over SOAP %s', async (version, type) => {
    const body = '<BOTH xmlns="urn:test:Parts.v1"><NAME>n</NAME></BOTH>';
    const response = await fetch(`http://127.0.0.1:${gateway.port}${SERVICES}`, {
      method: 'POST',
      headers: { 'Content-Type': type, SOAPAction: '"BOTH.v1"', Accept: `${REPLIED};q=0.1` },
      body: envelope(body, version),
    });
    const answer = await response.text();
    expect([response.status, response.headers.get('content-type')], answer).toEqual([200, TYPES[version]]);
  });

  it('is described with them', async () => {
    const described = async (form: string) => {
      const url = `http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/Parts.v1${form}`;
      return (await fetch(url)).text();
    };
    // biome-ignore lint/suspicious/noExplicitAny: the assertions say what it is
    const { paths, components } = JSON.parse(await described('.openapi.json')) as any;
    const { post } = paths[Object.keys(paths).find((path) => path.endsWith('/answered')) ?? ''];
    expect(Object.keys(post.requestBody.content)).toEqual([SENT]);
    const types = Object.entries<{ $ref?: string; content?: object }>(post.responses).map(
      ([status, { $ref = '', content }]) => [
        status,
        ...Object.keys(content ?? components.responses[$ref.replace(/.*\//, '')].content),
      ],
    );
    expect(types[0]).toEqual(['200', REPLIED]);
    expect(types.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '406', '413', '415', '500']));
    for (const [status, ...named] of types.slice(1)) {
      // No operation has been found yet where a path or a method does not exist.
      const isBefore = status === '404' || status === '405';
      expect([status, ...named]).toEqual([status, FAULT, ...(isBefore ? ['application/problem+json'] : [])]);
    }
    const wadl = await described('.wadl');
    for (const each of [SENT, REPLIED, FAULT]) expect(wadl).toContain(`mediaType="${each}"`);
  });

  it('is called so by what its own contract is imported as, as a dry run of the command line shows', async () => {
    const contract = await (await fetch(`${at('x').replace('/x', '')}.openapi.json`)).text();
    const cwd = await project({ 'definitions/gateway.yaml': 'gateway: LOCAL\n', 'parts.json': contract });
    const { code, stdout, stderr } = await signalbox(['import', 'parts.json'], { cwd });
    expect(code, stderr).toBe(0);
    expect(stdout).not.toContain('a dry run');
    const shown = await signalbox(['invoke', 'ANSWERED', 'NAME=n', '--dry-run'], { cwd });
    expect(shown.stdout, shown.stderr).toContain(`Content-Type: ${SENT}\n`);
    expect(shown.stdout).toContain(`Accept: ${REPLIED}, ${FAULT};q=0.9, application/problem+json;q=0.8\n`);
    const replied = await signalbox(['invoke', 'ANSWERED', 'NAME=n', '--json'], { cwd });
    expect([replied.stdout, replied.code]).toEqual(['{"NAME":"n"}\n', 0]);
  });
});

describe('a mock of a partner with media types of its own', () => {
  it.each([
    [SENT, 200, REPLIED],
    [`${SENT}; charset=utf-8`, 200, REPLIED],
    ['application/vnd.acme.v1+json', 415, FAULT],
  ])('answers a request as %s with %s', async (type, status, replied) => {
    const { registry } = loadTexts(
      new Map([
        ['definitions/gateway.yaml', 'gateway: LOCAL\n'],
        ['definitions/parts.yaml', SERVED],
      ]),
    );
    if (registry === undefined) throw new Error('the definitions are not valid');
    const partners = await startPartners({
      ...{ registry, nodes: [...registry.nodes.values()], port: 0, log: { level: 'silent' } },
      answer: () => undefined,
      refused: () => undefined,
    });
    atFileEnd(() => partners.close());
    const response = await fetch(`${partners.addressOf('PARTNER')}/called`, {
      ...{ method: 'POST', headers: { 'Content-Type': type, Accept: '*/*' }, body: '{"NAME":"n"}' },
    });
    expect([response.status, response.headers.get('content-type')], await response.text()).toEqual([status, replied]);
  });
});

it('a caller in tests of the project sends and reads them', async () => {
  const { root, remove } = writeProject({ ...FILES, 'definitions/users.yaml': USERS });
  const tested = await startTestedGateway({ root, env: {} });
  atFileEnd(() => tested.close());
  atFileEnd(remove);
  const caller = await tested.caller();
  expect(await caller.call('ANSWERED', { NAME: 'n' })).toEqual({ NAME: 'n' });
  tested.partner('PARTNER').answers('CALLED', ({ headers, input }) => ({
    NAME: `${(input as { NAME: string }).NAME} as ${headers['content-type']}`,
  }));
  expect(await caller.call('RELAYED', { NAME: 'n' })).toEqual({ NAME: `n as ${SENT}` });
});
