import { describe, expect, it } from 'vitest';
import type { Retry } from '../../src/model/retry.ts';
import { bodyOf, outgoing, sender, streamed } from './sending.ts';
import { type Answer, deadAddress, listen, node, rawTarget, target, thrown } from './support.ts';

const at = (attempts: number, on: readonly number[] = [503]): Retry => ({
  attempts,
  first: 200,
  longest: 5000,
  on: new Set(on),
});

/** A target that gives these answers in order, the last of them for good. */
const answering = (...answers: Answer[]) => {
  let calls = 0;
  return target(() => answers[Math.min(calls++, answers.length - 1)]!);
};

describe('a call is made again after a status', () => {
  it.each([408, 429, 502, 503, 504])('%d, where it may be repeated without harm', async (status) => {
    const { url, seen } = await answering({ status }, { status: 200, body: 'fine' });
    const reply = await sender(node('PARTNER', [url])).send(outgoing('GET'));
    expect([reply.status, reply.attempts, await bodyOf(reply)]).toEqual([200, 2, 'fine']);
    expect(seen).toHaveLength(2);
  });

  it.each([400, 401, 404, 500, 501])('not after %d', async (status) => {
    const { url, seen } = await answering({ status }, {});
    expect((await sender(node('PARTNER', [url])).send(outgoing('GET'))).status).toBe(status);
    expect(seen).toHaveLength(1);
  });

  it.each(['HEAD', 'PUT', 'DELETE'])('with %s, which is idempotent', async (method) => {
    const { url, seen } = await answering({ status: 503 }, {});
    await sender(node('PARTNER', [url])).send(outgoing(method));
    expect(seen).toHaveLength(2);
  });

  it.each(['POST', 'PATCH'])('not with %s', async (method) => {
    const { url, seen } = await answering({ status: 503 }, {});
    const reply = await sender(node('PARTNER', [url])).send(outgoing(method, { text: 'a' }));
    expect(reply.status).toBe(503);
    expect(seen).toHaveLength(1);
  });

  it('with POST where the definitions say so, of the operation rather than the node', async () => {
    const { url, seen } = await answering({ status: 503 }, {});
    const made = sender(node('PARTNER', [url], { retry: at(1) }), { operation: { retry: at(2) } });
    await made.send(outgoing('POST', { text: 'abc' }));
    expect(seen.map(({ body }) => body.toString())).toEqual(['abc', 'abc']);
  });

  it('with POST where the target says when to come again', async () => {
    const { url, seen } = await answering({ status: 429, headers: { 'Retry-After': '0' } }, {});
    await sender(node('PARTNER', [url])).send(outgoing('POST', { text: 'abc' }));
    expect(seen).toHaveLength(2);
  });

  it('as often as is said, and then has the last reply', async () => {
    const { url, seen } = await answering({ status: 503, body: 'no' });
    const reply = await sender(node('PARTNER', [url], { retry: at(4) })).send(outgoing('GET'));
    expect([reply.status, reply.attempts, await bodyOf(reply)]).toEqual([503, 4, 'no']);
    expect(seen).toHaveLength(4);
  });

  it('for as long as is said, whatever the number of attempts', async () => {
    const times = Array.from({ length: 6 }, () => ({ status: 503 }));
    const quick = { first: 1, longest: 1, on: new Set([503]) };
    const { url } = await answering(...times, { status: 200 });
    const reply = await sender(node('PARTNER', [url], { retry: { ...quick, for: 60_000 } })).send(outgoing('GET'));
    expect([reply.status, reply.attempts]).toEqual([200, 7]);
    const busy = await answering({ status: 503, headers: { 'retry-after': '30' } });
    const last = await sender(node('PARTNER', [busy.url], { retry: { ...quick, for: 29_000 } })).send(outgoing('GET'));
    expect([last.status, last.attempts], 'the pause would be longer').toEqual([503, 1]);
  });

  it('after any error where that is said', async () => {
    const { url } = await answering({ status: 404 }, { status: 200 });
    const any: Retry = { attempts: 2, first: 1, longest: 1, on: 'any' };
    expect((await sender(node('PARTNER', [url], { retry: any })).send(outgoing('GET'))).status).toBe(200);
  });

  it('over the same connection, where its reply is short', async () => {
    const { url, connections } = await answering({ status: 503, body: 'x'.repeat(5000) }, {});
    await sender(node('PARTNER', [url])).send(outgoing('GET'));
    expect(connections()).toBe(1);
  });

  it('with a body that can be read again, and not with one that can not', async () => {
    const { url, seen } = await answering({ status: 503 }, {});
    const made = sender(node('PARTNER', [url], { retry: at(2) }));
    expect((await made.send(streamed(['abc']))).status).toBe(503);
    expect((await made.send(streamed(['abc'], { again: true }))).status).toBe(200);
    expect(seen.map(({ body }) => body.toString())).toEqual(['abc', 'abc']);
  });
});

describe('Retry-After', () => {
  it.each([
    ['a date that is over', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['one of an older form', 'Sunday, 06-Nov-94 08:49:37 GMT'],
    ['one of the oldest', 'Sun Nov  6 08:49:37 1994'],
    ['no time at all', '0'],
  ])('%s: at once', async (_, value) => {
    const { url, seen } = await answering({ status: 503, headers: { 'Retry-After': value } }, {});
    await sender(node('PARTNER', [url])).send(outgoing('POST', { text: 'a' }));
    expect(seen).toHaveLength(2);
  });

  it('that is no time is none', async () => {
    const { url, seen } = await answering({ status: 503, headers: { 'Retry-After': 'soon' } }, {});
    await sender(node('PARTNER', [url])).send(outgoing('POST', { text: 'a' }));
    expect(seen).toHaveLength(1);
  });

  it.each(['61', 'Sun, 06 Nov 2994 08:49:37 GMT'])('beyond a minute is not waited for, but told: %s', async (value) => {
    const { url, seen } = await answering({ status: 503, headers: { 'Retry-After': value } }, {});
    const reply = await sender(node('PARTNER', [url])).send(outgoing('GET'));
    expect(reply).toMatchObject({
      status: 503,
      hint: expect.stringMatching(/asks callers to wait [1-9]\d* [smhd] /),
    });
    expect(seen).toHaveLength(1);
  });

  it('of no time is not told', async () => {
    const { url } = await answering({ status: 503, headers: { 'Retry-After': '0' } });
    const reply = await sender(node('PARTNER', [url])).send(outgoing('GET'));
    expect([reply.status, reply.hint]).toEqual([503, undefined]);
  });
});

describe('a call that comes to nothing', () => {
  it('is made again where nothing of it was sent, whatever it is', async () => {
    const dead = await deadAddress();
    const made = sender(node('PARTNER', [dead], { retry: at(3) }));
    const lines: string[] = [];
    const heads = { onRequest: ({ line }: { readonly line: string }): void => void lines.push(line) };
    const error = await thrown(made.send(streamed(['abc']), { heads }));
    expect(error).toMatchObject({ code: 'CONNECTION' });
    expect(lines).toHaveLength(3);
  });

  it('is passed on to the next address first, without a wait', async () => {
    const { url } = await answering({});
    const reply = await sender(node('PARTNER', [await deadAddress(), url])).send(streamed(['abc']));
    expect(reply).toMatchObject({ status: 200, attempts: 2 });
  });

  it('is made again where the connection was cut, if it may be', async () => {
    let calls = 0;
    const { url } = await listen((request, response) => {
      if (calls++ % 2 === 0) request.socket.destroy();
      else response.end('fine');
    });
    const made = sender(node('PARTNER', [url]));
    expect(await bodyOf(await made.send(outgoing('GET')))).toBe('fine');
    expect(await thrown(made.send(outgoing('POST', { text: 'a' })))).toMatchObject({ code: 'CUT' });
    expect(calls).toBe(3);
  });

  it('is not made again where the reply is not HTTP', async () => {
    const url = await rawTarget('SSH-2.0-x\r\n');
    const lines: string[] = [];
    const heads = { onRequest: ({ line }: { readonly line: string }): void => void lines.push(line) };
    await thrown(sender(node('PARTNER', [url])).send(outgoing('GET'), { heads }));
    expect(lines).toHaveLength(1);
  });
});

describe('a wait', () => {
  it('ends with the client', async () => {
    const { url, seen } = await answering({ status: 503, headers: { 'Retry-After': '50' } }, {});
    const made = sender(node('PARTNER', [url]));
    const call = thrown(made.send(outgoing('GET')));
    await expect.poll(() => seen.length).toBe(1);
    await made.close();
    expect(await call).toMatchObject({ message: 'the client is closed' });
  });

  it('ends with the signal', async () => {
    const { url, seen } = await answering({ status: 503, headers: { 'Retry-After': '50' } }, {});
    const controller = new AbortController();
    const call = thrown(sender(node('PARTNER', [url])).send(outgoing('GET'), { signal: controller.signal }));
    await expect.poll(() => seen.length).toBe(1);
    controller.abort();
    expect(await call).toMatchObject({ code: 'ABORTED' });
  });
});
