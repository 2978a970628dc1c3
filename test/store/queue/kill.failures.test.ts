import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { type StoreOptions, WorkerDied } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines, type Place } from '../engines.ts';
import { RUNS, record } from './gateway.ts';
import { drained, enter, gate, QUEUE, queueOver, worker } from './support.ts';

const JOBS = 40;

interface Run {
  readonly job: string;
  readonly key: string | null;
  readonly attempt: number;
  readonly began: number;
  readonly ended: number | null;
  readonly lost: number | null;
}

interface Gateway {
  readonly child: ChildProcess;
  /** Of its connections, where the database is PostgreSQL. */
  readonly applicationName: string;
}

function gateway(options: StoreOptions, ms = 10): Gateway {
  const script = fileURLToPath(new URL('gateway.ts', import.meta.url));
  const applicationName = `killed-${randomUUID()}`;
  const url = new URL(options.url);
  if (url.protocol === 'postgres:') url.searchParams.set('application_name', applicationName);
  const child = spawn(process.execPath, [script, JSON.stringify({ ...options, url: url.href }), String(ms)], {
    stdio: 'inherit',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, applicationName };
}

async function runs({ run }: Place): Promise<Run[]> {
  const rows = await run('select * from run order by began');
  return rows.map((row) => ({ ...row, began: Number(row.began), ended: row.ended && Number(row.ended) }) as Run);
}

/**
 * Stops a gateway (SIGSTOP) at a moment when what was asked for holds and none of its transactions is open:
 * an open one would hold up everyone who waits for its locks, and one that is about to commit still could.
 */
async function freeze(
  { options, run }: Place,
  { child, applicationName }: Gateway,
  what: string,
  holds: () => Promise<boolean>,
): Promise<void> {
  // Stopping it again and again would keep it from ever getting there.
  await eventually(what, async () => (await holds()) || undefined);
  const openTransactions = async (): Promise<number> => {
    if (!options.url.startsWith('postgres:')) return 0;
    const of = `application_name = '${applicationName}' and xact_start is not null`;
    return (await run(`select 1 from pg_stat_activity where ${of}`)).length;
  };
  await eventually(`${what}, and no transaction open`, async () => {
    child.kill('SIGSTOP');
    if ((await openTransactions()) === 0 && (await holds())) return true;
    child.kill('SIGCONT');
    // Stopped again before that transaction has ended, it would not get on where the machine is busy.
    await eventually('a transaction to end', async () => (await openTransactions()) === 0 || undefined);
    return undefined;
  });
}

/** A gateway that stops in the middle of some jobs as if its machine slept. @returns what lets it go on */
async function sleeper(where: Place, ids: readonly string[]): Promise<() => void> {
  const sleeping = gateway(where.options, 3000);
  await freeze(where, sleeping, 'it to sleep in the middle of its jobs', async () => {
    const begun = (await runs(where)).filter(({ job }) => ids.includes(job));
    return begun.length === ids.length && begun.every(({ ended }) => ended === null);
  });
  return () => void sleeping.child.kill('SIGCONT');
}

describeEngines('kill -9', ({ kind, place }) => {
  it('of a gateway in the middle of its jobs, or its sleep, loses none, runs none twice, and counts the attempt', {
    timeout: 60_000,
  }, async () => {
    const where = await place();
    const store = await where.migrated();
    await where.run(RUNS);
    const queue = await queueOver(store);
    const ids: string[] = [];
    // Beside it, because both take as long as a lease: one that only sleeps, and finds that others did its work.
    const slept: string[] = [];
    if (kind === 'postgres') for (const key of ['s', 't']) slept.push(await enter(store, queue, { key }));
    const wake = kind === 'postgres' ? await sleeper(where, slept) : () => {};
    for (let n = 0; n < JOBS; n++) ids.push(await enter(store, queue, n % 2 === 0 ? { key: `k${n % 6}` } : {}));

    // Its jobs take long enough for a busy machine to see some of them begun, and none of their transactions open.
    const victim = gateway(where.options, 300);
    let begun = 0;
    await freeze(where, victim, 'it to be in the middle of its jobs', async () => {
      const all = (await runs(where)).filter(({ job }) => ids.includes(job));
      begun = all.length;
      return begun > 8 && all.some(({ ended }) => ended === null);
    });
    victim.child.kill('SIGKILL');
    const killed = Date.now();
    queue.work(
      QUEUE,
      worker((job) => record(store, job), { concurrency: 4, retry: { attempts: 4, first: 1, longest: 1 } }),
    );
    await queue.start();
    // What the dead gateway held is taken up when its lock, or its heartbeat, is found to be gone.
    await eventually('all others', async () => {
      const ended = (await runs(where)).filter((each) => each.ended !== null);
      return ended.length >= Math.max(begun, JOBS / 2) ? true : undefined;
    });
    await drained(queue);
    wake();

    for (const id of slept) {
      const those = (await runs(where)).filter(({ job }) => job === id);
      expect(those.map(({ attempt, ended }) => [attempt, ended !== null])).toEqual([
        [1, false],
        [2, true],
      ]);
    }
    await eventually('the word that its jobs were lost', async () => {
      const found = (await runs(where)).filter(({ lost }) => lost !== null);
      return found.length === slept.length ? true : undefined;
    });

    const all = (await runs(where)).filter(({ job }) => ids.includes(job));
    const ended = all.filter((each) => each.ended !== null);
    expect(ended.map(({ job }) => job).toSorted()).toEqual(ids.toSorted());
    const lost = all.filter((each) => each.ended === null);
    expect(lost.length).toBeGreaterThan(0);
    for (const { job, attempt } of lost) {
      const again = all.find((each) => each.job === job && each.ended !== null) as Run;
      expect(again.attempt).toBe(attempt + 1);
      expect(again.began).toBeGreaterThanOrEqual(killed);
    }
    for (const key of ['k0', 'k2', 'k4']) {
      const those = ended.filter((each) => each.key === key);
      expect(those.map(({ job }) => job)).toEqual(ids.filter((_, n) => n % 2 === 0 && `k${n % 6}` === key));
      for (const [n, { began }] of those.entries()) expect(began).toBeGreaterThanOrEqual(those[n - 1]?.ended ?? 0);
    }
  });
});

describeEngines('a job that was cancelled', ({ kind, place }) => {
  it('does not begin again when its gateway dies before it has stopped, and the next of its key does', async () => {
    const where = await place();
    const store = await where.migrated();
    const queue = await queueOver(store);
    const ids = [await enter(store, queue, { key: 'k' }), await enter(store, queue, { key: 'k' })];
    // As a process leaves it that dies in the middle.
    const held = kind === 'postgres' ? 'place = 1, started = 1' : `worker = 'gone'`;
    await where.run(`update signalbox_job set mark = 1, attempt = 1, ${held} where place = 0`);
    expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, ids[0] as string))).toBe(true);
    const ran: string[] = [];
    queue.work(
      QUEUE,
      worker(async ({ id }) => void ran.push(id)),
    );
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([ids[1]]);
    expect(await queue.deadLetters()).toEqual([]);
  });
});

describeEngines('the last attempt', ({ kind, place }) => {
  it.skipIf(kind === 'postgres')('of a job that ended with its process makes a dead letter of it', async () => {
    const where = await place();
    const store = await where.migrated();
    const queue = await queueOver(store);
    const id = await enter(store, queue);
    // As a process leaves it that died: held by a lock file that is gone.
    await where.run(`update signalbox_job set worker = 'gone', mark = 1, attempt = 1`);
    const dead = gate();
    const errors: Error[] = [];
    queue.work(
      QUEUE,
      worker(() => Promise.reject(new Error('it ran')), {
        onDead: async (_, job, error) => {
          errors.push(error);
          expect(job).toEqual({ id, queue: QUEUE, data: {}, attempt: 1 });
          dead.open();
        },
      }),
    );
    await queue.start();
    await dead.opened;
    await drained(queue);
    expect(errors).toEqual([expect.any(WorkerDied)]);
    expect(await queue.deadLetters()).toMatchObject([
      { id, attempts: 1, error: 'the process that ran attempt 1 in work died' },
    ]);
  });
});
