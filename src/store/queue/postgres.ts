import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { PoolStatus } from '../../model/metrics.ts';
import type { PostgresAccess, Store } from '../port.ts';
import { isLost, lostConnection } from '../postgres/error.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts } from './attempts.ts';
import { type Boss, type Given, HEARTBEAT, openBoss } from './boss.ts';
import type { Claim, Leaving, Listener, QueueEngine } from './engine.ts';
import {
  change,
  changeHeld,
  type EnteredJob,
  endFirst,
  endFree,
  enter,
  enterBehind,
  fallIn,
  heldBy,
  type KeyedJob,
  lockLine,
  moveOn,
  NOW,
  selectJob,
  stepOut,
  take,
} from './postgres-jobs.ts';
import { announceKinds, isKnownElsewhere, keepStatistics, restoreJobs } from './postgres-upkeep.ts';
import { hasWaiting, measureJobs, notBegun, PLACE } from './rows.ts';

/** Milliseconds between two looks at a queue, where new jobs are announced and where they are not. */
const POLL_ANNOUNCED = 1000;
const POLL = 500;

/** A claim of a job with a key. */
type KeyedClaim = Claim & { readonly key: string };

/**
 * The queue on PostgreSQL and its relatives. All that is known of a job is in `signalbox_job`; pg-boss has only the ids of
 * those that may run, without a key or first of their key, and hands each to one gateway. Both change in one transaction.
 * Locks are taken in the order key, job, pg-boss; a claim takes the last two the other way round, and does not wait for them.
 * @throws errors of the database when it can't be reached
 */
export async function postgresEngine(
  store: Store,
  access: PostgresAccess,
  report: (error: Error) => void,
): Promise<QueueEngine> {
  // The errors of pg-boss about a connection name no database.
  const located = (error: Error): void => report(isLost(error) ? lostConnection(store.location, error) : error);
  const announces = access.engine !== 'cockroachdb' && access.engine !== 'yugabytedb';
  return new PostgresEngine(store, await openBoss(access, located), announces, report);
}

class PostgresEngine implements QueueEngine {
  readonly poll: number;
  readonly lease = (HEARTBEAT - 2) * 1000;
  readonly #store: Store;
  readonly #boss: Boss;
  readonly #report: (error: Error) => void;
  readonly #announces: boolean;
  /** The queues that each transaction has announced. */
  readonly #announced = new WeakMap<Db, Set<string>>();
  readonly #ends: (() => Promise<void>)[] = [];
  /** Distinguishes this gateway from all others, also from itself before it was started again. */
  readonly #id = randomUUID();
  #listener: Listener | undefined;

  constructor(store: Store, boss: Boss, announces: boolean, report: (error: Error) => void) {
    this.#store = store;
    this.#boss = boss;
    this.#announces = announces;
    this.#report = report;
    this.poll = announces ? POLL_ANNOUNCED : POLL;
  }

  async insert(tx: Db, job: EnteredJob): Promise<boolean> {
    const { queue, id, key, kind, after } = job;
    const given: Given = { id, ...(kind !== undefined && { kind }) };
    if (key !== undefined && after === undefined) {
      const place = await enterBehind(tx, job as KeyedJob);
      if (place === PLACE.free) await this.#giveNow(tx, queue, given);
      return place !== undefined;
    }
    if (!(await enter(tx, job))) return false;
    if (after === undefined) await this.#giveNow(tx, queue, given);
    else await this.#boss.give(tx, queue, [{ ...given, after }]);
    return true;
  }

  async remove(tx: Db, queue: string, id: string, options: { readonly unlessRunning?: true } = {}): Promise<boolean> {
    const seen = await selectJob(tx, queue, id).executeTakeFirst();
    if (seen === undefined) return false;
    if (seen.key !== null) await lockLine(tx, { queue, key: seen.key });
    const job = await selectJob(tx, queue, id).forUpdate().executeTakeFirst();
    if (job === undefined) return false;
    // It fell in with the others of its key before that was locked.
    if (job.place !== seen.place && seen.place === PLACE.coming) return this.remove(tx, queue, id, options);
    const { key, place, mark, cancelled } = job;
    if (options.unlessRunning && mark !== null) return false;
    if (key !== null && mark !== null) {
      if (cancelled === 1) return false;
      await change(tx, queue, [id]).set({ cancelled: 1 }).execute();
      return true;
    }
    await tx.deleteFrom('signalbox_job').where('queue', '=', queue).where('id', '=', id).execute();
    await forgetAttempts(tx, [{ queue, id }]);
    if (place !== PLACE.behind) await this.#boss.takeBack(tx, queue, [id]);
    if (key !== null && place === PLACE.free && (await this.#giveNext(tx, { queue, key })))
      await this.#announce(tx, queue);
    return true;
  }

  async hasten(tx: Db, queue: string, id: string): Promise<boolean> {
    const { numUpdatedRows } = await change(tx, queue, [id])
      .set({ due: NOW })
      .where('mark', 'is', null)
      .where('due', '>', NOW)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await this.#boss.hasten(tx, queue, id);
    await this.#announce(tx, queue);
    return true;
  }

  async claim(queue: string, limit: number, but: readonly string[], gateway: string): Promise<readonly Claim[]> {
    const by = { mark: randomInt(2 ** 47), gateway };
    const { ids, taken } = await this.#store.transaction(async (tx) => {
      const fetched = await this.#boss.fetch(tx, queue, limit, but);
      return { ids: fetched, taken: fetched.length === 0 ? new Map() : await take(tx, queue, fetched, by) };
    });
    const claims: Claim[] = [];
    for (const id of ids) {
      const claim = taken.get(id) ?? (await this.#settle(queue, id, by));
      if (claim !== undefined) claims.push(claim);
    }
    if (claims.length < ids.length) this.#listener?.wake(queue);
    return claims;
  }

  async finish(tx: Db, claims: readonly Claim[]): Promise<number> {
    let ended = 0;
    const free = claims.filter((claim) => !isKeyed(claim));
    for (const [queue, those] of Map.groupBy(free, (claim) => claim.queue)) {
      const ids = await endFree(tx, queue, those);
      ended += ids.length;
      if (ids.length > 0) await this.#boss.takeBack(tx, queue, ids);
    }
    for (const claim of claims) if (isKeyed(claim) && (await this.#end(tx, claim, heldBy(claim))) === false) ended++;
    return ended;
  }

  async postpone(tx: Db, claim: Claim, pause: number): Promise<boolean> {
    const held = await changeHeld(tx, claim, {
      due: dueAfter(pause),
      failed: claim.attempt,
      ...{ unknown: null, unknown_by: null },
      recorded: 1,
    });
    if (held) await this.#boss.again(tx, claim.queue, claim.id, pause / 1000);
    return held;
  }

  async release(tx: Db, claim: Claim): Promise<boolean> {
    const held = await changeHeld(tx, claim, notBegun(claim));
    if (held) await this.#boss.again(tx, claim.queue, claim.id);
    return held;
  }

  async leave(tx: Db, claim: Claim, { pause, aside }: Leaving = {}): Promise<boolean> {
    const { queue, id } = claim;
    const change = {
      ...notBegun(claim),
      ...(pause === undefined ? {} : { due: dueAfter(pause) }),
      ...(aside ? { place: PLACE.coming } : {}),
      unknown: sql<number>`coalesce(unknown, ${NOW})`,
      unknown_by: sql<string>`case when strpos(coalesce(unknown_by, ''), ${this.#id}) > 0 then unknown_by
        else concat_ws(' ', unknown_by, ${this.#id}::text) end`,
    };
    if (aside && isKeyed(claim)) await lockLine(tx, claim);
    if (!(await changeHeld(tx, claim, change))) return false;
    await this.#boss.again(tx, queue, id, pause === undefined ? undefined : pause / 1000);
    if (aside && isKeyed(claim)) {
      const others = pause === undefined ? await stepOut(tx, claim) : [];
      if (others.length > 0) await this.#boss.give(tx, queue, others);
      await this.#giveNext(tx, claim);
    }
    if (aside || pause === undefined) await this.#announce(tx, queue);
    return true;
  }

  async announce(kinds: readonly string[], within: number): Promise<void> {
    this.#ends.push(await announceKinds(this.#store, { gateway: this.#id, kinds, within }, this.#report));
  }

  isKnown(claim: Claim, within: number): Promise<boolean> {
    return isKnownElsewhere(this.#store, claim, { gateway: this.#id, within });
  }

  async clear(tx: Db, claim: Claim): Promise<void> {
    if (isKeyed(claim)) await this.#end(tx, claim, sql`${heldBy(claim)} and cancelled = 1`);
  }

  async held(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, 'held' | 'cancelled'>> {
    const db = await this.#store.tables();
    const held = new Map<Claim, 'held' | 'cancelled'>();
    for (const [queue, those] of Map.groupBy(claims, (claim) => claim.queue)) {
      const ids = those.map(({ id }) => id);
      const rows = await db
        .selectFrom('signalbox_job')
        .select(['id', 'mark', 'cancelled'])
        .where('queue', '=', queue)
        .where('id', 'in', ids)
        .execute();
      const found = new Map(rows.map((row) => [row.id, row]));
      for (const claim of those) {
        const row = found.get(claim.id);
        if (row?.mark === claim.mark) held.set(claim, row.cancelled === 1 ? 'cancelled' : 'held');
      }
      const ours = those.filter((claim) => held.has(claim)).map(({ id }) => id);
      if (ours.length > 0) await this.#boss.touch(queue, ours);
    }
    return held;
  }

  async begin(names: readonly string[], listener: Listener): Promise<void> {
    this.#listener = listener;
    await Promise.all(names.map((queue) => this.#boss.ensure(queue)));
    this.#ends.push(restoreJobs(this.#store, this.#boss, this.#report));
    // The relatives that are not PostgreSQL itself have neither these statistics nor notifications.
    if (!this.#announces) return;
    this.#ends.push(keepStatistics(this.#store, this.#boss, this.#report));
    // What was announced while no one listened is found by a look.
    this.#ends.push(
      await this.#boss.listen(this.#boss.schema, {
        heard: (queue) => listener.wake(queue),
        missed: () => listener.wake(),
        lost: (error) => this.#report(lostConnection(this.#store.location, error)),
      }),
    );
  }

  async depths() {
    return measureJobs(await this.#store.tables(), NOW);
  }

  pool(): PoolStatus | undefined {
    return this.#boss.pool();
  }

  async isFull(queue: string, most: number, tx?: Db): Promise<boolean> {
    return hasWaiting(tx ?? (await this.#store.tables()), queue, most, NOW);
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    await this.#boss.close();
  }

  /** Ends the first job of a key. @returns whether it was cancelled; `undefined` when the condition does not hold of it */
  async #end(
    tx: Db,
    job: Pick<KeyedClaim, 'queue' | 'key' | 'id'>,
    holds: Parameters<typeof endFirst>[2],
  ): Promise<boolean | undefined> {
    const ended = await endFirst(tx, job, holds);
    if (ended === undefined) return undefined;
    await this.#boss.takeBack(tx, job.queue, [job.id]);
    // The gateway looks for it when the job has ended.
    await this.#giveNext(tx, job);
    return ended.cancelled === 1;
  }

  /** Gives pg-boss the next job of a locked key. @returns whether there was one */
  async #giveNext(tx: Db, line: Pick<KeyedClaim, 'queue' | 'key'>): Promise<boolean> {
    const next = await moveOn(tx, line);
    if (next !== undefined) await this.#boss.give(tx, line.queue, [next]);
    return next !== undefined;
  }

  /** Gives pg-boss a job that may run now. */
  async #giveNow(tx: Db, queue: string, job: Given): Promise<void> {
    await this.#boss.give(tx, queue, [job]);
    await this.#announce(tx, queue);
  }

  /** Wakes the workers of a queue in all gateways once the transaction commits. */
  async #announce(tx: Db, queue: string): Promise<void> {
    const announced = this.#announced.get(tx) ?? new Set();
    if (!this.#announces || announced.has(queue)) return;
    this.#announced.set(tx, announced.add(queue));
    await sql`select pg_notify(${this.#boss.schema}, ${queue})`.execute(tx);
  }

  /** Deals with a job from pg-boss that may not just run. @returns the claim when it may run after all */
  async #settle(queue: string, id: string, by: Parameters<typeof take>[3]): Promise<Claim | undefined> {
    try {
      return await this.#store.transaction(async (tx) => {
        const job = await selectJob(tx, queue, id).executeTakeFirst();
        const key = job?.key ?? undefined;
        // Its gateway died before it had stopped.
        if (job?.cancelled === 1 && key !== undefined) {
          await this.#end(tx, { queue, key, id }, sql`cancelled = 1`);
          await forgetAttempts(tx, [{ queue, id }]);
          return undefined;
        }
        const place =
          job?.place === PLACE.coming && key !== undefined ? await fallIn(tx, { queue, key, id }) : job?.place;
        if (place === PLACE.free) {
          // Another transaction had it locked, and may have ended it.
          await selectJob(tx, queue, id).forUpdate().execute();
          return (await take(tx, queue, [id], by)).get(id);
        }
        // It was taken out, or waits behind another.
        await this.#boss.takeBack(tx, queue, [id]);
        return undefined;
      });
    } catch (error) {
      // Without a sign of life of this gateway, pg-boss hands it on.
      this.#report(error as Error);
      return undefined;
    }
  }
}

/** A time in the column `due`, so many milliseconds from now. */
function dueAfter(pause: number) {
  return sql<number>`${NOW} + ${Math.ceil(pause)}`;
}

function isKeyed(claim: Claim): claim is KeyedClaim {
  return claim.key !== undefined;
}
