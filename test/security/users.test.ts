import { expect, it, onTestFinished } from 'vitest';
import type { BearerScheme, PermissionList, Role, User } from '../../src/model/security.ts';
import { type DirectoryOptions, type OpenDirectory, openDirectory } from '../../src/security/directory/directory.ts';
import { apiKeyHash } from '../../src/security/scheme/api-key.ts';
import { openUsers } from '../../src/security/users/open-users.ts';
import type { Users } from '../../src/security/users/user-port.ts';
import type { Store } from '../../src/store/index.ts';
import { describeEngines } from '../store/engines.ts';

const at = { file: 'test.yaml', line: 1, column: 1 };
const none = { operations: [], queries: [], processes: [], components: [] };
const list = (id: string): PermissionList => ({ id, ...none, at });
const role = (id: string): Role => ({ id, permissionLists: [list(`${id}_LIST`)], at });
const READER = role('READER');
const WRITER = role('WRITER');
const roles = new Map([READER, WRITER].map((each) => [each.id, each]));
const yaml: User = {
  ...{ id: 'yaml', roles: [READER], permissionLists: new Set(READER.permissionLists) },
  ...{ apiKeys: [apiKeyHash('key of yaml')], certificates: ['CN=yaml'], sample: false, origin: 'definitions', at },
};
const given = new Map([
  ['read', [READER]],
  ['write', [WRITER]],
]);
const idp = { id: 'idp', kind: 'bearer', users: 'any', roles: given as BearerScheme['roles'] } as BearerScheme;

/** Everything over one database, with a clock that moves by hand. */
interface Setting {
  readonly store: Store;
  readonly users: Users;
  readonly directory: OpenDirectory;
  readonly told: string[];
  /** Moves both clocks on, in milliseconds. */
  pass(ms: number): void;
  another(options?: Partial<DirectoryOptions>): Promise<OpenDirectory>;
}

async function settingOf(store: Store): Promise<Setting> {
  let moment = Date.parse('2026-05-01T12:00:00Z');
  const clock = (): number => moment;
  const told: string[] = [];
  const another: Setting['another'] = async (options = {}) => {
    const directory = await openDirectory({
      registry: { users: new Map([['yaml', yaml]]), roles, schemes: new Map([[idp.id, idp]]) },
      ...{ sampleUsers: true, store, clock, now: clock, onError: (error) => void told.push(error.message) },
      ...options,
    });
    onTestFinished(() => directory.close());
    return directory;
  };
  const pass = (ms: number): void => {
    moment += ms;
  };
  const users = openUsers({ store, actor: 'ada@test', clock });
  return { store, users, directory: await another(), told, pass, another };
}

const token = (held: readonly Role[]): User => ({ ...yaml, id: 'idp:eve', roles: held, apiKeys: [], origin: 'token' });

describeEngines('users of the database', ({ place }) => {
  const open = async (): Promise<Setting> => settingOf(await (await place()).migrated());

  it('lets a user who is added call at once, with the roles as the definitions have them', async () => {
    const { users, directory, told } = await open();
    expect(await directory.find('bob')).toBeUndefined();
    expect(await directory.find('bob\0'), 'a text that PostgreSQL does not know').toBeUndefined();
    await users.add({ id: 'bob', password: '$scrypt$', roles: ['READER', 'GONE'] });
    const bob = await directory.find('bob');
    expect(bob).toMatchObject({ id: 'bob', password: '$scrypt$', origin: 'database', sample: false, roles: [READER] });
    expect([...(bob as User).permissionLists]).toEqual(READER.permissionLists);
    await directory.find('bob');
    expect(told).toEqual(['user bob holds the role GONE, which the definitions no longer have']);
  });

  it('notices every change within two seconds, by any directory, and remembers users until then', async () => {
    const { users, directory, another, pass } = await open();
    const other = await another();
    await users.add({ id: 'bob', roles: [] });
    const before = await other.version();
    await other.find('bob');
    await users.setDisabled('bob', true);
    // Remembered: no look is due.
    expect(other.version()).toBe(before);
    expect(other.find('bob')).toMatchObject({ id: 'bob' });
    pass(2000);
    const version = other.version();
    expect(version, 'an old look is not enough').toBeInstanceOf(Promise);
    expect(await version).toBeGreaterThan(before);
    expect(await other.find('bob')).toBeUndefined();
    await users.setDisabled('bob', false);
    expect(await directory.find('bob')).toMatchObject({ id: 'bob', roles: [] });
    await users.changeRoles('bob', { add: ['WRITER'], remove: [] });
    pass(2000);
    expect(await directory.find('bob')).toMatchObject({ roles: [WRITER] });
  });

  it('finds a user by a key until it is revoked, expires, or its user is disabled', async () => {
    const { users, directory, pass } = await open();
    await users.add({ id: 'machine', roles: ['READER'] });
    const plain = await users.addKey('machine', {});
    const expires = new Date('2026-05-01T12:00:10Z');
    const short = await users.addKey('machine', { expires, description: 'of a test' });
    expect(plain.key).toMatch(/^sbk_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
    const holder = async ({ key }: { key: string }) => directory.findByApiKey(apiKeyHash(key));
    expect(await holder(plain)).toMatchObject({ user: { id: 'machine', roles: [READER] } });
    expect(await holder(short)).toMatchObject({ user: { id: 'machine' }, until: expires.getTime() });
    expect(await directory.findByApiKey(apiKeyHash('key of yaml'))).toEqual({ user: yaml });
    expect(await directory.findByApiKey(plain.hash.replace(/.$/, 'x'))).toBeUndefined();
    pass(10_000);
    expect(await holder(short)).toBeUndefined();
    expect(await users.revokeKey('machine', plain.id)).toBe(true);
    expect(await users.revokeKey('machine', plain.id)).toBe(false);
    await expect(users.revokeKey('machine', 'nokey')).rejects.toThrow('user machine has no key nokey');
    pass(2000);
    expect(await holder(plain)).toBeUndefined();
    const third = await users.addKey('machine', {});
    expect(await holder(third)).toMatchObject({ user: { id: 'machine' } });
    await users.setDisabled('machine', true);
    pass(2000);
    expect(await holder(third)).toBeUndefined();
  });

  it("finds a user by a certificate until it is taken away; it is one user's alone", async () => {
    const { users, directory, pass } = await open();
    const [one, other] = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];
    await users.add({ id: 'bob', roles: ['READER'] });
    await users.add({ id: 'amy', roles: [] });
    expect(await directory.findByCertificate([one])).toBeUndefined();
    expect(await users.addCertificate('bob', one, 'of a test')).toBe(true);
    expect(await users.addCertificate('bob', one)).toBe(false);
    await expect(users.addCertificate('amy', one)).rejects.toThrow(`certificate ${one} belongs to user bob`);
    await expect(users.removeCertificate('amy', one)).rejects.toThrow(`user amy has no certificate ${one}`);
    await expect(users.addCertificate('nobody', other)).rejects.toThrow('user nobody is not in the database');
    expect(await users.certificates('bob')).toMatchObject([{ fingerprint: one, description: 'of a test' }]);
    expect(await directory.findByCertificate([one, 'CN=anybody'])).toMatchObject({ id: 'bob', roles: [READER] });
    expect(await directory.findByCertificate([one, 'CN=yaml'])).toEqual(yaml);
    expect(await directory.findByCertificate([other, `CN=x,O=${one}`])).toBeUndefined();
    await users.removeCertificate('bob', one);
    pass(2000);
    expect(await directory.findByCertificate([one])).toBeUndefined();
    expect(await users.addCertificate('amy', one)).toBe(true);
    await users.setDisabled('amy', true);
    pass(2000);
    expect(await directory.findByCertificate([one])).toBeUndefined();
    const detail = { certificate: one };
    expect((await users.trail()).slice(2, 5)).toMatchObject([
      { action: 'certificate-add', user: 'bob', detail },
      { action: 'certificate-remove', user: 'bob', detail },
      { action: 'certificate-add', user: 'amy', detail },
    ]);
  });

  it('keeps a trail of every change, without a gap and without a secret', async () => {
    const { users, store } = await open();
    await users.add({ id: 'bob', password: 'PHC-ONE', roles: ['READER'] });
    await users.setPassword('bob', 'PHC-TWO');
    await users.changeRoles('bob', { add: ['WRITER', 'READER'], remove: ['NONE'] });
    expect(await users.changeRoles('bob', { add: ['WRITER'], remove: ['NONE'] })).toBe(false);
    await users.setDisabled('bob', true);
    expect(await users.setDisabled('bob', true)).toBe(false);
    await users.setDisabled('bob', false);
    const key = await users.addKey('bob', {});
    await users.revokeKey('bob', key.id);
    await users.add({ id: 'amy', roles: [] });
    await expect(users.add({ id: 'amy', roles: [] })).rejects.toThrow('user amy exists in the database already');
    await expect(users.setDisabled('nobody', true)).rejects.toThrow('user nobody is not in the database');
    const trail = await users.trail();
    expect(trail.map(({ sequence, actor, action, user, detail }) => [sequence, actor, action, user, detail])).toEqual([
      [1, 'ada@test', 'add', 'bob', { roles: ['READER'], password: true }],
      [2, 'ada@test', 'passwd', 'bob', { password: true }],
      [3, 'ada@test', 'role', 'bob', { added: ['WRITER'], removed: [] }],
      [4, 'ada@test', 'disable', 'bob', {}],
      [5, 'ada@test', 'enable', 'bob', {}],
      [6, 'ada@test', 'key-add', 'bob', { key: key.id }],
      [7, 'ada@test', 'key-revoke', 'bob', { key: key.id }],
      [8, 'ada@test', 'add', 'amy', { roles: [], password: false }],
    ]);
    expect(await users.trail('amy')).toHaveLength(1);
    const shown = JSON.stringify([trail, await users.list(), await users.get('bob'), await users.keys('bob')]);
    for (const secret of ['PHC-ONE', 'PHC-TWO', key.key, key.hash, key.hash.slice(7)])
      expect(shown).not.toContain(secret);
    const stored = await (await store.tables()).selectFrom('signalbox_api_key').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(key.key);
  });

  it('makes changes that come at the same time one after the other', async () => {
    const { users } = await open();
    await users.add({ id: 'bob', roles: [] });
    const names = Array.from({ length: 8 }, (_, index) => `ROLE_${index}`);
    await Promise.all(names.map((name) => users.changeRoles('bob', { add: [name], remove: [] })));
    expect((await users.get('bob')).roles.toSorted()).toEqual(names);
    expect((await users.trail()).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('finds whom a token vouched for where work is done in its name, and nowhere else', async () => {
    const { directory, another } = await open();
    await directory.keep(token([READER]));
    expect(await directory.findOwner('idp:eve')).toMatchObject({ id: 'idp:eve', roles: [READER], origin: 'token' });
    expect(await directory.find('idp:eve')).toBeUndefined();
    await directory.keep(token([WRITER]));
    expect(await directory.findOwner('idp:eve')).toMatchObject({ roles: [WRITER] });
    await directory.keep({ ...yaml, id: 'idp:yaml' });
    expect(await directory.findOwner('idp:yaml'), 'one of the definitions is not kept').toBeUndefined();
    const openWith = (scheme: BearerScheme): Promise<OpenDirectory> =>
      another({ registry: { users: new Map(), roles, schemes: new Map([[idp.id, scheme]]) } });
    const narrow = await openWith({ ...idp, roles: new Map([['read', [READER]]]) });
    expect(await narrow.findOwner('idp:eve'), 'its scheme gives the role no more').toMatchObject({ roles: [] });
    const strict = await openWith({ ...idp, users: 'known' });
    expect(await strict.findOwner('idp:eve'), 'its scheme knows no such callers any more').toBeUndefined();
  });
});
