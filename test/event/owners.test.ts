import { expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../src/model/fault.ts';
import type { BearerScheme, PermissionList, User } from '../../src/model/security.ts';
import { openDirectory } from '../../src/security/directory/directory.ts';
import { openUsers } from '../../src/security/users/open-users.ts';
import { temporaryFolder } from '../store/support.ts';
import { eventually } from '../support/project.ts';
import { openAudited } from './audited.ts';

const at = { file: 'test.yaml', line: 1, column: 1 };
const nothing = { roles: [], permissionLists: new Set<never>(), apiKeys: [], certificates: [], sample: false, at };
const idp = { id: 'idp', kind: 'bearer', users: 'any', roles: new Map() as BearerScheme['roles'] } as BearerScheme;

it('runs classes after a save in the name of whom a token vouched for, and none for a user who is disabled by then', async () => {
  const told: string[] = [];
  const kept: unknown[] = [];
  const { store, queue, components, component } = await openAudited(temporaryFolder(), {
    onError: (error) => void told.push(error.message),
    account: ({ kind, name, user, attempt, error }) =>
      void kept.push([kind, name, user, attempt, (error as Fault | undefined)?.reason]),
    directory: async (opened) => {
      const registry = { users: new Map(), roles: new Map(), schemes: new Map([[idp.id, idp]]) };
      const directory = await openDirectory({ registry, sampleUsers: true, store: opened, lookEvery: 0, onError() {} });
      onTestFinished(() => directory.close());
      return directory;
    },
  });
  onTestFinished(async () => {
    await queue.close({ timeoutMs: 100 });
    await store.close();
  });
  const users = openUsers({ store, actor: 'test' });
  await users.add({ id: 'bob', roles: [] });
  const save = (ID: number, user: User) =>
    components.save(component, 'put', { ID, NAME: user.id }, { user, requestId: 'R' });
  await save(1, { id: 'bob', ...nothing, origin: 'database' });
  await save(2, { id: 'idp:eve', ...nothing, origin: 'token' });
  await users.setDisabled('bob', true);
  await queue.start();
  await eventually('the classes', () => (told.length === 2 ? true : undefined));
  expect(told.toSorted()).toEqual([
    'Audit did not run: user bob, who saved, is unknown or disabled by now',
    'Second did not run: user bob, who saved, is unknown or disabled by now',
  ]);
  const db = await store.tables();
  const audit = db.withTables<{ audit: { id: number; class: string } }>().selectFrom('audit').selectAll();
  const rows = await eventually('the rows', async () => {
    const found = await audit.execute();
    return found.length === 2 ? found : undefined;
  });
  expect(rows.map((row) => [row.id, row.class])).toEqual([
    [2, 'Audit'],
    [2, 'Second'],
  ]);
  await eventually('the accounts', () => (kept.length === 4 ? true : undefined));
  expect(kept.toSorted()).toEqual([
    ['event', 'Audit of COUNTED', 'bob', 1, 'unknown or disabled user'],
    ['event', 'Audit of COUNTED', 'idp:eve', 1, undefined],
    ['event', 'Second of COUNTED', 'bob', 1, 'unknown or disabled user'],
    ['event', 'Second of COUNTED', 'idp:eve', 1, undefined],
  ]);
});

it('runs a class under the grants of its role, also for a user who is gone by then, and no other class', async () => {
  const told: string[] = [];
  const list = { id: 'AUDITING', at } as unknown as PermissionList;
  const { store, queue, components, component } = await openAudited(temporaryFolder(), {
    onError: (error) => void told.push(error.message),
    firstAs: { id: 'AUDITORS', permissionLists: [list], at },
    directory: async (opened) => {
      const registry = { users: new Map(), roles: new Map(), schemes: new Map() };
      const directory = await openDirectory({ registry, sampleUsers: true, store: opened, lookEvery: 0, onError() {} });
      onTestFinished(() => directory.close());
      return directory;
    },
  });
  onTestFinished(async () => {
    await queue.close({ timeoutMs: 100 });
    await store.close();
  });
  const users = openUsers({ store, actor: 'test' });
  await users.add({ id: 'bob', roles: [] });
  await components.save(
    component,
    'put',
    { ID: 1 },
    { user: { id: 'bob', ...nothing, origin: 'database' }, requestId: 'R' },
  );
  // One whom the definitions of another gateway declared, and none does any more.
  await components.save(
    component,
    'put',
    { ID: 2 },
    { user: { id: 'amy', ...nothing, origin: 'definitions' }, requestId: 'R' },
  );
  await users.setDisabled('bob', true);
  await queue.start();
  const db = await store.tables();
  const audit = db.withTables<{ audit: { id: number; class: string } }>().selectFrom('audit').selectAll();
  const rows = await eventually('the rows', async () => {
    const found = await audit.execute();
    return found.length === 2 && told.length === 1 ? found : undefined;
  });
  expect(rows.map((row) => [row.id, row.class]).toSorted()).toEqual([
    [1, 'Audit'],
    [2, 'Audit'],
  ]);
  expect(told).toEqual(['Second did not run: user bob, who saved, is unknown or disabled by now']);
});

it('gives a class back while the directory does not answer, and counts no attempt', async () => {
  let asked = 0;
  const kept: unknown[] = [];
  const ran = new Set<string>();
  const eve: User = { id: 'idp:eve', ...nothing, origin: 'token' };
  const { store, queue, components, component } = await openAudited(temporaryFolder(), {
    account({ name, attempt, error }) {
      kept.push([name, attempt, error]);
      ran.add(name);
    },
    directory: async () => ({
      async findOwner() {
        asked += 1;
        if (asked === 1) throw Fault.of('UNAVAILABLE', { reason: 'the database does not answer' });
        return eve;
      },
      async keep() {},
    }),
  });
  onTestFinished(async () => {
    await queue.close({ timeoutMs: 100 });
    await store.close();
  });
  await components.save(component, 'put', { ID: 1, NAME: 'a' }, { user: eve, requestId: 'R' });
  await queue.start();
  await eventually('the second class', () => (ran.has('Second of COUNTED') ? true : undefined));
  expect(kept).toEqual([
    ['Audit of COUNTED', 1, undefined],
    ['Second of COUNTED', 1, undefined],
  ]);
});
