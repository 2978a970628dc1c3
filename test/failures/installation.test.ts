import { describe, expect, it, onTestFinished } from 'vitest';
import {
  openNonces,
  openQueue,
  openStore,
  pendingMigrations,
  type Store,
  type StoreOptions,
} from '../../src/store/index.ts';
import { enter, QUEUE, queueOver, worker } from '../store/queue/support.ts';
import { temporaryFolder } from '../store/support.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createDatabase();
  onTestFinished(database.drop);
  return database;
}

async function open(url: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ url, root: temporaryFolder(), ...options });
  onTestFinished(() => store.close());
  return store;
}

async function migrated(url: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await open(url, options);
  await store.migrate();
  return store;
}

/** The URL with a setting of the session. */
function withSearchPath(url: string, path: string): string {
  return `${url}?options=-c%20search_path%3D${path}`;
}

/** The schemas that have tables. */
async function schemasOf({ run }: TestDatabase): Promise<string[]> {
  const { rows } = await run(`select distinct table_schema as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') order by 1`);
  return rows.map(({ name }) => name);
}

/** A gateway's worker over a store, with the jobs that it did. */
async function working(store: Store): Promise<{ readonly done: unknown[]; send(job: string): Promise<string> }> {
  const done: unknown[] = [];
  const queue = await queueOver(store);
  queue.work(
    QUEUE,
    worker(async ({ data }) => void done.push(data.job)),
  );
  await queue.start();
  return { done, send: (job) => enter(store, queue, { data: { job } }) };
}

describe.skipIf(!hasPostgres)('an installation on PostgreSQL', () => {
  it('has everything in the schema that its settings name, which is created, and in that of its queue', async () => {
    const database = await emptyDatabase();
    const planned = await pendingMigrations({ url: database.url, root: '/', schema: 'hr' });
    expect(planned.map(({ name }) => name)).toEqual([
      'schema hr',
      expect.stringMatching(/^0001-/),
      ...planned.slice(2, -1).map(({ name }) => name),
      'queue hr_queue',
    ]);
    expect(planned[0]?.statements).toEqual(['create schema if not exists "hr";']);
    expect(await schemasOf(database)).toEqual([]);
    const steps: string[] = [];
    const store = await open(database.url, { schema: 'hr' });
    await store.migrate((name) => steps.push(name));
    expect(steps).toEqual(planned.map(({ name }) => name));
    expect(await store.pending()).toEqual([]);
    const { done, send } = await working(store);
    await send('a');
    await eventually('the job', () => done[0]);
    expect(await schemasOf(database)).toEqual(['hr', 'hr_queue']);
  });

  it('is made once where four gateways start together', async () => {
    const { url } = await emptyDatabase();
    const stores = await Promise.all([1, 2, 3, 4].map(() => open(url, { schema: 'hr' })));
    const steps: string[] = [];
    await Promise.all(stores.map((store) => store.migrate((name) => steps.push(name))));
    expect(steps.filter((name) => /^(0001|queue)/.test(name))).toHaveLength(2);
    expect(await stores[0]?.pending()).toEqual([]);
  });

  it('has jobs, notifications and nonces of its own, whatever else is in the database', async () => {
    const { url } = await emptyDatabase();
    const names = [undefined, 'hr', 'it'];
    const stores = await Promise.all(names.map((schema) => migrated(url, schema === undefined ? {} : { schema })));
    const workers = await Promise.all(stores.map(working));
    const jobs = names.map((name) => [1, 2, 3, 4, 5].map((at) => `${name} ${at}`));
    await Promise.all(workers.flatMap(({ send }, at) => jobs[at]?.map(send)));
    await eventually('all jobs', () => workers.every(({ done }) => done.length >= 5) || undefined);
    for (const [at, { done }] of workers.entries()) expect(done.toSorted()).toEqual(jobs[at]);
    // The name of the queue's schema is that of the channel, too.
    const queues = await Promise.all(stores.map((store) => store.postgres?.queue()));
    expect(queues).toEqual(['signalbox_queue', 'hr_queue', 'it_queue']);
    const taken = await Promise.all(stores.map((store) => openNonces(store).take(['one'], Date.now() + 60_000)));
    expect(taken).toEqual([true, true, true]);
  });

  it('is refused, and changes nothing, when it would share the queue of another one', async () => {
    const database = await emptyDatabase();
    await migrated(database.url);
    await database.run('create schema other');
    const store = await open(withSearchPath(database.url, 'other'));
    const refusal =
      /has the queue signalbox_queue, which belongs to the installation in the schema public, not to other: .*; give this one a schema with database: \{ url, schema: NAME \}/;
    for (const asked of [() => store.migrate(), () => store.pending(), () => openQueue(store)])
      await expect(asked()).rejects.toThrow(refusal);
    expect(await schemasOf(database)).toEqual(['public', 'signalbox_queue']);
    await migrated(withSearchPath(database.url, 'other'), { schema: 'other' });
  });

  it('is refused when the queue is of a version that did not record which installation it belongs to', async () => {
    const database = await emptyDatabase();
    await migrated(database.url);
    await database.run('drop table signalbox_queue.signalbox_installation');
    // pg-boss was in every queue then.
    await database.run('create table signalbox_queue.version (version int)');
    await database.run('create schema other');
    const store = await open(withSearchPath(database.url, 'other'));
    await expect(store.migrate()).rejects.toThrow('belongs to another installation, not to other');
    // Its own tables take it.
    await migrated(database.url);
    await expect(store.migrate()).rejects.toThrow('belongs to the installation in the schema public');
  });

  it('has one queue, whatever the settings of its gateways say', async () => {
    const { url, run } = await emptyDatabase();
    await run('create schema hr');
    const first = await migrated(withSearchPath(url, 'hr'));
    const second = await migrated(url, { schema: 'hr' });
    const [one, other] = [await working(first), await working(second)];
    await Promise.all(['1', '2', '3', '4'].flatMap((job) => [one.send(`one ${job}`), other.send(`other ${job}`)]));
    await eventually('all jobs', () => one.done.length + other.done.length >= 8 || undefined);
    expect([...one.done, ...other.done]).toHaveLength(8);
    expect(await second.postgres?.queue()).toBe('signalbox_queue');
  });

  it('keeps the queue of the version before, which knows no other', async () => {
    const { url, run } = await emptyDatabase();
    await run('create schema hr');
    await migrated(withSearchPath(url, 'hr'));
    await run('drop table hr.signalbox_installation, signalbox_queue.signalbox_installation');
    await run("delete from hr.signalbox_migration where name = '0006-installation'");
    const store = await migrated(url, { schema: 'hr' });
    expect(await store.postgres?.queue()).toBe('signalbox_queue');
  });

  it('needs an administrator when its user may not create a schema, and reports the statement to run', async () => {
    const { url, run } = await emptyDatabase();
    const role = `poor_${process.pid}_${Date.now()}`;
    await run(`create role ${role} login`);
    onTestFinished(async () => void (await run(`drop owned by ${role}; drop role ${role}`)));
    const address = new URL(url);
    address.username = role;
    const store = await open(address.href, { schema: 'hr' });
    const advice = (schema: string) =>
      `${role} may not create the schema "${schema}"; run as an administrator: CREATE SCHEMA "${schema}" AUTHORIZATION ${role}`;
    await expect(store.migrate()).rejects.toThrow(advice('hr'));
    await run(`create schema hr authorization ${role}`);
    await expect(store.migrate()).rejects.toThrow(advice('hr_queue'));
    await run(`create schema hr_queue authorization ${role}`);
    await store.migrate();
    expect(await store.pending()).toEqual([]);
  });

  it('works for a user who may create nothing, once another has migrated it', async () => {
    const { url, run } = await emptyDatabase();
    await migrated(url, { schema: 'hr' });
    const role = `reader_${process.pid}_${Date.now()}`;
    await run(`create role ${role} login`);
    onTestFinished(async () => void (await run(`drop owned by ${role}; drop role ${role}`)));
    await run(`grant usage on schema hr, hr_queue to ${role};
      grant select, insert, update, delete on all tables in schema hr, hr_queue to ${role};
      grant usage on all sequences in schema hr, hr_queue to ${role}`);
    const address = new URL(url);
    address.username = role;
    const store = await open(address.href, { schema: 'hr' });
    expect(await store.pending()).toEqual([]);
    await store.migrate();
    const { done, send } = await working(store);
    await send('a');
    await eventually('the job', () => done[0]);
  });

  it.each([
    ['HR', 'HR is not a name of lower-case letters, digits and underscores that begins with a letter'],
    ['hr"; drop schema public', 'is not a name of lower-case letters'],
    ['a'.repeat(45), 'is longer than 44 characters'],
    ['pg_hr', 'pg_hr belongs to PostgreSQL itself'],
  ])('does not take %s for the name of a schema', async (schema, reason) => {
    await expect(openStore({ url: 'postgres://localhost/x', root: '/', schema })).rejects.toThrow(reason);
  });

  it('can have the longest name, and one that is a word of SQL', async () => {
    const { url } = await emptyDatabase();
    for (const schema of ['a'.repeat(44), 'select']) {
      const { done, send } = await working(await migrated(url, { schema }));
      await send('a');
      await eventually('the job', () => done[0]);
    }
  });

  it('is not found where the search path names no schema', async () => {
    const { url } = await emptyDatabase();
    const store = await open(withSearchPath(url, 'missing'));
    await expect(store.migrate()).rejects.toThrow(/the search_path of \w+ names no schema that exists; name one with/);
  });
});
