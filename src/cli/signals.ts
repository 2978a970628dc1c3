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

/** How a process is asked to end. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What signals to a process that serves do. */
interface SignalActions {
  /** Called at the first signal that asks it to end. */
  readonly end: (signal: EndSignal) => void;
  /** Called at every later one. */
  readonly again: () => void;
  /** Called at SIGHUP, which otherwise asks it to end. */
  readonly reopen?: (() => void) | undefined;
  /** Called at SIGUSR2, which otherwise would end the process at once. */
  readonly replace?: () => void;
}

/** Ends, reopens and replaces on signals. */
export function endOnSignals({ end: first, again, reopen, replace }: SignalActions): void {
  let asked = false;
  const end = (signal: EndSignal): void => {
    if (asked) again();
    else first(signal);
    asked = true;
  };
  // A terminal's Ctrl-C ends npm's shell too, which is not a second signal.
  followParent(() => {
    if (!asked) end('SIGTERM');
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
  process.on('SIGHUP', reopen ?? (() => end('SIGHUP')));
  if (replace !== undefined) process.on('SIGUSR2', replace);
}
