import { Fault } from '../model/fault.ts';
import { withinTime } from '../wire/waiting.ts';

// Waits for the gateway's database in the name of a caller.

/** @throws Fault UNAVAILABLE for whatever the database says */
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

/** How the version of what a database keeps is learnt. */
export interface VersionsOptions {
  /** Asks the database for the number. */
  readonly look: () => Promise<number>;
  /** Milliseconds that an answer holds. */
  readonly every: number;
  /** Milliseconds that an answer is waited for. */
  readonly patience: number;
  /** Milliseconds; a clock that only goes forward. */
  readonly now: () => number;
  /** Told once when the database stops to answer. */
  readonly onAway: (error: Error) => void;
}

/**
 * Knows which version the database is of, and whether it answers. Nobody gets a version that was true longer ago than
 * `every`; nothing is looked at while nobody asks.
 */
export class Versions {
  readonly #options: VersionsOptions;
  /** Counts changes that were noticed, and going away and coming back: what was remembered before does not hold. */
  #version = 0;
  #seen: number | undefined;
  #isAway = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<number> | undefined;

  constructor(options: VersionsOptions) {
    this.#options = options;
  }

  /** What was noticed last, however long ago. */
  get noticed(): number {
    return this.#version;
  }

  /** The database did not answer when it was asked last. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** The version; at once while the last look holds, or where the database is away, which others shall not wait for. */
  current(): number | Promise<number> {
    const { every, now } = this.#options;
    const age = now() - this.#lookedAt;
    if (age < every / 2) return this.#version;
    const looking = this.#look();
    // Begun early, so that whoever calls without a pause never waits.
    return age < every || this.#isAway ? this.#version : looking;
  }

  /** The same for what only the database knows: whoever asks waits for it, where the last look holds no longer. */
  asked(): number | Promise<number> {
    const { every, now } = this.#options;
    return this.#isAway && now() - this.#lookedAt >= every ? this.#look() : this.current();
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
        () => new Error(`the database did not answer within ${patience} ms`),
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
