import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The bytes between two collections. */
const EVERY = 8 * 1024 * 1024;

let collect: ((options: { readonly type: 'minor' }) => void) | undefined;
let passed = 0;

/**
 * Call it with the bytes of transfers as they pass. V8 counts only the small object of a buffer, so the memory of a long
 * transfer grows by some 64 MB before a collection; a collection of the youngest objects takes less than a millisecond and
 * frees it earlier.
 */
export function passing(bytes: number): void {
  passed += bytes;
  if (passed < EVERY) return;
  passed = 0;
  collect ??= makeCollect();
  collect({ type: 'minor' });
}

/** The flag exposes the function only in contexts that are created after it was set. */
function makeCollect(): NonNullable<typeof collect> {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NonNullable<typeof collect>;
}
