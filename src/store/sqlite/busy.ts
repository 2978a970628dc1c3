import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../error.ts';

/** How long another connection's lock is waited for, in milliseconds. */
export const BUSY_TIMEOUT = 5000;

/** Between two tries, in milliseconds. */
const LONGEST_PAUSE = 20;

/**
 * Tries again while another connection has the database locked, and lets everything else go on meanwhile: SQLite's own
 * waiting would hold up the whole process, the holder of the lock with it where that is in the same one.
 * @throws SqliteError SQLITE_BUSY where it stays locked for five seconds; what the work throws
 */
export async function whileBusy<T>(work: () => T): Promise<T> {
  const limit = performance.now() + BUSY_TIMEOUT;
  for (let ms = 1; ; ms = Math.min(2 * ms, LONGEST_PAUSE)) {
    try {
      return work();
    } catch (error) {
      if (!errorCode(error).startsWith('SQLITE_BUSY') || performance.now() > limit) throw error;
    }
    await pause(ms);
  }
}
