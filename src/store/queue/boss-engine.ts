import { sql } from 'kysely';
import { type CommandResponse, fromKysely, type Job } from 'pg-boss';
import type { PostgresAccess } from '../store.ts';
import type { Db } from '../tables.ts';
import { BossQueues, HEARTBEAT, openBoss, SCHEMA } from './boss.ts';
import type { Claim, QueueEngine } from './engine.ts';

/** Milliseconds between two looks: where jobs are announced, and where they are not. */
const POLL_ANNOUNCED = 1000;
const POLL = 500;

/** Where the names of queues are announced that have something new. */
const CHANNEL = 'signalbox_queue';

/** Ends the name of a queue whose jobs have keys. */
const ORDERED = '/ordered';

/** What a job of pg-boss carries. The data is text, because JSON there knows no U+0000 and keeps no order. */
interface Carried {
  readonly data: string;
  /** How often it was given back: attempts that do not count. */
  readonly released: number;
}

/**
 * The queue on PostgreSQL and its relatives: pg-boss. Jobs with a key are in a queue of their own, because a look at that
 * one goes through all that wait. A job that has ended is deleted; how often it is tried, and when, is not left to pg-boss.
 * @throws errors of the database where it can't be reached
 */
export async function bossEngine(access: PostgresAccess, report: (error: Error) => void): Promise<QueueEngine> {
  const boss = await openBoss(access, report);
  const queues = new BossQueues(boss);
  const announces = access.engine !== 'cockroachdb' && access.engine !== 'yugabytedb';
  let listening: { close(): Promise<void> } | undefined;
  let turn = 0;

  /** One after the other: they may be in one transaction. */
  const each = async <T>(claims: readonly Claim[], work: (name: string, jobs: Claim[]) => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    for (const [name, jobs] of Map.groupBy(claims, nameOf)) results.push(await work(name, jobs));
    return results;
  };
  const fetch = async (queue: string, ordered: boolean, limit: number): Promise<Claim[]> => {
    if (limit === 0) return [];
    const jobs = await boss.fetch<Carried>(bossName(queue, ordered), { batchSize: limit, includeMetadata: true });
    return jobs.map(({ id, data: { data, released }, retryCount, singletonKey }) => {
      const attempt = retryCount + 1 - released;
      return { id, queue, key: singletonKey ?? undefined, data: JSON.parse(data), attempt, mark: retryCount };
    });
  };
  const fail = async (tx: Db, claim: Claim): Promise<boolean> =>
    affected(await boss.fail(nameOf(claim), attemptOf(claim), null, { db: fromKysely(tx) })).length === 1;

  return {
    poll: announces ? POLL_ANNOUNCED : POLL,
    lease: (HEARTBEAT - 2) * 1000,
    async insert(tx, { queue, id, key, data, after }) {
      const name = bossName(queue, key !== undefined);
      await queues.ensure(name, key !== undefined);
      const carried: Carried = { data: JSON.stringify(data), released: 0 };
      const options = { ...(key !== undefined && { singletonKey: key }), ...(after && { startAfter: after }) };
      if ((await boss.send(name, carried, { id, ...options, db: fromKysely(tx) })) === null) return false;
      if (key !== undefined) await putLast(tx, name, id, key);
      if (announces && after === undefined) await sql`select pg_notify(${CHANNEL}, ${queue})`.execute(tx);
      return true;
    },
    async remove(tx, queue, id) {
      for (const ordered of [false, true]) {
        const name = bossName(queue, ordered);
        await queues.ensure(name, ordered);
        if (affected(await boss.deleteJob(name, id, { db: fromKysely(tx) })).length > 0) return true;
      }
      return false;
    },
    async claim(queue, limit) {
      // Each goes first in turn, so that neither waits for ever.
      const ordered = turn++ % 2 === 0;
      const first = await fetch(queue, ordered, limit);
      return [...first, ...(await fetch(queue, !ordered, limit - first.length))];
    },
    async finish(tx, claims) {
      const db = fromKysely(tx);
      const ended = await each(claims, async (name, jobs) =>
        affected(await boss.deleteJob(name, jobs.map(attemptOf), { db })),
      );
      return ended.flat().length;
    },
    async postpone(tx, claim, until) {
      if (!(await fail(tx, claim))) return false;
      await boss.update(nameOf(claim), undefined, { id: claim.id, startAfter: until, db: fromKysely(tx) });
      return true;
    },
    async release(tx, claim) {
      if (!(await fail(tx, claim))) return;
      const carried: Carried = { data: JSON.stringify(claim.data), released: claim.mark + 2 - claim.attempt };
      await boss.update(nameOf(claim), carried, { id: claim.id, db: fromKysely(tx) });
    },
    async held(claims) {
      const held = await each(claims, async (name, jobs) => {
        const ids = new Set(affected(await boss.touch(name, jobs.map(attemptOf))));
        return jobs.filter((job) => ids.has(job.id));
      });
      return new Set(held.flat());
    },
    async begin(names, listener) {
      for (const ordered of [false, true]) {
        await Promise.all(names.map((queue) => queues.ensure(bossName(queue, ordered), ordered)));
      }
      if (!announces) return;
      // Whatever was announced while nobody listened is looked for.
      listening = await boss.getDb().listen?.(
        CHANNEL,
        (queue) => listener.wake(queue),
        () => listener.wake(),
      );
    },
    async counts() {
      const { rows } = await boss.getDb().executeSql(`
        select name, count(*) filter (where state < 'active') as waiting, count(*) filter (where state = 'active') as running
        from ${SCHEMA}.job where state <= 'active' group by name
      `);
      const counts = new Map<string, { queue: string; waiting: number; running: number }>();
      for (const row of rows) {
        const queue = String(row.name).replace(ORDERED, '');
        const { waiting, running } = counts.get(queue) ?? { waiting: 0, running: 0 };
        counts.set(queue, { queue, waiting: waiting + Number(row.waiting), running: running + Number(row.running) });
      }
      return [...counts.values()];
    },
    async end() {
      await listening?.close();
      await boss.stop({ graceful: false });
    },
  };
}

function bossName(queue: string, ordered: boolean): string {
  return ordered ? queue + ORDERED : queue;
}

function nameOf({ queue, key }: Claim): string {
  return bossName(queue, key !== undefined);
}

function attemptOf({ id, mark }: Claim): Pick<Job, 'id' | 'retryCount'> {
  return { id, retryCount: mark };
}

/** Ids of the jobs that a command found as it was told that they are. Its type says nothing of them. */
function affected(response: CommandResponse): readonly string[] {
  return (response as { readonly settled?: readonly string[] }).settled ?? [];
}

/**
 * Puts a job behind those of its key that wait: pg-boss orders them by the time when their transactions began, which says
 * nothing of two in one transaction, and the wrong thing of one that waited for the other.
 */
async function putLast(tx: Db, name: string, id: string, key: string): Promise<void> {
  await sql`
    update ${sql.table(`${SCHEMA}.job`)} set created_on = greatest(clock_timestamp(), (
      select before.created_on + interval '1 microsecond' from ${sql.table(`${SCHEMA}.job`)} as before
      where before.name = ${name} and before.singleton_key = ${key} and before.id <> ${id}
        and before.state = 'created' and not before.blocked and before.policy = 'key_strict_fifo'
      order by before.created_on desc limit 1
    )) where name = ${name} and id = ${id}
  `.execute(tx);
}
