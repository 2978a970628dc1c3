import { describe, expect, it } from 'vitest';
import { bodyOf, outgoing, sender, streamed } from './sending.ts';
import { node, packetTarget, thrown } from './support.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n';

/** A target that answers each request with these packets, one after the other on one connection. */
async function target(...packets: readonly string[]) {
  const { url, connections } = await packetTarget(packets);
  return { made: sender(node('PARTNER', [url])), connections };
}

describe('interim replies that nobody asked for (RFC 9110 section 15.2)', () => {
  it.each([
    ['in one packet with the reply', [CONTINUE + OK]],
    ['before it', [CONTINUE, OK]],
    ['several, of different kinds', [CONTINUE + HINTS, `HTTP/1.1 102 Processing\r\n\r\n${CONTINUE}`, OK]],
    [
      'with headers, as a proxy adds them',
      [`HTTP/1.1 100 Continue\r\nVia: 1.1 proxy\r\nContent-Length: 0\r\n\r\n${OK}`],
    ],
    ['byte by byte', [...(CONTINUE + HINTS + OK)]],
    ['of HTTP/1.0, without a reason phrase', [`HTTP/1.0 100\r\n\r\n${OK}`]],
  ])('%s', async (_, packets) => {
    const { made, connections } = await target(...packets);
    for (const request of [outgoing('POST', { text: 'abc' }), streamed(['a', 'bc']), outgoing('GET')]) {
      const reply = await made.send(request);
      expect([reply.status, reply.attempts, await bodyOf(reply)]).toEqual([200, 1, 'fine']);
      // A connection is free in the next turn of the event loop.
      await new Promise(setImmediate);
    }
    expect(connections(), 'the connection is used again').toBe(1);
  });

  it('a body that looks like one is a body', async () => {
    const { made } = await target(`HTTP/1.1 200 OK\r\nContent-Length: ${CONTINUE.length}\r\n\r\n`, CONTINUE);
    expect(await bodyOf(await made.send(outgoing('GET')))).toBe(CONTINUE);
  });

  it('at most a hundred', async () => {
    const most = await target(CONTINUE.repeat(100) + OK);
    expect((await most.made.send(outgoing('GET'))).status).toBe(200);
    const more = await target(HINTS.repeat(50), CONTINUE.repeat(51), OK);
    expect(await thrown(more.made.send(outgoing('POST', { text: 'a' })))).toMatchObject({
      code: 'REPLY_TOO_LARGE',
      message: expect.stringContaining('the target sent more than 100 interim replies (1xx) before its reply'),
    });
  });

  it('of at most 64 KiB', async () => {
    const large = `HTTP/1.1 103 Early Hints\r\nLink: ${'x'.repeat(33_000)}\r\n\r\n`;
    const { made } = await target(large, large, OK);
    expect(await thrown(made.send(outgoing('POST', { text: 'a' })))).toMatchObject({
      code: 'REPLY_TOO_LARGE',
      message: expect.stringContaining('interim replies (1xx) of the target are larger than 65536 bytes'),
    });
  });

  it('101 was not asked for, and is refused by its name', async () => {
    const { made } = await target('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n');
    expect(await thrown(made.send(outgoing('POST', { text: 'a' })))).toMatchObject({
      code: 'BAD_REPLY',
      message: expect.stringContaining('101'),
    });
  });
});

describe('a reply that is not quite HTTP is repaired where the standard lets a client do so', () => {
  const withHead = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\nContent-Length: 4\r\n\r\nfine`;

  it.each([
    ['a folded header', withHead('X-A: one', '\ttwo', '   three'), { 'x-a': 'one two three' }],
    ['line feeds alone', withHead('X-A: one').replaceAll('\r\n', '\n'), { 'x-a': 'one' }],
    ['white space before a colon', withHead('X-A : one'), { 'x-a': 'one' }],
    ['a control character in a value', withHead('X-A: one\u0001two'), { 'x-a': 'one two' }],
    ['Content-Length twice', withHead('Content-Length: 4'), { 'content-length': '4' }],
    ['Content-Length as a list', withHead('X-A: one').replace(': 4', ': 4, 4'), { 'content-length': '4' }],
    ['no reason phrase', withHead('X-A: one').replace(' OK', ''), { 'x-a': 'one' }],
    ['a blank line before it', `\r\n${withHead('X-A: one')}`, { 'x-a': 'one' }],
    [
      'extensions of chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nfine\r\n0\r\n\r\n',
      { 'transfer-encoding': 'chunked' },
    ],
  ])('%s', async (_, bytes, headers) => {
    for (const packets of [[bytes], [...bytes]]) {
      const { made } = await target(...packets);
      const reply = await made.send(outgoing('GET'));
      expect([reply.status, await bodyOf(reply)]).toEqual([200, 'fine']);
      expect(reply.headers).toMatchObject(headers);
    }
  });
});

describe('a reply that is not HTTP says what is wrong', () => {
  it.each([
    ['SSH-2.0-OpenSSH_9.2\r\n', 'it begins with "SSH-2.0-OpenSSH_9.2"'],
    ['\x15\x03\x01\x00\x02\x02\x46', 'the target speaks TLS at this port'],
    ['HTTP/1.1 200 OK\r\nno header\r\n\r\n', 'the line "no header" of its head has no colon'],
    ['HTTP/1.1 200 OK\r\nX Y: 1\r\n\r\n', '"X Y" is not a valid name of a header'],
    ['HTTP/1.1 200 OK\r\n X: 1\r\n\r\n', 'white space stands before its first header'],
    [
      'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nfine',
      'Content-Length has different values: "4", "5"',
    ],
    ['HTTP/1.1 2000 OK\r\n\r\n', 'status'],
  ])('%j', async (bytes, reason) => {
    const { made } = await target(bytes);
    const error = await thrown(made.send(outgoing('POST', { text: 'a' })));
    expect(error).toMatchObject({ code: 'BAD_REPLY' });
    expect((error as Error).message).toContain('the reply is not valid HTTP: ');
    expect((error as Error).message.toLowerCase()).toContain(reason.toLowerCase());
  });

  it('also in its body', async () => {
    const { made } = await target('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
    const error = await thrown(made.send(outgoing('GET')).then(bodyOf));
    expect(error).toMatchObject({ code: 'BAD_REPLY', message: expect.stringContaining('chunk size') });
  });

  it('a head without an end is bounded', async () => {
    const { made } = await target(`HTTP/1.1 200 OK\r\nX: ${' \r\n '.repeat(20_000)}`);
    expect(await thrown(made.send(outgoing('POST', { text: 'a' })))).toMatchObject({ code: 'REPLY_TOO_LARGE' });
  });
});
