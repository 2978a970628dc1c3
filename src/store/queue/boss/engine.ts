import { sql } from 'kysely';
import type { Job, PgBoss } from 'pg-boss';
import type { PostgresAccess, Store } from '../../port.ts';
import { isLost, lostConnection } from '../../postgres/error.ts';
import type { Db } from '../../tables.ts';
import type { Claim, Listener, QueueEngine } from '../engine.ts';
import type { NewJob } from '../port.ts';
import { HEARTBEAT, JOB, openBoss, SCHEMA } from './boss.ts';
import { BossJobs, type Carried } from './jobs.ts';
import { cancelledOf, countFollowers, headOf, markCancelled, moveOn, stand, takeFollower } from './line.ts';
import { keepStatistics } from './statistics.ts';

/** Milliseconds between two looks: where jobs are announced, and where they are not. */
const POLL_ANNOUNCED = 1000;
const POLL = 500;

/** Where the names of queues are announced that have something new. */
const CHANNEL = 'signalbox_queue';

/** How often a job is looked for that is nowhere: it may have moved from one place to the other meanwhile. */
const LOOKS = 3;

/** A job with a key. */
type Keyed = Claim & { readonly key: string };

/**
 * The queue on PostgreSQL and its relatives: pg-boss. Of the jobs of a key it is told of one, whose turn it is; those behind
 * it wait in tables of our own, and pg-boss is told of the next in the transaction that ends the one before it. Whatever
 * needs both locks the job before its key.
 * @throws errors of the database where it can't be reached
 */
export async function bossEngine(
  store: Store,
  access: PostgresAccess,
  report: (error: Error) => void,
): Promise<QueueEngine> {
  // What pg-boss says of a connection names no database.
  const located = (error: Error): void => report(isLost(error) ? lostConnection(store.location, error) : error);
  return new BossEngine(store, access, await openBoss(access, located), report);
}

class BossEngine implements QueueEngine {
  readonly poll: number;
  readonly lease = (HEARTBEAT - 2) * 1000;
  readonly #store: Store;
  readonly #boss: PgBoss;
  readonly #jobs: BossJobs;
  readonly #report: (error: Error) => void;
  readonly #announces: boolean;
  /** Queues that were announced, by the transaction that does so. */
  readonly #announced = new WeakMap<Db, Set<string>>();
  readonly #ends: (() => Promise<void>)[] = [];
  #listener: Listener | undefined;

  constructor(store: Store, access: PostgresAccess, boss: PgBoss, report: (error: Error) => void) {
    this.#store = store;
    this.#boss = boss;
    this.#jobs = new BossJobs(boss);
    this.#report = report;
    this.#announces = access.engine !== 'cockroachdb' && access.engine !== 'yugabytedb';
    this.poll = this.#announces ? POLL_ANNOUNCED : POLL;
  }

  async insert(tx: Db, { data, ...job }: NewJob & { readonly id: string }, known: boolean): Promise<boolean> {
    const { queue, id, key, after } = job;
    if (known && (await this.#knows(tx, queue, id))) return false;
    const written = JSON.stringify(data);
    const carried: Carried = { data: written, released: 0, ...(key !== undefined && { key }) };
    if (after !== undefined) return this.#jobs.put(tx, job, { ...carried, ...(key !== undefined && { coming: true }) });
    if (key !== undefined) {
      const first = await stand(tx, { queue, key, id }, written);
      if (first !== true) return first === false;
    }
    if (!(await this.#jobs.put(tx, job, carried))) return false;
    await this.#announce(tx, queue);
    return true;
  }

  async remove(tx: Db, queue: string, id: string): Promise<boolean> {
    for (let look = 0; look < LOOKS; look++) {
      const known = await this.#jobs.lock(tx, queue, id);
      if (known !== undefined) return this.#cancel(tx, queue, id, known.active, known.carried.key);
      if (await takeFollower(tx, queue, id)) return true;
    }
    return false;
  }

  async claim(queue: string, limit: number): Promise<readonly Claim[]> {
    const jobs = await this.#jobs.fetch(queue, limit);
    const claims: Claim[] = [];
    for (const job of jobs) {
      const claim = claimOf(queue, job);
      // The turn of a job that was begun before, or comes only now, is not sure.
      const sure = !isKeyed(claim) || (job.retryCount === 0 && job.data.coming !== true);
      if (sure || (await this.#takesTurn(claim))) claims.push(claim);
    }
    if (claims.length < jobs.length) this.#listener?.wake(queue);
    return claims;
  }

  async finish(tx: Db, claims: readonly Claim[]): Promise<number> {
    const [keyed, free] = [claims.filter(isKeyed), claims.filter((claim) => !isKeyed(claim))];
    let ended = free.length === 0 ? 0 : (await this.#jobs.end(tx, free)).length;
    for (const claim of keyed) {
      const moved = await moveOn(tx, claim, sql`state = 'active' and retry_count = ${claim.mark}`);
      if (moved?.cancelled === false) ended++;
    }
    return ended;
  }

  async postpone(tx: Db, claim: Claim, pause: number): Promise<boolean> {
    return (await this.#jobs.giveUp(tx, claim, { pause })) && !(await this.#isCancelled(tx, claim));
  }

  async release(tx: Db, claim: Claim): Promise<boolean> {
    const { key, data, mark, attempt } = claim;
    const released = mark + 2 - attempt;
    const carried: Carried = { data: JSON.stringify(data), released, ...(key !== undefined && { key }) };
    return (await this.#jobs.giveUp(tx, claim, { carried })) && !(await this.#isCancelled(tx, claim));
  }

  async clear(tx: Db, claim: Claim): Promise<void> {
    if (await this.#isCancelled(tx, claim)) await this.finish(tx, [claim]);
  }

  async held(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, 'held' | 'cancelled'>> {
    const held = await this.#jobs.touch(claims);
    const cancelled = await cancelledOf(await this.#store.tables(), held.filter(isKeyed));
    return new Map(held.map((claim) => [claim, cancelled.has(`${claim.queue} ${claim.id}`) ? 'cancelled' : 'held']));
  }

  async begin(names: readonly string[], listener: Listener): Promise<void> {
    this.#listener = listener;
    await Promise.all(names.map((queue) => this.#jobs.ensure(queue)));
    // The relatives that are not PostgreSQL themselves keep their statistics in their own way.
    if (!this.#announces) return;
    this.#ends.push(keepStatistics(this.#boss, this.#report));
    const heard = (queue: string): void => listener.wake(queue);
    // Whatever was announced while nobody listened is looked for.
    const listening = await this.#boss.getDb().listen?.(CHANNEL, heard, () => listener.wake());
    if (listening !== undefined) this.#ends.push(() => listening.close());
  }

  async counts(): Promise<readonly { queue: string; waiting: number; running: number }[]> {
    const [{ rows }, followers] = await Promise.all([
      this.#boss.getDb().executeSql(`
        select name, count(*) filter (where state < 'active') as waiting, count(*) filter (where state = 'active') as running
        from ${SCHEMA}.job where state <= 'active' group by name
      `),
      countFollowers(await this.#store.tables()),
    ]);
    const behind = new Map(followers.map(({ queue, waiting }) => [queue, waiting]));
    return rows.map(({ name, waiting, running }) => ({
      queue: name,
      waiting: Number(waiting) + (behind.get(name) ?? 0),
      running: Number(running),
    }));
  }

  async isFull(queue: string, most: number): Promise<boolean> {
    const { rows } = await sql`
      select 1 from ${JOB} where name = ${queue} and state < 'active' and start_after <= clock_timestamp()
      union all select 1 from signalbox_job_follower where queue = ${queue}
      limit 1 offset ${most - 1}
    `.execute(await this.#store.tables());
    return rows.length > 0;
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    await this.#boss.stop({ graceful: false });
  }

  async #knows(tx: Db, queue: string, id: string): Promise<boolean> {
    const { rows } = await sql`
      select 1 from ${JOB} where name = ${queue} and id = ${id}
      union all select 1 from signalbox_job_follower where queue = ${queue} and id = ${id}
    `.execute(tx);
    return rows.length > 0;
  }

  /** @returns whether it was not cancelled before */
  async #cancel(tx: Db, queue: string, id: string, active: boolean, key: string | undefined): Promise<boolean> {
    if (key === undefined) {
      await sql`delete from ${JOB} where name = ${queue} and id = ${id}`.execute(tx);
      return true;
    }
    // One whose turn it is and that runs keeps its place until it has stopped.
    if (active && (await headOf(tx, { queue, key, id })) !== undefined) return markCancelled(tx, { queue, key, id });
    await moveOn(tx, { queue, key, id }, sql`true`);
    await this.#announce(tx, queue);
    return true;
  }

  async #isCancelled(tx: Db, claim: Claim): Promise<boolean> {
    return isKeyed(claim) && (await headOf(tx, claim))?.cancelled === true;
  }

  /** @returns whether it is the turn of a job that was taken; it waits for it where not, or is ended where it was cancelled */
  async #takesTurn(claim: Keyed): Promise<boolean> {
    try {
      return await this.#store.transaction(async (tx) => {
        // Nobody else takes it out meanwhile.
        if ((await this.#jobs.lock(tx, claim.queue, claim.id)) === undefined) return false;
        const head = await headOf(tx, claim);
        if (head !== undefined && !head.cancelled) return true;
        if (head === undefined && (await stand(tx, claim, JSON.stringify(claim.data))) === true) return true;
        if (head === undefined) await this.#jobs.end(tx, [claim]);
        else await this.finish(tx, [claim]);
        return false;
      });
    } catch (error) {
      // Nobody says that it lives: it is taken once more.
      this.#report(error as Error);
      return false;
    }
  }

  async #announce(tx: Db, queue: string): Promise<void> {
    const announced = this.#announced.get(tx) ?? new Set();
    if (!this.#announces || announced.has(queue)) return;
    this.#announced.set(tx, announced.add(queue));
    await sql`select pg_notify(${CHANNEL}, ${queue})`.execute(tx);
  }
}

function claimOf(queue: string, { id, data: { data, key, released }, retryCount }: Job<Carried>): Claim {
  return { id, queue, key, data: JSON.parse(data), attempt: retryCount + 1 - released, mark: retryCount };
}

function isKeyed<T extends Claim>(claim: T): claim is T & Keyed {
  return claim.key !== undefined;
}
