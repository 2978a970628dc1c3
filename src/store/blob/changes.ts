import { closed } from './error.ts';

/** Changes to the database that are under way, until the storage is closed. */
export class Changes {
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** @throws Error where the storage is closed; what the change throws */
  async run<T>(change: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closed();
    const running = change();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Lets none begin, and waits for the others: of a file that is about to be a blob's it must be known whether it became that. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
  }
}
