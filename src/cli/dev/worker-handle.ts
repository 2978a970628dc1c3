import { type ChildProcess, fork } from 'node:child_process';
import { sibling } from '../package-info.ts';
import type { Fingerprints } from './changes.ts';

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
interface WorkerEvents {
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

/** What a worker is started with, as its one argument in JSON. */
export interface WorkerStart {
  readonly root: string;
  readonly definitions?: string;
  /** It is started ahead, and has time to warm up. */
  readonly spare: boolean;
  /** None has served before: what people see at the start comes with its word that it is ready. */
  readonly first: boolean;
  /** Colour for the diagnostics that it renders. */
  readonly colour: boolean;
}

/** Files of the project that a worker reads code from. */
export interface WorkerFiles {
  /** Folder of the handlers, absolute; undefined while the definitions don't say it. */
  readonly handlers: string | undefined;
  /** The project's own modules, absolute paths: handlers and what they import. */
  readonly modules: readonly string[];
}

/** From a worker to its supervisor. */
export type WorkerMessage =
  /** Asks for the public port. */
  | { readonly kind: 'listen'; readonly host: string; readonly port: number }
  /** A connection has arrived; the supervisor's copy of it can go. */
  | { readonly kind: 'admitted'; readonly connection: number }
  /** Is about to create these handlers, paths relative to the project: that is no edit. */
  | { readonly kind: 'creating'; readonly handlers: readonly string[] }
  | { readonly kind: 'created' }
  /** It answers no more requests itself. */
  | { readonly kind: 'retired' }
  /** The gateway is up and takes connections at an address; `warnings` and `screen` are ready to print, or empty. */
  | ({
      readonly kind: 'ready';
      readonly address: string;
      readonly operations: Fingerprints;
      readonly warnings: string;
      readonly screen: string;
    } & WorkerFiles)
  /** It can't be, for a reason that the user mends; `text` is ready to print. */
  | ({ readonly kind: 'failed'; readonly text: string } & WorkerFiles);

/** From the supervisor to a worker. A `connection` comes with its socket. */
export type SupervisorMessage =
  /** Read the project and run it. */
  | { readonly kind: 'go' }
  | { readonly kind: 'listening'; readonly host: string; readonly port: number }
  | { readonly kind: 'not-listening'; readonly message: string }
  | { readonly kind: 'connection'; readonly connection: number }
  /** Another worker has taken over, at this address: finish what runs, send on what still comes, then end. */
  | { readonly kind: 'retire'; readonly address: string }
  /** There will be no other: finish what runs, then end. */
  | { readonly kind: 'end' };

/** Sends to a worker; one that has gone is no error here, since its end is an event of its own. */
export function tell(worker: ChildProcess, message: SupervisorMessage): void {
  if (worker.connected) worker.send(message, () => undefined);
}
