import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Address, addressAt, type Base } from '../../src/invoke/http/address.ts';
import type { Head } from '../../src/invoke/http/headers.ts';
import { InvokeError } from '../../src/invoke/index.ts';
import { bodyOf, outgoing, sender, streamed, text } from './sending.ts';
import { listen, node, rawTarget, target, thrown } from './support.ts';

/** A target that speaks bytes. */
async function socketTarget(onSocket: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** The host of an address; none where the call is refused for its input. */
function hostsOf(address: () => Address): string[] {
  try {
    return [new URL(address().origin).hostname];
  } catch (error) {
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    return [];
  }
}

describe('the URL', () => {
  it.each([
    ['', 'a/b?c=1', '/partner/a/b?c=1'],
    ['/', 'a/b', '/partner/a/b'],
    ['//', "add(url='it''s',x=true)", "/partner/add(url='it''s',x=true)"],
  ])('is the base, exactly one slash, and the template: %j and %s', async (end, uri, expected) => {
    const { url, seen } = await target({});
    await sender(node('PARTNER', [url + end])).send(outgoing('GET', { uri }));
    expect(seen[0]!.url).toBe(expected);
  });

  it('has no slash after a scheme alone, where the template begins with the host', async () => {
    const { url, seen } = await target({});
    const { host } = new URL(url);
    const made = sender(node('PARTNER', ['http://']));
    await made.send(outgoing('GET', { uri: `${host}/sites/HR%20x?y=1` }));
    await made.send(outgoing('GET', { uri: host }));
    expect(seen.map((each) => each.url)).toEqual(['/sites/HR%20x?y=1', '/']);
    expect(seen[0]!.headers.host).toBe(host);
  });

  it.each([
    'a@b',
    'a\\b',
    'a b',
    'a%2fb',
    '',
    'a:b:c',
    'a\tb',
    '[::1',
    'a:99999',
  ])('has no host made of %j', async (host) => {
    const uri = `${host}/x`;
    const shown = { uri: `${host}/x`, headers: {}, body: undefined };
    const error = await thrown(sender(node('PARTNER', ['https://'])).send(outgoing('GET', { uri, shown })));
    expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('is not a valid host') });
  });

  it('goes to no other host than the one that the template ends', () => {
    const base: Base = { kind: 'scheme', scheme: 'https://', named: 'the address' };
    const called = { operation: 'THING_GET', requestId: 'R-1' };
    const value = fc.oneof(fc.string({ maxLength: 8 }), fc.stringMatching(/^[a-c@:/?#\\.%[\]0-9 ]{0,8}$/));
    fc.assert(
      fc.property(value, (given) => {
        // What a writer lets through of a value of the host.
        fc.pre(!/[/?#]/.test(given));
        const request = outgoing('GET', { uri: `${given}.library.example/x` });
        const hosts = hostsOf(() => addressAt(base, request, called));
        for (const host of hosts) expect(host).toMatch(/^.+\.library\.example$/);
      }),
    );
  });

  it('does not tell a masked host in an error', async () => {
    const shown = { uri: '***/x', headers: {}, body: undefined };
    const made = sender(node('PARTNER', ['https://']));
    const error = await thrown(made.send(outgoing('GET', { uri: 'hush hush/x', shown })));
    expect((error as Error).message).toBe('THING_GET: "***" is not a valid host');
  });

  it.each([
    ['https://', undefined, 'is only a scheme, not an address to call'],
    ['http://a.example/#x', 'b', 'contains a fragment'],
  ])('%s is no base of %s', async (base, uri, words) => {
    const error = await thrown(sender(node('PARTNER', [base])).send(outgoing('GET', { uri })));
    expect(error).toMatchObject({ code: 'CONFIGURATION', message: expect.stringContaining(words) });
  });

  it.each([
    ['api?tenant=7', 'orders', '/api/orders?tenant=7'],
    ['api/?tenant=7', 'orders?page=2', '/api/orders?tenant=7&page=2'],
    ['?tenant=7', 'orders?', '/partner/orders?tenant=7'],
    ['api?tenant=7', undefined, '/api?tenant=7'],
    ['api?', 'orders?page=2', '/api/orders?page=2'],
  ])('has the query of its base %s in front of its own: %s', async (base, uri, expected) => {
    const { url, seen } = await target({});
    const made = sender(node('PARTNER', [new URL(base, url).href]));
    await made.send(outgoing('GET', { uri }));
    expect(seen[0]?.url).toBe(expected);
    const shown = expected.replace('tenant=7', 'tenant=***');
    expect(made.describe(outgoing('GET', { uri })).url).toBe(new URL(shown, url).href);
  });

  it('is told as it may be shown, without the query', async () => {
    const { url } = await target({ status: 404 });
    const shown = { uri: 'token/***?key=***', headers: {}, body: undefined };
    const made = sender(node('PARTNER', [url]));
    const request = outgoing('GET', { uri: 'token/hush?key=hush', shown });
    expect((await made.send(request)).called.address).toBe(`${url}/token/***`);
    expect(made.describe(request).url).toBe(`${url}/token/***?key=***`);
  });
});

describe('the body', () => {
  it('is none where there is none: GET says no length, POST says 0', async () => {
    const { url, seen } = await target({});
    const made = sender(node('PARTNER', [url]));
    await made.send(outgoing('GET'));
    await made.send(outgoing('POST'));
    expect(seen.map(({ headers }) => headers['content-length'])).toEqual([undefined, '0']);
  });

  it.each([
    ['longer', ['abc', 'defg'], 5, 'expected 5 bytes, got more'],
    ['shorter', ['abc'], 5, 'expected 5 bytes, got only 3'],
  ])('is refused where it is %s than it was said to be, and the connection ended', async (_, pieces, length, words) => {
    const ended: Promise<unknown>[] = [];
    const url = await socketTarget((socket) => {
      socket.resume();
      ended.push(once(socket, 'close'));
    });
    const error = await thrown(sender(node('PARTNER', [url])).send(streamed(pieces, { length })));
    expect(error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining(words) });
    await Promise.all(ended);
    expect(ended).toHaveLength(1);
  });

  it('is told as it is taken, and begins anew where it is sent once more', async () => {
    let calls = 0;
    const { url } = await target(() => ({ status: calls++ === 0 ? 503 : 200, headers: { 'Retry-After': '0' } }));
    const told: number[] = [];
    const request = streamed(['abc', 'de'], { again: true });
    await sender(node('PARTNER', [url])).send(request, { onSent: (sent) => told.push(sent) });
    expect(told).toEqual([3, 5, 3, 5]);
  });

  it('need not be taken whole for its reply to count', async () => {
    const url = await socketTarget((socket) => {
      // Reads on behind its answer, as servers do that mean it to arrive.
      socket.once('data', () =>
        socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
      );
      socket.resume();
    });
    let ended = false;
    const request = streamed([], {
      length: undefined as unknown as number,
      async *bytes() {
        try {
          for (;;) yield Buffer.alloc(1 << 16);
        } finally {
          ended = true;
        }
      },
    });
    const reply = await sender(node('PARTNER', [url])).send(request);
    expect([reply.status, await bodyOf(reply)]).toEqual([401, 'no']);
    await expect.poll(() => ended).toBe(true);
  });
});

describe('a compressed reply', () => {
  const plain = JSON.stringify({ text: 'compressible '.repeat(500) });

  it.each([
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['GZIP, identity', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['br, gzip', gzipSync(brotliCompressSync(plain))],
  ])('%s is read as what it stands for', async (coding, body) => {
    const { url, seen } = await target({ headers: { 'Content-Encoding': coding }, body });
    const reply = await sender(node('PARTNER', [url])).send(outgoing());
    expect(await bodyOf(reply)).toBe(plain);
    expect(seen[0]!.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it('is asked for as the operation says itself', async () => {
    const { url, seen } = await target({});
    const made = sender(node('PARTNER', [url]));
    await made.send(outgoing('GET', { headers: { 'accept-encoding': 'identity' } }));
    expect(seen[0]!.headers['accept-encoding']).toBe('identity');
  });

  it.each([
    ['gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['br, gzip', gzipSync(brotliCompressSync(plain))],
  ])('%s is read with sendUncompressed, which requests none', async (coding, body) => {
    const { url, seen } = await target({ headers: { 'Content-Encoding': coding }, body });
    const properties = { base64ToBinary: false, bodyAsBuilt: false, compress: false, acceptCompressed: false };
    const made = sender(node('PARTNER', [url]), { operation: { properties } });
    expect(await bodyOf(await made.send(outgoing()))).toBe(plain);
    expect(seen[0]!.headers).not.toHaveProperty('accept-encoding');
  });

  it.each(['zstd', 'gzip, compress'])('%s, which can not be decoded, is named with what can be', async (coding) => {
    const { url } = await target({ headers: { 'Content-Encoding': coding }, body: plain });
    const error = await thrown(sender(node('PARTNER', [url])).send(outgoing()));
    const message = expect.stringMatching(/(?:zstd|compress) can't be decoded; supported: gzip, deflate, br$/);
    expect(error).toMatchObject({ code: 'BAD_REPLY', message });
  });

  it('that was compressed again and again is refused, and not undone', async () => {
    const codings = Array(10_000).fill('gzip').join(',');
    const { url } = await target({ headers: { 'Content-Encoding': codings }, body: gzipSync(plain) });
    const error = await thrown(sender(node('PARTNER', [url])).send(outgoing()));
    expect(error).toMatchObject({ code: 'BAD_REPLY', message: expect.stringContaining('10000 content codings') });
  });

  it.each(['gzip', 'deflate', 'br'])('that is no %s', async (coding) => {
    const { url } = await target({ headers: { 'Content-Encoding': coding }, body: '{"not": "compressed"}' });
    const reply = await sender(node('PARTNER', [url])).send(outgoing());
    expect(await thrown(bodyOf(reply))).toMatchObject({
      code: 'BAD_REPLY',
      httpResponseCode: 200,
      message: expect.stringContaining(`the reply is not valid ${coding}`),
    });
  });

  it('that ends early is one, and not a shorter one', async () => {
    const { url } = await target({ headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(plain).subarray(0, 40) });
    const reply = await sender(node('PARTNER', [url])).send(outgoing());
    expect(await thrown(bodyOf(reply))).toMatchObject({ code: 'BAD_REPLY' });
  });

  it('to HEAD has none of it', async () => {
    const { url } = await target({ headers: { 'Content-Encoding': 'gzip' } });
    const reply = await sender(node('PARTNER', [url])).send(outgoing('HEAD'));
    expect(await bodyOf(reply)).toBe('');
  });
});

describe('times and attempts', () => {
  it('tell of a connection only where it was made, in order', async () => {
    const { url } = await target({});
    const made = sender(node('PARTNER', [url]));
    const first = await made.send(outgoing('POST', { text: 'a' }));
    expect(first.timings.connected).toBeLessThanOrEqual(first.timings.sent);
    expect(first.timings.sent).toBeLessThanOrEqual(first.timings.head);
    expect(first.attempts).toBe(1);
    await bodyOf(first);
    // The connection is free again a moment after the end of a reply.
    const again = async () => (await made.send(outgoing('POST', { text: 'a' }))).timings.connected;
    await expect.poll(again).toBeUndefined();
  });

  it('the heads of each attempt are shown, without what is secret in them', async () => {
    let calls = 0;
    const { url } = await target(() => ({ status: calls++ === 0 ? 503 : 200 }));
    const lines: string[] = [];
    const note = (head: Head): void => void lines.push(head.line, JSON.stringify(head.headers));
    const credential = { kind: 'api-key', header: 'X-Caller', value: text('${secret:KEY}') } as const;
    const made = sender(node('PARTNER', [url], { credential }), { env: { KEY: 'hush' } });
    const headers = { 'X-Digest': 'hush', Accept: 'a/b' };
    const shown = { uri: 'x?a=***', headers: { ...headers, 'X-Digest': '***' }, body: undefined };
    const heads = { onRequest: note, onReply: note };
    const reply = await made.send(outgoing('GET', { uri: 'x?a=hush', headers, shown }), { heads });
    expect(reply.attempts).toBe(2);
    expect(lines.filter((line) => line.startsWith('GET') || line.startsWith('HTTP'))).toEqual([
      `GET ${url}/x HTTP/1.1`,
      'HTTP/1.1 503 Service Unavailable',
      `GET ${url}/x HTTP/1.1`,
      'HTTP/1.1 200 OK',
    ]);
    expect(lines.join()).toContain('["X-Caller","***"]');
    expect(lines.join()).not.toContain('hush');
  });
});

describe('timeouts', () => {
  it('of the node stand above those of the client', async () => {
    const { url } = await listen(() => undefined);
    const retry = { attempts: 1, first: 1, longest: 1, on: new Set<number>() };
    const made = sender(node('PARTNER', [url], { timeouts: { head: 20 }, retry }));
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'TIMEOUT',
      message: 'THING_GET: the target did not answer within 20 ms',
    });
  });
});

describe('the signal of the caller', () => {
  it('ends the connection at once', async () => {
    const controller = new AbortController();
    const closed: Promise<unknown>[] = [];
    const url = await socketTarget((socket) => {
      closed.push(once(socket, 'close'));
      socket.once('data', () => controller.abort());
    });
    const error = await thrown(sender(node('PARTNER', [url])).send(outgoing(), { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'ABORTED' });
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
  });
});

it('headers that none can have are told without their values', async () => {
  const { url, seen } = await target({});
  const error = await thrown(
    sender(node('PARTNER', [url])).send(outgoing('GET', { headers: { 'X-A': 'hush\r\nX-B: 1' } })),
  );
  expect(error).toBeInstanceOf(InvokeError);
  expect(error).toMatchObject({ code: 'BAD_INPUT' });
  expect((error as Error).message).not.toContain('hush');
  expect(seen).toEqual([]);
});

it('a target that is no HTTP is not called again', async () => {
  const error = await thrown(sender(node('PARTNER', [await rawTarget('SSH-2.0-x\r\n')])).send(outgoing()));
  expect(error).toMatchObject({ code: 'BAD_REPLY' });
});
