import type { Generated, Kysely } from 'kysely';
import type { BlobTables } from './tables/blob.ts';
import type { MessageTables } from './tables/message.ts';
import type { ProcessTables } from './tables/process.ts';
import type { QueryTables } from './tables/query.ts';
import type { QueueTables } from './tables/queue.ts';
import type { StatisticsTables } from './tables/statistics.ts';
import type { UserTables } from './tables/user.ts';

/** The gateway's own tables. */
export interface Tables
  extends BlobTables,
    MessageTables,
    ProcessTables,
    QueryTables,
    QueueTables,
    StatisticsTables,
    UserTables {
  signalbox_installation: InstallationTable;
  signalbox_migration: MigrationTable;
  signalbox_migration_lock: MigrationLockTable;
  signalbox_project_migration: ProjectMigrationTable;
  signalbox_sample_data: SampleDataTable;
  signalbox_retention: RetentionTable;
  signalbox_lease: LeaseTable;
  signalbox_once: OnceTable;
  signalbox_definitions: DefinitionsTable;
  signalbox_definitions_order: DefinitionsOrderTable;
}

/** The query builder of the gateway's own tables, over the pool or inside a transaction. */
export type Db = Kysely<Tables>;

/** One migration that was run. */
export interface MigrationTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  applied: string;
  /** The newest step that an older version must know to go on working with this one; null when none does. */
  compatible_with: string | null;
}

/** A step that was run on a database. The table of an older version does not have the other columns. */
export type AppliedStep = Pick<MigrationTable, 'name'> & Partial<MigrationTable>;

/** The row that is locked while a process changes the schema on PostgreSQL. */
export interface MigrationLockTable {
  id: number;
}

/** The one row of an installation on PostgreSQL. */
export interface InstallationTable {
  id: number;
  /** The schema of its queue. */
  queue: string;
}

/** A migration of the project that ran, or began to. */
export interface ProjectMigrationTable {
  number: number;
  /** With the number, as its file has it: `0001-vehicles`. */
  name: string;
  /** SHA-256 of its text, in hexadecimal digits. */
  checksum: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  applied: string;
  /** `dev`: run by `signalbox dev`, which may run it again once it is changed. `baseline`: recorded without being run. `begun`: without a transaction, and not known to have ended. */
  state: 'applied' | 'dev' | 'baseline' | 'begun';
}

/** One file of sample data that was run. */
export interface SampleDataTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  loaded: string;
}

/** One kind of data that expires. */
export interface RetentionTable {
  kind: string;
  /** Entries that were removed. */
  removed: number;
  /** Where the next batch goes on. */
  cursor: string | null;
  /** The gateway that removes entries, until the given time without a batch: milliseconds since 1970. */
  holder: string | null;
  until: number;
}

/** What one gateway on PostgreSQL at a time may do. */
export interface LeaseTable {
  name: string;
  /** The gateway. */
  holder: string;
  /** When another may take it, in milliseconds since 1970 by the clock of the database. */
  until: number;
}

/** A call that is answered once. Times are in milliseconds since 1970. */
export interface OnceTable {
  /** A hash of the caller, the operation and the key. */
  id: string;
  operation: string;
  /** `effect`: it runs, or has ended without an answer, after a transaction of it was committed. */
  state: 'running' | 'effect' | 'done';
  /** The run that may answer it. */
  holder: string;
  /** Without a sign of life until then, the run has died. */
  lease: number;
  /** When the key is forgotten. */
  until: number;
  /** A digest of the request; null while that is still read. */
  content: string | null;
  /** Null for an answer that was not kept. */
  status: number | null;
  /** A map, as JSON. */
  headers: string | null;
  body: Uint8Array | null;
  /** 1 if the body is compressed (raw deflate). */
  packed: Generated<number>;
}

/** Definitions that a gateway has loaded when others were loaded last. */
export interface DefinitionsTable {
  id: Generated<number>;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  loaded: string;
  hash: string;
  gateway: string;
  /** JSON: a hash by the name of each part; of the newest row only. */
  parts: string | null;
  /** JSON: the names of what was added, changed and removed. */
  changes: string;
}

export interface DefinitionsOrderTable {
  /** The id of definitions that others follow, 0 for none. */
  follows: number;
}
