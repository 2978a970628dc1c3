export {
  type Answers,
  type Claim,
  type FirstAnswer,
  openAnswers,
  retainedAnswers,
} from './answers.ts';
export { BlobError, UnwritableError } from './blob/error.ts';
export { type BlobStorage, openBlobs } from './blob/open-blobs.ts';
export { type ReadableBlobs, readBlobs } from './blob/read-blobs.ts';
export { fromColumn, toColumn } from './blob/rows.ts';
export { deadlineIn, resting, untilDeadline, withDeadline } from './deadline.ts';
export { type DefinedParts, type LoadedDefinitions, readDefinitions, recordDefinitions } from './definitions.ts';
export { isFull, MigrationError, StoreBusyError, StoreError, UnfitStoreError } from './error.ts';
export { fileAttachment } from './file/attachment.ts';
export { createSpool, type MeasuredSpool, type SpoolOptions } from './file/spool.ts';
export { gatewaysAt } from './gateways.ts';
export { type InsertedColumns, insertRows } from './insert.ts';
export { type Lease, openLease } from './lease.ts';
export { type Nonces, openNonces } from './nonces.ts';
export {
  ONLY_POSTGRES,
  openStore,
  openToPlan,
  openToRead,
  type PlannedStore,
  pendingMigrations,
  rehearse,
} from './open-store.ts';
export { noteAction, retainedActions } from './queue/control.ts';
export { retainedDead } from './queue/dead-letters.ts';
export { readQueues } from './queue/kept.ts';
export { needRoom, openQueue, type QueueOptions } from './queue/open-queue.ts';
export type {
  Carried,
  JobDetails,
  JobOwner,
  JobState,
  KeptJob,
  OwnedJob,
  QueueControl,
  QueueOverview,
  QueueReader,
} from './queue/operator.ts';
export {
  type DeadLetter,
  type FailedJob,
  type Job,
  JobLost,
  JobNotBegun,
  type JobQueue,
  JobRefused,
  JobUnknown,
  JobWaits,
  type NewJob,
  type QueueDepth,
  type Recurring,
  type RetryRule,
  type Worker,
  WorkerDied,
} from './queue/queue-port.ts';
export { openRateTable, type RateTable } from './rate-table.ts';
export { type RawCell, type RawRows, readRaw, runApart } from './raw-rows.ts';
export { type Batch, openRetention, type Removed, type Retained, type Retention } from './retention.ts';
export { FIRST_STEP } from './schema/schema.ts';
export { requireOutside, runInTransaction, sqlTransaction } from './sql.ts';
export { offsetOfRefusedToken } from './sqlite/refused-token.ts';
export { type CallCounter, openStatistics, retainedStatistics, type Statistics } from './statistics/count.ts';
export { readStatistics, type StatisticsEntry, type StatisticsReader } from './statistics/read-statistics.ts';
export type {
  DatabaseCondition,
  PendingMigration,
  PostgresAccess,
  ProjectFiles,
  RehearsedStore,
  ReplicaAccess,
  SampleDataFile,
  Store,
  StoreOptions,
  StoreReader,
} from './store-port.ts';
export type { ProcessRequestTable } from './tables/process.ts';
export type { QueryRunTable } from './tables/query.ts';
export type { JobData } from './tables/queue.ts';
export type { CallKind } from './tables/statistics.ts';
export { type Db, movingOf, type Tables } from './tables.ts';
export { afterCommit } from './transaction.ts';
export { MOVE_MARK, unfinishedMove } from './unfinished-move.ts';
