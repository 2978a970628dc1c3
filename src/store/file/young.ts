import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes that pass between two collections. */
const EVERY = 8 * 1024 * 1024;

let collect: ((options: { readonly type: 'minor' }) => void) | undefined;
let passed = 0;

/**
 * To be told of the bytes of transfers as they pass. What V8 knows of a buffer is its small object, so that the memory
 * behind those of a long transfer piles up to some 64 MB before it looks; a collection of the youngest objects, which
 * takes less than a millisecond, frees it before.
 */
export function passing(bytes: number): void {
  passed += bytes;
  if (passed < EVERY) return;
  passed = 0;
  collect ??= makeCollect();
  collect({ type: 'minor' });
}

/** Only for this: the flag makes the function in contexts that are made after it. */
function makeCollect(): NonNullable<typeof collect> {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NonNullable<typeof collect>;
}
