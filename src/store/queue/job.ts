import type { Cause } from '../../trace/trace.ts';
import type { JobData } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts } from './attempts.ts';
import type { Claim, QueueContext, Succession } from './engine.ts';
import { type Job, JobLost } from './queue-port.ts';

/** A job in the hands of its worker. */
export class HeldJob implements Job {
  readonly claim: Claim;
  readonly key?: string;
  readonly kind?: string;
  readonly cause?: Cause;
  readonly #context: QueueContext;
  readonly #onward: (() => Succession) | undefined;
  readonly #abort = new AbortController();
  readonly #stopping = new AbortController();
  readonly #taken: number;
  #lost = false;
  #completing = false;
  #completed = false;
  /** What its worker threw. */
  failure: unknown;
  /** When the database last confirmed that this gateway holds it, by the monotonic clock. */
  confirmed: number;
  /** The job that follows in its key, when this gateway took it as this one ended. */
  next: { readonly claim: Claim; readonly confirmed: number } | undefined;

  /** @param onward takes the job that follows in its key */
  constructor(claim: Claim, context: QueueContext, confirmed: number, onward?: () => Succession) {
    this.claim = claim;
    if (claim.key !== undefined) this.key = claim.key;
    if (claim.kind !== undefined) this.kind = claim.kind;
    if (claim.cause !== undefined) this.cause = claim.cause;
    this.#context = context;
    this.#onward = onward;
    this.#taken = context.now();
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

  /** Milliseconds since this attempt began. */
  get spent(): number {
    return this.#context.now() - this.#taken;
  }

  /** Milliseconds since its first attempt began. */
  get elapsed(): number {
    return this.claim.elapsed + this.spent;
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
    const { store, engine } = this.#context;
    return this.#ending(async () => {
      const { done, next, confirmed } = await store.transaction(async (tx) => {
        const done = await work(tx);
        const confirmed = performance.now();
        // Last, because it locks the job, and the sign of life of this gateway updates each of its jobs.
        const { ended, next } = await engine.finish(tx, [this.claim], this.#onward?.());
        if (ended === 0) throw lost(this.claim);
        await forgetAttempts(tx, [this.claim]);
        return { done, next, confirmed };
      });
      for (const claim of next) this.next = { claim, confirmed };
      return done;
    });
  }

  async park(work: (tx: Db) => Promise<number>): Promise<void> {
    const { store, engine } = this.#context;
    await this.#ending(() =>
      store.transaction(async (tx) => {
        const pause = await work(tx);
        if (!(await engine.park(tx, this.claim, pause))) throw lost(this.claim);
      }),
    );
  }

  async #ending<T>(end: () => Promise<T>): Promise<T> {
    if (this.#completing || this.#completed) throw new Error(`job ${this.id} is completed twice`);
    if (this.#lost) throw lost(this.claim);
    this.#completing = true;
    try {
      const done = await end();
      this.#completed = true;
      return done;
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
