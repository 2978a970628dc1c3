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

/** A job while its worker has it. */
export class HeldJob implements Job {
  readonly claim: Claim;
  readonly key?: string;
  readonly #shop: Shop;
  readonly #abort = new AbortController();
  readonly #stopping = new AbortController();
  #lost = false;
  #completing = false;
  #completed = false;
  /** When the database last said that it is ours, by the clock that never jumps. */
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

  /** Aborts where the queue stops hard, and then alone. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get completed(): boolean {
    return this.#completed;
  }

  /** Whether the transaction runs that ends it: that one finds out itself whether it was lost. */
  get completing(): boolean {
    return this.#completing;
  }

  /** Whether it is somebody else's by now, or nobody's. */
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
        // Last, because it locks the job, and who lives says so at each of its jobs.
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

  /** It is no longer ours. */
  lose(): void {
    if (this.#completed) return;
    this.#lost = true;
    this.#abort.abort(lost(this.claim));
  }

  /** Asks its worker to stop; what it ends in spite of that is ended. */
  stop(): void {
    this.#stopping.abort();
    this.#abort.abort(new DOMException('the queue closes', 'AbortError'));
  }
}

function lost({ queue, id }: Claim): JobLost {
  return new JobLost(`job ${id} of ${queue} is no longer this worker's`);
}

/** Milliseconds before an ending is tried again that the database did not take: at first, and at most. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;
/** Milliseconds before a job is given back that could not be begun: what it needs may be there again. */
const NOT_BEGUN_PAUSE = 1000;

/** Of a job whose rule can't be told. */
const NO_RETRY: RetryRule = { attempts: 0, first: 0, longest: 0 };

/** How the jobs of a worker end. The database may be away then: an ending is tried until it is taken, or the job is lost. */
export class Ending {
  readonly #worker: Worker;
  readonly #shop: Shop;
  #batch: Claim[] = [];
  #batched: Promise<void> | undefined;

  constructor(worker: Worker, shop: Shop) {
    this.#worker = worker;
    this.#shop = shop;
  }

  /** Whether the last attempt that it has was begun before, and died with its process. */
  isSpent(job: HeldJob): boolean {
    return job.attempt > this.#rule(job).attempts + 1;
  }

  /** It is done, and did not say so itself. */
  done(job: HeldJob): Promise<void> {
    return this.#until(job, () => this.#finish(job.claim));
  }

  /** Its worker threw. */
  async failed(job: HeldJob, thrown: unknown): Promise<void> {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (job.completed) return this.#shop.report(error, { queue: job.queue, job: job.id });
    if (job.lost) return;
    // It was asked to stop, and did.
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

  /** It becomes a dead letter. @param attempts that it had */
  async bury(job: HeldJob, attempts: number, error: Error): Promise<void> {
    const { engine, now, report } = this.#shop;
    await this.#inTransaction(job, async (tx) => {
      if ((await engine.finish(tx, [job.claim])) === 0) throw new JobLost();
      await bury(tx, job.claim, attempts, error, new Date(now()));
      await this.#worker.onDead?.(tx, failedJob(job, attempts), error);
    });
    if (!job.lost) report(error, { queue: job.queue, job: job.id, attempts });
  }

  /** Another is to do it, as if it had not been begun. */
  giveBack(job: HeldJob): Promise<void> {
    return this.#inTransaction(job, async (tx) => {
      if (!(await this.#shop.engine.release(tx, job.claim))) throw new JobLost();
    });
  }

  /** It was lost, and has stopped: where it was cancelled, what it held back may begin. */
  async clear(job: HeldJob): Promise<void> {
    const { engine, report, store } = this.#shop;
    for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
      try {
        return await store.transaction((tx) => engine.clear(tx, job.claim));
      } catch (error) {
        report(error as Error, { queue: job.queue, job: job.id });
      }
      // What is left here is found when this process has ended.
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
        // Whoever asked it to stop does not wait.
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
 * Milliseconds before the attempt that follows a failed one: doubled each time up to the longest, of which a random half
 * to whole is taken, so that what failed together does not come back together.
 * @param attempt the one that failed, from 1
 */
export function retryPause({ first, longest }: RetryRule, attempt: number, random = Math.random()): number {
  const whole = Math.min(longest, first * 2 ** Math.min(attempt - 1, 52));
  return Math.ceil(whole * (0.5 + random / 2));
}
