import { CliFailure } from './failure.ts';

/** SIGHUP is sent when a terminal is closed. */
const INTERRUPTS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does the work. An interrupt aborts it and is reported as the reason. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    controller.abort(new CliFailure('interrupted'));
    // A read from standard input would not end otherwise.
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

/** Often enough to end well within a second, at one system call each time. */
const PARENT_CHECK_MS = 100;

/**
 * Calls `end` when the shell in which npm runs a script is gone. npm forwards SIGTERM to that shell, which ends without
 * forwarding it, so that `npm start` and `npx signalbox serve` would leave the gateway behind. A script that puts the gateway
 * in the background intends that.
 */
function followParent(end: () => void, env: NodeJS.ProcessEnv = process.env): void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = env;
  if (event === undefined || process.platform === 'win32' || /(^|[^&])&($|[^&])/.test(script)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/**
 * Calls `first` at the first signal that asks the process to end, and `again` at every later one.
 * @param reopen called at SIGHUP, which otherwise asks the process to end
 */
export function endOnSignals(first: () => void, again: () => void, reopen?: () => void): void {
  let asked = false;
  const end = (): void => {
    if (asked) again();
    else first();
    asked = true;
  };
  // A terminal's Ctrl-C ends npm's shell too, which is not a second signal.
  followParent(() => {
    if (!asked) end();
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, end);
  process.on('SIGHUP', reopen ?? end);
}
