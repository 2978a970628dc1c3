import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from './project.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this process holds once what nobody needs any more is gone. */
export function inUse(): number {
  // Buffers are counted until the sweep behind a collection is through, for which the next one waits.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Passes once no more than so many bytes are held beyond those before; buffers are freed some time after their last use. */
export async function expectFreed(before: number, bytes: number): Promise<void> {
  await eventually('memory to be freed', () => (inUse() - before < bytes ? true : undefined));
}
