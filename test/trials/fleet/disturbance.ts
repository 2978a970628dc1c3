import { setTimeout } from 'node:timers/promises';

/** Milliseconds after a failure in which calls may still be lost because of it. */
const AFTER_MS = 5_000;

/** The times in which something failed on purpose: only then may a call be lost. */
export class Disturbance {
  #open = 0;
  /** In milliseconds since 1970; the last ones may not have ended. */
  readonly #times: { readonly from: number; to: number }[] = [];

  /** Notes that calls may be lost while `work` runs, and shortly after it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const time = { from: Date.now(), to: Number.POSITIVE_INFINITY };
    this.#times.push(time);
    this.#open++;
    try {
      return await work();
    } finally {
      this.#open--;
      time.to = Date.now() + AFTER_MS;
    }
  }

  /** Whether something had failed at any time between two times. */
  covers(from: number, to: number): boolean {
    return this.#times.some((time) => time.from <= to && from <= time.to);
  }

  /** Resolves when nothing fails any more. */
  async over(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.#open > 0 || this.covers(Date.now(), Date.now()))) await setTimeout(50);
  }
}
