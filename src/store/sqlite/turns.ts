import { AsyncLocalStorage } from 'node:async_hooks';

/** How long code inside a transaction waits for a turn of its own, in milliseconds: it waits for itself then. */
const NESTED_WAIT = 5000;

/** A turn of somebody. */
interface Turn {
  over: boolean;
}

/**
 * Gives the one connection to one user after the other, in the order in which they ask. A transaction keeps its turn while
 * it waits for other things; code in it that asks for the connection rather than using what it was given would wait for
 * ever, and is told so.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #inside = new AsyncLocalStorage<Turn>();
  #taken = false;

  /** Resolves when it is the caller's turn. @throws Error where it is inside of the transaction that it would wait for */
  take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    if (this.#inside.getStore()?.over === false) this.#giveUp(promise, resolve, reject);
    return promise;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }

  /** Runs what has the turn, so that what it starts is known to be inside of it. */
  async inside<T>(work: () => Promise<T>): Promise<T> {
    const turn: Turn = { over: false };
    try {
      return await this.#inside.run(turn, work);
    } finally {
      turn.over = true;
    }
  }

  /** Code that the transaction does not wait for gets its turn in time; the error is for that which it does wait for. */
  #giveUp(promise: Promise<void>, resolve: () => void, reject: (error: Error) => void): void {
    const late = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      reject(new Error('code inside a transaction waits for the database: it must use the transaction it was given'));
    }, NESTED_WAIT);
    promise.finally(() => clearTimeout(late)).catch(() => {});
  }
}
