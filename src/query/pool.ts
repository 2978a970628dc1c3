import { Fault } from '../model/fault.ts';
import { abandoned, faultOf, internal, unavailable } from './errors.ts';
import type { Failure } from './frame.ts';
import type { QueryStatus } from './port.ts';
import type { ReaderOptions } from './reader.ts';
import { type RawResult, ReaderProcess } from './reader-process.ts';
import type { Runner, Task } from './runner.ts';

/** How the pool is kept; see {@link QueryOptions}. */
interface PoolOptions {
  readonly reader: Omit<ReaderOptions, 'prefix'>;
  readonly readers: number;
  readonly maxReaders: number;
  readonly maxWaiting: number;
  readonly idleTimeout: number;
}

/** Work in the pool: waiting, or held by a reader. */
interface Job extends Task {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  timer: NodeJS.Timeout | undefined;
  /** Nobody waits for the answer any more. */
  settled: boolean;
}

/** One reader, and what it is doing. */
interface Seat {
  readonly process: ReaderProcess;
  /** What it was told, in order: the first is what it runs. Those that nobody waits for any more stay until answered. */
  jobs: Job[];
  ready: boolean;
  /** Since when it has been running its first job, or has had none. */
  since: number;
  /** Its last answer came at once. */
  quick: boolean;
  /** It was killed on purpose, or never to be used again. */
  ended: boolean;
}

/** A query that has run for this long counts as slow: a reader more is started where all are held by such. */
const SLOW = 25;
/**
 * A reader that answers within this time is told its next queries while it runs one: it need not fall asleep in between
 * and be woken, which costs both sides more than a small query does. Where the first turns out slow, the others are given
 * to another reader.
 */
const QUICK = 5;
/** Queries that a quick reader is told at most, the one that it runs among them. */
const DEPTH = 8;
/** A reader whose caller has gone may finish a short query; starting another costs more. */
const GRACE = 50;
/** Before a reader that would not start is tried again: the first time, and at most. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 5000;

/** Readers, the calls that they run, and the calls that wait. */
export class Pool implements Runner {
  readonly engine = 'sqlite';
  readonly #options: PoolOptions;
  readonly #seats = new Set<Seat>();
  /** Those without work, the last used at the end: its caches are warm. */
  readonly #idle: Seat[] = [];
  #waiting = new Set<Job>();
  /** What calls of `ready` wait for. */
  #firstReady: PromiseWithResolvers<void> | undefined;
  /** Starts that failed, one after the other. */
  #failedStarts = 0;
  #startFailure: unknown;
  #restart: NodeJS.Timeout | undefined;
  #growth: NodeJS.Timeout | undefined;
  #shrink: NodeJS.Timeout | undefined;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#replace();
  }

  /** @throws Fault TIMEOUT, UNAVAILABLE, INTERNAL; AbortError */
  run(task: Task): Promise<RawResult> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) throw unavailable('the gateway is stopping');
      if (task.signal?.aborted) throw abandoned(task.signal);
      const job: Job = { ...task, resolve, reject, onAbort: () => this.#abort(job), timer: undefined, settled: false };
      const seat = this.#idle.pop() ?? this.#almostFree();
      if (seat === undefined) this.#enqueue(job);
      job.timer = setTimeout(() => this.#expire(job), task.timeout);
      task.signal?.addEventListener('abort', job.onAbort, { once: true });
      if (seat !== undefined) this.#give(seat, job);
    });
  }

  /** Resolves when a reader is there. @throws Fault UNAVAILABLE */
  ready(): Promise<void> {
    for (const seat of this.#seats) if (seat.ready) return Promise.resolve();
    if (this.#startFailure !== undefined) return Promise.reject(this.#notStarting());
    this.#firstReady ??= Promise.withResolvers();
    return this.#firstReady.promise;
  }

  status(): QueryStatus {
    const living = [...this.#seats].filter((seat) => !seat.ended);
    const readers = living.map((seat) => ({ pid: seat.process.pid, busy: seat.jobs.length > 0 }));
    return { readers, waiting: this.#waiting.size };
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = Promise.withResolvers();
      this.#firstReady?.reject(unavailable('the gateway is stopping'));
      this.#firstReady = undefined;
      this.#closeWhenQuiet();
    }
    return this.#closing.promise;
  }

  #enqueue(job: Job): void {
    if (this.#seats.size === 0 && this.#startFailure !== undefined) throw this.#notStarting();
    if (this.#waiting.size >= this.#options.maxWaiting) throw unavailable('too many queries wait for a reader');
    this.#waiting.add(job);
    this.#watchGrowth();
  }

  #give(seat: Seat, job: Job): void {
    if (seat.jobs.length === 0) seat.since = performance.now();
    seat.jobs.push(job);
    seat.process.send(job.command, job.plan);
    if (this.#idle.length === 0 || seat.jobs.length > 1) this.#watchGrowth();
  }

  /** A reader that will have answered before another could be woken. */
  #almostFree(): Seat | undefined {
    if (this.#waiting.size > 0) return undefined;
    const now = performance.now();
    for (const seat of this.#seats) {
      if (seat.quick && !seat.ended && seat.jobs.length < DEPTH && now - seat.since < QUICK) return seat;
    }
    return undefined;
  }

  /** A reader has answered, or has come: it takes the calls that have waited longest. */
  #advance(seat: Seat): void {
    seat.since = performance.now();
    const [first] = seat.jobs;
    if (first?.settled) this.#killIfHeldBy(first, seat);
    for (const next of this.#waiting) {
      if (seat.jobs.length >= (seat.quick ? DEPTH : 1)) break;
      this.#waiting.delete(next);
      this.#give(seat, next);
    }
    if (seat.jobs.length > 0) return;
    this.#idle.push(seat);
    if (this.#closing !== undefined) this.#closeWhenQuiet();
    else if (this.#seats.size > this.#options.readers) this.#watchShrink();
  }

  /** Takes what stands behind a slow query away from its reader, and looks again while anything stands behind another. */
  #relieve(): void {
    const now = performance.now();
    for (const seat of this.#seats) {
      if (seat.ended || seat.jobs.length < 2) continue;
      if (now - seat.since >= SLOW) this.#putBack(seat);
      else this.#watchGrowth();
    }
  }

  /** Gives the jobs that a reader has not begun to others, or lets them wait, before all that came later. */
  #putBack(seat: Seat): void {
    const [first, ...next] = seat.jobs;
    const back = next.filter((job) => !job.settled);
    if (first === undefined || back.length === 0) return;
    // The reader has them already, and will answer them to nobody.
    seat.jobs = [first, ...next.map((job) => ({ ...job, settled: true }))];
    this.#waiting = new Set([...back, ...this.#waiting]);
    for (const job of back) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      this.#waiting.delete(job);
      this.#give(idle, job);
    }
  }

  /** A reader may finish a short query that nobody waits for; starting another reader costs more. */
  #killIfHeldBy(job: Job, seat: Seat): void {
    setTimeout(() => {
      if (seat.jobs[0] === job) this.#kill(seat);
    }, GRACE);
  }

  #settle(job: Job): boolean {
    if (job.settled) return false;
    job.settled = true;
    clearTimeout(job.timer);
    job.signal?.removeEventListener('abort', job.onAbort);
    this.#waiting.delete(job);
    return true;
  }

  #expire(job: Job): void {
    if (!this.#settle(job)) return;
    const seat = this.#runner(job);
    if (seat !== undefined) this.#kill(seat);
    if (seat === undefined) job.reject(unavailable('no reader was free in time'));
    else job.reject(Fault.of('TIMEOUT', { what: `Query ${job.plan.name}`, seconds: job.timeout / 1000 }));
    this.#closeWhenQuiet();
  }

  #abort(job: Job): void {
    if (!this.#settle(job)) return;
    const seat = this.#runner(job);
    if (seat !== undefined) this.#killIfHeldBy(job, seat);
    if (job.signal !== undefined) job.reject(abandoned(job.signal));
    this.#closeWhenQuiet();
  }

  /** The reader that runs a job; none where it waits for one, or is the next of one. */
  #runner(job: Job): Seat | undefined {
    for (const seat of this.#seats) if (seat.jobs[0] === job) return seat;
    return undefined;
  }

  #start(): void {
    const seat: Seat = {
      process: new ReaderProcess(this.#options.reader, {
        ready: () => this.#started(seat),
        result: (result) => this.#answer(seat, result),
        failed: (failure) => this.#fail(seat, failure),
        gone: (reason, failure) => this.#lost(seat, reason, failure),
      }),
      jobs: [],
      ready: false,
      since: performance.now(),
      quick: false,
      ended: false,
    };
    this.#seats.add(seat);
  }

  #started(seat: Seat): void {
    seat.ready = true;
    this.#startFailure = undefined;
    this.#firstReady?.resolve();
    this.#firstReady = undefined;
    if (!seat.ended) this.#advance(seat);
  }

  #answer(seat: Seat, result: RawResult): void {
    const job = this.#answered(seat);
    this.#failedStarts = 0;
    if (job !== undefined && this.#settle(job)) job.resolve(result);
    else if (!Buffer.isBuffer(result.content)) result.content.file.close();
    if (!seat.ended) this.#advance(seat);
  }

  #fail(seat: Seat, failure: Failure): void {
    const job = this.#answered(seat);
    if (job !== undefined && this.#settle(job)) job.reject(faultOf(job.plan.name, failure));
    if (!seat.ended) this.#advance(seat);
  }

  /** The job that a reader has answered: they come in the order in which they were given. */
  #answered(seat: Seat): Job | undefined {
    seat.quick = performance.now() - seat.since < QUICK;
    return seat.jobs.shift();
  }

  /** Ends a reader and puts another in its place. */
  #kill(seat: Seat): void {
    this.#remove(seat);
    this.#putBack(seat);
    seat.process.kill();
    this.#replace();
  }

  #remove(seat: Seat): void {
    seat.ended = true;
    const at = this.#idle.indexOf(seat);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** A reader's process has ended. */
  #lost(seat: Seat, reason: string, failure: Failure | undefined): void {
    const expected = seat.ended;
    this.#remove(seat);
    this.#seats.delete(seat);
    this.#putBack(seat);
    const [job] = seat.jobs;
    if (job !== undefined && this.#settle(job)) {
      job.reject(internal(job.plan.name, new Error(`the reader of query ${job.plan.name} ended: ${reason}`)));
    }
    if (expected || job !== undefined) this.#replace();
    else this.#startFailed(new Error(failure?.message ?? `a reader ended without work: ${reason}`));
    this.#closeWhenQuiet();
  }

  #startFailed(cause: Error): void {
    this.#startFailure = cause;
    this.#failedStarts += 1;
    const anyLeft = [...this.#seats].some((seat) => !seat.ended);
    if (!anyLeft) {
      this.#firstReady?.reject(this.#notStarting());
      this.#firstReady = undefined;
      for (const job of this.#waiting) if (this.#settle(job)) job.reject(this.#notStarting());
    }
    const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (this.#failedStarts - 1));
    this.#restart ??= setTimeout(() => {
      this.#restart = undefined;
      this.#replace();
    }, delay);
  }

  /** Starts as many readers as are missing. */
  #replace(): void {
    if (this.#restart !== undefined || this.#isEnding()) return;
    let living = 0;
    for (const seat of this.#seats) if (!seat.ended) living += 1;
    for (; living < this.#options.readers; living += 1) this.#start();
    if (this.#waiting.size > 0) this.#watchGrowth();
  }

  /** Looks again soon whether all readers are held by slow queries, so that the next call finds one that is free. */
  #watchGrowth(): void {
    if (this.#growth !== undefined) return;
    this.#growth = setTimeout(() => {
      this.#growth = undefined;
      this.#grow();
    }, SLOW);
  }

  #grow(): void {
    this.#relieve();
    if (this.#idle.length > 0 || this.#restart !== undefined || this.#isEnding()) return;
    const now = performance.now();
    let living = 0;
    let quick = false;
    for (const seat of this.#seats) {
      if (seat.ended) continue;
      living += 1;
      // One that is starting, or that has just begun, will be free without our doing.
      if (!seat.ready || now - seat.since < SLOW) quick = true;
    }
    if (living >= this.#options.maxReaders) return;
    if (quick) this.#watchGrowth();
    else this.#start();
  }

  /** Ends readers beyond the usual number that have had nothing to do for a while. */
  #watchShrink(): void {
    if (this.#shrink !== undefined || this.#closing !== undefined) return;
    this.#shrink = setTimeout(() => {
      this.#shrink = undefined;
      const before = performance.now() - this.#options.idleTimeout;
      let surplus = this.#seats.size - this.#options.readers;
      for (const seat of [...this.#idle]) {
        if (surplus <= 0 || seat.since > before) continue;
        this.#remove(seat);
        seat.process.kill();
        surplus -= 1;
      }
      if (surplus > 0) this.#watchShrink();
    }, this.#options.idleTimeout);
    this.#shrink.unref();
  }

  /** Nothing waits, and nothing will. */
  #isEnding(): boolean {
    return this.#closing !== undefined && this.#waiting.size === 0;
  }

  #closeWhenQuiet(): void {
    if (!this.#isEnding()) return;
    for (const seat of this.#seats) {
      if (seat.jobs.some((job) => !job.settled)) return;
    }
    for (const timer of [this.#restart, this.#growth, this.#shrink]) clearTimeout(timer);
    for (const seat of this.#seats) {
      if (!seat.ended) {
        this.#remove(seat);
        seat.process.kill();
      }
    }
    if (this.#seats.size === 0) this.#closing?.resolve();
  }

  #notStarting(): Fault {
    return unavailable('no query can be run', this.#startFailure);
  }
}
