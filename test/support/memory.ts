import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from './project.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this process holds after garbage collection. */
export function inUse(): number {
  // Buffers are counted until the sweep after a collection is complete; the next collection waits for it.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Passes when at most this many bytes more than before are held; waits, because buffers are freed some time after their last use. */
export async function expectFreed(before: number, bytes: number): Promise<void> {
  await eventually('memory to be freed', () => (inUse() - before < bytes ? true : undefined));
}
