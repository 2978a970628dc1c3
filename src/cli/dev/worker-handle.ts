import { type ChildProcess, fork } from 'node:child_process';
import type { Fingerprints } from '../../load/fingerprint.ts';
import type { BrokenEdit } from '../../model/definition.ts';
import { post } from '../child-process.ts';
import { sibling } from '../package-info.ts';

/** How long requests may take that run when another worker takes over. */
const GRACE_MS = 30_000;

/** A child process that runs the gateway, or is about to. */
export interface WorkerHandle {
  readonly process: ChildProcess;
  /**
   * Makes it read the project and run it.
   * @param migrate whether it runs the migrations that wait
   */
  go(migrate: boolean): void;
  /** When {@link go} was called, in `performance.now()`. */
  readonly wentAt: number;
  /**
   * Reports that another worker has taken over, at that address. It finishes its requests and ends, and is killed when that
   * takes too long. Resolves when it answers no more new requests itself.
   */
  retire(successor: string): Promise<void>;
  /** Reports that the latest edit is not applied. */
  broken(edit: BrokenEdit): void;
  /** Makes it finish its requests and end, without a successor. */
  end(): void;
  /** Ends it at once. */
  kill(): void;
}

/** What a worker reports to its supervisor. */
interface WorkerEvents {
  message(message: Exclude<WorkerMessage, { kind: 'retired' }>): void;
  /** @param how `exit code 1`, `signal SIGSEGV` */
  exit(how: string): void;
}

/** Starts a worker, with this process's own output. It waits for {@link WorkerHandle.go}. */
export function startWorker(start: WorkerStart, events: WorkerEvents): WorkerHandle {
  const child = fork(sibling('worker', import.meta.url), [JSON.stringify(start)], { stdio: 'inherit' });
  const tell = (message: SupervisorMessage): void => post(child, message);
  let wentAt = 0;
  let grace: NodeJS.Timeout | undefined;
  const retired = Promise.withResolvers<void>();
  const limit = (): void => {
    grace ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
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
  // A child that can't be started or written to is ended; its exit is handled above.
  child.on('error', () => child.kill('SIGKILL'));
  return {
    process: child,
    go(migrate) {
      wentAt = performance.now();
      tell({ kind: 'go', migrate });
    },
    get wentAt() {
      return wentAt;
    },
    retire(successor) {
      tell({ kind: 'retire', address: successor });
      limit();
      return retired.promise;
    },
    broken(edit) {
      tell({ kind: 'broken', edit });
    },
    end() {
      tell({ kind: 'end' });
      limit();
    },
    kill() {
      child.kill('SIGKILL');
    },
  };
}

/** What a worker is started with: its only argument, in JSON. */
export interface WorkerStart {
  /** Nodes to stand in for. */
  readonly mock: readonly string[];
  /** Faults and delays of their operations, as the command line has them. */
  readonly fault: readonly string[];
  readonly delay: readonly string[];
  readonly root: string;
  readonly definitions?: string;
  /** It is started in advance and has time to warm up. */
  readonly spare: boolean;
  /** No worker has served before, so `ready` brings the screen that people see at the start. */
  readonly first: boolean;
  /** How to ask for migrations that wait, as a sentence. */
  readonly how: string;
  /** Whether it renders diagnostics in colour. */
  readonly colour: boolean;
}

/** Files of the project that a worker reads, besides the definitions. */
export interface WorkerFiles {
  /** Absolute paths of folders of migrations. */
  readonly migrations: readonly string[];
  /** Absolute path of the handlers' folder; `undefined` while the definitions can't be read. */
  readonly handlers: string | undefined;
  /** Absolute paths of the project's own modules: handlers and what they import. */
  readonly modules: readonly string[];
}

/** From a worker to its supervisor. */
export type WorkerMessage =
  /** Asks for the public port. */
  | { readonly kind: 'listen'; readonly host: string; readonly port: number }
  /** A connection has arrived; the supervisor can close its copy. */
  | { readonly kind: 'admitted'; readonly connection: number }
  /** It is about to create these handlers, which is not an edit. Paths are relative to the project. */
  | { readonly kind: 'creating'; readonly handlers: readonly string[] }
  | { readonly kind: 'created' }
  /** It answers no more new requests itself. */
  | { readonly kind: 'retired' }
  /** The gateway accepts connections at the address; `warnings` and `screen` are ready to print, or empty. */
  | ({
      readonly kind: 'ready';
      readonly address: string;
      readonly operations: Fingerprints;
      readonly warnings: string;
      readonly screen: string;
    } & WorkerFiles)
  /** It can't start, for a reason that the user can fix; `text` is ready to print. */
  | ({ readonly kind: 'failed'; readonly text: string; readonly edit: BrokenEdit } & WorkerFiles);

/** From the supervisor to a worker. `connection` comes with the socket. */
export type SupervisorMessage =
  /** Read the project and run it, and the migrations that wait if they were asked for. */
  | { readonly kind: 'go'; readonly migrate: boolean }
  | { readonly kind: 'listening'; readonly host: string; readonly port: number }
  | { readonly kind: 'not-listening'; readonly message: string }
  /** The latest edit is not applied: what the worker serves is the version before. */
  | { readonly kind: 'broken'; readonly edit: BrokenEdit }
  | { readonly kind: 'connection'; readonly connection: number }
  /** Another worker has taken over at this address: finish running requests, forward new ones, then end. */
  | { readonly kind: 'retire'; readonly address: string }
  /** There is no successor: finish running requests, then end. */
  | { readonly kind: 'end' };
