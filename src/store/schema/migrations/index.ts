import type { Db } from '../../tables.ts';
import { createProcessRequests } from './0001-process-requests.ts';
import { createSampleData } from './0002-sample-data.ts';
import { createBlobs } from './0003-blobs.ts';
import { createQueue } from './0004-queue.ts';
import { createQueryRuns } from './0005-query-runs.ts';
import { createProcesses } from './0006-processes.ts';
import { createBlobChunks } from './0008-blob-chunks.ts';
import { createSecurity } from './0009-security.ts';
import { createRates } from './0010-rates.ts';

/** One step of the schema, forward only. Once released it never changes: a later step mends it. */
export interface Migration {
  /** Its key in `signalbox_migration`; steps run in the order of the list. */
  readonly name: string;
  up(db: Db): Promise<void>;
}

/** Every step, oldest first. */
export const migrations: readonly Migration[] = [
  { name: '0001-process-requests', up: createProcessRequests },
  { name: '0002-sample-data', up: createSampleData },
  { name: '0003-blobs', up: createBlobs },
  { name: '0004-queue', up: createQueue },
  { name: '0005-query-runs', up: createQueryRuns },
  { name: '0006-processes', up: createProcesses },
  { name: '0008-blob-chunks', up: createBlobChunks },
  { name: '0009-security', up: createSecurity },
  { name: '0010-rates', up: createRates },
];
