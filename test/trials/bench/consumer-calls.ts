import { echoReply, linesOf } from './echo-data.ts';

/** Concurrent calls. */
const AT_ONCE = 16;

export interface Calls {
  /** Size of a message, in each direction. */
  readonly bytes: number;
  readonly seconds: number;
}

/**
 * Calls repeatedly: first for half the time, until the code is JIT-compiled, then to measure.
 * @param call returns the lines of the reply
 * @returns calls a second
 * @throws Error for a reply that was not read completely
 */
export async function callsPerSecond({ bytes, seconds }: Calls, call: () => Promise<unknown>): Promise<number> {
  const expected = linesOf(echoReply(bytes));
  const during = async (milliseconds: number): Promise<number> => {
    const start = performance.now();
    let count = 0;
    const repeat = async (): Promise<void> => {
      while (performance.now() - start < milliseconds) {
        const lines = await call();
        if (!Array.isArray(lines) || lines.length !== expected)
          throw new Error(`a reply of ${expected} lines was read as ${JSON.stringify(lines)?.slice(0, 300)}`);
        count++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, repeat));
    return count / ((performance.now() - start) / 1000);
  };
  await during(seconds * 500);
  return during(seconds * 1000);
}
