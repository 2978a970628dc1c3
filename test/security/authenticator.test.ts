import { beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/model/security.ts';
import { createAuthenticator } from '../../src/security/authenticator.ts';
import { hashPassword } from '../../src/security/password.ts';

const at = { file: 'security.yaml', line: 1, column: 1 };
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

let users: Map<string, User>;

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

async function outcome(work: () => User | Promise<User>): Promise<string> {
  try {
    return (await work()).id;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('HTTP Basic', () => {
  it('knows users by their passwords, colons and non-ASCII letters included', async () => {
    const auth = createAuthenticator({ users, sampleUsers: true });
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
    const auth = createAuthenticator({ users, sampleUsers: true });
    await expect(async () => auth.authenticate(header)).rejects.toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Basic realm="signalbox", charset="UTF-8"' },
      message: 'Credentials are missing or wrong.',
    });
  });

  it('treats sample users as unknown where they are off', async () => {
    const auth = createAuthenticator({ users, sampleUsers: false });
    expect(await outcome(() => auth.authenticate(basic('demo', 'demo')))).toBe('UNAUTHENTICATED');
    expect(await outcome(() => auth.authenticate(basic('ana', 'secret: with a colon')))).toBe('ana');
  });

  it('refuses a user whose hash it can not try', async () => {
    const broken = new Map([...users].map(([id, user]) => [id, { ...user, password: 'secret' }]));
    const auth = createAuthenticator({ users: broken, sampleUsers: true });
    expect(await outcome(() => auth.authenticate(basic('ana', 'secret')))).toBe('UNAUTHENTICATED');
  });

  it('takes as long for an unknown user as for a wrong password, whatever a try costs', async () => {
    // A try of this cost takes a hundredth of the usual time.
    const password = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ';
    const cheap = new Map([...users].map(([id, user]) => [id, { ...user, password }]));
    const auth = createAuthenticator({ users: cheap, sampleUsers: true });
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
    const auth = createAuthenticator({ users, sampleUsers: true });
    for (let count = 0; count < 2; count += 1) {
      const attempt = auth.authenticate(basic('demo', 'wrong'));
      expect(attempt).toBeInstanceOf(Promise);
      await expect(attempt).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });

  it('remembers a verified header for its time, and no longer', async () => {
    let clock = 0;
    const auth = createAuthenticator({ users, sampleUsers: true, rememberFor: 1000, now: () => clock });
    const header = basic('demo', 'demo');
    await auth.authenticate(header);
    expect(auth.authenticate(header)).not.toBeInstanceOf(Promise);
    clock = 1001;
    expect(auth.authenticate(header)).toBeInstanceOf(Promise);
  });

  it('tries a password once for callers who come together', async () => {
    const auth = createAuthenticator({ users, sampleUsers: true });
    const header = basic('demo', 'demo');
    expect(auth.authenticate(header)).toBe(auth.authenticate(header));
  });

  it('answers 503 rather than queue sign-ins without end', async () => {
    const auth = createAuthenticator({ users, sampleUsers: true, mostWaiting: 4 });
    const waiting = Array.from({ length: 4 }, (_, index) => outcome(() => auth.authenticate(basic('ana', `${index}`))));
    expect(await outcome(() => auth.authenticate(basic('ana', 'one more')))).toBe('UNAVAILABLE');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['UNAUTHENTICATED']));
  });
});
