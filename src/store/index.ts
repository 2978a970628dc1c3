export { BlobError } from './blob/error.ts';
export { type BlobStorage, openBlobs } from './blob/open.ts';
export { isFull, StoreError } from './error.ts';
export { fileAttachment } from './file-attachment.ts';
export { type Nonces, openNonces } from './nonces.ts';
export { openQueue, type QueueOptions } from './queue/open.ts';
export {
  type DeadLetter,
  type FailedJob,
  type Job,
  type JobData,
  JobLost,
  JobNotBegun,
  type JobQueue,
  JobRefused,
  type NewJob,
  type QueueCounts,
  type Recurring,
  type RetryRule,
  type Worker,
  WorkerDied,
} from './queue/port.ts';
export { needRoom } from './queue/room.ts';
export { openRateTable, type RateTable } from './rate-table.ts';
export type { SampleDataFile } from './sample-data.ts';
export { createSpool, type SpoolOptions } from './spool.ts';
export { sqlTransaction } from './sql.ts';
export {
  openStore,
  openToRead,
  type PendingMigration,
  type PostgresAccess,
  pendingMigrations,
  type Store,
  type StoreOptions,
  type StoreReader,
} from './store.ts';
export type { Db, ProcessRequestTable, QueryRunTable, Tables } from './tables.ts';
