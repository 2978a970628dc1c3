import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ConfigText } from '../../src/model/definition.ts';
import type { Console, OpenIdSignIn } from '../../src/model/gateway.ts';
import type { BearerScheme, Role, User } from '../../src/model/security.ts';
import { definedUsers } from '../../src/security/directory/directory.ts';
import { type OpenId, openOpenId } from '../../src/security/sign-in/openid.ts';
import type { Store } from '../../src/store/index.ts';
import { describeEngines, sqlitePlace } from '../store/engines.ts';
import { createDirectory } from '../support/directory.ts';
import { makeKey, type SigningKey } from '../support/issuer.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';

const at = { file: 'test.yaml', line: 1, column: 1 };
const READER: Role = { id: 'READER', permissionLists: [], at };
const OPERATOR: Role = { id: 'OPERATOR', permissionLists: [], at };
const ada: User = {
  ...{ id: 'ada', roles: [READER], permissionLists: new Set(), apiKeys: [], certificates: [] },
  ...{ sample: false, origin: 'definitions', at },
};

const text = (source: string): ConfigText => ({ source, parts: [{ kind: 'literal', text: source }] });
const REDIRECT = 'https://ops.example.org/console/sign-in/callback';
const CLIENT = { id: 'console', secret: 'a secret of some length', redirectUri: REDIRECT };
const OTHER = { id: 'other', secret: 'another secret of length', redirectUri: REDIRECT };

interface Place {
  readonly url: string;
  readonly jwks: string;
}

const schemeOf = ({ url, jwks }: Place, users: 'any' | 'known' = 'any'): BearerScheme => ({
  ...{ id: 'CORP', kind: 'bearer', issuer: text(url), audience: [text('signalbox')], jwks: text(jwks) },
  ...{ algorithms: ['RS256', 'ES256'], scopes: [], tolerance: 1000, user: 'sub', users, claim: 'groups' },
  roles: new Map([['staff', [OPERATOR]]]),
});

const offer = (scheme: BearerScheme, { id, secret }: { id: string; secret?: string }): Pick<Console, 'signIn'> => {
  const signIn: OpenIdSignIn = {
    ...{ kind: 'openid', scheme, client: text(id), label: 'Company', scopes: ['openid', 'profile'] },
    ...(secret === undefined ? {} : { secret: text(secret) }),
  };
  return { signIn: [signIn] };
};

interface Options {
  readonly console: Pick<Console, 'signIn'>;
  readonly now?: () => number;
  readonly users?: ReadonlyMap<string, User>;
}

/** The sign-in of one gateway. */
function gatewayOf(store: Store, { console, now = Date.now, users = new Map([['ada', ada]]) }: Options): OpenId {
  const directory = { ...createDirectory(users, true), find: (id: string) => definedUsers(users, true).find(id) };
  return openOpenId({
    ...{ console, directory, store, clock: { now, elapsed: now } },
    resolve: ({ source }) => source,
    lookAt: () => Promise.reject(new Error('no file')),
  });
}

const REQUEST = { scheme: 'CORP', returnTo: '/console/queues?state=held', redirectUri: REDIRECT, address: '192.0.2.7' };
const refusal = (reason: string | RegExp) => ({
  code: 'UNAUTHENTICATED',
  reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
});

let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider([CLIENT, OTHER], (account) => (account === 'eve' ? [] : ['staff']));
});
afterAll(() => provider.close());

describeEngines('sign-in with an OpenID provider', ({ place }) => {
  const storeOf = async (): Promise<Store> => (await place()).migrated();

  it('finds the user of the ID token, in whichever gateway the browser comes back', async () => {
    const store = await storeOf();
    const console = offer(schemeOf(provider), CLIENT);
    const [first, second] = [gatewayOf(store, { console }), gatewayOf(store, { console })];
    const { location, cookieValue } = await first.begin(REQUEST);
    const asked = Object.fromEntries(new URL(location).searchParams);
    expect(asked).toMatchObject({
      ...{ response_type: 'code', client_id: 'console', scope: 'openid profile', code_challenge_method: 'S256' },
      redirect_uri: REDIRECT,
    });
    const back = await provider.signIn(location, 'mia');
    expect(back.href).toContain(`${REDIRECT}?code=`);
    const { user, returnTo, scheme } = await second.finish(back.searchParams, cookieValue);
    expect([user.id, user.roles, scheme, returnTo]).toEqual([
      'CORP:mia',
      [OPERATOR],
      'CORP',
      '/console/queues?state=held',
    ]);
  });

  it('keeps nothing in the database with which a sign-in could be finished', async () => {
    const store = await storeOf();
    const { location, cookieValue } = await gatewayOf(store, { console: offer(schemeOf(provider), CLIENT) }).begin(
      REQUEST,
    );
    const rows = JSON.stringify(await (await store.tables()).selectFrom('signalbox_sign_in').selectAll().execute());
    const { state, nonce } = Object.fromEntries(new URL(location).searchParams);
    for (const secret of [cookieValue, state, nonce]) expect(rows).not.toContain(secret);
  });

  it('refuses a reply that was used, that is late, or that belongs to another browser', async () => {
    const store = await storeOf();
    let passed = 0;
    const gateway = gatewayOf(store, { console: offer(schemeOf(provider), CLIENT), now: () => Date.now() + passed });
    const [mine, theirs] = [await gateway.begin(REQUEST), await gateway.begin(REQUEST)];
    const back = await provider.signIn(mine.location, 'mia');
    const finish = (parameters: URLSearchParams, cookie: string | undefined) => gateway.finish(parameters, cookie);
    await expect(finish(back.searchParams, undefined)).rejects.toMatchObject(refusal(/without the cookie/));
    await expect(finish(back.searchParams, theirs.cookieValue)).rejects.toMatchObject(refusal(/wrong state/));
    const altered = new URLSearchParams(back.searchParams);
    altered.set('state', 'A'.repeat(43));
    await expect(finish(altered, mine.cookieValue)).rejects.toMatchObject(refusal(/wrong state/));
    const twice = new URLSearchParams(back.searchParams);
    twice.append('state', back.searchParams.get('state') as string);
    await expect(finish(twice, mine.cookieValue)).rejects.toMatchObject(refusal(/wrong state/));
    await finish(back.searchParams, mine.cookieValue);
    await expect(finish(back.searchParams, mine.cookieValue)).rejects.toMatchObject(refusal(/finished already/));
    const late = await provider.signIn(theirs.location, 'mia');
    passed = 600_000;
    await expect(finish(late.searchParams, theirs.cookieValue)).rejects.toMatchObject(refusal(/took too long/));
  });

  it('gives one of two replies with the same state the sign-in', async () => {
    const store = await storeOf();
    const console = offer(schemeOf(provider), CLIENT);
    const { location, cookieValue } = await gatewayOf(store, { console }).begin(REQUEST);
    const back = await provider.signIn(location, 'mia');
    const both = [gatewayOf(store, { console }), gatewayOf(store, { console })];
    const ends = await Promise.allSettled(both.map((each) => each.finish(back.searchParams, cookieValue)));
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('drops the oldest sign-ins of one address that begins too many', async () => {
    const store = await storeOf();
    let passed = 0;
    const gateway = gatewayOf(store, { console: offer(schemeOf(provider), CLIENT), now: () => Date.now() + passed });
    const elsewhere = await gateway.begin({ ...REQUEST, address: '198.51.100.1' });
    const first = await gateway.begin(REQUEST);
    for (let count = 0; count < 200; count++) {
      passed += 1;
      await gateway.begin(REQUEST);
    }
    const count = (await store.tables()).selectFrom('signalbox_sign_in').select(({ fn }) => fn.countAll().as('rows'));
    expect(Number((await count.executeTakeFirst())?.rows)).toBe(201);
    const finish = async ({ location, cookieValue }: typeof first) =>
      gateway.finish((await provider.signIn(location, 'mia')).searchParams, cookieValue);
    await expect(finish(first)).rejects.toMatchObject(refusal(/finished already/));
    expect((await finish(elsewhere)).user.id).toBe('CORP:mia');
  });
});

describe('sign-in with an OpenID provider', () => {
  const storeOf = async (): Promise<Store> => (await sqlitePlace()).migrated();

  it('uses the roles of a known user beside those of the token, and refuses unknown ones', async () => {
    const gateway = gatewayOf(await storeOf(), { console: offer(schemeOf(provider, 'known'), CLIENT) });
    const finish = async (account: string) => {
      const { location, cookieValue } = await gateway.begin(REQUEST);
      return gateway.finish((await provider.signIn(location, account)).searchParams, cookieValue);
    };
    expect((await finish('ada')).user.roles).toEqual([READER, OPERATOR]);
    await expect(finish('bob')).rejects.toMatchObject(refusal('token of an unknown or disabled user'));
  });

  it('refuses the code of another client, and one of another sign-in', async () => {
    const store = await storeOf();
    const gateway = gatewayOf(store, { console: offer(schemeOf(provider), CLIENT) });
    const foreign = gatewayOf(store, { console: offer(schemeOf(provider), OTHER) });
    for (const source of [foreign, gateway]) {
      const { location, cookieValue } = await gateway.begin(REQUEST);
      const state = new URL(location).searchParams.get('state') as string;
      const stolen = (await provider.signIn((await source.begin(REQUEST)).location, 'mia')).searchParams;
      stolen.set('state', state);
      await expect(gateway.finish(stolen, cookieValue)).rejects.toMatchObject(
        refusal('provider refused: invalid_grant'),
      );
    }
  });

  it('refuses what the provider refused, a reply of another issuer, and a scheme that is not offered', async () => {
    const gateway = gatewayOf(await storeOf(), { console: offer(schemeOf(provider), CLIENT) });
    const reply = async (parameters: Record<string, string>) => {
      const { location, cookieValue } = await gateway.begin(REQUEST);
      const state = new URL(location).searchParams.get('state') as string;
      return gateway.finish(new URLSearchParams({ state, ...parameters }), cookieValue);
    };
    const iss = provider.url;
    await expect(reply({ error: 'access_denied', iss })).rejects.toMatchObject(
      refusal('provider refused: access_denied'),
    );
    await expect(reply({ error: '<script>', iss })).rejects.toMatchObject(refusal('provider refused: error'));
    await expect(reply({ code: 'x', iss: 'https://evil.example.org' })).rejects.toMatchObject(refusal(/"iss"/));
    await expect(gateway.begin({ ...REQUEST, scheme: 'NONE' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('goes to a page of the console in the end, whatever was asked for', async () => {
    const gateway = gatewayOf(await storeOf(), { console: offer(schemeOf(provider), CLIENT) });
    const { location, cookieValue } = await gateway.begin({ ...REQUEST, returnTo: '//evil.example.org/console' });
    const back = await provider.signIn(location, 'mia');
    expect((await gateway.finish(back.searchParams, cookieValue)).returnTo).toBe('/console');
  });
});

/** A provider whose ID tokens are as a test says. */
interface FalseProvider extends Place {
  readonly key: SigningKey;
  /** By the claims of a sound token. */
  token: (sound: JWTPayload) => Promise<string>;
  /** Members of the discovery document. */
  discovery: Readonly<Record<string, unknown>>;
  /** Requests for the discovery document. */
  asked: number;
  status: number;
}

async function startFalseProvider(): Promise<FalseProvider> {
  const server = createServer((request, response) => {
    const send = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/jwks') return send(200, { keys: [found.key.jwk] });
    if (request.url !== '/token') {
      found.asked += 1;
      const { url } = found;
      const endpoints = { authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token` };
      return send(found.status, { issuer: url, ...endpoints, ...found.discovery });
    }
    const iat = Math.floor(Date.now() / 1000);
    const sound = { iss: found.url, aud: 'console', sub: 'mia', iat, exp: iat + 60 };
    found.token(sound).then((id_token) => send(200, { access_token: 'x', token_type: 'bearer', id_token }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = await makeKey('k');
  const found: FalseProvider = {
    ...{ url, jwks: `${url}/jwks`, key, discovery: {}, asked: 0, status: 200 },
    token: () => Promise.reject(new Error('no token')),
  };
  return found;
}

describe('an ID token', () => {
  const setUp = async () => {
    const lying = await startFalseProvider();
    const gateway = gatewayOf(await (await sqlitePlace()).migrated(), {
      console: offer(schemeOf(lying), { id: 'console' }),
    });
    const finish = async (change: Record<string, unknown>, signing: { key?: SigningKey; typ?: string } = {}) => {
      const { location, cookieValue } = await gateway.begin(REQUEST);
      const { state = '', nonce } = Object.fromEntries(new URL(location).searchParams);
      lying.token = (sound) => {
        const { key = lying.key, typ = 'JWT' } = signing;
        const claims = JSON.parse(JSON.stringify({ ...sound, nonce, ...change })) as JWTPayload;
        return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k', typ }).sign(key.privateKey);
      };
      return gateway.finish(new URLSearchParams({ state, code: 'c' }), cookieValue);
    };
    return { provider: lying, gateway, finish };
  };

  it('is accepted as it should be, also by a public client', async () => {
    const { finish, provider: lying } = await setUp();
    expect((await finish({})).user.id).toBe('CORP:mia');
    await finish({});
    expect(lying.asked).toBe(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another nonce', { nonce: 'other' }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'signalbox' }],
    ['another issuer', { iss: 'https://evil.example.org' }],
    ['no expiry', { exp: undefined }],
    ['an expiry that has passed', { exp: 1_700_000_000 }],
    ['several audiences and no authorized party', { aud: ['console', 'other'] }],
    ['another authorized party', { azp: 'other' }],
    ['no subject', { sub: undefined }],
  ])('is refused with %s', async (_, change) => {
    const { finish } = await setUp();
    await expect(finish(change)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is refused with the signature of another key, and as an access token', async () => {
    const { finish } = await setUp();
    await expect(finish({}, { key: await makeKey('k') })).rejects.toMatchObject(
      refusal('token with a wrong signature'),
    );
    await expect(finish({}, { typ: 'at+jwt' })).rejects.toMatchObject(refusal('token of another type'));
  });

  it('is not asked for over plain HTTP elsewhere, nor while the provider does not answer', async () => {
    const { finish, provider: lying, gateway } = await setUp();
    lying.status = 500;
    await expect(gateway.begin(REQUEST)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    lying.status = 200;
    lying.discovery = { token_endpoint: 'http://login.example.org/token' };
    await expect(finish({})).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: expect.stringContaining('https') });
  });
});
