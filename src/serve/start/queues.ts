import { createRedactor } from '../../codec/redact/redactor.ts';
import { eventJobs } from '../../event/index.ts';
import { secretsOf } from '../../load/value/config.ts';
import {
  BLOBS,
  deliveryJobs,
  type MessageControl,
  type MessageReader,
  openMessageControl,
  readMessages,
  removedJobs,
} from '../../messaging/run/index.ts';
import type { Registry } from '../../model/registry.ts';
import { openScheduler, type RequestReader, readRequests, requestJobs, type Scheduler } from '../../process/index.ts';
import { openSavedQueries, type QueryPort, queryRunJobs } from '../../query/index.ts';
import { openDirectory } from '../../security/directory/directory.ts';
import type { Directory } from '../../security/directory/directory-port.ts';
import {
  type JobOwner,
  openBlobs,
  openQueue,
  type QueueControl,
  type QueueReader,
  readBlobs,
  readQueues,
  type Store,
  type StoreReader,
} from '../../store/index.ts';
import type { Environment } from './settings.ts';

/**
 * The queues of a gateway, with what their jobs belong to. Gateways and the commands of operators use the same: an action has
 * the same effect, whichever process takes it.
 */
export function jobOwners(registry: Registry): ReadonlyMap<string, JobOwner> {
  return new Map([requestJobs(registry), queryRunJobs(registry), eventJobs(registry), ...deliveryJobs(registry)]);
}

/** The queues of a database for reading, without a gateway. */
export function readQueuesOf(
  registry: Registry,
  store: Pick<StoreReader, 'kind' | 'tables'>,
  env: Environment,
): QueueReader {
  return readQueues({
    store,
    owners: jobOwners(registry),
    removed: removedJobs,
    redactor: createRedactor(() => secretsOf(env)),
  });
}

/** Acts on the queues of a migrated database without running their jobs, also while gateways run. */
export async function withQueues<T>(
  registry: Registry,
  { store, env }: { readonly store: Store; readonly env: Environment },
  work: (queues: QueueControl) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(store);
  try {
    return await work(
      queue.control({
        owners: jobOwners(registry),
        removed: removedJobs,
        redactor: createRedactor(() => secretsOf(env)),
      }),
    );
  } finally {
    await queue.close({ timeoutMs: 0 });
  }
}

/** The messages of a database for reading, without a gateway. */
export function readMessagesOf(
  registry: Registry,
  store: Pick<StoreReader, 'kind' | 'location' | 'tables'>,
  env: Environment,
): MessageReader {
  const redactor = createRedactor(() => secretsOf(env));
  return readMessages({ registry, tables: () => store.tables(), blobs: readBlobs(store, BLOBS), redactor });
}

/** Acts on the messages of a migrated database without delivering them, also while gateways run. */
export async function withMessages<T>(
  registry: Registry,
  { store, env }: { readonly store: Store; readonly env: Environment },
  work: (messages: MessageControl) => Promise<T>,
): Promise<T> {
  const queue = await openQueue(store);
  const blobs = await openBlobs(store);
  const redactor = createRedactor(() => secretsOf(env));
  try {
    return await work(openMessageControl({ registry, store, queue, blobs, redactor }));
  } finally {
    await blobs.close();
    await queue.close({ timeoutMs: 0 });
  }
}

/** The process requests of a database for reading, without a gateway. */
export function readRequestsOf(
  registry: Registry,
  store: Pick<StoreReader, 'kind' | 'location' | 'tables'>,
  env: Environment,
): RequestReader<{ stream(): AsyncIterable<Uint8Array> }> {
  return readRequests({ registry, store, redactor: createRedactor(() => secretsOf(env)) });
}

/** A scheduler whose requests the gateways run, and the users that it can enter requests for. */
export interface RemoteScheduler {
  readonly scheduler: Scheduler;
  readonly directory: Pick<Directory, 'findOwner'>;
}

/** Acts on the process requests of a migrated database without running them, also while gateways run. */
export async function withScheduler<T>(
  registry: Registry,
  { store, env }: { readonly store: Store; readonly env: Environment },
  work: (remote: RemoteScheduler) => Promise<T>,
): Promise<T> {
  const onError = (error: Error): never => {
    throw error;
  };
  const sampleUsers = env.SIGNALBOX_SAMPLE_USERS !== 'off';
  const directory = await openDirectory({ registry, sampleUsers, store, onError: () => {} });
  const queue = await openQueue(store);
  const blobs = await openBlobs(store);
  try {
    const scheduler = openScheduler({
      ...{ registry, store, queue, directory, blobs, onError },
      saved: openSavedQueries({ registry, store }),
      redactor: createRedactor(() => secretsOf(env)),
      // The queue is not started: nothing runs here that would need these.
      ...{ queries: {} as QueryPort, handlers: new Map(), server: '', work: notHere },
    });
    return await work({ scheduler, directory });
  } finally {
    await blobs.close();
    await queue.close({ timeoutMs: 0 });
    await directory.close();
  }
}

function notHere(): never {
  throw new Error('process requests run in gateways');
}
