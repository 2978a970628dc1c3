import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '../../model/fault.ts';
import { errorCode, errorText } from '../../store/error.ts';
import { isLost } from '../../store/postgres/error.ts';
import { duration } from '../../wire/duration.ts';
import { withinTime } from '../../wire/waiting.ts';
import type { Runner, Task } from '../runner.ts';
import { Session, type SessionOptions } from './session.ts';

/** Milliseconds between two measurements, and for a server to answer one. */
const EVERY = 1000;
const ANSWERS_WITHIN = 2000;
/** Milliseconds between two looks at a replica that may be about to catch up, and for all of them. */
const LOOKS_EVERY = 50;
const CATCHES_UP_WITHIN = 1000;
/** Milliseconds between two reports that a replica is left out. */
const REPORTS_EVERY = 60_000;

/** Which database system it is, and the end of what was written (PostgreSQL's manual, tables 9.85 and 9.91). */
const WRITTEN = `select system_identifier::text, (pg_current_wal_lsn() - '0/0'::pg_lsn)::text from pg_control_system()`;
/** Which system it replicates, whether it does so still, and the end of what was replayed (table 9.92). */
const REPLAYED = `select system_identifier::text, pg_is_in_recovery(), (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text
  from pg_control_system()`;

/**
 * Errors of a replica that the primary need not have: a conflict with what is replayed (40001), too few resources there, what it
 * has not replayed yet (tables, columns, functions: 42, 3F), what can't be done during recovery (55000), a damaged copy (XX).
 */
const OF_REPLICA = /^(?:40|42|3F|53(?!400)|55|XX)/;

/** Whether a query that failed on a replica may succeed on the primary. */
export function isOfReplica(error: unknown): boolean {
  return isLost(error) || OF_REPLICA.test(errorCode(error));
}

/** The fault of a query that is to be repeated on the primary, by its cause. */
function isRepeatable(error: unknown): boolean {
  return error instanceof Fault && error.code === 'UNAVAILABLE' && isOfReplica(error.cause);
}

/** A server, and the runner of queries on it. */
export interface OpenedServer {
  readonly session: SessionOptions;
  readonly runner: Runner;
}

/** Errors {@link isOfReplica} are the causes of the faults of its runner. */
interface ReplicaOptions extends OpenedServer {
  /** `host:port/database`. */
  readonly location: string;
}

interface ReplicatedOptions {
  /** How old the data may be that a query reads, in milliseconds. */
  readonly lag: number;
  readonly primary: OpenedServer;
  readonly replicas: readonly ReplicaOptions[];
  /** Called with a sentence when a replica is left out, and when it is used again. */
  readonly report: (sentence: string) => void;
}

/**
 * Runs queries in turn on the replicas of a database whose data is recent enough, and on the primary otherwise. A query that
 * fails for a reason of the replica is repeated on the primary: nothing of its result was sent by then, because results are
 * complete before they are returned.
 *
 * How recent a replica's data is, is measured without clocks of servers, and needs no privileges. Each second, while queries
 * run, the primary is asked how far it has written. A replica that has replayed all that was written when the primary was asked
 * has the data of that time, or later. So an idle primary makes no replica look old, one that has lost its primary grows old,
 * and so do all when the primary does not answer.
 */
export class ReplicatedRunner implements Runner {
  readonly #primary: Runner;
  readonly #asked: Asked;
  readonly #written: Written;
  #system: unknown;
  readonly #replicas: readonly Replica[];
  #turn = 0;
  #measured = Number.NEGATIVE_INFINITY;
  #next: NodeJS.Timeout | undefined;

  constructor({ lag, primary, replicas, report }: ReplicatedOptions) {
    this.#primary = primary.runner;
    this.#asked = new Asked(primary.session);
    this.#written = new Written(lag);
    this.#replicas = replicas.map((each) => new Replica(each, lag, report));
  }

  /** Those of the replicas, in the order of their declaration. */
  get replicas(): readonly Runner[] {
    return this.#replicas.map(({ runner }) => runner);
  }

  async run(task: Task): ReturnType<Runner['run']> {
    const since = performance.now();
    const replica = await this.#choose(task);
    if (replica === undefined) return this.#primary.run({ ...task, since });
    const leave = new AbortController();
    const { signal } = task;
    try {
      return await replica.use(leave, () =>
        replica.runner.run({
          ...task,
          since,
          signal: signal === undefined ? leave.signal : AbortSignal.any([signal, leave.signal]),
        }),
      );
    } catch (error) {
      const isLeft = leave.signal.aborted && signal?.aborted !== true;
      if (!isLeft && !isRepeatable(error)) throw error;
      if (error instanceof Fault && isLost(error.cause)) replica.lose(error.cause);
      return this.#primary.run({ ...task, since });
    }
  }

  ready(): Promise<void> {
    return this.#primary.ready();
  }

  status(): ReturnType<Runner['status']> {
    return this.#primary.status();
  }

  get limit(): number {
    return this.#primary.limit;
  }

  async close(): Promise<void> {
    clearTimeout(this.#next);
    await Promise.all([this.#primary, ...this.replicas].map((runner) => runner.close()));
    await Promise.all([this.#asked, ...this.#replicas].map((each) => each.close()));
  }

  /** The next replica that may be read from; `undefined` if none may. */
  async #choose({ timeout, signal }: Task): Promise<Replica | undefined> {
    if (performance.now() - this.#measured >= EVERY) this.#measure();
    const known = this.#nextInTurn();
    if (known !== undefined || signal?.aborted === true) return known;
    // After a pause, or at first, it is worth a moment to find out: otherwise rare queries would never run on a replica.
    const open = this.#replicas.filter(({ isOut }) => !isOut).map(({ measured }) => measured);
    if (open.length === 0) return undefined;
    const found = Promise.any(open).catch(() => {});
    await withinTime(found, Math.min(ANSWERS_WITHIN, timeout / 2), () => new Error('late')).catch(() => {});
    return this.#nextInTurn();
  }

  #nextInTurn(): Replica | undefined {
    const all = this.#replicas;
    for (let step = 1; step <= all.length; step += 1) {
      const at = (this.#turn + step) % all.length;
      if (all[at]?.isRecent !== true) continue;
      this.#turn = at;
      return all[at];
    }
    return undefined;
  }

  /** Asks the primary and all replicas, in the background. */
  #measure(): void {
    this.#measured = performance.now();
    const primary = this.#askPrimary();
    for (const replica of this.#replicas) replica.measure(primary, () => this.#askPrimary());
    clearTimeout(this.#next);
    // As long as queries run, so that they do not wait for a replica that has stopped to answer.
    this.#next = setTimeout(() => {
      if (this.#replicas.some(({ isBusy }) => isBusy)) this.#measure();
    }, EVERY);
    this.#next.unref();
  }

  async #askPrimary(): Promise<Primary> {
    const written = this.#written;
    const at = performance.now();
    try {
      const [system, end] = await this.#asked.ask(WRITTEN);
      this.#system = system;
      written.note(at, BigInt(end as string));
      return { written, system };
    } catch (error) {
      return { written, system: this.#system, failure: errorText(error) || errorCode(error) };
    }
  }
}

/** What is known of the primary. */
interface Primary {
  readonly written: Written;
  /** The identifier that it shares with its replicas. */
  readonly system: unknown;
  /** Why it was not answered now. */
  readonly failure?: string;
}

/** How far the primary had written, at which times: newest last. */
class Written {
  readonly #lag: number;
  #known: { at: number; readonly end: bigint }[] = [];

  /** @param lag how far back it matters, in milliseconds */
  constructor(lag: number) {
    this.#lag = lag;
  }

  /** @param at when the primary was asked, as `performance.now()` */
  note(at: number, end: bigint): void {
    // After a fail-over, what was not replicated is no longer part of the history.
    this.#known = this.#known.filter((each) => each.end <= end && at - each.at <= this.#lag);
    const [before, last] = this.#known.slice(-2);
    if (last?.end === end) last.at = at;
    else {
      // Some hundred entries are precise enough for a lag of a day.
      if (before !== undefined && last !== undefined && last.at - before.at < this.#lag / 500) this.#known.pop();
      this.#known.push({ at, end });
    }
  }

  /** The end of it when the primary was asked last. */
  get end(): bigint | undefined {
    return this.#known.at(-1)?.end;
  }

  /** The last time whose data is part of what was replayed up to a place; `undefined` if that is longer ago than matters. */
  reachedBy(place: bigint): number | undefined {
    return this.#known.findLast(({ end }) => end <= place)?.at;
  }
}

/** A server that is asked now and then, on a connection of its own. */
class Asked {
  readonly #options: SessionOptions;
  #session: Promise<Session> | undefined;
  #closed = false;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** The first row. @throws errors of the database and of the connection; Error if there is no answer in time */
  async ask(sql: string): Promise<readonly unknown[]> {
    const before = await this.#session?.catch(() => undefined);
    if (this.#closed) throw new Error('it is not asked any more');
    if (before?.lost !== false) this.#session = undefined;
    this.#session ??= Session.open(this.#options);
    const opening = this.#session;
    const answer = opening.then((session) => session.ask(sql));
    try {
      return (await withinTime(answer, ANSWERS_WITHIN, () => new Error('it does not answer')))[0] ?? [];
    } catch (error) {
      this.#session = undefined;
      opening.then(
        (session) => session.destroy(),
        () => {},
      );
      throw error;
    }
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Ends the connection; a measurement that goes on must not open another. */
  async close(): Promise<void> {
    this.#closed = true;
    const session = await this.#session?.catch(() => undefined);
    await session?.close();
  }
}

/** A replica, and what was measured of it. */
class Replica {
  readonly runner: Runner;
  readonly #location: string;
  readonly #lag: number;
  readonly #asked: Asked;
  readonly #report: (sentence: string) => void;
  /** Queries that run on it. */
  readonly #running = new Set<AbortController>();
  /** Its data is of this time or later, as `performance.now()`. */
  #dataOf = Number.NEGATIVE_INFINITY;
  #replayed: bigint | undefined;
  /** Why it is left out; `undefined` while it is not. */
  #out: string | undefined;
  #reported: 'out' | 'used' = 'used';
  #reportedAt = Number.NEGATIVE_INFINITY;
  #measuring: Promise<void> | undefined;

  constructor({ location, session, runner }: ReplicaOptions, lag: number, report: (sentence: string) => void) {
    this.runner = runner;
    this.#location = location;
    this.#lag = lag;
    this.#asked = new Asked(session);
    this.#report = report;
  }

  /** Whether a query may read from it now. */
  get isRecent(): boolean {
    return !this.isOut && !this.#isOld;
  }

  /** Whether queries run on it. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  get isOut(): boolean {
    return this.#out !== undefined;
  }

  /** Resolves when it was measured and may be read from; rejects when it may not. */
  get measured(): Promise<void> {
    return Promise.resolve(this.#measuring).then(() => {
      if (!this.isRecent) throw new Error('not recent');
    });
  }

  /** @param leave is aborted when the replica no longer answers */
  async use<T>(leave: AbortController, work: () => Promise<T>): Promise<T> {
    this.#running.add(leave);
    try {
      return await work();
    } finally {
      this.#running.delete(leave);
    }
  }

  /** A connection to it was lost or can't be made: it is left out until it is measured again, which may be soon. */
  lose(error: unknown): void {
    this.#out ??= errorText(error);
  }

  /** @param primary what was asked at the beginning of this round @param again asks it once more */
  measure(primary: Promise<Primary>, again: () => Promise<Primary>): void {
    this.#measuring ??= this.#measure(primary, again).finally(() => {
      this.#measuring = undefined;
    });
  }

  async #measure(asked: Promise<Primary>, again: () => Promise<Primary>): Promise<void> {
    let primary = await asked;
    try {
      if (this.#replayed === undefined) {
        await this.#look(primary);
        primary = await again();
      }
      // What it had replayed before the primary was asked, the primary must have written.
      const strays = primary.failure === undefined && (this.#replayed ?? 0n) > (primary.written.end ?? 0n);
      if (strays) throw new Error('it has replayed what the primary has not written');
      const until = performance.now() + CATCHES_UP_WITHIN;
      await this.#look(primary);
      while (this.#isOld && !this.isOut && performance.now() < until) {
        await pause(LOOKS_EVERY);
        await this.#look(primary);
      }
      this.#judge(this.#isOld ? this.#whyOld(primary) : undefined);
    } catch (error) {
      if (this.#asked.closed) return;
      this.#dataOf = Number.NEGATIVE_INFINITY;
      this.#judge(errorText(error) || errorCode(error));
      for (const each of this.#running) each.abort();
    }
  }

  /** Asks it how far it has replayed. @throws Error why it can't be used; errors of the database and of the connection */
  async #look({ written, system }: Primary): Promise<void> {
    const [own, isReplica, replayed] = await this.#asked.ask(REPLAYED);
    if (isReplica !== true) throw new Error('it is not a replica, or was promoted');
    if (system !== undefined && own !== system) throw new Error('it is not a replica of this primary');
    if (replayed === null) throw new Error('it does not replicate by streaming');
    this.#replayed = BigInt(replayed as string);
    this.#dataOf = Math.max(this.#dataOf, written.reachedBy(this.#replayed) ?? this.#dataOf);
  }

  get #isOld(): boolean {
    return performance.now() - this.#dataOf > this.#lag;
  }

  #whyOld({ failure }: Primary): string {
    if (failure === undefined) return `it is more than ${duration(this.#lag)} behind`;
    return `how far it is behind is unknown, because the primary can't be asked: ${failure}`;
  }

  /** @param reason why it is left out; `undefined` if it is not */
  #judge(reason: string | undefined): void {
    this.#out = reason;
    const now = performance.now();
    if (reason === undefined) {
      if (this.#reported === 'out') this.#report(`The replica ${this.#location} is used again.`);
      this.#reported = 'used';
    } else if (this.#reported === 'used' && now - this.#reportedAt >= REPORTS_EVERY) {
      this.#report(`The replica ${this.#location} is left out: ${reason}.`);
      this.#reported = 'out';
      this.#reportedAt = now;
    }
  }

  close(): Promise<void> {
    return this.#asked.close();
  }
}
