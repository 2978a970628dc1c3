import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Head, InvokeError } from '../../src/invoke/index.ts';
import type { ConfigText } from '../../src/model/definition.ts';
import { CERTIFICATE, KEY } from './certificate.ts';
import {
  attachment,
  client,
  deadAddress,
  FILE,
  listen,
  node,
  partner,
  rawTarget,
  read,
  SUM,
  SUM_REPLY,
  target,
  thrown,
} from './support.ts';

const DOCUMENTS = { request: FILE, response: SUM } as const;
const call = (...[registry, options]: Parameters<typeof client>) =>
  client(registry, options).call('FILE_SEND', { name: 'a' });

const secret = (name: string): ConfigText => ({ source: `\${secret:${name}}`, parts: [{ kind: 'secret', name }] });
const literal = (text: string): ConfigText => ({ source: text, parts: [{ kind: 'literal', text }] });

describe('the address', () => {
  it('is the node base, path and query as they are', async () => {
    const { url, seen } = await target(SUM_REPLY);
    await call(partner(node('PARTNER', [`${url}/a%20b?key=1`]), DOCUMENTS));
    expect(seen[0]!.url).toBe('/partner/a%20b?key=1');
  });

  it('is PRIMARYURL where there is one', async () => {
    const { url, seen } = await target(SUM_REPLY);
    const primaryUrl = literal(`${url}/primary`);
    await call(partner(node('PARTNER', ['${env:NOT_SET}']), { ...DOCUMENTS, properties: { primaryUrl } }));
    expect(seen[0]!.url).toBe('/partner/primary');
  });

  it('is another node where the call names one, whatever PRIMARYURL says', async () => {
    const { url, seen } = await target(SUM_REPLY);
    const registry = partner(node('PARTNER', []), { ...DOCUMENTS, properties: { primaryUrl: literal('http://x') } });
    await client(registry).call('FILE_SEND', { name: 'a' }, { node: node('OTHER', [url]) });
    expect(seen).toHaveLength(1);
  });

  it('comes from configuration at the first call, with all that is missing at once', async () => {
    const { url, seen } = await target(SUM_REPLY);
    const target_ = node('PARTNER', ['${env:PARTNER_URL}', '${env:SECOND_URL:-http://b}'], {
      credential: { kind: 'basic', user: literal('demo'), password: secret('PARTNER_PASSWORD') },
    });
    const registry = partner(target_, DOCUMENTS);
    expect(await thrown(call(registry))).toMatchObject({
      code: 'CONFIGURATION',
      message: 'FILE_SEND: PARTNER_URL is not set; PARTNER_PASSWORD is not set, and neither is PARTNER_PASSWORD_FILE',
      hint: 'Set PARTNER_URL and PARTNER_PASSWORD in the environment, or name the file that holds a secret: PARTNER_PASSWORD_FILE=<path>.',
    });
    await call(registry, { env: { PARTNER_URL: url, PARTNER_PASSWORD: 'hush' } });
    expect(seen[0]!.headers.authorization).toBe(`Basic ${Buffer.from('demo:hush').toString('base64')}`);
  });

  it.each([
    ['ftp://a', 'must begin with http:// or https://'],
    ['http://', 'is only a scheme'],
    ['a.example', 'must begin with http:// or https://'],
    ['http://a/#b', 'contains a fragment'],
  ])('%s is none', async (text, words) => {
    const error = await thrown(
      call(partner(node('PARTNER', ['${env:PARTNER_URL}']), DOCUMENTS), { env: { PARTNER_URL: text } }),
    );
    expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining(words) });
    expect((error as Error).message).toContain('${env:PARTNER_URL}');
  });

  it('a node without one', async () => {
    expect(await thrown(call(partner(node('PARTNER', []), DOCUMENTS)))).toMatchObject({
      code: 'CONFIGURATION',
      message: 'FILE_SEND: node PARTNER has no address',
    });
  });
});

describe('the credential', () => {
  it('of the call stands above that of the node, and one in the address is none of its own', async () => {
    const { url, seen } = await target(SUM_REPLY);
    const registry = partner(node('PARTNER', [url.replace('//', '//a:b%40@')]), DOCUMENTS);
    const made = client(registry);
    await made.call('FILE_SEND', { name: 'a' });
    await made.call('FILE_SEND', { name: 'a' }, { credential: { user: 'x', password: 'y:z' } });
    expect(seen.map(({ headers }) => Buffer.from(headers.authorization!.slice(6), 'base64').toString())).toEqual([
      'a:b@',
      'x:y:z',
    ]);
  });

  it('can have no user with a colon', async () => {
    const credential = { user: 'a:b', password: 'c' };
    const made = client(partner(node('PARTNER', ['http://127.0.0.1:1']), DOCUMENTS));
    expect(await thrown(made.call('FILE_SEND', { name: 'a' }, { credential }))).toMatchObject({
      code: 'CONFIGURATION',
    });
  });
});

describe('fail-over', () => {
  it('goes on to the next address where there is no connection, with the whole request', async () => {
    const { url, seen } = await target(SUM_REPLY);
    const registry = partner(node('PARTNER', [await deadAddress(), url]), { ...DOCUMENTS, properties: { mtom: true } });
    const reply = await client(registry).call('FILE_SEND', { name: 'a', content: attachment('PDF!') });
    expect(reply.value).toEqual({ name: 'a.pdf', length: 3 });
    expect(seen[0]!.body.toString()).toContain('PDF!');
  });

  it('tells of the last one where none is there', async () => {
    const last = await deadAddress();
    const error = await thrown(call(partner(node('PARTNER', [await deadAddress(), last]), DOCUMENTS)));
    expect(error).toMatchObject({
      code: 'CONNECTION',
      responseStatus: 10,
      message: 'FILE_SEND: nothing listens at its address',
      called: { operation: 'FILE_SEND', address: last },
    });
  });

  it.each([503, 500])('is not for a target that answers: %d', async (status) => {
    const first = await target({ status });
    const second = await target(SUM_REPLY);
    const error = await thrown(call(partner(node('PARTNER', [first.url, second.url]), DOCUMENTS)));
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      httpResponseCode: status,
      responseStatus: status === 503 ? 10 : 20,
    });
    expect(second.seen).toEqual([]);
  });

  it('is not for a connection that ends', async () => {
    const second = await target(SUM_REPLY);
    const error = await thrown(call(partner(node('PARTNER', [await rawTarget(''), second.url]), DOCUMENTS)));
    expect(error).toMatchObject({ code: 'CUT', responseStatus: 10 });
    expect(second.seen).toEqual([]);
  });
});

describe('a connection that ends early', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n';
  it.each([
    ['inside the head', 'HTTP/1.1 200 OK\r\nContent-', 'before it replied'],
    ['before the length it said', `${head}Content-Length: 1000\r\n\r\n<a>`, 'before the reply was complete'],
    ['inside a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n3\r\n<a>\r\n`, 'before the reply was complete'],
  ])('%s', async (_, bytes, words) => {
    const error = await thrown(call(partner(node('PARTNER', [await rawTarget(bytes)]), DOCUMENTS)));
    expect(error).toMatchObject({ code: 'CUT', message: expect.stringContaining(words) });
  });

  it('inside an attachment', async () => {
    const xml = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><FILE_SENDResponse xmlns="urn:signalbox:test:Partner.v1"><content><i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:one"/></content></FILE_SENDResponse></e:Body></e:Envelope>`;
    const body = `--b\r\nContent-Type: text/xml\r\n\r\n${xml}\r\n--b\r\nContent-ID: one\r\n\r\n${'x'.repeat(5000)}`;
    const bytes = `HTTP/1.1 200 OK\r\nContent-Type: multipart/related; boundary=b\r\nContent-Length: 100000\r\n\r\n${body}`;
    const reply = await call(partner(node('PARTNER', [await rawTarget(bytes)]), { request: FILE, response: FILE }));
    expect(await thrown(read(reply.value.content))).toMatchObject({ code: 'CUT', httpResponseCode: 200 });
    reply.close();
  });

  it('what is no HTTP at all', async () => {
    const error = await thrown(call(partner(node('PARTNER', [await rawTarget('SSH-2.0-x\r\n')]), DOCUMENTS)));
    expect(error).toBeInstanceOf(InvokeError);
    expect(error).toMatchObject({
      code: 'BAD_REPLY',
      message: 'FILE_SEND: the reply is not valid HTTP: it begins with "SSH-2.0-x"',
    });
  });

  it.each([
    '101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x',
    '101 Nothing',
    '000 Zero\r\nContent-Length: 0',
  ])('a status that ends no exchange: %j', async (head) => {
    const bytes = `HTTP/1.1 ${head}\r\n\r\n`;
    const error = await thrown(call(partner(node('PARTNER', [await rawTarget(bytes)]), DOCUMENTS)));
    expect(error).toBeInstanceOf(InvokeError);
    expect(error).toMatchObject({ code: 'BAD_REPLY', message: expect.stringContaining('the status 101') });
  });

  it('a head without an end', async () => {
    const bytes = `HTTP/1.1 200 OK\r\n${'X-Much: much\r\n'.repeat(10_000)}`;
    const error = await thrown(call(partner(node('PARTNER', [await rawTarget(bytes)]), DOCUMENTS)));
    expect(error).toMatchObject({
      code: 'REPLY_TOO_LARGE',
      message: expect.stringContaining('65536 bytes (a fixed limit)'),
    });
  });
});

describe('timeouts', () => {
  it('of the head', async () => {
    const { url } = await listen(() => undefined);
    const error = await thrown(call(partner(node('PARTNER', [url]), DOCUMENTS), { timeouts: { head: 20 } }));
    expect(error).toMatchObject({
      code: 'TIMEOUT',
      responseStatus: 10,
      message: 'FILE_SEND: the target did not answer within 20 ms',
    });
  });

  it('between the pieces of a reply', async () => {
    const { url } = await listen((_, response) => response.writeHead(200, { 'Content-Type': 'text/xml' }).write('<a'));
    const error = await thrown(call(partner(node('PARTNER', [url]), DOCUMENTS), { timeouts: { idle: 20 } }));
    expect(error).toMatchObject({
      code: 'TIMEOUT',
      httpResponseCode: 200,
      message: expect.stringContaining('no more of the reply'),
    });
  });

  it('of a target that does not take the request', async () => {
    const { url } = await listen((request) => request.pause());
    const registry = partner(node('PARTNER', [url]), { ...DOCUMENTS, properties: { mtom: true } });
    const made = client(registry, { timeouts: { head: 50 } });
    const content = attachment(Buffer.alloc(0));
    const endless = {
      contentType: content.contentType,
      async *stream() {
        for (;;) yield Buffer.alloc(1 << 20);
      },
    };
    expect(await thrown(made.call('FILE_SEND', { name: 'a', content: endless }))).toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('the signal of the caller', () => {
  it('ends a call that waits', async () => {
    const controller = new AbortController();
    const { url } = await listen(() => controller.abort(new Error('enough')));
    const { signal } = controller;
    const made = client(partner(node('PARTNER', [url]), DOCUMENTS));
    const error = await thrown(made.call('FILE_SEND', { name: 'a' }, { signal }));
    expect(error).toMatchObject({ code: 'ABORTED', cause: expect.objectContaining({ message: 'enough' }) });
    expect(await thrown(made.call('FILE_SEND', { name: 'a' }, { signal }))).toMatchObject({ code: 'ABORTED' });
  });

  it('ends an upload, and what is read for it', async () => {
    const controller = new AbortController();
    const { url } = await listen((request) => request.resume());
    let ended = false;
    const content = {
      contentType: 'text/plain',
      async *stream() {
        try {
          for (let n = 0; ; n++) {
            if (n === 20) controller.abort();
            yield Buffer.alloc(1000);
          }
        } finally {
          ended = true;
        }
      },
    };
    const made = client(partner(node('PARTNER', [url]), { ...DOCUMENTS, properties: { mtom: true } }));
    const { signal } = controller;
    expect(await thrown(made.call('FILE_SEND', { name: 'a', content }, { signal }))).toMatchObject({ code: 'ABORTED' });
    await expect.poll(() => ended).toBe(true);
  });

  it('ends the reading of a reply', async () => {
    const controller = new AbortController();
    const { url } = await listen((_, response) => response.writeHead(200, { 'Content-Type': 'text/xml' }).write('<a'));
    const heads = { onReply: () => setImmediate(() => controller.abort()) };
    const made = client(partner(node('PARTNER', [url]), DOCUMENTS));
    const error = await thrown(made.call('FILE_SEND', { name: 'a' }, { signal: controller.signal, heads }));
    expect(error).toMatchObject({ code: 'ABORTED' });
  });
});

it('redirects are not followed', async () => {
  const second = await target(SUM_REPLY);
  const first = await target({ status: 307, headers: { Location: second.url } });
  const error = await thrown(call(partner(node('PARTNER', [first.url]), DOCUMENTS)));
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    httpResponseCode: 307,
    hint: expect.stringContaining(second.url),
  });
  expect(second.seen).toEqual([]);
});

it('a certificate that nobody vouches for is refused, and no other address tried', async () => {
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const second = await target(SUM_REPLY);
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = await thrown(call(partner(node('PARTNER', [url, second.url]), DOCUMENTS)));
  expect(error).toMatchObject({
    code: 'TLS',
    responseStatus: 20,
    hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  });
  expect(second.seen).toEqual([]);
});

it('the heads of an exchange can be seen, without what is secret in them', async () => {
  const { url } = await target({ ...SUM_REPLY, headers: { ...SUM_REPLY.headers, 'Set-Cookie': 'session=hush' } });
  const seen: Head[] = [];
  const made = client(
    partner(node('PARTNER', [`${url}?token=hush`]), { ...DOCUMENTS, headers: { 'X-Api-Key': 'hush' } }),
  );
  await made.call(
    'FILE_SEND',
    { name: 'a' },
    {
      requestId: 'R-1',
      credential: { user: 'demo', password: 'hush' },
      heads: { onRequest: (head) => seen.push(head), onReply: (head) => seen.push(head) },
    },
  );
  const [request, reply] = seen as [Head, Head];
  expect(request.line).toBe(`POST ${url} HTTP/1.1`);
  expect(Object.fromEntries(request.headers)).toMatchObject({
    Authorization: 'Basic ***',
    'X-Api-Key': '***',
    'X-Request-Id': 'R-1',
    SOAPAction: '"FILE_SEND.v1"',
  });
  expect(reply.line).toBe('HTTP/1.1 200 OK');
  expect(Object.fromEntries(reply.headers)).toMatchObject({ 'set-cookie': '***' });
  expect(JSON.stringify(seen)).not.toContain('hush');
});

describe('an operation that is none to call', () => {
  it.each([
    ['OTHER', {}, 'OTHER: the operation does not exist'],
    ['FILE_SEND', { active: false }, 'FILE_SEND: it is not active'],
  ])('%s %j', async (id, options, message) => {
    const made = client(partner(node('PARTNER', ['http://127.0.0.1:1']), options));
    expect(await thrown(made.call(id, {}))).toMatchObject({ code: 'UNKNOWN_OPERATION', message });
  });
});

it('a closed client calls nobody', async () => {
  const { url, seen } = await target(SUM_REPLY);
  const made = client(partner(node('PARTNER', [url]), DOCUMENTS));
  await made.close();
  await expect(made.call('FILE_SEND', { name: 'a' })).rejects.toThrow('the client is closed');
  expect(seen).toEqual([]);
});
