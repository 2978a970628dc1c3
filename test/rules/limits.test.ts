import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTexts } from '../../src/load/index.ts';
import { startPartners } from '../../src/mock/partners.ts';
import { project, signalbox } from '../cli/support.ts';
import { ENGINES } from '../message/project.ts';
import { atFileEnd } from '../support/file-end.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { CALLS, JOBS, READS, type Role, type Roles, startRoles } from './roles.ts';

// What has no end is cut while it comes, in every role: a reply by `limits.body` where it is read, and sooner where it is not; a
// request by the limit of its kind. Whoever is cut, or the log, is given the key that sets the limit.

/** More than the limit of 10 MB, with what the buffers of two sockets take. */
const MOST = 24 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'a');

/** A reply that goes on until the connection is closed. */
function endless(head: string, begin: string, sent: (bytes: number) => void, closed: () => void) {
  return (socket: Socket): void => {
    const chunk = (bytes: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    socket.once('close', closed);
    socket.write(`HTTP/1.1 200 OK\r\n${head}Transfer-Encoding: chunked\r\n\r\n`);
    socket.write(chunk(Buffer.from(begin)));
    const piece = chunk(PIECE);
    const go = (): void => {
      while (!socket.destroyed) {
        sent(PIECE.length);
        if (!socket.write(piece)) break;
      }
    };
    socket.on('drain', go);
    go();
  };
}

const JSON_HEAD = 'Content-Type: application/json\r\n';
const XML_HEAD = 'Content-Type: text/xml; charset=utf-8\r\n';
const TEXT_HEAD = 'Content-Type: text/plain\r\n';
const ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>';

function replyOf(role: Role): readonly [head: string, begin: string] {
  if (role === 'ask' || role.includes('soap')) return [XML_HEAD, ENVELOPE];
  return role === 'fetch' ? [TEXT_HEAD, 'a'] : [JSON_HEAD, '{"NAME":"'];
}

describe.each(ENGINES)('a reply without end, on %s', (kind) => {
  let roles: Roles;
  beforeAll(async () => {
    roles = await startRoles(kind);
  });
  afterAll(() => roles?.stop());

  it.each([...READS, ...CALLS, ...JOBS])('is cut in the role %s', async (role) => {
    const name = `endless-${role}`;
    let [bytes, opened, ended] = [0, 0, 0];
    const [head, begin] = replyOf(role);
    roles.answer = ({ text }) => {
      if (!text.includes(name)) return undefined;
      opened += 1;
      return endless(
        head,
        begin,
        (more) => (bytes += more),
        () => (ended += 1),
      );
    };
    const { status, text } = await roles.begin(role, name);
    if ((READS as readonly Role[]).includes(role)) {
      expect([status, text]).toEqual([502, expect.stringContaining('"code":"UPSTREAM_FAILED"')]);
      expect(JSON.stringify(roles.log())).toContain('is larger than 10485760 bytes (`limits.body`)');
    } else expect(status, text).toBeLessThan(300);
    await eventually('the end of the connection', () => (opened > 0 && ended === opened ? true : undefined));
    expect(bytes / opened).toBeLessThan(MOST);
    await roles.settled();
    // The partner took a request that it answered with success, whatever followed.
    if ((JOBS as readonly Role[]).includes(role)) expect(roles.got(name)).toHaveLength(1);
  });
});

const DEFINITIONS = `service: Ends.v1
public: true
operations:
  TEXT: { post: text, request: { fields: { NAME: string } }, soap: true, handler: taken }
  XML: { post: xml, request: { application/xml: SOME }, handler: taken }
  RAW: { post: raw, request: json, handler: taken }
  CONTENT: { put: content, request: binary, handler: taken }
  FIELD: { put: "field/{ID}", request: { fields: { ID: string, DATA: { type: binary, required: true } } }, body: DATA, handler: taken }
  FORM: { post: form, form: multipart, request: { fields: { NAME: string, FILE: binary, MORE: list of binary } }, handler: taken }
  RELAY: { post: relay, request: { fields: { NAME: string } }, call: CALLED }
  QUEUED: { post: queued, request: { fields: { NAME: string } }, queue: NEWS }
  SMALL: { post: small, request: { fields: { NAME: string } }, queue: SMALL_NEWS }
  FILES: { soap: true, request: { fields: { FILE: binary, MORE: list of binary } }, handler: taken }
---
document: SOME
fields: { NAME: string }
---
queue: NEWS
---
queue: SMALL_NEWS
size: 8 KiB
---
{ subscription: NEWS_OUT, operation: QUEUED, call: CALLED }
---
{ subscription: SMALL_OUT, operation: SMALL, call: CALLED }
---
node: PARTNER
base: \${env:PARTNER_URL}
---
service: Partner.v1
target: PARTNER
public: true
operations:
  CALLED: { post: called, request: { fields: { NAME: string } }, response: none }
`;

const KiB = 1024;
const LIMITS = 'limits: { body: 64 KiB, attachment: 128 KiB, attachments: 2, parameters: 4, target: 2 KiB }';
const REST = '/gateway/RESTListeningConnector/Ends.v1/';
const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
const FIELD_PART = '--b\r\nContent-Disposition: form-data; name="NAME"\r\n\r\n';
const FILE_PART = '--b\r\nContent-Disposition: form-data; name="FILE"; filename="f"\r\n\r\n';
const XOP = 'multipart/related; boundary=b; type="application/xop+xml"; start-info="text/xml"; start="<root>"';
const ROOT = '--b\r\nContent-Type: application/xop+xml; charset=utf-8; type="text/xml"\r\nContent-ID: <root>\r\n\r\n';
const INCLUDING = `${ENVELOPE}<FILES xmlns="urn:test:Ends.v1"><FILE><Include xmlns="http://www.w3.org/2004/08/xop/include" href="cid:f"/></FILE></FILES></e:Body></e:Envelope>`;
const ATTACHED = '\r\n--b\r\nContent-ID: <f>\r\n\r\n';

describe('a request without end', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      files: {
        'definitions/gateway.yaml': gatewayText(LIMITS),
        'definitions/ends.yaml': DEFINITIONS,
        'src/handlers/taken.ts':
          'export default { async onRequest(given) { for (const each of Object.values(given)) if (each?.stream) for await (const _ of each.stream()); } };\n',
      },
      env: { PARTNER_URL: 'http://127.0.0.1:1' },
    });
  });
  afterAll(() => gateway?.stop());

  /** Sends until the gateway answers or closes: the reply, and the bytes that it took. */
  function pour(head: string, begin: string): Promise<{ reply: string; bytes: number }> {
    return new Promise((resolve) => {
      const socket = connect(gateway.port, '127.0.0.1');
      let [reply, bytes] = ['', 0];
      let done = false;
      const end = (): void => {
        done = true;
        socket.destroy();
        resolve({ reply, bytes });
      };
      socket.on('data', (chunk) => {
        reply += chunk.toString('latin1');
        if (/\r\n\r\n.*[}>]\s*$/s.test(reply)) end();
      });
      socket.on('error', () => undefined);
      socket.once('close', end);
      const chunk = (text: Buffer): Buffer =>
        Buffer.concat([Buffer.from(`${text.length.toString(16)}\r\n`), text, Buffer.from('\r\n')]);
      socket.write(`${head}Host: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
      socket.write(chunk(Buffer.from(begin)));
      const piece = Buffer.alloc(4 * KiB, 'a');
      // One piece at a time: whatever the gateway reads no more stays in the buffers of the sockets.
      const go = (): void => {
        if (done) return;
        bytes += piece.length;
        if (bytes > MOST) end();
        else socket.write(chunk(piece), () => setImmediate(go));
      };
      go();
    });
  }

  it.each<[string, string, string, string, string]>([
    ['JSON', `POST ${REST}text`, 'application/json', '{"NAME":"', 'body'],
    ['JSON of a relay', `POST ${REST}relay`, 'application/json', '{"NAME":"', 'body'],
    ['JSON of a queue', `POST ${REST}queued`, 'application/json', '{"NAME":"', 'body'],
    ['XML', `POST ${REST}xml`, 'application/xml', '<SOME xmlns="urn:test:Ends.v1"><NAME>', 'body'],
    ['any JSON', `POST ${REST}raw`, 'application/json', '"', 'body'],
    ['content', `PUT ${REST}content`, 'image/png', 'x', 'attachment'],
    ['content of a field', `PUT ${REST}field/a`, 'image/png', 'x', 'attachment'],
    ['a field of a form', `POST ${REST}form`, 'multipart/form-data; boundary=b', FIELD_PART, 'body'],
    ['a file of a form', `POST ${REST}form`, 'multipart/form-data; boundary=b', FILE_PART, 'attachment'],
    ['an envelope', `POST ${SOAP}`, 'text/xml', `${ENVELOPE}<TEXT xmlns="urn:test:Ends.v1"><NAME>`, 'body'],
    ['the envelope of MTOM', `POST ${SOAP}`, XOP, `${ROOT}${ENVELOPE}<TEXT xmlns="urn:test:Ends.v1"><NAME>`, 'body'],
    ['an attachment', `POST ${SOAP}`, XOP, `${ROOT}${INCLUDING}${ATTACHED}`, 'attachment'],
  ])('is cut where it is %s', async (_, line, type, begin, key) => {
    const { reply, bytes } = await pour(`${line} HTTP/1.1\r\nContent-Type: ${type}\r\nSOAPAction: ""\r\n`, begin);
    expect(reply).toMatch(line.includes(SOAP) ? /^HTTP\/1\.1 (?:413|500) / : /^HTTP\/1\.1 413 /);
    expect(reply).toContain(`\`limits.${key}\``);
    expect(bytes).toBeLessThan(8 * 1024 * KiB);
  });

  it.each<[string, string, RequestInit, number, string]>([
    ['a message', 'small', { body: `{"NAME":"${'a'.repeat(9 * KiB)}"}` }, 413, '`size` of its queue'],
    ['parameters', 'text?a=1&b=2&c=3&d=4&e=5', { body: '{}' }, 400, '`limits.parameters`'],
    ['a target', `text?a=${'b'.repeat(3 * KiB)}`, { body: '{}' }, 414, '`limits.target`'],
    ['files', 'form', { body: parts('MORE', 3) }, 413, '`limits.attachments`'],
    ['fields of a form', 'form', { body: parts('', 5) }, 400, '`limits.parameters`'],
  ])('%s: beyond its limit it is refused with the key', async (_, path, init, status, key) => {
    const headers = init.body instanceof FormData ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${gateway.port}${REST}${path}`, {
      method: 'POST',
      headers,
      ...init,
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([status, expect.stringContaining(key)]);
  });
});

/** A form of so many files of a name, or of so many fields. */
function parts(name: string, count: number): FormData {
  const form = new FormData();
  for (let n = 0; n < count; n++)
    if (name === '') form.append(`NAME${n}`, 'x');
    else form.append(name, new Blob(['x']), 'f');
  return form;
}

const CALLS_ONLY = `gateway: LOCAL
limits: { body: 4 KiB, attachment: 8 KiB }
---
node: PARTNER
base: \${env:PARTNER_URL}
---
service: Partner.v1
target: PARTNER
public: true
operations:
  READ: { get: read, response: { fields: { NAME: string } } }
  FETCH: { get: fetch, response: binary }
  SEND: { post: send, request: { fields: { NAME: string } }, response: none }
`;

describe('of the command line and of a mock', () => {
  it.each([
    ['READ', '{"NAME":"', 'the reply is larger than 4096 bytes (`limits.body`)'],
    ['FETCH', 'x', 'the content of the reply is larger than 8192 bytes (`limits.attachment`)'],
  ])('invoke %s is cut, and prints the key', async (operation, begin, expected) => {
    let ended = false;
    const partner = createServer((socket) => {
      socket.on('error', () => undefined);
      const head = operation === 'READ' ? JSON_HEAD : 'Content-Type: image/png\r\n';
      socket.once('data', () =>
        endless(
          head,
          begin,
          () => undefined,
          () => (ended = true),
        )(socket),
      );
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => partner.once('listening', resolve));
    atFileEnd(() => partner.close());
    const cwd = await project({ 'definitions/calls.yaml': CALLS_ONLY });
    const env = { PARTNER_URL: `http://127.0.0.1:${(partner.address() as AddressInfo).port}/` };
    const { code, stderr } = await signalbox(['invoke', operation, '--output', 'a'], { cwd, env });
    expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
    await eventually('the end of the connection', () => ended || undefined);
  });

  it('a mock of the partner refuses a request with the key', async () => {
    const { registry } = loadTexts(new Map([['definitions/calls.yaml', CALLS_ONLY]]));
    if (registry === undefined) throw new Error('the definitions are not valid');
    const partners = await startPartners({
      ...{ registry, nodes: [...registry.nodes.values()], port: 0, log: { level: 'silent' } },
      answer: () => undefined,
      refused: () => undefined,
    });
    atFileEnd(() => partners.close());
    const response = await fetch(`${partners.addressOf('PARTNER')}/send`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ NAME: 'a'.repeat(5 * KiB) }),
    });
    expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('`limits.body`')]);
  });
});
