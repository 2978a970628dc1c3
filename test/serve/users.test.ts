import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import { openUsers } from '../../src/security/users/open-users.ts';
import type { Users } from '../../src/security/users/user-port.ts';
import { checkConnected } from '../../src/serve/start/database-check.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { gatewayText, USERS, writeProject } from '../support/project.ts';

const files = {
  'definitions/gateway.yaml': gatewayText('requires: [basic, KEYS]'),
  'definitions/service.yaml': `scheme: KEYS
api-key: { header: X-Api-Key }
---
service: Numbers.v1
permission: EVERYTHING
operations: { ONE_GET: { get: One, query: ONE } }
---
query: ONE
permission: EVERYTHING
columns: { N: integer }
sql: select 1 as n
`,
};
const PATH = '/gateway/RESTListeningConnector/Numbers.v1/One';
/** Hashes of the least cost, of the passwords `demo` and `guest`. */
const [DEMO_HASH, GUEST_HASH] = USERS.match(/\$scrypt\S+/g) as [string, string];

const status = async (test: TestGateway, headers: Record<string, string>): Promise<number> =>
  (await test.call(PATH, { anonymous: true, headers })).status;
const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe('users of the database, over HTTP', () => {
  let test: TestGateway;
  let store: Store;
  let users: Users;
  beforeAll(async () => {
    // Each call looks at the database: what follows says what a change does, not how soon.
    test = await startTestGateway({ files, usersWithin: 0 });
    store = await openStore({ url: 'sqlite:test.db', root: test.folder });
    users = openUsers({ store, actor: 'test' });
  });
  afterAll(async () => {
    await store.close();
    await test.stop();
  });

  it('lets in who was added while the gateway ran, with the password as it is now, unless disabled', async () => {
    expect(await status(test, basic('bob', 'demo'))).toBe(401);
    await users.add({ id: 'bob', password: DEMO_HASH, roles: ['ALL'] });
    expect(await status(test, basic('bob', 'demo'))).toBe(200);
    expect(await status(test, basic('bob', 'guest'))).toBe(401);
    await users.setPassword('bob', GUEST_HASH);
    expect(await status(test, basic('bob', 'demo'))).toBe(401);
    expect(await status(test, basic('bob', 'guest'))).toBe(200);
    await users.changeRoles('bob', { add: [], remove: ['ALL'] });
    expect(await status(test, basic('bob', 'guest'))).toBe(403);
    await users.setDisabled('bob', true);
    expect(await status(test, basic('bob', 'guest'))).toBe(401);
    expect(await status(test, basic('demo', 'demo'))).toBe(200);
  });

  it('takes a key until it is revoked, and no password of a user that has none', async () => {
    await users.add({ id: 'nightly', roles: ['ALL'] });
    const { id, key } = await users.addKey('nightly', {});
    const past = await users.addKey('nightly', { expires: new Date(Date.now() - 1) });
    expect(await status(test, { 'x-api-key': key })).toBe(200);
    expect(await status(test, { 'x-api-key': past.key })).toBe(401);
    expect(await status(test, { 'x-api-key': `${key.slice(0, -1)}!` })).toBe(401);
    expect(await status(test, basic('nightly', ''))).toBe(401);
    await users.revokeKey('nightly', id);
    expect(await status(test, { 'x-api-key': key })).toBe(401);
    expect(JSON.stringify(test.log())).not.toContain(key.slice(13));
  });

  it('answers 503 for users that only the database knows while that is away, and the others as ever', async () => {
    await users.add({ id: 'amy', password: DEMO_HASH, roles: ['ALL'] });
    expect(await status(test, basic('amy', 'demo'))).toBe(200);
    const { schema } = await store.tables();
    await schema.alterTable('signalbox_user_version').renameTo('away').execute();
    expect(await status(test, basic('amy', 'demo'))).toBe(503);
    expect(await status(test, basic('demo', 'demo'))).toBe(200);
    await schema.alterTable('away').renameTo('signalbox_user_version').execute();
    expect(await status(test, basic('amy', 'demo'))).toBe(200);
  });
});

it('refuses an id that is in the definitions and in the database, at start and in check --connect', async () => {
  const project = writeProject(files);
  onTestFinished(project.remove);
  const store = await openStore({ url: 'sqlite:test.db', root: project.root });
  await store.migrate();
  await openUsers({ store, actor: 'test' }).add({ id: 'guest', roles: [] });
  await store.close();
  const env = { DATABASE_URL: `sqlite:${project.root}/test.db` };
  await expect(startTestGateway({ root: project.root, env })).rejects.toThrow(
    /^the database does not fit the definitions\n {2}definitions\/users\.yaml:\d+:7: The database also has a user guest\.$/,
  );
  const { registry } = loadProject({ root: project.root });
  const said = await checkConnected(registry as NonNullable<typeof registry>, { root: project.root, env });
  expect(said.map(({ code, message }) => [code, message])).toEqual([
    ['user-in-both', 'The database also has a user guest.'],
  ]);
});

it.skipIf(!hasPostgres)('a change is noticed by every gateway of a fleet', async () => {
  const database = await createDatabase({ migrated: true });
  onTestFinished(database.drop);
  const env = { DATABASE_URL: database.url };
  const first = await startTestGateway({ files, env, usersWithin: 0 });
  onTestFinished(() => first.stop());
  const second = await startTestGateway({ files, env, usersWithin: 0 });
  onTestFinished(() => second.stop());
  const store = await openStore({ url: database.url, root: first.folder });
  onTestFinished(() => store.close());
  const users = openUsers({ store, actor: 'test' });
  await users.add({ id: 'bob', password: DEMO_HASH, roles: ['ALL'] });
  const { key } = await users.addKey('bob', {});
  const both = (headers: Record<string, string>) => Promise.all([first, second].map((each) => status(each, headers)));
  expect(await both(basic('bob', 'demo'))).toEqual([200, 200]);
  expect(await both({ 'x-api-key': key })).toEqual([200, 200]);
  await users.setDisabled('bob', true);
  expect(await both(basic('bob', 'demo'))).toEqual([401, 401]);
  expect(await both({ 'x-api-key': key })).toEqual([401, 401]);
});
