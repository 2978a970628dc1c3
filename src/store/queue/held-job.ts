import type { Db } from '../tables.ts';
import type { Claim } from './engine.ts';
import { type Job, type JobData, JobLost } from './port.ts';
import type { Shop } from './shop.ts';

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
