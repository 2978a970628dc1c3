import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { createLog } from '../../src/serve/log/log.ts';
import { redacting } from '../../src/serve/start/services.ts';
import type { Job, JobQueue, Worker } from '../../src/store/index.ts';
import { signalbox } from '../cli/support.ts';
import { type Call, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/otlp/receiver.ts';
import { eventually, gatewayText, type TestProject, USERS, writeProject } from '../support/project.ts';
import { recordedBy } from '../support/recorded.ts';

/** A value of one kind of secret: some of it is escaped in URLs, JSON and XML, and the mark at its beginning nowhere. */
const canary = (kind: string): string => `c4n4ry-${kind}/9 "<é+%41`;
/** The same for what a header holds. */
const token = (kind: string): string => `c4n4ry-${kind}.0123456789+/=`;

const FIELD = canary('field');
const CONFIGURED = token('configured');
const IN_ADDRESS = 'c4n4ry-address!9';
const FETCHED = token('fetched');
const KEPT = canary('kept');
const REPLIED = canary('replied');
const PARAMETER = canary('parameter');
const RECORD = canary('record');
const BASIC = 'c4n4ry-basic:9"é';
const COOKIE = token('cookie');
const KEY = token('key');
const QUERIED = canary('queried');
const WSSE = canary('wsse');
const POSTED = canary('posted');
const JWT = [{ alg: 'ES256' }, { sub: 'c4n4ry-token' }, 'c4n4ry-signature-0123456789']
  .map((part) => (typeof part === 'string' ? part : Buffer.from(JSON.stringify(part)).toString('base64url')))
  .join('.');
const PEM = '-----BEGIN PRIVATE KEY-----\nc4n4ry-pem-MC4CAQAwBQYDK2VwBCIEIA\n-----END PRIVATE KEY-----';

const SECRETS = { CONFIGURED, IN_ADDRESS, FETCHED, BASIC, COOKIE, KEY, FIELD, KEPT, REPLIED };

/** What gives a secret away in a text: its mark in any case, or its encoding as a whole. */
function givenAway(text: string): string[] {
  const encoded = Object.values(SECRETS).flatMap((secret) => {
    const bytes = Buffer.from(secret);
    return [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
  });
  const pairs = [`demo:${BASIC}`, `user:${CONFIGURED}`, `user:${IN_ADDRESS}`].map((pair) =>
    Buffer.from(pair).toString('base64'),
  );
  const [head = '', body = ''] = JWT.split('.');
  return [
    ...[...text.matchAll(/.{0,40}c4n4ry.{0,40}/gi)].map(([around]) => around),
    ...[...encoded, ...pairs, `${head}.${body}`].filter((each) => text.includes(each)),
  ];
}

const DEFINITIONS = `node: PARTNER
base: \${env:PARTNER_URL}
credential: { basic: { user: user, password: "\${secret:PARTNER_PASSWORD}" } }
retry: { attempts: 1 }
circuit: { failures: 0 }
---
node: ADDRESSED
base: \${env:ADDRESSED_URL}
---
node: TOKENS
base: \${env:PARTNER_URL}
credential:
  client-credentials: { token-url: "\${env:PARTNER_URL}/fetch", client-id: box, client-secret: "\${secret:PARTNER_PASSWORD}" }
---
service: Partner.v1
target: PARTNER
public: true
operations:
  FAIL_POST: { post: "fail{?PIN}", request: { fields: { PIN: { type: text, sensitive: true }, OPEN: text } }, response: json }
  SOAP_FAIL: { soap: true, request: { fields: { PIN: { type: text, sensitive: true } } }, response: none }
  ECHO_GET: { get: echo, response: text }
  ADDRESSED_GET: { target: ADDRESSED, get: echo, response: text }
  FETCHED_GET: { target: TOKENS, get: echo, response: text }
  KEEP_POST: { post: keep, body: none, response: { fields: { token: { type: text, sensitive: true }, seconds: integer } } }
  REPLIED_POST: { post: replied, body: none, response: { fields: { token: { type: text, sensitive: true } } } }
  GUARDED_GET: { get: "echo{?TOKEN}", request: { fields: { TOKEN: { type: text, sensitive: true } } }, response: text }
  GUARDED_POST: { post: "fail{?TOKEN}", request: { fields: { TOKEN: { type: text, sensitive: true } } }, body: none, response: text }
flows:
  echoed:
    - { call: KEEP_POST, keep: { TOKEN: token }, for: seconds }
    - call: GUARDED_GET
  failing:
    - { call: KEEP_POST, keep: { TOKEN: token }, for: seconds }
    - call: GUARDED_POST
---
document: PLACE
fields: { ID: { type: string(5), required: true }, HOW: string(10), PIN: { type: text, sensitive: true } }
---
{ component: PLACES, table: place, shape: PLACE, keys: [ID], events: [{ event: SavePreChange, service: BEFORE }, { event: SavePostChange, service: AFTER }] }
---
{ related-content: BEFORE, class: before, public: true }
---
{ related-content: AFTER, class: after, public: true }
---
process: WORK
type: Application Engine
permission: EVERYTHING
parameters: { PIN: { type: text, sensitive: true } }
---
scheme: MESSAGE
username-token: { max-age: 5 m }
---
service: Leaks.v1
public: true
operations:
  LEAK: { post: "leak/{HOW}{?api_key}", request: { fields: { HOW: string, PIN: { type: text, sensitive: true }, OPEN: text, api_key: text } }, response: { fields: { PIN: { type: text, sensitive: true }, OPEN: text } }, handler: leak }
  OUT: { post: out, request: { fields: { PIN: { type: text, sensitive: true }, OPEN: text } }, response: json, call: FAIL_POST }
  PLACE_PUT: { put: "places/{ID}", save: PLACES }
---
service: Signed.v1
permission: EVERYTHING
requires: [MESSAGE]
operations:
  SIGNED: { soap: true, request: { fields: { A: string } }, response: none, handler: signed }
---
{ routing: R_LEAK, operation: LEAK, log: full }
---
{ routing: R_OUT, operation: OUT, log: full }
---
{ routing: R_SIGNED, operation: SIGNED, log: full }
---
${[
  'FAIL_POST',
  'SOAP_FAIL',
  'ECHO_GET',
  'ADDRESSED_GET',
  'FETCHED_GET',
  'KEEP_POST',
  'REPLIED_POST',
  'GUARDED_GET',
  'GUARDED_POST',
]
  .map((id) => `{ routing: R_${id}, operation: ${id}, log: full }\n`)
  .join('---\n')}`;

/** Fails in the way that it is asked for, with what it should keep to itself in its words. */
const LEAK = `import { Fault } from 'signalbox';
export default {
  async onRequest({ HOW, PIN, api_key }, context) {
    const all = [PIN, encodeURIComponent(PIN), JSON.stringify({ PIN }), PIN.replaceAll('<', '&lt;')].join(' ');
    const shown = async (call) => { throw new Error('it was sent ' + (await call).value.content); };
    switch (HOW) {
      case 'error': throw Object.assign(new RangeError(all, { cause: new Error(all, { cause: all }) }), { given: { PIN } });
      case 'fault': throw Fault.custom('REFUSED', 409, all, { detail: PIN });
      case 'log':
        context.log('info', all, { PIN, deep: [{ [PIN]: all }] });
        context.log('error', all, { err: new Error(all) });
        return { PIN: 'c4n4ry-answered', OPEN: all };
      case 'form': throw new Error(${JSON.stringify(`no good: ${PEM}`)} + ' https://user:c4n4ry-form@host/');
      case 'caller': {
        const credentials = ['authorization', 'cookie', 'x-api-key'].map((name) => context.header(name)).join(' ');
        const [scheme, given = ''] = (context.header('authorization') ?? '').split(' ');
        const basic = scheme === 'Basic' ? Buffer.from(given, 'base64').toString() : '';
        throw new Error(credentials + ' ' + basic + ' ' + api_key + ' ' + encodeURIComponent(api_key ?? ''));
      }
      case 'echo': return shown(context.call('ECHO_GET', {}));
      case 'address': return shown(context.call('ADDRESSED_GET', {}));
      case 'fetched': return shown(context.call('FETCHED_GET', {}));
      case 'kept': return shown(context.flow('Partner.echoed', {}));
      case 'failing': await context.flow('Partner.failing', {}).catch(({ body, sent }) => { throw new Error(body + JSON.stringify(sent)); });
      case 'replied': throw new Error((await context.call('REPLIED_POST', {})).value.token);
    }
    try {
      await context.call(HOW === 'soap' ? 'SOAP_FAIL' : 'FAIL_POST', { PIN });
    } catch (error) {
      const { message, body, sent, cause, fault, detail, reason } = error;
      context.log('warn', 'outbound', { message, body, sent, cause: String(cause), fault, detail, reason });
      throw error;
    }
  },
  onError: (fault) => fault.message + ' ' + fault.detail,
};
`;

const classText = (name: string, failing: string): string => `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute(event) {
    if (event.after?.HOW !== '${name}') return;
    event.log('info', event.after.PIN);
    ${failing}
  }
}
`;

const FILES = {
  'definitions/gateway.yaml': gatewayText(
    'audit: audit.log\nsample-data: sample/*.sql\ndelivered: [PROCESSREQUEST.v1, QUEUES.v1]',
  ),
  'definitions/users.yaml': USERS.replace(
    'permission-list: EVERYTHING\n',
    'permission-list: EVERYTHING\noperations: [PROCESSREQUEST.*, QUEUES.*]\n',
  ),
  'definitions/canary.yaml': DEFINITIONS,
  'definitions/sample/place.sql': 'create table place (id varchar(5) primary key, how text, pin text);\n',
  'src/handlers/leak.ts': LEAK,
  'src/handlers/signed.ts': "export default { onRequest() { throw new Error('never entered'); } };\n",
  'src/handlers/before.ts': classText(
    'before',
    'await event.execute(`select * from "${event.before.PIN.replaceAll("\\"", "\\"\\"")}"`);',
  ),
  'src/handlers/after.ts': classText(
    'after',
    'throw new Error("after " + event.after.PIN, { cause: new Error(event.after.PIN) });',
  ),
  'src/handlers/work.ts': `export default {
  async run({ PIN }, context) {
    context.message('info', 'given ' + PIN);
    context.progress(10, PIN);
    context.log('warn', PIN, { PIN });
    throw new TypeError('no ' + PIN);
  },
};
`,
};

let partner: Server;
let url = '';
let test: TestGateway;
let project: TestProject;
let receiver: Receiver;
let replies = '';

beforeAll(async () => {
  // It repeats whatever it was sent, decoded and as it came.
  partner = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const { authorization = '' } = request.headers;
      const [scheme = '', credentials = ''] = authorization.split(' ');
      const decoded = scheme === 'Basic' ? Buffer.from(credentials, 'base64').toString() : credentials;
      const plain = decodeURIComponent(path);
      const value = plain.slice(plain.indexOf('=') + 1);
      const echo = `${authorization} ${decoded} ${path} ${plain} ${value} ${Buffer.concat(chunks)}`;
      const json = (value: object): void =>
        void response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
      if (path === '/fetch') return json({ access_token: FETCHED, token_type: 'Bearer', expires_in: 600 });
      if (path === '/keep') return json({ token: KEPT, seconds: 600 });
      if (path === '/replied') return json({ token: REPLIED });
      if (path.startsWith('/echo')) return void response.setHeader('content-type', 'text/plain').end(echo);
      const headers = { 'x-echo': `${authorization} ${path}`, 'set-cookie': 'session=c4n4ry-given' };
      response.writeHead(500, `not ${decoded}`, { 'content-type': 'text/plain', ...headers }).end(echo);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => partner.once('listening', resolve));
  url = `http://127.0.0.1:${(partner.address() as AddressInfo).port}`;
  project = writeProject(FILES);
  receiver = await startReceiver();
  const exported = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  test = await startTestGateway({ root: project.root, env: { ...environment(), ...exported } });
}, 30_000);
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
  project?.remove();
  partner?.close();
});

const environment = (): Record<string, string> => ({
  PARTNER_URL: url,
  PARTNER_PASSWORD: CONFIGURED,
  ADDRESSED_URL: url.replace('://', `://user:${encodeURIComponent(IN_ADDRESS)}@`),
});

async function send(path: string, call: Call): Promise<number> {
  const { status, headers, text } = await test.call(path, call);
  replies += `${JSON.stringify(headers)}\n${text}\n`;
  return status;
}

const REST = '/gateway/RESTListeningConnector';
const JSON_TYPE = { 'content-type': 'application/json' };
const leak = (how: string, more: Call = {}, query = ''): Promise<number> =>
  send(`${REST}/Leaks.v1/leak/${how}${query}`, {
    method: 'POST',
    anonymous: true,
    body: JSON.stringify({ PIN: FIELD, OPEN: `open ${FIELD}` }),
    ...more,
    headers: { ...JSON_TYPE, ...more.headers },
  });

function rows(sql: string): Record<string, unknown>[] {
  const db = new Database(join(test.folder, 'test.db'), { readonly: true });
  try {
    return db.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

const auditText = (): string => readFileSync(join(project.root, 'audit.log'), 'utf8');
const logText = (): string => JSON.stringify(test.log());

/** Nothing that has left so far gives a secret away, and what was masked is there. */
function expectMasked(what: Readonly<Record<string, string>>): void {
  for (const [exit, text] of Object.entries(what)) {
    expect(givenAway(text), exit).toEqual([]);
    expect(text, exit).toContain('***');
  }
}

/** The lines of the log that were written for something. */
async function logged(work: () => Promise<unknown>): Promise<string> {
  const before = test.log().length;
  await work();
  return JSON.stringify(test.log().slice(before));
}

describe('what code says in its words', () => {
  it.each([
    'error',
    'form',
    'echo',
    'address',
    'fetched',
    'kept',
    'failing',
    'replied',
    'soap',
    'fails',
  ])('is in the log without secrets: %s', async (how) => {
    const log = await logged(async () => expect(await leak(how)).toBeGreaterThanOrEqual(500));
    expectMasked({ log });
  });

  it('is in its own lines of the log without secrets', async () => {
    const log = await logged(async () => expect(await leak('log')).toBe(200));
    expectMasked({ log });
  });

  it('is in a fault without secrets', async () => {
    replies = '';
    expect(await leak('fault')).toBe(409);
    expectMasked({ replies });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a token', { authorization: `Bearer ${JWT}` }],
    ['a password', { authorization: `Basic ${Buffer.from(`demo:${BASIC}`).toString('base64')}` }],
    ['a cookie', { cookie: `session=${COOKIE}` }],
    ['a key', { 'x-api-key': KEY }],
  ])('does not show how the caller authenticates: %s', async (_, headers) => {
    const log = await logged(() => leak('caller', { headers }, `?api_key=${encodeURIComponent(QUERIED)}`));
    expectMasked({ log });
  });
});

it('a request that is refused is kept with its headers, but for what is secret', async () => {
  replies = '';
  const log = await logged(() => leak('caller', { body: '{', headers: { 'x-api-key': token('refused') } }));
  expect(givenAway(log + replies)).toEqual([]);
  await leak('log', { headers: { 'x-api-key': KEY, 'x-note': `again ${KEY}` } });
});

describe('a call to another system', () => {
  it('that fails is told to the caller without secrets', async () => {
    replies = '';
    const body = JSON.stringify({ PIN: FIELD, OPEN: 'open' });
    expect(await send(`${REST}/Leaks.v1/out`, { method: 'POST', anonymous: true, headers: JSON_TYPE, body })).toBe(502);
    expect(givenAway(replies)).toEqual([]);
  });

  it.each([
    ['--verbose', ['FAIL_POST', `PIN=${FIELD}`, '--verbose']],
    ['--dry-run', ['FAIL_POST', `PIN=${FIELD}`, '--dry-run']],
    ['--dry-run --json', ['FAIL_POST', `PIN=${FIELD}`, 'OPEN=x', '--dry-run', '--json']],
    ['--verbose of a fetched token', ['FETCHED_GET', '--verbose', '--output', '/dev/null']],
    ['--verbose of a flow', ['Partner.failing', '--verbose']],
    ['--verbose over SOAP', ['SOAP_FAIL', `PIN=${FIELD}`, '--verbose']],
    ['--dry-run over SOAP', ['SOAP_FAIL', `PIN=${FIELD}`, '--dry-run']],
  ])('is shown by signalbox invoke %s without secrets', async (_, args) => {
    const { stdout, stderr } = await signalbox(['invoke', ...args], { cwd: project.root, env: environment() });
    const ofTarget = stdout.includes('Bearer') ? '' : stdout;
    expectMasked({ output: ofTarget + stderr });
  });
});

describe('work that no request waits for', () => {
  it('fails without a secret in the message log, the dead letter, the log and what callers read of it', async () => {
    replies = '';
    const body = JSON.stringify({
      RunControlId: 'RC',
      ProcessType: 'Application Engine',
      ProcessName: 'WORK',
      parameters: [{ Name: 'PIN', Value: PARAMETER }],
    });
    const log = await logged(async () => {
      expect(await send(`${REST}/ProcessRequest.v1/requests`, { method: 'POST', headers: JSON_TYPE, body })).toBe(201);
      await eventually('its end', () =>
        rows('select * from signalbox_dead_letter').find(({ queue }) => queue !== 'events'),
      );
      await eventually('its line', () =>
        logText().includes('an attempt at a process, which is given up') ? true : undefined,
      );
      // Once: neither the queue nor the attempt has a line of its own.
      expect(logText().match(/"queue":"processes"/g)).toHaveLength(1);
    });
    await send(`${REST}/ProcessRequest.v1/requests/1`, {});
    await send(`${REST}/ProcessRequest.v1/requests/1/messages`, {});
    const messages = JSON.stringify(rows('select * from signalbox_process_message'));
    const progress = JSON.stringify(rows('select progress from signalbox_process_request'));
    const letters = JSON.stringify(rows('select error from signalbox_dead_letter'));
    expectMasked({ log, replies, messages, progress, letters });
  });

  it.each(['before', 'after'])('a class %s a save fails without a secret of the record', async (how) => {
    const errors = (): unknown[] => test.log().filter(({ err }) => err !== undefined);
    const before = errors().length;
    const log = await logged(async () => {
      // What the class before a save throws is of the record as it was, which the request does not hold.
      for (const [HOW, PIN] of [
        ['none', RECORD],
        [how, how === 'before' ? 'other' : RECORD],
      ])
        await send(`${REST}/Leaks.v1/places/${how[0]}`, {
          method: 'PUT',
          anonymous: true,
          headers: JSON_TYPE,
          body: JSON.stringify({ HOW, PIN }),
        });
      await eventually('its error', () => errors().length > before || undefined);
    });
    expectMasked({ log });
  });
});

describe('what operators see of jobs', () => {
  const jobsOf = async (queue: string, state: string): Promise<string[]> => {
    const { text } = await test.call(`${REST}/Queues.v1/queues/${queue}/jobs?JobState=${state}`);
    return (JSON.parse(text) as { jobs: { JobId: string }[] }).jobs.map(({ JobId }) => JobId);
  };

  it.each([
    ['processes', 'dead'],
    ['events', 'delayed'],
  ])('is without secrets, over REST and in commands: %s that are %s', async (queue, state) => {
    const id = await eventually('a job', async () => (await jobsOf(queue, state))[0]);
    replies = '';
    for (const path of [`queues/${queue}/jobs?JobState=${state}`, `jobs/${id}`, `jobs/${id}/payload`])
      expect(await send(`${REST}/Queues.v1/${path}`, {})).toBe(200);
    const env = { ...environment(), DATABASE_URL: `sqlite:${join(test.folder, 'test.db')}` };
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await signalbox(['queue', ...args], { cwd: project.root, env });
      expect(code).toBe(0);
      return stdout + stderr;
    };
    const [show, json] = [await run('show', id), await run('show', id, '--json')];
    const list = await run('list', queue, '--state', state, '--json');
    expectMasked({ replies, show, json });
    expect(givenAway(list)).toEqual([]);
  });
});

describe('credentials inside a message', () => {
  const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
  const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
  const token = `<w:UsernameToken><w:Username>demo</w:Username><w:Password>${WSSE.replaceAll('<', '&lt;')}</w:Password></w:UsernameToken>`;
  const envelope = (security: string): string =>
    `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:w="${WSS}"><s:Header><w:Security>${security}</w:Security></s:Header><s:Body><SIGNED xmlns="urn:test:Signed.v1"><A>a</A></SIGNED></s:Body></s:Envelope>`;

  it.each([
    ['a wrong password', envelope(token), 'text/xml', SOAP],
    ['two passwords', envelope(token + token), 'text/xml', SOAP],
    ['a message that is cut', envelope(token).slice(0, -20), 'text/xml', SOAP],
    [
      'a form',
      new URLSearchParams({ OperationName: 'SIGNED.v1', UserName: 'demo', Password: POSTED }).toString(),
      'application/x-www-form-urlencoded',
      SOAP.replace('PeopleSoftServiceListeningConnector', 'HttpListeningConnector'),
    ],
  ])('%s is refused, and shown nowhere', async (_, body, type, path) => {
    replies = '';
    const log = await logged(async () => {
      const call = { method: 'POST', anonymous: true, headers: { 'content-type': type }, body };
      expect(await send(path, call)).toBeGreaterThanOrEqual(400);
    });
    expect(givenAway(log + replies)).toEqual([]);
  });
});

describe('what commands say where they fail', () => {
  it.each([
    ['serve', 'audit: /dev/null/${secret:PARTNER_PASSWORD}/audit'],
    ['check', 'database: "sqlite:/dev/null/${secret:PARTNER_PASSWORD}/box.db"'],
    ['doctor', 'database: "sqlite:/dev/null/${secret:PARTNER_PASSWORD}/box.db"'],
  ])('%s shows no secret of the configuration', async (command, line) => {
    const { root, remove } = writeProject({
      'definitions/gateway.yaml': `gateway: LOCAL\nnamespace: urn:test\ndatabase: sqlite:box.db\n${line}\n`.replace(
        /database: sqlite:box.db\n(?=database)/,
        '',
      ),
    });
    try {
      const args = command === 'check' ? ['check', '--connect'] : [command];
      const env = { ...environment(), PORT: '0', PARTNER_PASSWORD: 'c4n4ry-configured' };
      const { code, stdout, stderr } = await signalbox(args, { cwd: root, env });
      expect(code).toBe(1);
      expectMasked({ output: stdout + stderr });
    } finally {
      remove();
    }
  });
});

it('a job fails without a secret, whatever its worker throws', async () => {
  const workers: Worker[] = [];
  const queue: Partial<JobQueue> = { work: (_, worker) => void workers.push(worker) };
  redacting(
    queue as JobQueue,
    createRedactor(() => [CONFIGURED]),
  ).work('jobs', {
    concurrency: 1,
    retry: { attempts: 1, first: 0, longest: 0 },
    run: () => Promise.reject(new Error(`lost ${CONFIGURED}`)),
  });
  await expect(workers[0]?.run({} as Job)).rejects.toThrow(/^lost \*\*\*$/);
});

it('warnings and errors of the log are redacted wherever they come from', () => {
  const lines: string[] = [];
  const log = createLog({ to: { write: (line) => lines.push(line) }, redactor: createRedactor(() => [CONFIGURED]) });
  log.warn(`lost ${CONFIGURED}`);
  log.error({ err: new Error(CONFIGURED, { cause: new Error(CONFIGURED) }), facts: [CONFIGURED] }, CONFIGURED);
  expectMasked({ log: lines.join('') });
});

it('nothing gives a secret away in the audit log, nor anywhere else in the log', () => {
  expectMasked({ log: logText() });
  expect(givenAway(auditText())).toEqual([]);
});

it('nothing gives a secret away in the message store, nor in what is exported to OpenTelemetry', async () => {
  const recorded = await recordedBy(test);
  await test.stop();
  // The message store keeps payloads and headers.
  for (const id of ['LEAK', 'OUT', 'SIGNED', 'FAIL_POST', 'SOAP_FAIL', 'FETCHED_GET', 'GUARDED_POST'])
    expect(recorded.map(({ operation }) => operation)).toContain(id);
  expect(recorded.filter(({ parts }) => 'request' in parts && 'call' in parts).length).toBeGreaterThan(10);
  expectMasked({ recorded: JSON.stringify(recorded) });
  const kinds = new Set(receiver.spans.map(({ kind }) => kind.replace('SPAN_KIND_', '')));
  expect(kinds).toEqual(new Set(['SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER', 'INTERNAL']));
  expect(receiver.logs.length).toBeGreaterThan(20);
  expectMasked({ exported: Buffer.concat(receiver.bytes).toString() });
});
