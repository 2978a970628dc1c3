import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type JobQueue, JobRefused, type Store } from '../../../src/store/index.ts';
import { Connection } from '../../../src/store/postgres/client.ts';
import { openBoss } from '../../../src/store/queue/boss.ts';
import { restorePage } from '../../../src/store/queue/postgres-upkeep.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/project.ts';
import { type Place, postgresPlace } from '../engines.ts';
import { controlOf, countsOf, drained, enter, gate, QUEUE, queueOver, RETRIES, worker } from './support.ts';

/** The functions of pg-boss that run on connections of ours. */
const IN_OURS = [
  ...(['insert', 'fetch', 'deleteJob', 'fail', 'update'] as const),
  ...(['isInstalled', 'schemaVersion', 'getQueues'] as const),
];

/** The statements on the connections for our own tables: those of pg-boss, and ours. */
function recordStatements(): { readonly theirs: ReadonlySet<string>; readonly ours: readonly string[] } {
  const theirs = new Set<string>();
  const ours: string[] = [];
  const inside = new AsyncLocalStorage<true>();
  for (const name of IN_OURS) {
    const call = PgBoss.prototype[name];
    vi.spyOn(PgBoss.prototype, name).mockImplementation(function (this: PgBoss, ...given: unknown[]) {
      return inside.run(true, () => Reflect.apply(call, this, given));
    });
  }
  const query = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: Connected, ...given: unknown[]) {
    const text = typeof given[0] === 'string' ? given[0] : (given[0] as { readonly text: string }).text;
    if (inside.getStore()) theirs.add(text);
    else if (!this.connectionParameters.application_name?.match(/^signalbox (queue|notifications) /)) ours.push(text);
    return Reflect.apply(query, this, given);
  } as typeof query);
  onTestFinished(() => void vi.restoreAllMocks());
  return { theirs, ours };
}

type Connected = pg.Client & { readonly connectionParameters: { readonly application_name?: string } };

/** Does all that can be done with jobs. */
async function exercise(store: Store, queue: JobQueue): Promise<void> {
  const [begun, stopped] = [gate(), gate()];
  queue.work(
    QUEUE,
    worker(
      async (job) => {
        if (job.data.fails === 'once' && job.attempt === 1) throw new Error('once more');
        if (job.data.fails === 'ever') throw new JobRefused('never');
        if (job.data.waits !== true) return job.complete(async () => {});
        begun.open();
        await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
        stopped.open();
      },
      { concurrency: 4, retry: RETRIES },
    ),
  );
  const dead = await enter(store, queue, { data: { fails: 'ever' }, key: 'a' });
  for (const key of ['a', 'a', 'b', undefined, undefined])
    await enter(store, queue, { data: { fails: 'once' }, ...(key !== undefined && { key }) });
  for (const key of ['a', undefined])
    await enter(store, queue, { after: new Date(Date.now() + 100), ...(key !== undefined && { key }) });
  for (const key of ['c', 'c', undefined]) {
    const id = await enter(store, queue, key === undefined ? {} : { key });
    await store.transaction((tx) => queue.cancel(tx, QUEUE, id));
  }
  await queue.start();
  await drained(queue);
  await controlOf(queue).retry(dead, 'ada');
  const running = await enter(store, queue, { data: { waits: true }, key: 'd' });
  await enter(store, queue, { key: 'd' });
  await begun.opened;
  await store.transaction((tx) => queue.cancel(tx, QUEUE, running));
  await stopped.opened;
  await drained(queue);
}

/** pg-boss next to the queue, as an operator would use it. */
async function operator(where: Place): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString: where.options.url, schema: 'signalbox_queue', schedule: false });
  await boss.start();
  onTestFinished(() => boss.stop({ graceful: false }));
  return boss;
}

describe.skipIf(!hasPostgres)('pg-boss', () => {
  it('is used by its functions alone: no statement of ours touches its tables, and its schema is as it made it', async () => {
    const { theirs, ours } = recordStatements();
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    await exercise(store, queue);
    await restorePage(store, await opened(store), undefined);
    expect(ours.filter((text) => /insert into "?signalbox_job\b/.test(text)).length).toBeGreaterThan(5);
    expect([...theirs].filter((text) => !text.includes('signalbox_queue.'))).toEqual([]);
    expect(theirs.size).toBeGreaterThanOrEqual(IN_OURS.length);
    // The planner's statistics are renewed, which changes neither rows nor tables.
    // One table of ours in its schema records to which installation it belongs.
    const permitted = /^analyze \(skip_locked\) "signalbox_queue"\."\w+"$|"signalbox_queue"\."signalbox_installation"$/;
    const touching = ours.filter((text) => /signalbox_queue/.test(text));
    expect(touching.filter((text) => !permitted.test(text))).toEqual([]);
    const drift = await (await operator(where)).detectSchemaDrift();
    expect(drift).toMatchObject({ ok: true, extraIndexes: [] });
  });

  it('has of the jobs of a key the first alone, and of a job no more than its id', async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    const ids: string[] = [];
    for (const key of ['a', 'a', 'b', 'b']) ids.push(await enter(store, queue, { key, data: { secret: true } }));
    const jobs = await (await operator(where)).findJobs(QUEUE);
    expect(jobs.map(({ id, data }) => [id, data]).toSorted()).toEqual(
      [ids[0], ids[2]].map((id) => [id, null]).toSorted(),
    );
    // A day is the most that a queue accepts, and a job may run for longer.
    expect(jobs.every(({ expireInSeconds }) => expireInSeconds > 60 * 60 * 24 * 365)).toBe(true);
  });

  it('gets a job again that somebody deleted or ended by its tools, and the key goes on', async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    const ids: string[] = [];
    for (const n of [1, 2]) ids.push(await enter(store, queue, { key: 'k', data: { n } }));
    const free = await enter(store, queue, { data: { n: 3 } });
    const later = await enter(store, queue, { data: { n: 4 }, after: new Date(Date.now() + 3_600_000) });
    const tools = await operator(where);
    await tools.deleteJob(QUEUE, [ids[0] as string, later]);
    const boss = await opened(store);
    expect(await restorePage(store, boss, undefined)).toEqual({ next: undefined, restored: 2 });
    expect(await restorePage(store, boss, undefined)).toEqual({ next: undefined, restored: 0 });
    // What has ended there is deleted by pg-boss itself after a minute.
    await tools.cancel(QUEUE, free);
    await tools.deleteStoredJobs(QUEUE);
    expect(await restorePage(store, boss, undefined)).toMatchObject({ restored: 1 });
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ data }) => void ran.push(data.n), { concurrency: 1 }),
    );
    await queue.start();
    await eventually('three jobs', () => (ran.length === 3 ? true : undefined));
    expect(ran.filter((n) => n !== 3)).toEqual([1, 2]);
    await eventually('the last one waiting', async () => {
      const [counts] = await countsOf(queue);
      return counts?.waiting === 1 && counts.running === 0 ? true : undefined;
    });
  });

  it('gets a running job again too, once its worker was told to stop', { timeout: 30_000 }, async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    const begun = gate();
    const happened: string[] = [];
    queue.work(
      QUEUE,
      worker(
        async ({ attempt, signal }) => {
          happened.push(`attempt ${attempt}`);
          begun.open();
          if (attempt === 2) return;
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          happened.push('stopped');
        },
        { retry: RETRIES },
      ),
    );
    await queue.start();
    const id = await enter(store, queue, { key: 'k' });
    await begun.opened;
    await (await operator(where)).deleteJob(QUEUE, id);
    expect(await restorePage(store, await opened(store), undefined)).toMatchObject({ restored: 1 });
    await drained(queue);
    expect(happened).toEqual(['attempt 1', 'stopped', 'attempt 2']);
  });

  it('announces jobs on a new connection when the one that listened is lost, also when a first one can not listen', async () => {
    const where = await postgresPlace({ migrated: true });
    const queue = await queueOver(await where.migrated());
    queue.work(
      QUEUE,
      worker(async () => {}),
    );
    await queue.start();
    const { ask } = Connection.prototype;
    let listened = 0;
    const spy = vi.spyOn(Connection.prototype, 'ask').mockImplementation(function (this: Connection, ...given) {
      const fails = String(given[1]).startsWith('listen ') && ++listened === 1;
      return fails ? Promise.reject(new Error('not now')) : Reflect.apply(ask, this, given);
    });
    onTestFinished(() => spy.mockRestore());
    const listening = `from pg_stat_activity where datname = current_database() and query like 'listen %'`;
    await where.run(`select pg_terminate_backend(pid) ${listening}`);
    await eventually('a connection that listens', async () => {
      return (listened === 2 && (await where.run(`select pid ${listening}`)).length === 1) || undefined;
    });
  });

  it('loses a job that the queue does not know', async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ data }) => void ran.push(data.n)),
    );
    await queue.start();
    const tools = await operator(where);
    await tools.send(QUEUE, { n: 1 });
    await enter(store, queue, { data: { n: 2 } });
    await drained(queue);
    await eventually('no job in pg-boss', async () => ((await tools.findJobs(QUEUE)).length === 0 ? true : undefined));
    expect(ran).toEqual([2]);
  });
});

async function opened(store: Store) {
  if (store.postgres === undefined) throw new Error('not on PostgreSQL');
  const boss = await openBoss(store.postgres, () => {});
  onTestFinished(() => boss.close());
  return boss;
}
