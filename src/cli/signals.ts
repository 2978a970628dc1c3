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

/** Often enough to end well within a second; one system call each. */
const lookMs = 100;

/**
 * Calls `end` when the shell in which npm runs a script is gone. npm hands SIGTERM on to that shell, which dies of it without
 * a word to what it runs; so `npm start` and `npx signalbox serve` would leave the gateway behind. A script that puts the
 * gateway in the background means to leave it.
 */
export function followParent(end: () => void, env: NodeJS.ProcessEnv = process.env): void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = env;
  if (event === undefined || process.platform === 'win32' || /(^|[^&])&($|[^&])/.test(script)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, lookMs);
  timer.unref();
}
