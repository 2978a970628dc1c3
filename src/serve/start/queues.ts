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
} from '../../message/index.ts';
import type { Registry } from '../../model/registry.ts';
import { requestJobs } from '../../process/index.ts';
import { queryRunJobs } from '../../query/index.ts';
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
