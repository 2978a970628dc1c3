import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { renderDiagnostics } from '../../src/load/index.ts';
import { loadFiles } from '../../src/load/load.ts';
import type { ProcessContext, ProcessOutcome, Transaction, WorkContext } from '../../src/model/handler.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { User } from '../../src/model/security.ts';
import type { OpenWork } from '../../src/model/work.ts';
import { openScheduler, type ScheduleRequest, type Scheduler } from '../../src/process/index.ts';
import { openSavedQueries, type QueryPort } from '../../src/query/index.ts';
import type { Owners } from '../../src/security/directory/directory-port.ts';
import {
  type BlobStorage,
  type Db,
  type JobQueue,
  openBlobs,
  openQueue,
  openStore,
  type Store,
  sqlTransaction,
} from '../../src/store/index.ts';
import { projectOf } from '../load/project-text.ts';
import { createDirectory } from '../support/directory.ts';
import { eventually } from '../support/project.ts';
import { openMigrated } from '../support/sqlite.ts';

const PASSWORD = '$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg';

/** A registry with the process WORK, and the user `demo`, who may run it. */
export function registryOf(more = '', gateway = ''): Registry {
  const loaded = loadFiles(
    projectOf(`gateway: LOCAL
${gateway}
---
permission-list: P
process-requests: all
---
role: R
permission-lists: [P]
---
user: demo
password: ${PASSWORD}
roles: [R]
---
user: other
password: ${PASSWORD}
---
process: WORK
type: Application Engine
permission: P
parameters: { MODE: string }
${more}`),
    'ignore-missing',
  );
  if (loaded.registry === undefined) throw new Error(renderDiagnostics(loaded, { colour: false }));
  return loaded.registry;
}

/** The code of a process, without its types. */
export type Code = (
  parameters: Record<string, string>,
  context: ProcessContext,
) => Promise<ProcessOutcome> | ProcessOutcome;

export interface TestScheduler {
  readonly scheduler: Scheduler;
  readonly store: Store;
  readonly queue: JobQueue;
  readonly blobs: BlobStorage;
  readonly registry: Registry;
  readonly demo: User;
  readonly errors: Error[];
  /** Enters a request of WORK. */
  enter(request?: Partial<ScheduleRequest>): Promise<number>;
  /** The word of its run status. */
  status(instance: number): Promise<string>;
  /** Waits until a request has one of these statuses. */
  reaches(instance: number, ...statuses: string[]): Promise<string>;
  close(): Promise<void>;
}

export interface TestOptions {
  /** Of PostgreSQL; a fresh SQLite file where it is left out. */
  readonly url?: string;
  readonly registry?: Registry;
  readonly code?: Code;
  /** The users of the registry where it is left out. */
  readonly directory?: (store: Store) => Promise<Owners>;
  readonly now?: () => number;
  readonly grace?: number;
  /** False: the queue does not run, requests stay as they are entered. */
  readonly start?: boolean;
}

/** A scheduler over a database, with a queue that runs. */
export async function openTestScheduler(options: TestOptions = {}): Promise<TestScheduler> {
  const { registry = registryOf(), code = () => {}, now, grace = 100, start = true } = options;
  const root = mkdtempSync(join(tmpdir(), 'signalbox-process-'));
  const store = options.url === undefined ? await openMigrated(root) : await openStore({ url: options.url, root });
  await store.migrate();
  const errors: Error[] = [];
  const clock = now === undefined ? {} : { now };
  const onError = (error: Error): void => void errors.push(error);
  const queue = await openQueue(store, { onError, ...clock });
  const blobs = await openBlobs(store);
  const handlers = new Map([['work', { run: code as never }]]);
  const queries = {} as QueryPort;
  const server = 'TESTSRV';
  const scheduler = openScheduler({
    registry,
    store,
    queue,
    directory: (await options.directory?.(store)) ?? createDirectory(registry.users, true),
    blobs,
    queries,
    saved: openSavedQueries({ registry, store }),
    handlers,
    work: workOn(store.kind),
    redactor: createRedactor(),
    server,
    onError,
    grace,
    ...clock,
  });
  if (start) await queue.start();
  const demo = registry.users.get('demo') as User;
  const usual = { runControl: 'RC', type: 'Application Engine', name: 'WORK' };
  const status = async (instance: number): Promise<string> => (await scheduler.get(instance, demo)).runStatus;
  return {
    scheduler,
    store,
    queue,
    blobs,
    registry,
    demo,
    errors,
    enter: (request = {}) => scheduler.schedule({ ...usual, ...request }, demo),
    status,
    reaches: (instance, ...statuses) =>
      eventually(`${statuses.join(' or ')} of ${instance}`, async () => {
        const found = await status(instance);
        return statuses.includes(found) ? found : undefined;
      }),
    async close() {
      await queue.close({ timeoutMs: 100 });
      await blobs.close();
      await store.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** What code can reach here is its caller and its signal. */
const workOn =
  (kind: Store['kind']): OpenWork<Db> =>
  ({ user, requestId, signal }) => {
    return {
      context: { caller: { user: user?.id }, requestId, signal } as WorkContext,
      inside: (tx) => sqlTransaction(tx, kind) as Transaction,
      done: () => {},
    };
  };

/** A promise and what settles it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
