import { Fault } from '../model/fault.ts';
import { duration } from '../wire/duration.ts';
import { withinTime } from '../wire/waiting.ts';

// Reads of the gateway's database while a caller waits.

/** @throws Fault UNAVAILABLE for any error of the database */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unavailable(cause);
  }
}

export function unavailable(cause?: unknown): Fault {
  const reason = 'the database that knows the users does not answer';
  return Fault.of('UNAVAILABLE', { reason }, { headers: { 'Retry-After': '5' }, cause });
}

export interface VersionsOptions {
  /** Reads the version from the database. */
  readonly look: () => Promise<number>;
  /** Milliseconds for which an answer is valid. */
  readonly every: number;
  /** Milliseconds to wait for an answer. */
  readonly patience: number;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Called once when the database stops answering. */
  readonly onAway: (error: Error) => void;
}

/**
 * Tracks the version of the users in the database, and whether the database answers. A version that it gives is never older
 * than `every`. It only reads the database when it is used.
 */
export class Versions {
  readonly #options: VersionsOptions;
  /** Counts noticed changes, and each loss and return of the database: remembered results of an earlier count are invalid. */
  #version = 0;
  #seen: number | undefined;
  #isAway = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<number> | undefined;

  constructor(options: VersionsOptions) {
    this.#options = options;
  }

  /** The last known version, however old. */
  get noticed(): number {
    return this.#version;
  }

  /** The database did not answer the last read. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** The version; without waiting if the last answer is valid, or if the database does not answer. */
  current(): number | Promise<number> {
    const { every, now } = this.#options;
    const age = now() - this.#lookedAt;
    if (age < every / 2) return this.#version;
    const looking = this.#look();
    // Reading early keeps callers that never pause from waiting.
    return age < every || this.#isAway ? this.#version : looking;
  }

  /** The version for a user of the database: waits for it if the last answer has expired. */
  asked(): number | Promise<number> {
    const { every, now } = this.#options;
    return this.#isAway && now() - this.#lookedAt >= every ? this.#look() : this.current();
  }

  /** The next question reads the database: this process has changed a user. */
  forget(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
  }

  #look(): Promise<number> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<number> {
    const { look, patience, now, onAway } = this.#options;
    const began = now();
    try {
      const seen = await withinTime(
        look(),
        patience,
        () => new Error(`the database did not answer within ${duration(patience)}`),
      );
      if (this.#isAway || seen !== this.#seen) this.#version++;
      this.#seen = seen;
      this.#isAway = false;
      this.#lookedAt = began;
    } catch (error) {
      if (!this.#isAway) {
        this.#isAway = true;
        this.#version++;
        onAway(error as Error);
      }
      this.#lookedAt = now();
    }
    return this.#version;
  }
}
