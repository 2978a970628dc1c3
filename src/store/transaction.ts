import { setTimeout as pause } from 'node:timers/promises';
import { timeLeft } from './deadline.ts';
import { errorCode, StoreError } from './error.ts';
import type { Db } from './tables.ts';

/** The most tries at work whose transaction gives way to others. */
const TRIES = 8;

/** SQLSTATE of transactions that gave way and can be repeated: serialization failure, deadlock. */
const GAVE_WAY = new Set(['40001', '40P01']);

/** Runs work in a transaction, and rejects with the error of the work even when the rollback fails too. */
export async function transact<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  let failure: { readonly error: unknown } | undefined;
  const noting = async (tx: Db): Promise<T> => {
    try {
      const done = await work(tx);
      // No one waits for it any more, and has got an error instead.
      if ((timeLeft() ?? 1) <= 0) throw new StoreError('', 'the transaction took too long and was rolled back');
      return done;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  try {
    return await db.transaction().execute(noting);
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

function gaveWay(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (GAVE_WAY.has(errorCode(at))) return true;
  return false;
}
