import { CliFailure } from './failure.ts';

/** The last one comes from a terminal that is closed. */
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does the work; an interrupt ends it, and is said to be what did. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    controller.abort(new CliFailure('interrupted'));
    // What is read from there before anything is sent has no other end.
    process.stdin.destroy();
  };
  for (const signal of INTERRUPTS) process.once(signal, interrupt);
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    for (const signal of INTERRUPTS) process.off(signal, interrupt);
  }
}
