import type { Account } from '../model/account.ts';
import type { Blobs } from '../model/blob.ts';
import type { OpenWork } from '../model/open-work.ts';
import type { ProcessHandler } from '../model/process-handler.ts';
import type { Registry } from '../model/registry.ts';
import type { QueryPort, SavedQueries } from '../query/index.ts';
import type { Owners } from '../security/directory/port.ts';
import type { JobQueue, Store } from '../store/index.ts';
import type { Clock } from './clock.ts';

/** What running requests needs. */
export interface RunPorts {
  readonly registry: Registry;
  /** Private queries, which requests may run too. */
  readonly saved: SavedQueries;
  readonly store: Store;
  readonly queue: JobQueue;
  /** In whose names requests run. */
  readonly directory: Owners;
  readonly queries: QueryPort;
  /** Content of reports. */
  readonly reports: Blobs;
  /** By file. */
  readonly handlers: ReadonlyMap<string, ProcessHandler>;
  readonly work: OpenWork;
  /** Name of this gateway, of at most eight characters: the server that a request was run by. */
  readonly server: string;
  readonly clock: Clock;
  readonly onError: (error: Error, facts: Readonly<Record<string, unknown>>) => void;
  /** Told of each attempt that has ended. */
  readonly account?: Account | undefined;
  /** Milliseconds that code has to end once its signal aborts; what goes on longer is left to itself. */
  readonly grace: number;
}
