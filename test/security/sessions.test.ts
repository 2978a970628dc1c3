import { expect, it, onTestFinished } from 'vitest';
import type { Console } from '../../src/model/gateway.ts';
import type { BearerScheme, ConsoleGrant, PermissionList, Role, User } from '../../src/model/security.ts';
import { undeclaredUser } from '../../src/security/authorise.ts';
import { openDirectory } from '../../src/security/directory/directory.ts';
import { retainedSessions } from '../../src/security/sign-in/session-rows.ts';
import { openSessions, type Sessions } from '../../src/security/sign-in/sessions.ts';
import { openUsers } from '../../src/security/users/open-users.ts';
import type { Users } from '../../src/security/users/user-port.ts';
import { openRetention, type Store } from '../../src/store/index.ts';
import { describeEngines } from '../store/engines.ts';

const at = { file: 'test.yaml', line: 1, column: 1 };
const list = (id: string, grants: readonly ConsoleGrant[]): PermissionList => ({
  ...{ id, operations: [], queries: [], processes: [], components: [], at },
  console: new Map(grants.map((grant) => [grant, at])),
});
const role = (id: string, grants: readonly ConsoleGrant[]): Role => ({ id, permissionLists: [list(id, grants)], at });
const READER = role('READER', ['read']);
const ACTOR = role('ACTOR', ['read', 'act']);
const CLERK: Role = { id: 'CLERK', permissionLists: [], at };
const roles = new Map([READER, ACTOR, CLERK].map((each) => [each.id, each]));
const scheme = (id: string, users: 'any' | 'known', given: readonly Role[]): BearerScheme =>
  ({ id, kind: 'bearer', users, roles: new Map([['staff', given]]) }) as unknown as BearerScheme;
const CORP = scheme('CORP', 'any', [READER, ACTOR]);
const LOGIN = scheme('LOGIN', 'known', [ACTOR]);

const openid = (each: BearerScheme) =>
  ({ kind: 'openid', scheme: each, label: each.id, scopes: ['openid'] }) as unknown as Console['signIn'][number];
const MINUTE = 60_000;
const CONSOLE = {
  idle: 30 * MINUTE,
  session: 12 * 60 * MINUTE,
  signIn: [{ kind: 'password' }, openid(CORP), openid(LOGIN)],
} as const satisfies Pick<Console, 'idle' | 'session' | 'signIn'>;

const facts = { signedIn: 'password', address: '192.0.2.7', agent: 'Browser/1.0\r\n\u202eevil' };

interface Setting {
  readonly store: Store;
  readonly users: Users;
  /** Those of one gateway. */
  readonly sessions: Sessions;
  /** Those of another one, with its own view of the users. */
  another(console?: Partial<typeof CONSOLE>): Promise<Sessions>;
  /** The user as the gateway knows it. */
  user(id: string): Promise<User>;
  /** Moves all clocks on. */
  pass(ms: number): void;
  trail(): Promise<string[]>;
  /** By which the gateway notices changes of users. */
  version(): Promise<number>;
}

async function settingOf(store: Store): Promise<Setting> {
  let moment = Date.parse('2026-05-01T12:00:00Z');
  const now = (): number => moment;
  const clock = { now, elapsed: now };
  const users = openUsers({ store, actor: 'ops@test', clock: now });
  await users.add({ id: 'ada', roles: ['READER'] });
  const registry = {
    users: new Map<string, User>(),
    roles,
    schemes: new Map([CORP, LOGIN].map((each) => [each.id, each])),
  };
  const open = async (changed: Partial<typeof CONSOLE> = {}) => {
    const directory = await openDirectory({
      ...{ registry, sampleUsers: true, store, now, clock: now },
      onError: (error) => {
        throw error;
      },
    });
    onTestFinished(() => directory.close());
    return {
      directory,
      sessions: openSessions({ registry, console: { ...CONSOLE, ...changed }, directory, store, clock }),
    };
  };
  const first = await open();
  return {
    ...{ store, users, sessions: first.sessions },
    another: async (changed) => (await open(changed)).sessions,
    version: async () => first.directory.version(),
    user: async (id) => (await first.directory.find(id)) as User,
    pass: (ms) => {
      moment += ms;
    },
    trail: async () => (await users.trail()).map(({ actor, action, user }) => `${actor} ${action} ${user}`),
  };
}

/** After this, each gateway has noticed what others did. */
const NOTICED = 3000;

describeEngines('sessions of the console', ({ place }) => {
  const setUp = async (): Promise<Setting> => settingOf(await (await place()).migrated());

  it('are found by their token in each gateway, with the user as the directory knows it', async () => {
    const { sessions, another, user, users, pass } = await setUp();
    const other = await another();
    const token = await sessions.open(await user('ada'), facts);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    for (const each of [sessions, other]) expect((await each.find(token))?.user.id).toBe('ada');
    await users.changeRoles('ada', { add: ['ACTOR'], remove: [] });
    pass(NOTICED);
    expect((await other.find(token))?.user.roles.map(({ id }) => id)).toEqual(['READER', 'ACTOR']);
    await users.changeRoles('ada', { add: ['CLERK'], remove: ['READER', 'ACTOR'] });
    pass(NOTICED);
    // Without a grant of the console, there is nothing to see.
    expect(await other.find(token)).toBeUndefined();
  });

  it('adopt no token that was there before, nor keep one in the database', async () => {
    const { sessions, user, store } = await setUp();
    const planted = 'A'.repeat(43);
    expect(await sessions.find(planted)).toBeUndefined();
    const token = await sessions.open(await user('ada'), facts);
    expect([token === planted, await sessions.find(planted)]).toEqual([false, undefined]);
    const rows = await (await store.tables()).selectFrom('signalbox_session').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    for (const wrong of ['', `${token}x`, token.slice(1), `${token.slice(1)}\0`, "' or 1=1 --"])
      expect(await sessions.find(wrong)).toBeUndefined();
  });

  it('are for users with a grant of the console only', async () => {
    const { sessions, user, users } = await setUp();
    await users.add({ id: 'bob', roles: ['CLERK'] });
    await expect(sessions.open(await user('bob'), facts)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('end when they were not used, and are kept by use but not by what a page asks by itself', async () => {
    const { sessions, user, pass } = await setUp();
    const token = await sessions.open(await user('ada'), facts);
    pass(20 * MINUTE);
    expect(await sessions.find(token)).toBeDefined();
    pass(29 * MINUTE);
    expect(await sessions.peek(token)).toBeDefined();
    pass(MINUTE);
    expect([await sessions.peek(token), await sessions.find(token), await sessions.list()]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });

  it('end after their whole time, however they are used', async () => {
    const { sessions, user, pass } = await setUp();
    const token = await sessions.open(await user('ada'), facts);
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      pass(20 * MINUTE);
      expect(await sessions.find(token)).toBeDefined();
    }
    pass(20 * MINUTE);
    expect(await sessions.find(token)).toBeUndefined();
  });

  it('note their use once a minute', async () => {
    const { sessions, user, pass } = await setUp();
    const token = await sessions.open(await user('ada'), facts);
    const seen = async () => (await sessions.list())[0]?.seen;
    pass(59_000);
    await sessions.find(token);
    expect(await seen()).toBe('2026-05-01T12:00:00.000Z');
    pass(1000);
    await sessions.find(token);
    expect(await seen()).toBe('2026-05-01T12:01:00.000Z');
  });

  it('end at once where they are ended, and in other gateways within seconds', async () => {
    const { sessions, another, user, pass } = await setUp();
    const other = await another();
    const [one, two, three] = [
      await sessions.open(await user('ada'), facts),
      await sessions.open(await user('ada'), facts),
      await sessions.open(await user('ada'), facts),
    ];
    for (const token of [one, two, three]) expect(await other.find(token)).toBeDefined();
    await sessions.end(one);
    expect(await sessions.find(one)).toBeUndefined();
    const { id } = (await sessions.find(two)) ?? {};
    expect(await sessions.endById(id ?? '', 'ops')).toBe(true);
    expect([await sessions.find(two), await sessions.endById(id ?? '', 'ops')]).toEqual([undefined, false]);
    pass(NOTICED);
    expect([await other.find(one), await other.find(two)]).toEqual([undefined, undefined]);
    expect([await other.endAll('ada', 'ops'), await other.find(three), await other.list()]).toEqual([1, undefined, []]);
  });

  it('end with their user, for good, and with its password', async () => {
    const { sessions, another, users, user, pass } = await setUp();
    const token = await sessions.open(await user('ada'), facts);
    const other = await another();
    expect(await other.find(token)).toBeDefined();
    await users.setDisabled('ada', true);
    pass(NOTICED);
    for (const each of [sessions, other]) expect(await each.find(token)).toBeUndefined();
    await users.setDisabled('ada', false);
    pass(NOTICED);
    expect(await other.find(token)).toBeUndefined();
    const again = await sessions.open(await user('ada'), facts);
    await users.setPassword('ada', undefined);
    pass(NOTICED);
    expect(await other.find(again)).toBeUndefined();
  });

  it('rebuild the user that an ID token named, with roles that its scheme still gives', async () => {
    const { sessions, another } = await setUp();
    const eve = undeclaredUser('CORP:eve', 'token', [ACTOR, CLERK]);
    const token = await sessions.open(eve, { ...facts, signedIn: 'CORP' });
    const found = await (await another()).find(token);
    // CLERK is not a role that the scheme gives.
    expect(found?.user).toMatchObject({ id: 'CORP:eve', origin: 'token', roles: [ACTOR] });
    const without = await another({ signIn: [{ kind: 'password' }] as never });
    expect(await without.find(token)).toBeUndefined();
    const changed = await another({ signIn: [openid(scheme('CORP', 'known', [ACTOR]))] as never });
    expect(await changed.find(token)).toBeUndefined();
  });

  it('join the roles of an ID token with those of a known user', async () => {
    const { sessions, another, users, user, pass } = await setUp();
    const ada = await user('ada');
    const token = await sessions.open({ ...ada, roles: [...ada.roles, ACTOR] }, { ...facts, signedIn: 'LOGIN' });
    const other = await another();
    expect((await other.find(token))?.user.roles).toEqual([READER, ACTOR]);
    await users.setDisabled('ada', true);
    pass(NOTICED);
    expect(await other.find(token)).toBeUndefined();
  });

  it('are at most 20 of a user, of which the oldest ends', async () => {
    const { sessions, user, users, pass } = await setUp();
    const tokens: string[] = [];
    for (let count = 0; count < 21; count++) {
      tokens.push(await sessions.open(await user('ada'), facts));
      pass(1);
    }
    expect(await sessions.list({ user: 'ada' })).toHaveLength(20);
    expect(await sessions.find(tokens[0] as string)).toBeUndefined();
    expect(await sessions.find(tokens[1] as string)).toBeDefined();
    expect((await users.trail('ada')).at(-1)).toMatchObject({ action: 'session-end', detail: { reason: 'too many' } });
  });

  it('are in the trail of users, whose lines have no gap and are no change of a user', async () => {
    const { sessions, users, user, trail, store, version, pass } = await setUp();
    const before = await version();
    const token = await sessions.open(await user('ada'), facts);
    await sessions.end(token);
    await sessions.end(token);
    await sessions.open(await user('ada'), facts);
    await sessions.endAll('ada', 'ops');
    pass(NOTICED);
    await version();
    expect(await version()).toBe(before);
    await users.setDisabled('ada', true);
    pass(NOTICED);
    expect(await version()).toBe(before + 1);
    expect(await trail()).toEqual([
      'ops@test add ada',
      'ada sign-in ada',
      'ada sign-out ada',
      'ada sign-in ada',
      'ops session-end ada',
      'ops@test disable ada',
    ]);
    const lines = await users.trail();
    expect(lines.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(lines[1]?.detail).toMatchObject({ by: 'password', address: '192.0.2.7', agent: 'Browser/1.0 evil' });
    const counts = await (await store.tables()).selectFrom('signalbox_user_version').selectAll().execute();
    expect(counts).toEqual([{ id: 1, version: 6, notes: 4 }]);
  });

  it('record refused sign-ins of known users, once a minute, with the number of others', async () => {
    const { sessions, users, pass } = await setUp();
    await sessions.noteRefused('hunter2', facts, 'unknown or disabled user');
    for (let count = 0; count < 5; count++) await sessions.noteRefused('ada', facts, 'wrong password');
    pass(MINUTE);
    await sessions.noteRefused('ada', facts, 'wrong password');
    const [, ...refused] = await users.trail();
    expect(refused.map(({ action, detail: { refused: why, others } }) => [action, why, others])).toEqual([
      ['sign-in', 'wrong password', undefined],
      ['sign-in', 'wrong password', 4],
    ]);
  });

  it('are removed some time after their end', async () => {
    const { sessions, user, pass, store } = await setUp();
    await sessions.end(await sessions.open(await user('ada'), facts));
    const kept = await sessions.open(await user('ada'), facts);
    pass(10 * MINUTE);
    const now = (): number => Date.parse('2026-05-01T12:10:00Z');
    await openRetention({ store, now, kinds: [retainedSessions(5 * MINUTE)] }).sweep();
    const rows = await (await store.tables()).selectFrom('signalbox_session').select('id').execute();
    expect(rows).toEqual([{ id: (await sessions.find(kept))?.id }]);
  });
});
