import type { ChildProcess } from 'node:child_process';
import type { Fingerprints } from './changes.ts';

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
