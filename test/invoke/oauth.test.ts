import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ClientCredentials } from '../../src/invoke/tokens.ts';
import { outgoing, sender, streamed, text } from './sending.ts';
import { type Answer, deadAddress, listen, node, type Seen, target, thrown } from './support.ts';

const credentialOf = (tokenUrl: string, more: Partial<ClientCredentials> = {}): ClientCredentials => ({
  kind: 'client-credentials',
  tokenUrl: text(tokenUrl),
  clientId: text('us & them'),
  clientSecret: text('${secret:CLIENT_SECRET}'),
  parameters: new Map(),
  authentication: 'basic',
  ...more,
});

const env = { CLIENT_SECRET: 'hush:/+ü' };

/** A library that takes the tokens of an endpoint, and both. */
async function library(answer: (seen: Seen, nth: number) => Answer, taken = (_token: string) => true) {
  let asked = 0;
  const endpoint = await target((seen) => answer(seen, ++asked));
  const { url, seen } = await target(({ headers }) => ({
    status: taken(headers.authorization?.replace('Bearer ', '') ?? '') ? 200 : 401,
  }));
  const of = (more: Partial<ClientCredentials> = {}) =>
    sender(node('LIBRARY', [url], { credential: credentialOf(endpoint.url, more) }), { env });
  return { of, asked: endpoint.seen, seen };
}

const json = (body: object, status = 200): Answer => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});
const token = (nth: number, expires: number | string = 3600): Answer =>
  json({ access_token: `T${nth}`, token_type: 'Bearer', expires_in: expires });

describe('a token', () => {
  it('is had from a server of another maker', async () => {
    // What it says of a server that is not for a test.
    for (const method of ['info', 'warn'] as const) vi.spyOn(console, method).mockReturnValue();
    onTestFinished(() => void vi.restoreAllMocks());
    const issuer = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      issuer.closeAllConnections();
      issuer.close();
    });
    await once(issuer, 'listening');
    const base = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
    const provider = new Provider(base, {
      features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
      scopes: ['files'],
      clients: [
        {
          client_id: 'ours',
          client_secret: 'hush:/+',
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          scope: 'files',
        },
      ],
    });
    issuer.on('request', provider.callback());
    const { url, seen } = await target({});
    const credential = credentialOf(`${base}/token`, { clientId: text('ours'), scope: text('files') });
    await sender(node('LIBRARY', [url], { credential }), { env: { CLIENT_SECRET: 'hush:/+' } }).send(outgoing());
    const value = seen[0]!.headers.authorization!.replace('Bearer ', '');
    expect(await provider.ClientCredentials.find(value)).toMatchObject({ clientId: 'ours', scope: 'files' });

    const wrong = sender(node('LIBRARY', [url], { credential }), { env: { CLIENT_SECRET: 'guess' } });
    const error = await thrown(wrong.send(outgoing()));
    expect(error).toMatchObject({
      code: 'CREDENTIAL',
      responseStatus: 20,
      message: expect.stringMatching(/no token for node LIBRARY: .*status 401: invalid_client/),
    });
    expect(seen).toHaveLength(1);
  });

  it('is asked for as RFC 6749 has it, by header or in the body', async () => {
    const { of, asked } = await library((_, nth) => token(nth));
    const parameters = new Map([['resource', text('a/b@c')]]);
    await of({ scope: text('x y'), parameters }).send(outgoing());
    await of({ authentication: 'body' }).send(outgoing());
    const [header, body] = asked.map((each) => [
      each.headers.authorization,
      Object.fromEntries(new URLSearchParams(each.body.toString())),
    ]);
    expect(header).toEqual([
      `Basic ${Buffer.from('us+%26+them:hush%3A%2F%2B%C3%BC').toString('base64')}`,
      { grant_type: 'client_credentials', scope: 'x y', resource: 'a/b@c' },
    ]);
    expect(body).toEqual([
      undefined,
      { grant_type: 'client_credentials', client_id: 'us & them', client_secret: 'hush:/+ü' },
    ]);
    expect(asked[0]!.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  });

  it.each([3600, '3600'])('is fetched once for all calls, and kept as long as it holds: %j', async (expires) => {
    const { of, asked, seen } = await library((_, nth) => token(nth, expires));
    const made = of();
    await Promise.all(Array.from({ length: 8 }, () => made.send(outgoing())));
    await made.send(outgoing());
    expect(asked).toHaveLength(1);
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer T1']));
  });

  it('is renewed before its end, while calls still have the one before', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { of, asked, seen } = await library((_, nth) => token(nth, 3600));
    const made = of();
    await made.send(outgoing());
    vi.advanceTimersByTime(3_550_000);
    await made.send(outgoing());
    await expect.poll(() => asked.length).toBe(2);
    const shown = async () => {
      await made.send(outgoing());
      return seen.at(-1)!.headers.authorization;
    };
    await expect.poll(shown).toBe('Bearer T2');
    expect(seen[1]!.headers.authorization).toBe('Bearer T1');
    vi.advanceTimersByTime(3_580_000);
    expect(await shown()).toBe('Bearer T3');
  });

  it('that does not come in time is a failure that may pass', async () => {
    const endpoint = await listen(() => undefined);
    const { url } = await target({});
    const retry = { attempts: 1, on: new Set<number>(), first: 200, longest: 5000 };
    const timeouts = { head: 60_000, call: 100 };
    const made = sender(node('LIBRARY', [url], { credential: credentialOf(endpoint.url), retry, timeouts }), { env });
    const signal = AbortSignal.timeout(10_000);
    expect(await thrown(made.send(outgoing(), { signal }))).toMatchObject({
      code: 'CREDENTIAL',
      responseStatus: 10,
      message: expect.stringContaining('took longer than 100 ms'),
    });
  });

  it('is not kept where it holds no time', async () => {
    const { of, asked } = await library((_, nth) => token(nth, 0));
    const made = of();
    await made.send(outgoing());
    await made.send(outgoing());
    expect(asked).toHaveLength(2);
  });

  it('that the target does not take is replaced once', async () => {
    const { of, asked, seen } = await library(
      (_, nth) => token(nth),
      (value) => value !== 'T1',
    );
    const reply = await of().send(outgoing('POST', { text: 'abc' }));
    expect([reply.status, asked.length, seen.length]).toEqual([200, 2, 2]);
    expect(seen[1]!.body.toString()).toBe('abc');
  });

  it('that the target never takes leaves its answer', async () => {
    const { of, asked, seen } = await library(
      (_, nth) => token(nth),
      () => false,
    );
    expect((await of().send(outgoing())).status).toBe(401);
    expect([asked.length, seen.length]).toEqual([2, 2]);
  });

  it('is not replaced for content that can be read only once', async () => {
    const { of, asked } = await library(
      (_, nth) => token(nth),
      () => false,
    );
    expect((await of().send(streamed(['abc']))).status).toBe(401);
    expect(asked).toHaveLength(1);
  });

  it('is asked for again where the endpoint may have one later', async () => {
    const { of, seen } = await library((_, nth) => (nth === 1 ? { status: 503 } : token(nth)));
    expect((await of().send(outgoing('POST', { text: 'abc' }))).status).toBe(200);
    expect(seen).toHaveLength(1);
  });

  it('is waited for by each call as long as its own signal lets it', async () => {
    const controller = new AbortController();
    const { of, seen } = await library((_, nth) => {
      controller.abort();
      return token(nth);
    });
    const made = of();
    const [first, second] = await Promise.allSettled([
      made.send(outgoing(), { signal: controller.signal }),
      made.send(outgoing()),
    ]);
    expect(first).toMatchObject({ reason: { code: 'ABORTED' } });
    expect(second).toMatchObject({ value: { status: 200 } });
    expect(seen).toHaveLength(1);
  });
});

describe('a token is a bearer token', () => {
  it.each([['bearer'], ['BEARER'], ['BearerToken'], [''], [null], [undefined]])('of the type %j', async (type) => {
    const { of, seen } = await library(() => json({ access_token: 'T1', token_type: type, expires_in: 60 }));
    await of().send(outgoing());
    expect(seen[0]?.headers.authorization).toBe('Bearer T1');
  });
});

describe('an answer that is no token', () => {
  it.each<[string, Answer, string]>([
    [
      'an error',
      json({ error: 'invalid_scope', error_description: 'No\nsuch scope.' }, 400),
      'status 400: invalid_scope: No such scope.',
    ],
    ['an error that repeats the secret', json({ error: 'x', error_description: 'not hush:/+ü' }, 400), 'x: not ***'],
    [
      'one that does so where it is cut',
      json({ error: 'x', error_description: `${'y'.repeat(2040)} hush:/+ü` }, 400),
      `x: ${'y'.repeat(2040)} ***`,
    ],
    ['a page', { status: 500, headers: { 'Content-Type': 'text/html' }, body: '<p>' }, 'status 500'],
    ['nothing', { status: 200 }, 'status 200'],
    ['no JSON', { headers: { 'Content-Type': 'application/json' }, body: '{' }, 'status 200'],
    ['no access_token', json({ token_type: 'Bearer' }), 'access_token'],
    ['another kind of token', json({ access_token: 'hush', token_type: 'mac' }), 'token_type'],
    ['a redirect', { status: 302, headers: { Location: '/x' } }, 'status 302'],
    ['more than a token', json({ access_token: 'x'.repeat(100_000), token_type: 'Bearer' }), 'larger than 65536 bytes'],
  ])('%s', async (_, answer, words) => {
    const { of, seen } = await library(() => answer);
    const error = await thrown(of().send(outgoing()));
    expect(error).toMatchObject({ code: 'CREDENTIAL', message: expect.stringContaining(words) });
    expect((error as Error).message).toContain('node LIBRARY');
    expect((error as Error).message).not.toContain('hush');
    expect(seen).toEqual([]);
  });

  it.each([
    ['0', /^(?!.*asks to wait)/],
    ['120', /; it asks to wait (?:2 m|1\d\d s) \(Retry-After\)/],
  ])('says for how long its endpoint asks to wait, if it does: %s', async (value, message) => {
    const endpoint = await target({ status: 503, headers: { 'Retry-After': value } });
    const { url } = await target({});
    const retry = { attempts: 1, first: 1, longest: 1, on: new Set<number>() };
    const made = sender(node('LIBRARY', [url], { retry, credential: credentialOf(endpoint.url) }), { env });
    const error = await thrown(made.send(outgoing()));
    expect(error).toMatchObject({ code: 'CREDENTIAL', message: expect.stringMatching(message) });
  });

  it('no endpoint at all', async () => {
    const { url } = await target({});
    const retry = { attempts: 1, first: 1, longest: 1, on: new Set<number>() };
    const made = sender(node('LIBRARY', [url], { retry, credential: credentialOf(await deadAddress()) }), { env });
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'CREDENTIAL',
      responseStatus: 10,
      message: expect.stringContaining('of the token endpoint: nothing listens at its address'),
    });
  });

  it.each([
    ['http://login.example/token', 'is http'],
    ['login.example/token', 'is not an address'],
    ['ftp://login.example/token', 'is not an address'],
  ])('an endpoint that no secret is sent to: %s', async (url, words) => {
    const made = sender(node('LIBRARY', ['http://127.0.0.1:1'], { credential: credentialOf(url) }), { env });
    expect(await thrown(made.send(outgoing()))).toMatchObject({
      code: 'CONFIGURATION',
      message: expect.stringContaining(words),
    });
  });
});
