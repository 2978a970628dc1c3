import { describe, expect, it } from 'vitest';
import { bodyOf, outgoing, sender, streamed, text } from './sending.ts';
import { deadAddress, node, target, thrown } from './support.ts';

const to = (Location: string, status = 307) => ({ status, headers: { Location } });

describe('a redirect', () => {
  it('is a reply like another where none is to be followed', async () => {
    const { url, seen } = await target(to('/elsewhere'));
    const reply = await sender(node('PARTNER', [url])).send(outgoing());
    expect([reply.status, reply.headers.location]).toEqual([307, '/elsewhere']);
    expect(seen).toHaveLength(1);
  });

  it.each([
    [301, 'GET', 'GET'],
    [302, 'POST', 'POST'],
    [301, 'POST', 'POST'],
    [302, 'PUT', 'PUT'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('%d turns %s into %s', async (status, method, expected) => {
    const { url, seen } = await target(({ url: path }) => (path.startsWith('/to') ? {} : to('/to?a=1', status)));
    const body = method === 'GET' || method === 'HEAD' ? undefined : 'abc';
    const headers = body === undefined ? {} : { 'Content-Type': 'text/plain' };
    const made = sender(node('PARTNER', [url], { redirects: 1, redirectsPost: true }));
    expect((await made.send(outgoing(method, { text: body, headers }))).status).toBe(200);
    expect(seen.map((each) => each.method)).toEqual([method, expected]);
    expect(seen[1]!.url).toBe('/to?a=1');
    const isGet = expected !== method || body === undefined;
    expect([seen[1]!.body.toString(), seen[1]!.headers['content-type']]).toEqual(
      isGet ? ['', undefined] : ['abc', 'text/plain'],
    );
  });

  it.each([301, 302])('%d is not followed by a POST unless the node permits it', async (status) => {
    const { url, seen } = await target(to('/to', status));
    const made = sender(node('PARTNER', [url], { redirects: 1 }));
    expect(await thrown(made.send(outgoing('POST', { text: 'abc' })))).toMatchObject({
      code: 'HTTP_STATUS',
      httpResponseCode: status,
      hint: `A POST follows ${status} only with redirects: { post: true } at node PARTNER.`,
    });
    expect(seen).toHaveLength(1);
  });

  it('that leads nowhere does not make the request before it once more', async () => {
    const dead = await deadAddress();
    const { url, seen } = await target(to(dead, 303));
    const made = sender(node('PARTNER', [url], { redirects: 1 }));
    expect(await thrown(made.send(outgoing('POST', { text: 'abc' })))).toMatchObject({ code: 'CONNECTION' });
    expect(seen.map(({ method }) => method)).toEqual(['POST']);
  });

  it('takes what says who calls along within an origin', async () => {
    const { url, seen } = await target(({ url: path }) => (path === '/to' ? { body: 'there' } : to('../to')));
    const made = sender(node('PARTNER', [url], { redirects: 2 }));
    const reply = await made.send(outgoing('GET', { uri: 'x' }), { credential: { user: 'a', password: 'b' } });
    expect(await bodyOf(reply)).toBe('there');
    expect(seen[1]!.headers.authorization).toBe(seen[0]!.headers.authorization);
    expect(reply.attempts).toBe(2);
  });

  it('takes nothing of it along to another origin', async () => {
    const other = await target({ body: 'there' });
    const { url, seen } = await target(to(other.url));
    const credential = { kind: 'api-key', header: 'X-Caller', value: text('hush') } as const;
    const made = sender(node('PARTNER', [url], { redirects: 1, credential }));
    const headers = { Authorization: 'Bearer hush', Cookie: 'a=hush', 'X-Digest': 'hush', Accept: 'a/b' };
    const shown = { uri: undefined, headers: { ...headers, 'X-Digest': '***' }, body: undefined };
    expect(await bodyOf(await made.send(outgoing('GET', { headers, shown })))).toBe('there');
    expect(seen[0]!.headers).toMatchObject({ 'x-caller': 'hush', 'x-digest': 'hush' });
    expect(JSON.stringify(other.seen[0]!.headers)).not.toContain('hush');
    expect(other.seen[0]!.headers.accept).toBe('a/b');
  });

  it.each([
    ['to where it is not safe', to('ftp://a.example/x'), {}, 'not of HTTP'],
    ['to no address', to('http://'), {}, 'not a valid URL'],
    ['too often', to('/partner'), { redirects: 2 }, '2 redirects were followed'],
  ])('%s is not followed', async (_, answer, more, words) => {
    const { url } = await target(answer);
    const error = await thrown(sender(node('PARTNER', [url], { redirects: 1, ...more })).send(outgoing()));
    expect(error).toMatchObject({
      code: 'HTTP_STATUS',
      httpResponseCode: 307,
      hint: expect.stringContaining(words),
    });
  });

  it('is not followed with content that can be read only once', async () => {
    const { url, seen } = await target(to('/to'));
    const made = sender(node('PARTNER', [url], { redirects: 1 }));
    const error = await thrown(made.send(streamed(['abc'])));
    expect(error).toMatchObject({ code: 'HTTP_STATUS', hint: expect.stringContaining('read only once') });
    expect(seen).toHaveLength(1);
  });

  it('is not followed to another origin with content that is secret', async () => {
    const other = await target({});
    const { url } = await target(to(other.url));
    const shown = { uri: undefined, headers: {}, body: 'client_secret=***' };
    const made = sender(node('PARTNER', [url], { redirects: 1 }));
    const error = await thrown(made.send(outgoing('POST', { text: 'client_secret=hush', shown })));
    expect(error).toMatchObject({ code: 'HTTP_STATUS', hint: expect.stringContaining('holds secrets') });
    expect(other.seen).toEqual([]);
  });

  it('tells nothing of a path that holds what is masked', async () => {
    const { url } = await target(({ url: path }) => (path === '/partner/hush' ? to('/moved/hush') : { status: 404 }));
    const shown = { uri: '***', headers: {}, body: undefined };
    const made = sender(node('PARTNER', [url], { redirects: 1 }));
    const lines: string[] = [];
    const heads = { onRequest: ({ line }: { readonly line: string }): void => void lines.push(line) };
    const { called } = await made.send(outgoing('GET', { uri: 'hush', shown }), { heads });
    expect(called.address).toBe(new URL(url).origin);
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain('hush');
  });
});
