import { randomInt, randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { PoolStatus } from '../../model/metrics.ts';
import { lostConnection } from '../postgres/error.ts';
import { applicationName, openPool, type TablePool } from '../postgres/pool.ts';
import type { PostgresAccess, Store } from '../store-port.ts';
import type { Db, Tables } from '../tables.ts';
import { afterCommit } from '../transaction.ts';
import { forgetAttempts } from './attempts.ts';
import type { Claim, EnteredJob, Finished, Leaving, Listener, QueueEngine, Succession } from './engine.ts';
import { Listening } from './listening.ts';
import {
  change,
  changeHeld,
  dueToCome,
  endFree,
  endKeyed,
  enter,
  fallIn,
  firstWaiting,
  LEASE,
  lockLines,
  moveOn,
  NOW,
  selectJob,
  stepOut,
  take,
  touch,
} from './postgres-jobs.ts';
import { announceKinds, isKnownElsewhere, keepStatistics, returnLostJobs } from './postgres-upkeep.ts';
import type { JobOrKey } from './queue-port.ts';
import { HELD, hasWaiting, measureJobs, notBegun, PLACE, replacing, unattempted } from './rows.ts';

/** Milliseconds between two looks at a queue, where new jobs are announced and where they are not. */
const POLL_ANNOUNCED = 1000;
const POLL = 500;

/** Milliseconds between two looks for jobs that join their key when they are due. */
const COMING = 200;

/** Milliseconds between two notifications of this gateway. */
const NOTIFY = 10;

/** Milliseconds by which a gateway gives up a job before others may take it. */
const MARGIN = 2000;

/**
 * The queue on PostgreSQL and its relatives: a table, from which gateways take jobs with `for update skip locked`. A job that is
 * taken is at the place of one behind another, with a mark: so a gateway of the version before, to which pg-boss hands jobs,
 * does not take it, and one that runs there keeps the place of the first. Locks are taken in the order key, job; a claim takes
 * the second alone, and waits for none.
 * @throws errors of the database when it can't be reached
 */
export async function postgresEngine(
  store: Store,
  access: PostgresAccess,
  report: (error: Error) => void,
): Promise<QueueEngine> {
  const schema = await access.queue();
  return new PostgresEngine(store, access, schema, report);
}

class PostgresEngine implements QueueEngine {
  readonly poll: number;
  readonly lease = LEASE - MARGIN;
  readonly #store: Store;
  readonly #access: PostgresAccess;
  /** The schema of pg-boss in the version before, and the name of the channel that announces jobs. */
  readonly #schema: string;
  readonly #report: (error: Error) => void;
  readonly #announces: boolean;
  /** Connections that requests do not wait for, nor keep from signs of life. */
  readonly #pool: TablePool;
  readonly #db: Db;
  readonly #ends: (() => Promise<void>)[] = [];
  /** Distinguishes this gateway from all others, also from itself before it was started again. */
  readonly #id = randomUUID();
  /** When each queue was last searched for jobs that join their key, by the monotonic clock. */
  readonly #searched = new Map<string, number>();
  #unsaid = new Set<string>();
  #saying: Promise<void> | undefined;

  constructor(store: Store, access: PostgresAccess, schema: string, report: (error: Error) => void) {
    this.#store = store;
    this.#access = access;
    this.#schema = schema;
    this.#report = report;
    this.#announces = access.engine !== 'cockroachdb' && access.engine !== 'yugabytedb';
    this.poll = this.#announces ? POLL_ANNOUNCED : POLL;
    const config = { ...access.config, application_name: applicationName('queue') };
    this.#pool = openPool(config, access.connections.queue, report);
    this.#db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: this.#pool }) });
  }

  async insert(tx: Db, jobs: readonly EnteredJob[]): Promise<readonly string[]> {
    const entered = await enter(tx, jobs);
    const isFirst = new Set(entered.filter(({ place }) => place === PLACE.free).map(({ id }) => id));
    const ready = jobs.filter(({ id, after }) => after === undefined && isFirst.has(id));
    this.#announce(
      tx,
      ready.map(({ queue }) => queue),
    );
    return entered.map(({ id }) => id);
  }

  async remove(tx: Db, queue: string, id: string, options: { readonly unlessRunning?: true } = {}): Promise<boolean> {
    const seen = await selectJob(tx, queue, id).executeTakeFirst();
    if (seen === undefined) return false;
    if (seen.key !== null) await lockLines(tx, queue, [seen.key]);
    const job = await selectJob(tx, queue, id).forUpdate().executeTakeFirst();
    if (job === undefined) return false;
    const { key, place, mark, cancelled } = job;
    if (options.unlessRunning && mark !== null) return false;
    if (key !== null && mark !== null) {
      if (cancelled === 1) return false;
      await change(tx, queue, [id]).set({ cancelled: 1 }).execute();
      return true;
    }
    await tx.deleteFrom('signalbox_job').where('queue', '=', queue).where('id', '=', id).execute();
    await forgetAttempts(tx, [{ queue, id }]);
    if (key !== null && place === PLACE.free) await this.#giveNext(tx, queue, key);
    return true;
  }

  async replace(tx: Db, id: string, job: EnteredJob): Promise<boolean> {
    const { queue, key } = job;
    if (key !== undefined) await lockLines(tx, queue, [key]);
    const { numUpdatedRows } = await change(tx, queue, [id])
      .set({ ...replacing(job), unknown_by: null, due: NOW, entered: NOW })
      .where('mark', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    this.#announce(tx, [queue]);
    return true;
  }

  async hasten(tx: Db, queue: string, id: string): Promise<boolean> {
    const { numUpdatedRows } = await change(tx, queue, [id])
      .set({ due: NOW })
      .where('mark', 'is', null)
      .where('due', '>', NOW)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    this.#announce(tx, [queue]);
    return true;
  }

  async claim(queue: string, limit: number, but: readonly string[], gateway: string): Promise<readonly Claim[]> {
    const begun = performance.now();
    if (begun - (this.#searched.get(queue) ?? Number.NEGATIVE_INFINITY) >= COMING) {
      this.#searched.set(queue, begun);
      for (const job of await dueToCome(this.#db, queue, but))
        await this.#store.transaction((tx) => fallIn(tx, { queue, ...job }));
    }
    return take(this.#db, queue, limit, { mark: newMark(), but, gateway });
  }

  async finish(tx: Db, claims: readonly Claim[], onward?: Succession): Promise<Finished> {
    const next: Claim[] = [];
    let ended = 0;
    for (const [queue, those] of Map.groupBy(claims, (claim) => claim.queue)) {
      const free = those.filter(({ key }) => key === undefined);
      if (free.length > 0) ended += await endFree(tx, queue, free);
      const keyed = those.filter((claim) => claim.key !== undefined);
      const keys = keyed.flatMap((claim) => (onward?.follows(claim) ? [claim.key as string] : []));
      const taking = onward && { mark: newMark(), but: onward.but, gateway: onward.gateway, keys };
      const done = await endKeyed(tx, queue, keyed, sql`true`, taking);
      ended += done.ended.filter(({ cancelled }) => cancelled === 0).length;
      next.push(...done.taken);
    }
    return { ended, next };
  }

  postpone(tx: Db, claim: Claim, pause: number): Promise<boolean> {
    const none = { unknown: null, unknown_by: null };
    return changeHeld(tx, claim, { due: dueAfter(pause), failed: claim.attempt, ...none, recorded: 1 });
  }

  park(tx: Db, claim: Claim, pause: number): Promise<boolean> {
    return changeHeld(tx, claim, { ...unattempted, unknown_by: null, due: dueAfter(pause) });
  }

  keep(tx: Db, claim: Claim, attempt: number): Promise<boolean> {
    const none = { unknown: null, unknown_by: null };
    return changeHeld(tx, claim, { due: HELD, attempt, failed: attempt, ...none, recorded: 1 });
  }

  async hold(tx: Db, queue: string, which: JobOrKey): Promise<number> {
    const id = 'id' in which ? which.id : await firstWaiting(tx, { queue, ...which });
    if (id === undefined) return 0;
    const { numUpdatedRows } = await change(tx, queue, [id])
      .set({ due: HELD })
      .where('mark', 'is', null)
      .where('due', '<>', HELD)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  async unhold(tx: Db, queue: string, which: JobOrKey): Promise<number> {
    const { numUpdatedRows } = await tx
      .updateTable('signalbox_job')
      .set({ ...unattempted, unknown_by: null, due: NOW })
      .where('queue', '=', queue)
      .where('id' in which ? sql<boolean>`id = ${which.id}::uuid` : sql<boolean>`key = ${which.key}`)
      .where('due', '=', HELD)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) this.#announce(tx, [queue]);
    return Number(numUpdatedRows);
  }

  release(tx: Db, claim: Claim): Promise<boolean> {
    return changeHeld(tx, claim, notBegun(claim));
  }

  async leave(tx: Db, claim: Claim, { pause, aside }: Leaving = {}): Promise<boolean> {
    const { queue, key } = claim;
    const isAside = aside === true && key !== undefined;
    const change = {
      ...notBegun(claim),
      ...(pause === undefined ? {} : { due: dueAfter(pause) }),
      ...(isAside ? { place: PLACE.coming } : {}),
      unknown: sql<number>`coalesce(unknown, ${NOW})`,
      unknown_by: sql<string>`case when strpos(coalesce(unknown_by, ''), ${this.#id}) > 0 then unknown_by
        else concat_ws(' ', unknown_by, ${this.#id}::text) end`,
    };
    if (isAside) await lockLines(tx, queue, [key]);
    if (!(await changeHeld(tx, claim, change))) return false;
    if (isAside) {
      if (pause === undefined) await stepOut(tx, { queue, key, kind: claim.kind });
      await this.#giveNext(tx, queue, key);
    }
    if (aside || pause === undefined) this.#announce(tx, [queue]);
    return true;
  }

  async announce(kinds: readonly string[], within: number): Promise<void> {
    this.#ends.push(await announceKinds(this.#store, { gateway: this.#id, kinds, within }, this.#report));
  }

  isKnown(claim: Claim, within: number): Promise<boolean> {
    return isKnownElsewhere(this.#store, claim, { gateway: this.#id, within });
  }

  async clear(tx: Db, claim: Claim): Promise<void> {
    await endKeyed(tx, claim.queue, [claim], sql`cancelled = 1`);
  }

  async held(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, 'held' | 'cancelled'>> {
    const held = new Map<Claim, 'held' | 'cancelled'>();
    for (const [queue, those] of Map.groupBy(claims, (claim) => claim.queue)) {
      const ids = those.map(({ id }) => id);
      const rows = await this.#db
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
      await touch(
        this.#db,
        queue,
        those.filter((claim) => held.has(claim)),
      );
    }
    return held;
  }

  async begin(_: readonly string[], listener: Listener): Promise<void> {
    const lost = { store: this.#store, db: this.#db, schema: this.#schema };
    this.#ends.push(returnLostJobs(lost, () => listener.wake(), this.#report));
    // The relatives that are not PostgreSQL itself have neither these statistics nor notifications.
    if (!this.#announces) return;
    this.#ends.push(keepStatistics(this.#db, this.#report));
    // What was announced while no one listened is found by a look.
    const listening = new Listening(this.#access.config, this.#schema, {
      heard: (queue) => listener.wake(queue),
      missed: () => listener.wake(),
      lost: (error) => this.#report(lostConnection(this.#store.location, error)),
    });
    await listening.begin();
    this.#ends.push(() => listening.end());
  }

  async depths() {
    return measureJobs(await this.#store.tables(), NOW);
  }

  pool(): PoolStatus | undefined {
    return this.#pool.status();
  }

  async isFull(queue: string, most: number, tx?: Db): Promise<boolean> {
    return hasWaiting(tx ?? (await this.#store.tables()), queue, most, NOW);
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    await this.#saying;
    await this.#pool.end();
  }

  /** Makes the next job of a locked key its first. */
  async #giveNext(tx: Db, queue: string, key: string): Promise<void> {
    const { isReady } = await moveOn(tx, queue, [key]);
    if (isReady) this.#announce(tx, [queue]);
  }

  /**
   * Wakes the workers of queues in all gateways once the transaction commits. The notification is a statement of its own, and
   * one for all that commit within {@link NOTIFY}: PostgreSQL lets only one transaction with a notification commit at a time.
   * If it is lost, the next look finds the jobs.
   */
  #announce(tx: Db, queues: Iterable<string>): void {
    const all = new Set(queues);
    if (!this.#announces || all.size === 0) return;
    afterCommit(tx, () => {
      for (const queue of all) this.#unsaid.add(queue);
      this.#saying ??= this.#say();
    });
  }

  async #say(): Promise<void> {
    while (this.#unsaid.size > 0) {
      const queues = [...this.#unsaid];
      this.#unsaid = new Set();
      const said = sql`select pg_notify(${this.#schema}, queue) from unnest(${queues}::text[]) as queue`.execute(
        this.#db,
      );
      await Promise.all([said.catch(this.#report), new Promise((resolve) => setTimeout(resolve, NOTIFY))]);
    }
    this.#saying = undefined;
  }
}

/** Distinguishes the attempts of one claim from all others. */
function newMark(): number {
  return randomInt(2 ** 47);
}

/** A time in the column `due`, so many milliseconds from now. */
function dueAfter(pause: number) {
  return sql<number>`${NOW} + ${Math.ceil(pause)}`;
}
