import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ConfigText } from '../../src/model/definition.ts';
import type { Fault } from '../../src/model/fault.ts';
import { type ApiKeyScheme, BASIC, type BearerScheme, type User } from '../../src/model/security.ts';
import { type AuthenticatorOptions, createAuthenticator } from '../../src/security/authenticator.ts';
import { hashPassword } from '../../src/security/password.ts';
import { apiKeyHash } from '../../src/security/scheme/api-key.ts';
import type { Caller, Shown } from '../../src/security/security-port.ts';
import { projectFiles } from '../../src/serve/start/settings.ts';
import { createDirectory } from '../support/directory.ts';
import { startIssuer } from '../support/issuer.ts';

const at = { file: 'security.yaml', line: 1, column: 1 };
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const KEYS: ApiKeyScheme = { id: 'keys', kind: 'api-key', header: 'X-Api-Key' };

let users: Map<string, User>;

/** What a caller shows in headers. */
function shown(headers: Readonly<Record<string, string | undefined>>): Shown {
  return { header: (name) => headers[name], certificate: () => undefined, secure: true };
}

/** HTTP Basic alone, by its header. */
function authenticatorOf({
  sampleUsers = true,
  users: of = users,
  ...options
}: Partial<AuthenticatorOptions> & {
  readonly sampleUsers?: boolean;
  readonly users?: ReadonlyMap<string, User>;
} = {}) {
  const [alike] = of.values();
  const authenticator = createAuthenticator({
    schemes: [BASIC, KEYS],
    directory: createDirectory(of, sampleUsers),
    alike,
    resolve: ({ source }) => source,
    lookAt: projectFiles('.'),
    nonces: { take: async () => true },
    ...options,
  });
  return {
    authenticate: (authorization: string | undefined) => authenticator.authenticate(shown({ authorization }), [BASIC]),
    any: authenticator,
  };
}

beforeAll(async () => {
  const user = async (id: string, password: string, sample = false): Promise<[string, User]> => [
    id,
    {
      id,
      password: await hashPassword(password),
      roles: [],
      permissionLists: new Set(),
      apiKeys: [],
      certificates: [],
      origin: 'definitions',
      sample,
      at,
    },
  ];
  users = new Map(
    await Promise.all([user('ana', 'secret: with a colon'), user('jürgen', 'pässwörd'), user('demo', 'demo', true)]),
  );
});

async function outcome(work: () => Caller | Promise<Caller>): Promise<string> {
  try {
    return (await work()).user.id;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('HTTP Basic', () => {
  it('knows users by their passwords, colons and non-ASCII letters included', async () => {
    const auth = authenticatorOf();
    expect(await outcome(() => auth.authenticate(basic('ana', 'secret: with a colon')))).toBe('ana');
    expect(await outcome(() => auth.authenticate(basic('jürgen', 'pässwörd')))).toBe('jürgen');
    expect(await outcome(() => auth.authenticate(basic('demo', 'demo')))).toBe('demo');
  });

  it.each([
    ['nothing', undefined],
    ['a wrong password', basic('ana', 'wrong')],
    ['an unknown user', basic('nobody', 'x')],
    ['another scheme', 'Bearer abc'],
    ['no base64', 'Basic *&^%'],
    ['no colon', `Basic ${Buffer.from('ana').toString('base64')}`],
    ['no user', `Basic ${Buffer.from(':x').toString('base64')}`],
    ['bytes that are not UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0x78]).toString('base64')}`],
    ['a header of 10,000 characters', `Basic ${'A'.repeat(10_000)}`],
    ['a prototype key', basic('__proto__', 'x')],
  ])('refuses %s with 401 and a challenge', async (_, header) => {
    const auth = authenticatorOf();
    await expect(async () => auth.authenticate(header)).rejects.toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Basic realm="signalbox", charset="UTF-8"' },
      message: 'Credentials are missing or wrong.',
    });
  });

  it('treats sample users as unknown where they are off', async () => {
    const auth = authenticatorOf({ sampleUsers: false });
    expect(await outcome(() => auth.authenticate(basic('demo', 'demo')))).toBe('UNAUTHENTICATED');
    expect(await outcome(() => auth.authenticate(basic('ana', 'secret: with a colon')))).toBe('ana');
  });

  it('refuses a user whose hash it can not try', async () => {
    const broken = new Map([...users].map(([id, user]) => [id, { ...user, password: 'secret' }]));
    const auth = authenticatorOf({ users: broken });
    expect(await outcome(() => auth.authenticate(basic('ana', 'secret')))).toBe('UNAUTHENTICATED');
  });

  it('takes as long for an unknown user as for a wrong password, whatever a try costs', async () => {
    // A try of this cost takes a hundredth of the usual time.
    const password = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ';
    const cheap = new Map([...users].map(([id, user]) => [id, { ...user, password }]));
    const auth = authenticatorOf({ users: cheap });
    const fastest = async (user: string): Promise<number> => {
      let least = Number.POSITIVE_INFINITY;
      for (let count = 0; count < 20; count += 1) {
        const before = performance.now();
        expect(await outcome(() => auth.authenticate(basic(user, 'wrong')))).toBe('UNAUTHENTICATED');
        least = Math.min(least, performance.now() - before);
      }
      return least;
    };
    const known = await fastest('ana');
    expect(await fastest('nobody')).toBeLessThan(10 * known);
  });

  it('remembers no header that was refused', async () => {
    const auth = authenticatorOf();
    for (let count = 0; count < 2; count += 1) {
      const attempt = auth.authenticate(basic('demo', 'wrong'));
      expect(attempt).toBeInstanceOf(Promise);
      await expect(attempt).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });

  it('remembers a verified header for its time, and no longer', async () => {
    let clock = 0;
    const auth = authenticatorOf({ rememberFor: 1000, now: () => clock });
    const header = basic('demo', 'demo');
    await auth.authenticate(header);
    expect(auth.authenticate(header)).not.toBeInstanceOf(Promise);
    clock = 1001;
    expect(auth.authenticate(header)).toBeInstanceOf(Promise);
  });

  it('knows what a connection shows again for the same time, and until a user changes; other credentials as on a new one', async () => {
    let clock = 0;
    let version = 1;
    const directory = { ...createDirectory(users, true), version: () => version };
    const { any } = authenticatorOf({ rememberFor: 1000, now: () => clock, directory });
    const before = {};
    const show = (user: string, password: string) =>
      any.authenticate({ ...shown({ authorization: basic(user, password) }), shownBefore: before }, [BASIC]);
    await show('demo', 'demo');
    // The first call that is answered at once leaves what the next ones find.
    for (let call = 0; call < 3; call++) expect(show('demo', 'demo')).toMatchObject({ user: { id: 'demo' } });
    expect(await outcome(() => show('demo', 'wrong'))).toBe('UNAUTHENTICATED');
    expect(await outcome(() => show('ana', 'secret: with a colon'))).toBe('ana');
    expect(show('demo', 'demo')).toMatchObject({ user: { id: 'demo' } });
    version = 2;
    expect(show('demo', 'demo')).toBeInstanceOf(Promise);
    await expect.poll(() => show('demo', 'demo')).toMatchObject({ user: { id: 'demo' } });
    expect(show('demo', 'demo')).toMatchObject({ user: { id: 'demo' } });
    clock = 1001;
    expect(show('demo', 'demo')).toBeInstanceOf(Promise);
  });

  it('takes nothing that a connection showed to one scheme for another', async () => {
    const { any } = authenticatorOf();
    const header = basic('demo', 'demo');
    const shownAs = (headers: Record<string, string>) => ({ ...shown(headers), shownBefore: before });
    const before = {};
    for (let call = 0; call < 3; call++) await any.authenticate(shownAs({ authorization: header }), [BASIC]);
    expect(await outcome(() => any.authenticate(shownAs({ 'x-api-key': header }), [KEYS]))).toBe('UNAUTHENTICATED');
  });

  it('remembers a token to its own end at most', async () => {
    const issuer = await startIssuer();
    onTestFinished(() => issuer.close());
    const of = { id: 'tokens', kind: 'bearer', users: 'any', user: 'sub', claim: 'scope', tolerance: 60_000 } as const;
    const [issued, jwks, audience] = [issuer.url, issuer.jwks, 'signalbox'].map((source) => ({ source }) as ConfigText);
    const lists = { audience: [audience], algorithms: ['ES256'], scopes: [], roles: new Map() };
    const scheme = { ...of, ...lists, issuer: issued, jwks } as unknown as BearerScheme;
    let clock = 0;
    const { any } = authenticatorOf({ schemes: [scheme], now: () => clock });
    const token = await issuer.token({ exp: Math.floor(Date.now() / 1000) + 10 });
    const ask = () => any.authenticate(shown({ authorization: `Bearer ${token}` }), [scheme]);
    expect((await ask()).user.id).toBe('tokens:partner');
    expect(ask()).not.toBeInstanceOf(Promise);
    clock = 10_001;
    expect(ask()).toBeInstanceOf(Promise);
  });

  it('tries a password once for callers who come together', async () => {
    let looks = 0;
    const directory = createDirectory(users, true);
    const find = (id: string) => {
      looks++;
      return directory.find(id);
    };
    const auth = authenticatorOf({ directory: { ...directory, find } });
    const header = basic('demo', 'demo');
    await Promise.all([auth.authenticate(header), auth.authenticate(header)]);
    expect(looks).toBe(1);
  });

  it('forgets what it verified when a user changes, also while it was being verified', async () => {
    let version = 1;
    const auth = authenticatorOf({ directory: { ...createDirectory(users, true), version: () => version } });
    const header = basic('demo', 'demo');
    const first = auth.authenticate(header);
    version = 2;
    await first;
    const second = auth.authenticate(header);
    expect(second).toBeInstanceOf(Promise);
    await second;
    expect(auth.authenticate(header)).not.toBeInstanceOf(Promise);
    version = 3;
    expect(auth.authenticate(header)).toBeInstanceOf(Promise);
  });

  it('lets nobody share an attempt that began before a user changed', async () => {
    let version = 1;
    let disabled = false;
    const directory = createDirectory(users, true);
    const find = (id: string) => (disabled ? undefined : directory.find(id));
    const auth = authenticatorOf({ directory: { ...directory, find, version: () => version } });
    const header = basic('demo', 'demo');
    const before = auth.authenticate(header);
    version = 2;
    disabled = true;
    expect(await outcome(() => auth.authenticate(header))).toBe('UNAUTHENTICATED');
    expect((await before).user.id).toBe('demo');
  });

  it('answers 503 rather than queue sign-ins without end', async () => {
    const auth = authenticatorOf({ mostWaiting: 4 });
    const waiting = Array.from({ length: 4 }, (_, index) => outcome(() => auth.authenticate(basic('ana', `${index}`))));
    expect(await outcome(() => auth.authenticate(basic('ana', 'one more')))).toBe('UNAVAILABLE');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['UNAUTHENTICATED']));
  });
});

describe('several schemes', () => {
  const key = 'sbx_0123456789abcdef';
  const withKey = (): Map<string, User> => {
    const ana = users.get('ana') as User;
    return new Map([...users, ['ana', { ...ana, apiKeys: [apiKeyHash(key)] }]]);
  };

  it('lets the first of the list whose credentials are there decide, and tries none after it', async () => {
    const { any } = authenticatorOf({ users: withKey() });
    const both = shown({ authorization: basic('demo', 'demo'), 'x-api-key': key });
    expect(await outcome(() => any.authenticate(both, [BASIC, KEYS]))).toBe('demo');
    expect(await outcome(() => any.authenticate(both, [KEYS, BASIC]))).toBe('ana');
    const wrong = shown({ authorization: basic('demo', 'demo'), 'x-api-key': 'wrong' });
    expect(await outcome(() => any.authenticate(wrong, [KEYS, BASIC]))).toBe('UNAUTHENTICATED');
    expect(await outcome(() => any.authenticate(shown({ 'x-api-key': key }), [BASIC, KEYS]))).toBe('ana');
  });

  it('says which scheme it was, and never lets in by one that is not in the list', async () => {
    const { any } = authenticatorOf({ users: withKey() });
    expect(await any.authenticate(shown({ 'x-api-key': key }), [KEYS])).toMatchObject({ scheme: KEYS });
    expect(await outcome(() => any.authenticate(shown({ 'x-api-key': key }), [BASIC]))).toBe('UNAUTHENTICATED');
    expect(any.shows(shown({ 'x-api-key': key }), [BASIC])).toBe(false);
    expect(any.shows(shown({ 'x-api-key': key }), [BASIC, KEYS])).toBe(true);
  });

  it('takes a key in the Authorization header, alone or after the name of a scheme, next to passwords', async () => {
    const own: ApiKeyScheme = { ...KEYS, header: 'Authorization' };
    const ours = 'sbk_12345678_key';
    const ana = users.get('ana') as User;
    const of = new Map([...users, ['ana', { ...ana, apiKeys: [apiKeyHash(key), apiKeyHash(ours)] }] as const]);
    const { any } = authenticatorOf({ users: of, schemes: [BASIC, own] });
    const called = (authorization: string) => outcome(() => any.authenticate(shown({ authorization }), [own, BASIC]));
    for (const value of [key, `Token ${key}`, `ApiKey  ${ours}`, ours, `Bearer ${ours}`])
      expect(await called(value), value).toBe('ana');
    expect(await called(basic('demo', 'demo'))).toBe('demo');
    for (const value of ['wrong', 'Token wrong', `Basic ${key}`, `Bearer ${key}`])
      expect(await called(value), value).toBe('UNAUTHENTICATED');
  });

  it('names every allowed scheme in one challenge, and the cause to the log alone', async () => {
    const { any } = authenticatorOf({ users: withKey() });
    const refusal = async (headers: Record<string, string>) => {
      try {
        await any.authenticate(shown(headers), [BASIC, KEYS]);
        throw new Error('let in');
      } catch (error) {
        const { message, headers: told, detail, reason } = error as Fault;
        return { told: JSON.stringify({ message, told, detail }), reason };
      }
    };
    const all = [
      await refusal({}),
      await refusal({ authorization: basic('ana', 'wrong') }),
      await refusal({ authorization: basic('nobody', 'wrong') }),
      await refusal({ 'x-api-key': 'wrong' }),
    ];
    expect(new Set(all.map(({ told }) => told))).toEqual(
      new Set([
        JSON.stringify({
          message: 'Credentials are missing or wrong.',
          told: {
            'WWW-Authenticate':
              'Basic realm="signalbox", charset="UTF-8", ApiKey realm="signalbox", header="X-Api-Key"',
          },
          detail: '',
        }),
      ]),
    );
    expect(all.map(({ reason }) => reason)).toEqual([
      'no credentials',
      'wrong password',
      'unknown or disabled user',
      'unknown, expired or revoked API key, or a disabled user',
    ]);
  });
});
