import { type ChildProcess, fork } from 'node:child_process';
import { sibling } from '../package-info.ts';
import { tell, type WorkerMessage, type WorkerStart } from './messages.ts';

/** Requests that run when another worker takes over have this long to end. */
const graceMs = 30_000;

/** One child process that runs, or is to run, the gateway. */
export interface WorkerHandle {
  readonly process: ChildProcess;
  /** Lets it read the project and run it. */
  go(): void;
  /** When it was told to, in `performance.now()`. */
  readonly wentAt: number;
  /**
   * Tells it that another one has taken over, at that address: it finishes what runs and ends; it is killed where that takes too long.
   * Resolves when it answers no new request any more.
   */
  retire(successor: string): Promise<void>;
  /** Tells it to finish what runs and end, with nobody to take over. */
  end(): void;
  /** Ends it without waiting for anything. */
  kill(): void;
}

/** What a worker's supervisor hears of it. */
export interface WorkerEvents {
  message(message: Exclude<WorkerMessage, { kind: 'retired' }>): void;
  /** It has ended; `how` says by what: `exit code 1`, `signal SIGSEGV`. */
  exit(how: string): void;
}

/** Starts a worker, with this process's own output. It waits for {@link WorkerHandle.go}. */
export function startWorker(start: WorkerStart, events: WorkerEvents): WorkerHandle {
  const child = fork(sibling('worker', import.meta.url), [JSON.stringify(start)], { stdio: 'inherit' });
  let wentAt = 0;
  let grace: NodeJS.Timeout | undefined;
  const retired = Promise.withResolvers<void>();
  const limit = (): void => {
    grace ??= setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  child.on('message', (message: WorkerMessage) => {
    if (message.kind === 'retired') retired.resolve();
    else events.message(message);
  });
  child.once('exit', (code, signal) => {
    clearTimeout(grace);
    retired.resolve();
    events.exit(signal === null ? `exit code ${code}` : `signal ${signal}`);
  });
  // A child that can't be started, or written to, ends as well: its exit says so.
  child.on('error', () => child.kill('SIGKILL'));
  return {
    process: child,
    go() {
      wentAt = performance.now();
      tell(child, { kind: 'go' });
    },
    get wentAt() {
      return wentAt;
    },
    retire(successor) {
      tell(child, { kind: 'retire', address: successor });
      limit();
      return retired.promise;
    },
    end() {
      tell(child, { kind: 'end' });
      limit();
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
}
