import type { HeldJob } from './held-job.ts';
import { Lane } from './lane.ts';
import type { Worker } from './port.ts';
import type { Shop } from './shop.ts';

/** Milliseconds between two looks whether the jobs that run are still ours: what is cancelled anywhere stops by them. */
const BEAT = 400;

/** Milliseconds that jobs which were asked to stop get for it. */
const GRACE = 2000;

/** Everything that works in this gateway. */
export class Workforce {
  readonly #shop: Shop;
  readonly #workers = new Map<string, Worker>();
  readonly #lanes = new Map<string, Lane>();
  #timer: NodeJS.Timeout | undefined;
  #asking: Promise<void> | undefined;

  constructor(shop: Shop) {
    this.#shop = shop;
  }

  add(queue: string, worker: Worker): void {
    if (this.#workers.has(queue)) throw new Error(`queue ${queue} has a worker already`);
    this.#workers.set(queue, worker);
  }

  async start(): Promise<void> {
    if (this.#workers.size === 0) return;
    await this.#shop.engine.begin([...this.#workers.keys()], {
      wake: (queue) => this.wake(queue),
      report: (error) => this.#shop.report(error, {}),
    });
    for (const [queue, worker] of this.#workers) this.#lanes.set(queue, new Lane(queue, worker, this.#shop));
    this.#timer = setInterval(() => this.#beat(), BEAT);
    this.wake();
  }

  /** @param queue all of them where it is left out */
  wake(queue?: string): void {
    if (queue === undefined) for (const lane of this.#lanes.values()) lane.wake();
    else this.#lanes.get(queue)?.wake();
  }

  async close(timeoutMs: number): Promise<void> {
    const closed = Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
    await within(closed, timeoutMs);
    for (const job of this.#running()) job.stop();
    await within(closed, GRACE);
    clearInterval(this.#timer);
    // A database that does not answer holds up nobody who leaves.
    if (this.#asking !== undefined) await within(this.#asking, GRACE);
    const left = this.#running();
    // They run on, so that nobody else may begin them before this process has ended.
    for (const { queue, id } of left) {
      this.#shop.report(new Error(`job ${id} of ${queue} does not stop`), { queue, job: id });
    }
    await this.#shop.engine.end(left.length > 0);
  }

  #running(): HeldJob[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.running);
  }

  #beat(): void {
    // Those that are lost too, as long as they run: nobody begins what they hold before they have stopped.
    const running = this.#running().filter((job) => !job.completed);
    const { lease } = this.#shop.engine;
    if (lease !== undefined) {
      for (const job of running) if (performance.now() - job.confirmed > lease) job.lose();
    }
    // What was begun since the last look is known to be ours.
    const asked = running.filter((job) => performance.now() - job.confirmed >= BEAT / 2);
    if (asked.length === 0 || this.#asking !== undefined) return;
    this.#asking = this.#ask(asked)
      .catch((error: Error) => this.#shop.report(error, {}))
      .finally(() => {
        this.#asking = undefined;
      });
  }

  async #ask(jobs: readonly HeldJob[]): Promise<void> {
    const asked = performance.now();
    const held = await this.#shop.engine.held(jobs.map((job) => job.claim));
    for (const job of jobs) {
      const said = held.get(job.claim);
      if (said === 'held') job.confirmed = asked;
      else if (said === 'cancelled') job.lose();
      // Those that ended meanwhile, or are about to, are not to be found either.
      else if (!job.completing && this.#lanes.get(job.queue)?.running.includes(job)) job.lose();
    }
  }
}

/** Waits for something, but not for longer. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, over]);
  clearTimeout(timer);
}
