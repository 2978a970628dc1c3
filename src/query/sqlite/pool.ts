import { type Call, Calls, waitingOf } from '../calls.ts';
import { type Failure, faultOf, internal, unavailable } from '../errors.ts';
import type { QueryStatus } from '../query-port.ts';
import type { RawResult, Runner, RunnerOptions, Task } from '../runner.ts';
import type { ReaderOptions } from './reader.ts';
import { Seat, SLOW } from './seat.ts';

/** Milliseconds for a reader to finish a query whose caller has gone: starting another reader costs more. */
const GRACE = 50;
/** Milliseconds before a failed start is retried: initially, and at most. */
const FIRST_DELAY = 100;
const LONGEST_DELAY = 5000;

/**
 * Runs queries on an SQLite database, in reader processes: as many as there is work for, between two bounds. Before the first
 * query there is one: each takes 30 MB.
 */
export class Pool implements Runner {
  readonly #options: RunnerOptions;
  readonly #reader: Omit<ReaderOptions, 'prefix'>;
  readonly #calls: Calls<Seat>;
  readonly #seats = new Set<Seat>();
  /** Those without work, the last used at the end: its caches are warm. */
  readonly #idle: Seat[] = [];
  /** What calls of `ready` wait for. */
  #firstReady: PromiseWithResolvers<void> | undefined;
  /** A query was requested. */
  #used = false;
  /** Starts that failed, one after the other. */
  #failedStarts = 0;
  #startFailure: unknown;
  #restart: NodeJS.Timeout | undefined;
  #growth: NodeJS.Timeout | undefined;
  #shrink: NodeJS.Timeout | undefined;

  constructor(location: string, options: RunnerOptions) {
    const { timezone, folder: temporary, largestFile, maxReaders } = options;
    this.#options = options;
    this.#reader = { location, timezone, temporary, largestFile };
    this.#calls = new Calls({
      what: 'reader',
      ...waitingOf(options, maxReaders),
      free: (fits) => this.#free(fits),
      working: () => this.#living().flatMap((seat) => [...seat.callers]),
      serves: (seat, caller) => seat.callers.has(caller),
      begin: (seat, call) => this.#give(seat, call),
      queued: () => this.#watchGrowth(),
      stop: (call, isLate) => this.#stop(call, isLate),
      quiet: () => this.#closeWhenQuiet(),
    });
    this.#replace();
  }

  run(task: Task): Promise<RawResult> {
    const result = this.#calls.run(task);
    if (!this.#used) {
      this.#used = true;
      this.#replace();
    }
    return result;
  }

  /** Resolves when a reader is there, or none is needed before the first query. @throws Fault UNAVAILABLE */
  ready(): Promise<void> {
    if (!this.#used && !this.#options.eager) return Promise.resolve();
    for (const seat of this.#seats) if (seat.ready) return Promise.resolve();
    if (this.#startFailure !== undefined) return Promise.reject(this.#notStarting());
    this.#firstReady ??= Promise.withResolvers();
    return this.#firstReady.promise;
  }

  get limit(): number {
    return this.#options.maxReaders;
  }

  status(): QueryStatus {
    const readers = this.#living().map((seat) => ({ pid: seat.process.pid, busy: seat.count > 0 }));
    return { readers, waiting: this.#calls.waiting };
  }

  close(): Promise<void> {
    const closed = this.#calls.close();
    this.#firstReady?.reject(unavailable('the gateway is stopping'));
    this.#firstReady = undefined;
    this.#closeWhenQuiet();
    return closed;
  }

  /** An idle reader, or one that will have answered before another could be woken. */
  #free(fits: (seat: Seat) => boolean): Seat | undefined {
    const idle = this.#idle.at(-1);
    if (idle !== undefined && fits(idle)) return this.#idle.pop();
    if (this.#seats.size === 0 && this.#startFailure !== undefined) throw this.#notStarting();
    if (this.#calls.waiting > 0) return undefined;
    const now = performance.now();
    for (const seat of this.#seats) if (seat.isAlmostFree(now) && fits(seat)) return seat;
    return undefined;
  }

  #give(seat: Seat, call: Call): void {
    seat.give(call);
    if (this.#idle.length === 0 || seat.count > 1) this.#watchGrowth();
  }

  /** Called when a reader has answered or started: it takes the calls that have waited longest. */
  #advance(seat: Seat): void {
    if (seat.ended) return;
    seat.advance();
    const { first } = seat;
    if (first?.settled) this.#killIfHeldBy(first, seat);
    while (seat.takesMore) {
      const next = this.#calls.next(seat);
      if (next === undefined) break;
      this.#give(seat, next);
    }
    if (seat.count === 0) this.#idle.push(seat);
    // The caller holds one fewer now, and may go on elsewhere.
    this.#occupy();
    if (this.#calls.closing) this.#closeWhenQuiet();
    else if (this.#seats.size > this.#options.readers) this.#watchShrink();
  }

  /** Gives the calls that a reader has not begun to others, or lets them wait. */
  #putBack(seat: Seat): void {
    this.#calls.putFirst(seat.takeBack());
    this.#occupy();
  }

  /** Gives calls that wait, and may begin, to readers without work. */
  #occupy(): void {
    for (let idle = this.#idle.at(-1); idle !== undefined; idle = this.#idle.at(-1)) {
      const next = this.#calls.next(idle);
      if (next === undefined) return;
      this.#idle.pop();
      this.#give(idle, next);
    }
  }

  #stop(call: Call, isLate: boolean): boolean {
    for (const seat of this.#seats) {
      if (seat.first !== call) continue;
      if (isLate) this.#kill(seat);
      else this.#killIfHeldBy(call, seat);
      return true;
    }
    return false;
  }

  /** A reader may finish a short query whose caller has gone; starting another reader costs more. */
  #killIfHeldBy(call: Call, seat: Seat): void {
    const check = (): void => {
      if (seat.first === call) this.#kill(seat);
    };
    // In a gateway that was busy, the timer comes before an answer that was there in time; immediates come after what is read.
    setTimeout(() => setImmediate(check), GRACE);
  }

  #start(): void {
    const seat: Seat = new Seat(this.#reader, {
      ready: () => this.#started(seat),
      result: (result) => this.#answer(seat, result),
      failed: (failure) => this.#fail(seat, failure),
      gone: (reason, failure) => this.#lost(seat, reason, failure),
    });
    this.#seats.add(seat);
  }

  #started(seat: Seat): void {
    seat.ready = true;
    this.#startFailure = undefined;
    this.#firstReady?.resolve();
    this.#firstReady = undefined;
    this.#advance(seat);
  }

  #answer(seat: Seat, result: RawResult): void {
    this.#failedStarts = 0;
    this.#calls.answer(seat.answered(), result);
    this.#advance(seat);
  }

  #fail(seat: Seat, failure: Failure): void {
    const call = seat.answered();
    if (call !== undefined) this.#calls.fail(call, faultOf(call.plan, failure));
    this.#advance(seat);
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
    const { first } = seat;
    if (first !== undefined) {
      const { name } = first.plan;
      this.#calls.fail(first, internal(name, new Error(`the reader of query ${name} ended: ${reason}`)));
    }
    if (expected || first !== undefined) this.#replace();
    else this.#startFailed(new Error(failure?.message ?? `a reader ended without work: ${reason}`));
    this.#closeWhenQuiet();
  }

  #startFailed(cause: Error): void {
    this.#startFailure = cause;
    this.#failedStarts += 1;
    if (this.#living().length === 0) {
      this.#firstReady?.reject(this.#notStarting());
      this.#firstReady = undefined;
      this.#calls.failWaiting(this.#notStarting());
    }
    const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (this.#failedStarts - 1));
    this.#restart ??= setTimeout(() => {
      this.#restart = undefined;
      this.#replace();
    }, delay);
  }

  #living(): readonly Seat[] {
    return [...this.#seats].filter((seat) => !seat.ended);
  }

  /** Starts as many readers as are missing. */
  #replace(): void {
    if (this.#restart !== undefined || this.#isEnding()) return;
    const { readers, eager } = this.#options;
    const kept = this.#used ? readers : Number(eager);
    for (let living = this.#living().length; living < kept; living += 1) this.#start();
    if (this.#calls.waiting > 0) this.#watchGrowth();
  }

  /** Looks again soon whether all readers are held by slow queries, so that the next call finds one that is free. */
  #watchGrowth(): void {
    this.#growth ??= setTimeout(() => {
      this.#growth = undefined;
      this.#relieve();
      this.#grow();
    }, SLOW);
  }

  /** Takes calls that are queued behind a slow query away from its reader, and checks again while others are queued. */
  #relieve(): void {
    const now = performance.now();
    for (const seat of this.#seats) {
      if (seat.ended || seat.count < 2) continue;
      if (seat.lasts(now) >= SLOW) this.#putBack(seat);
      else this.#watchGrowth();
    }
  }

  #grow(): void {
    if (this.#idle.length > 0 || this.#restart !== undefined || this.#isEnding()) return;
    const living = this.#living();
    if (living.length >= this.#options.maxReaders) return;
    const now = performance.now();
    // One that is starting, or that has just begun, will be free without our doing.
    if (living.some((seat) => !seat.ready || seat.lasts(now) < SLOW)) this.#watchGrowth();
    else this.#start();
  }

  /** Ends readers beyond the usual number that have had nothing to do for a while. */
  #watchShrink(): void {
    if (this.#shrink !== undefined || this.#calls.closing) return;
    this.#shrink = setTimeout(() => {
      this.#shrink = undefined;
      const now = performance.now();
      let surplus = this.#seats.size - this.#options.readers;
      for (const seat of [...this.#idle]) {
        if (surplus <= 0 || seat.lasts(now) < this.#options.idleTimeout) continue;
        this.#remove(seat);
        seat.process.kill();
        surplus -= 1;
      }
      if (surplus > 0) this.#watchShrink();
    }, this.#options.idleTimeout);
    this.#shrink.unref();
  }

  /** Whether no call waits, and none will. */
  #isEnding(): boolean {
    return this.#calls.closing && this.#calls.waiting === 0;
  }

  #closeWhenQuiet(): void {
    if (!this.#isEnding()) return;
    for (const seat of this.#seats) if (seat.isAwaited) return;
    for (const timer of [this.#restart, this.#growth, this.#shrink]) clearTimeout(timer);
    for (const seat of this.#living()) {
      this.#remove(seat);
      seat.process.kill();
    }
    if (this.#seats.size === 0) this.#calls.closed();
  }

  #notStarting() {
    return unavailable('no query can be run', this.#startFailure);
  }
}
