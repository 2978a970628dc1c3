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

/**
 * Every table of the gateway, and whether its rows stay when `signalbox dev --reset` builds a database again: `kept` is what the
 * gateway is, and who may call.
 */
export const OWN_TABLES = {
  psprcsrqst: 'emptied',
  signalbox_api_key: 'kept',
  signalbox_blob: 'emptied',
  signalbox_blob_chunk: 'emptied',
  signalbox_blob_lease: 'emptied',
  signalbox_blob_reader: 'emptied',
  signalbox_caller: 'emptied',
  signalbox_dead_letter: 'emptied',
  signalbox_definitions: 'kept',
  signalbox_definitions_order: 'kept',
  signalbox_delivery: 'emptied',
  signalbox_delivery_attempt: 'emptied',
  signalbox_guess: 'emptied',
  signalbox_installation: 'kept',
  signalbox_job: 'emptied',
  signalbox_job_attempt: 'emptied',
  signalbox_job_audit: 'emptied',
  // Whoever runs now holds it.
  signalbox_job_gateway: 'kept',
  signalbox_job_key: 'emptied',
  signalbox_job_rate: 'emptied',
  // Whoever runs now holds them.
  signalbox_lease: 'kept',
  signalbox_loose_blob: 'emptied',
  signalbox_message: 'emptied',
  signalbox_message_content: 'emptied',
  signalbox_message_field: 'emptied',
  signalbox_migration: 'kept',
  signalbox_migration_lock: 'kept',
  signalbox_nonce: 'emptied',
  signalbox_once: 'emptied',
  signalbox_paused_queue: 'emptied',
  signalbox_process_message: 'emptied',
  signalbox_process_number: 'kept',
  signalbox_process_request: 'emptied',
  signalbox_project_migration: 'emptied',
  signalbox_query_run: 'emptied',
  signalbox_recurring: 'emptied',
  signalbox_reply_address: 'emptied',
  signalbox_retention: 'emptied',
  signalbox_sample_data: 'emptied',
  signalbox_saved_query: 'emptied',
  signalbox_session: 'kept',
  signalbox_sign_in: 'kept',
  signalbox_statistics: 'emptied',
  signalbox_user: 'kept',
  signalbox_user_audit: 'kept',
  signalbox_user_certificate: 'kept',
  signalbox_user_version: 'kept',
} satisfies Record<keyof Tables, 'kept' | 'emptied'>;

/** Whether a table, or another object of the database, is the gateway's own. A newer version may have more of them. */
export const isOwnTable = (name: string): boolean => name.startsWith('signalbox_') || Object.hasOwn(OWN_TABLES, name);

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
