import { setTimeout as pause } from 'node:timers/promises';
import { timeLeft, untilDeadline } from './deadline.ts';
import { errorCode, StoreBusyError, StoreError } from './error.ts';
import type { Db } from './tables.ts';

/** The most tries at work whose transaction gives way to others. */
const TRIES = 8;

/** SQLSTATE of transactions that gave way and can be repeated: serialization failure, deadlock. */
const GAVE_WAY = new Set(['40001', '40P01']);

/** What follows the commit of each open transaction. */
const following = new WeakMap<Db, (() => void)[]>();

/** Runs work that must not throw once a transaction has committed, and never when it is rolled back. */
export function afterCommit(tx: Db, work: () => void): void {
  const follows = following.get(tx);
  // A transaction of a caller that ends it by itself.
  if (follows === undefined) work();
  else follows.push(work);
}

/** Runs work in a transaction, and rejects with the error of the work even when the rollback fails too. */
export async function transact<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  let follows: readonly (() => void)[] = [];
  const noting = async (tx: Db): Promise<T> => {
    const noted: (() => void)[] = [];
    following.set(tx, noted);
    follows = noted;
    try {
      const done = await work(tx);
      // Its caller has stopped waiting, and has been given an error.
      if ((timeLeft() ?? 1) <= 0) throw new StoreError('', 'the transaction took too long and was rolled back');
      return done;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    const done = await db.transaction().execute(noting);
    for (const each of follows) each();
    return done;
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
}

/**
 * The same, with up to eight tries when the transaction gives way to another: work may run more than once, and commits once.
 * PostgreSQL with read committed seldom needs that; CockroachDB and YugabyteDB do.
 */
export async function transactPatiently<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact(db, work);
    } catch (error) {
      if (tries === TRIES || !gaveWay(error)) throw error;
      await pause(Math.random() * 5 * 2 ** tries);
    }
  }
}

/**
 * Work about the same thing, one after the other in the order of the calls. What waits here needs no connection: many callers
 * of one record that another gateway has locked must not take all of them until the database refuses the lock.
 */
export class Lines {
  readonly #last = new Map<string, Promise<void>>();

  /** @param about names the thing @throws StoreBusyError at the current deadline; what the work throws */
  async run<T>(about: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(about);
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const last = before === undefined ? over : before.then(() => over);
    this.#last.set(about, last);
    last.then(() => {
      if (this.#last.get(about) === last) this.#last.delete(about);
    });
    try {
      if (before !== undefined)
        await untilDeadline(before, () => new StoreBusyError('', 'other changes of the same took too long'));
      return await work();
    } finally {
      end();
    }
  }
}

function gaveWay(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (GAVE_WAY.has(errorCode(at))) return true;
  return false;
}
