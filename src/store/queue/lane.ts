import { AsyncLocalStorage } from 'node:async_hooks';
import { Ending } from './ending.ts';
import type { Claim } from './engine.ts';
import { HeldJob } from './held-job.ts';
import { type Worker, WorkerDied } from './port.ts';
import type { Shop } from './shop.ts';

/** The jobs of one queue that this gateway runs. */
export class Lane {
  readonly #queue: string;
  readonly #worker: Worker;
  readonly #shop: Shop;
  readonly #ending: Ending;
  /** Whoever wakes a lane inside a transaction must not take it along: what it looks for comes with the commit. */
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #running = new Map<HeldJob, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #open = true;
  #wanted = false;
  #taking: Promise<void> | undefined;

  constructor(queue: string, worker: Worker, shop: Shop) {
    this.#queue = queue;
    this.#worker = worker;
    this.#shop = shop;
    this.#ending = new Ending(worker, shop);
  }

  get running(): readonly HeldJob[] {
    return [...this.#running.keys()];
  }

  /** Looks for jobs, now or as soon as one more can run. */
  wake(): void {
    this.#wanted = true;
    if (!this.#open || this.#taking !== undefined) return;
    clearTimeout(this.#timer);
    this.#taking = this.#outside(() => this.#take())
      .catch((error: Error) => this.#shop.report(error, { queue: this.#queue }))
      .finally(() => this.#taken());
  }

  get #free(): number {
    return this.#worker.concurrency - this.#running.size;
  }

  #taken(): void {
    this.#taking = undefined;
    if (!this.#open) return;
    // Woken again while the last look ended.
    if (this.#wanted && this.#free > 0) this.wake();
    else this.#timer = setTimeout(() => this.wake(), this.#shop.engine.poll);
  }

  /** Takes no more jobs. Resolves when those that run have ended. */
  async close(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#timer);
    await this.#taking;
    await Promise.all(this.#running.values());
  }

  async #take(): Promise<void> {
    while (this.#wanted && this.#open) {
      const free = this.#free;
      // The next that ends comes back here.
      if (free <= 0) return;
      this.#wanted = false;
      // Before the question: the lease begins when the database answers it.
      const asked = performance.now();
      const claims = await this.#shop.engine.claim(this.#queue, free);
      for (const claim of claims) this.#begin(claim, asked);
      if (claims.length === free) this.#wanted = true;
    }
  }

  #begin(claim: Claim, confirmed: number): void {
    const job = new HeldJob(claim, this.#shop, confirmed);
    const run = this.#attempt(job)
      .catch((error: Error) => this.#shop.report(error, { queue: this.#queue, job: claim.id }))
      .finally(() => {
        this.#running.delete(job);
        this.wake();
      });
    this.#running.set(job, run);
  }

  async #attempt(job: HeldJob): Promise<void> {
    await this.#run(job);
    if (job.lost && job.key !== undefined) await this.#ending.clear(job);
  }

  async #run(job: HeldJob): Promise<void> {
    if (!this.#open) return this.#ending.giveBack(job);
    if (this.#ending.isSpent(job)) {
      const { queue, attempt } = job;
      return this.#ending.bury(
        job,
        attempt - 1,
        new WorkerDied(`the process that ran attempt ${attempt - 1} in ${queue} died`),
      );
    }
    try {
      await this.#worker.run(job);
    } catch (error) {
      return this.#ending.failed(job, error);
    }
    if (!job.completed && !job.lost) await this.#ending.done(job);
  }
}
