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

/** What becomes of the rows of one of the gateway's tables. */
interface RowsOf {
  /** When `signalbox dev --reset` builds a database again: `kept` is what the gateway is, and who may call. */
  readonly rebuild: 'kept' | 'emptied';
  /**
   * When `signalbox data move` copies them to a database of the other engine. `copied`: as they are. `seeded`: in place of those
   * that a new database has. `jobs`, `blobs`, `retention`: as the other engine has them. `left`: they are about the database
   * itself, about processes that have ended, or of this minute.
   */
  readonly move: 'copied' | 'seeded' | 'jobs' | 'blobs' | 'retention' | 'left';
}

/** Every table of the gateway. */
export const OWN_TABLES = {
  psprcsrqst: { rebuild: 'emptied', move: 'copied' },
  signalbox_api_key: { rebuild: 'kept', move: 'copied' },
  signalbox_blob: { rebuild: 'emptied', move: 'blobs' },
  signalbox_blob_chunk: { rebuild: 'emptied', move: 'left' },
  signalbox_blob_lease: { rebuild: 'emptied', move: 'left' },
  signalbox_blob_reader: { rebuild: 'emptied', move: 'left' },
  signalbox_caller: { rebuild: 'emptied', move: 'copied' },
  signalbox_dead_letter: { rebuild: 'emptied', move: 'copied' },
  signalbox_definitions: { rebuild: 'kept', move: 'copied' },
  signalbox_definitions_order: { rebuild: 'kept', move: 'copied' },
  signalbox_delivery: { rebuild: 'emptied', move: 'copied' },
  signalbox_delivery_attempt: { rebuild: 'emptied', move: 'copied' },
  signalbox_guess: { rebuild: 'emptied', move: 'copied' },
  signalbox_installation: { rebuild: 'kept', move: 'left' },
  signalbox_job: { rebuild: 'emptied', move: 'jobs' },
  signalbox_job_attempt: { rebuild: 'emptied', move: 'copied' },
  signalbox_job_audit: { rebuild: 'emptied', move: 'copied' },
  // Whoever runs now holds it.
  signalbox_job_gateway: { rebuild: 'kept', move: 'left' },
  // On PostgreSQL alone: computed from the jobs.
  signalbox_job_key: { rebuild: 'emptied', move: 'left' },
  signalbox_job_rate: { rebuild: 'emptied', move: 'copied' },
  // Whoever runs now holds them.
  signalbox_lease: { rebuild: 'kept', move: 'left' },
  signalbox_loose_blob: { rebuild: 'emptied', move: 'left' },
  signalbox_message: { rebuild: 'emptied', move: 'copied' },
  signalbox_message_content: { rebuild: 'emptied', move: 'copied' },
  signalbox_message_field: { rebuild: 'emptied', move: 'copied' },
  signalbox_migration: { rebuild: 'kept', move: 'left' },
  signalbox_migration_lock: { rebuild: 'kept', move: 'left' },
  // A message or a call that was used once must not be usable again.
  signalbox_nonce: { rebuild: 'emptied', move: 'copied' },
  signalbox_once: { rebuild: 'emptied', move: 'copied' },
  signalbox_paused_queue: { rebuild: 'emptied', move: 'copied' },
  signalbox_process_message: { rebuild: 'emptied', move: 'copied' },
  signalbox_process_number: { rebuild: 'kept', move: 'seeded' },
  signalbox_process_request: { rebuild: 'emptied', move: 'copied' },
  // What ran on a database is recorded there as it runs.
  signalbox_project_migration: { rebuild: 'emptied', move: 'left' },
  signalbox_query_run: { rebuild: 'emptied', move: 'copied' },
  signalbox_recurring: { rebuild: 'emptied', move: 'copied' },
  signalbox_reply_address: { rebuild: 'emptied', move: 'copied' },
  signalbox_retention: { rebuild: 'emptied', move: 'retention' },
  signalbox_sample_data: { rebuild: 'emptied', move: 'left' },
  signalbox_saved_query: { rebuild: 'emptied', move: 'copied' },
  // Whoever is signed in signs in again.
  signalbox_session: { rebuild: 'kept', move: 'left' },
  signalbox_sign_in: { rebuild: 'kept', move: 'left' },
  signalbox_statistics: { rebuild: 'emptied', move: 'copied' },
  signalbox_user: { rebuild: 'kept', move: 'copied' },
  signalbox_user_audit: { rebuild: 'kept', move: 'copied' },
  signalbox_user_certificate: { rebuild: 'kept', move: 'copied' },
  signalbox_user_version: { rebuild: 'kept', move: 'seeded' },
} as const satisfies Record<keyof Tables, RowsOf>;

/** Whether a table, or another object of the database, is the gateway's own. A newer version may have more of them. */
export const isOwnTable = (name: string): boolean => name.startsWith('signalbox_') || Object.hasOwn(OWN_TABLES, name);

/** How the rows of a table are moved to another database; `undefined` for a table of the project. */
export function movingOf(table: string): RowsOf['move'] | undefined {
  if (Object.hasOwn(OWN_TABLES, table)) return OWN_TABLES[table as keyof typeof OWN_TABLES].move;
  return isOwnTable(table) ? 'left' : undefined;
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
