import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../tables.ts';
import { bury } from './dead-letters.ts';
import type { Claim, Shop } from './engine.ts';
import {
  type FailedJob,
  type Job,
  type JobData,
  JobLost,
  JobNotBegun,
  JobRefused,
  type RetryRule,
  type Worker,
} from './port.ts';

/** A job in the hands of its worker. */
export class HeldJob implements Job {
  readonly claim: Claim;
  readonly key?: string;
  readonly #shop: Shop;
  readonly #abort = new AbortController();
  readonly #stopping = new AbortController();
  #lost = false;
  #completing = false;
  #completed = false;
  /** When the database last confirmed that this gateway holds it, by the monotonic clock. */
  confirmed: number;

  constructor(claim: Claim, shop: Shop, confirmed: number) {
    this.claim = claim;
    if (claim.key !== undefined) this.key = claim.key;
    this.#shop = shop;
    this.confirmed = confirmed;
  }

  get id(): string {
    return this.claim.id;
  }

  get queue(): string {
    return this.claim.queue;
  }

  get data(): JobData {
    return this.claim.data;
  }

  get attempt(): number {
    return this.claim.attempt;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborts only when the queue closes before the job has ended. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get completed(): boolean {
    return this.#completed;
  }

  /** Whether the transaction that ends it is running, which finds out by itself whether the job was lost. */
  get completing(): boolean {
    return this.#completing;
  }

  /** Whether this gateway no longer holds it. */
  get lost(): boolean {
    return this.#lost;
  }

  async complete<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    if (this.#completing || this.#completed) throw new Error(`job ${this.id} is completed twice`);
    if (this.#lost) throw lost(this.claim);
    this.#completing = true;
    try {
      const { store, engine } = this.#shop;
      const result = await store.transaction(async (tx) => {
        const done = await work(tx);
        // Last, because it locks the job, and the sign of life of this gateway updates each of its jobs.
        if ((await engine.finish(tx, [this.claim])) === 0) throw lost(this.claim);
        return done;
      });
      this.#completed = true;
      return result;
    } catch (error) {
      if (error instanceof JobLost) this.lose();
      throw error;
    } finally {
      this.#completing = false;
    }
  }

  /** This gateway no longer holds it. */
  lose(): void {
    if (this.#completed) return;
    this.#lost = true;
    this.#abort.abort(lost(this.claim));
  }

  /** Asks its worker to stop. If it completes in spite of that, it has ended. */
  stop(): void {
    this.#stopping.abort();
    this.#abort.abort(new DOMException('the queue closes', 'AbortError'));
  }
}

function lost({ queue, id }: Claim): JobLost {
  return new JobLost(`job ${id} of ${queue} is no longer this worker's`);
}

/** Milliseconds before an ending that the database did not accept is tried again: at first, and at most. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;
/** Milliseconds before a job that could not begin is given back: what it needs may be available again then. */
const NOT_BEGUN_PAUSE = 1000;

/** The rule of a job whose own rule threw. */
const NO_RETRY: RetryRule = { attempts: 0, first: 0, longest: 0 };

/** Ends the jobs of a worker. Without the database, an ending is tried again until it succeeds or the job is lost. */
export class Ending {
  readonly #worker: Worker;
  readonly #shop: Shop;
  #batch: Claim[] = [];
  #batched: Promise<void> | undefined;

  constructor(worker: Worker, shop: Shop) {
    this.#worker = worker;
    this.#shop = shop;
  }

  /** Whether its last attempt was begun before, in a process that died. */
  isSpent(job: HeldJob): boolean {
    return job.attempt > this.#rule(job).attempts + 1;
  }

  /** Its worker returned without ending it. */
  done(job: HeldJob): Promise<void> {
    return this.#until(job, () => this.#finish(job.claim));
  }

  /** Its worker threw. */
  async failed(job: HeldJob, thrown: unknown): Promise<void> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (job.completed) return this.#shop.report(error, { queue: job.queue, job: job.id });
    if (job.lost) return;
    // It stopped because it was asked to.
    if (job.signal.aborted) return this.giveBack(job);
    if (error instanceof JobNotBegun) {
      this.#shop.report(error, { queue: job.queue, job: job.id });
      await pause(NOT_BEGUN_PAUSE, undefined, { signal: job.signal }).catch(() => {});
      return job.lost ? undefined : this.giveBack(job);
    }
    const rule = this.#rule(job);
    if (error instanceof JobRefused || job.attempt > rule.attempts) return this.bury(job, job.attempt, error);
    const wait = retryPause(rule, job.attempt);
    const next = new Date(this.#shop.now() + wait);
    return this.#inTransaction(job, async (tx) => {
      if (!(await this.#shop.engine.postpone(tx, job.claim, wait))) throw new JobLost();
      await this.#worker.onRetry?.(tx, failedJob(job, job.attempt), error, next);
    });
  }

  /** Makes it a dead letter. @param attempts the number of attempts that it had */
  async bury(job: HeldJob, attempts: number, error: Error): Promise<void> {
    const { engine, now, report } = this.#shop;
    await this.#inTransaction(job, async (tx) => {
      if ((await engine.finish(tx, [job.claim])) === 0) throw new JobLost();
      await bury(tx, job.claim, attempts, error, new Date(now()));
      await this.#worker.onDead?.(tx, failedJob(job, attempts), error);
    });
    if (!job.lost) report(error, { queue: job.queue, job: job.id, attempts });
  }

  /** Lets another run it, as if it had not begun. */
  giveBack(job: HeldJob): Promise<void> {
    return this.#inTransaction(job, async (tx) => {
      if (!(await this.#shop.engine.release(tx, job.claim))) throw new JobLost();
    });
  }

  /** A lost job has stopped. If it was cancelled, the next of its key may begin. */
  async clear(job: HeldJob): Promise<void> {
    const { engine, report, store } = this.#shop;
    for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
      try {
        return await store.transaction((tx) => engine.clear(tx, job.claim));
      } catch (error) {
        report(error as Error, { queue: job.queue, job: job.id });
      }
      // Whatever remains is found once this process has ended.
      if (job.stopping.aborted) return;
      await pause(wait, undefined, { signal: job.stopping }).catch(() => {});
    }
  }

  #rule(job: HeldJob): RetryRule {
    const { retry } = this.#worker;
    if (typeof retry !== 'function') return retry;
    try {
      return retry(job);
    } catch (error) {
      this.#shop.report(error as Error, { queue: job.queue, job: job.id });
      return NO_RETRY;
    }
  }

  #inTransaction(job: HeldJob, work: (tx: Db) => Promise<void>): Promise<void> {
    return this.#until(job, () => this.#shop.store.transaction(work));
  }

  async #until(job: HeldJob, work: () => Promise<void>): Promise<void> {
    for (let wait = FIRST_PAUSE; !job.lost; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof JobLost) return job.lose();
        this.#shop.report(error as Error, { queue: job.queue, job: job.id });
        // The queue closes, and does not wait for it.
        if (job.signal.aborted) return job.lose();
      }
      await pause(wait, undefined, { signal: job.signal }).catch(() => {});
    }
  }

  /** Jobs that end at the same time end in one transaction. */
  #finish(claim: Claim): Promise<void> {
    this.#batch.push(claim);
    this.#batched ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      const batch = this.#batch;
      this.#batch = [];
      this.#batched = undefined;
      return this.#shop.store.transaction(async (tx) => void (await this.#shop.engine.finish(tx, batch)));
    });
    return this.#batched;
  }
}

function failedJob({ id, queue, data, key }: HeldJob, attempt: number): FailedJob {
  return { id, queue, data, attempt, ...(key !== undefined && { key }) };
}

/**
 * Milliseconds before the attempt after a failed one: doubled each time up to the longest, of which a random share from a half
 * to the whole is used, so that jobs which failed together are not tried again together.
 * @param attempt the number of the failed attempt, from 1
 */
export function retryPause({ first, longest }: RetryRule, attempt: number, random = Math.random()): number {
  const whole = Math.min(longest, first * 2 ** Math.min(attempt - 1, 52));
  return Math.ceil(whole * (0.5 + random / 2));
}
