import { expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../src/model/fault.ts';
import type { BearerScheme, User } from '../../src/model/security.ts';
import { openDirectory } from '../../src/security/directory/directory.ts';
import { openUsers } from '../../src/security/users/open-users.ts';
import { openTestScheduler, registryOf, type TestScheduler } from './support.ts';

const WORK = { runControl: 'RC', type: 'Application Engine', name: 'WORK' };
const known = registryOf();
const roles = new Map([['all', [...known.roles.values()]]]);
const idp = { id: 'idp', kind: 'bearer', users: 'any', roles: roles as BearerScheme['roles'] } as BearerScheme;
const registry = { ...known, schemes: new Map([[idp.id, idp]]) };
const demo = known.users.get('demo') as User;
const eve: User = { ...demo, id: 'idp:eve', origin: 'token' };

/** A scheduler whose queue is not started, and the users of its database; who runs is written down. */
async function open() {
  const ran: unknown[] = [];
  const test: TestScheduler = await openTestScheduler({
    registry,
    code: (_, context) => void ran.push(context.caller.user),
    start: false,
    directory: async (store) => {
      const directory = await openDirectory({ registry, sampleUsers: true, store, lookEvery: 0, onError() {} });
      onTestFinished(() => directory.close());
      return directory;
    },
  });
  onTestFinished(() => test.close());
  const users = openUsers({ store: test.store, actor: 'test' });
  await users.add({ id: 'bob', roles: ['R'] });
  return { ...test, ran, users, bob: { ...demo, id: 'bob', origin: 'database' } as User };
}

it('runs requests in the names of users of the database, and of callers whom a token vouched for', async () => {
  const { scheduler, queue, bob, ran, reaches } = await open();
  const entered = [await scheduler.schedule(WORK, bob), await scheduler.schedule(WORK, eve)];
  await queue.start();
  for (const instance of entered) expect(await reaches(instance, 'Success', 'Error', 'Not Successful')).toBe('Success');
  expect(ran.toSorted()).toEqual(['bob', 'idp:eve']);
});

it('refuses a request whose user was disabled, or lost the role, before it ran', async () => {
  const { scheduler, queue, bob, users, ran, reaches, demo: reader } = await open();
  const lost = { ...bob, id: 'amy' };
  await users.add({ id: 'amy', roles: ['R'] });
  const entered = [await scheduler.schedule(WORK, bob), await scheduler.schedule(WORK, lost)];
  await users.setDisabled('bob', true);
  await users.changeRoles('amy', { add: [], remove: ['R'] });
  await queue.start();
  for (const [index, instance] of entered.entries()) {
    expect(await reaches(instance, 'Success', 'Error', 'Not Successful')).toBe('Not Successful');
    const [line] = await scheduler.messages(
      instance,
      { from: 1, count: 10 },
      { ...reader, id: index === 0 ? 'bob' : 'amy' },
    );
    expect(line).toMatchObject({ level: 'error', text: expect.stringContaining('may not use process WORK') });
  }
  expect(ran).toEqual([]);
});

it('gives a request back where it can not be told in whose name it runs, and counts no attempt', async () => {
  let asked = 0;
  const attempts: number[] = [];
  const { demo, errors, enter, reaches, close } = await openTestScheduler({
    registry,
    code: (_, { attempt }) => void attempts.push(attempt),
    directory: async () => ({
      async findOwner() {
        asked += 1;
        if (asked === 1) throw Fault.of('UNAVAILABLE', { reason: 'the database does not answer' });
        return demo;
      },
      async keep() {},
    }),
  });
  onTestFinished(close);
  expect(await reaches(await enter(), 'Success', 'Error', 'Not Successful')).toBe('Success');
  expect(attempts).toEqual([1]);
  expect(errors.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    'JobNotBegun: Temporarily unavailable: the database does not answer.',
  ]);
});
