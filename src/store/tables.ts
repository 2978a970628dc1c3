import type { Kysely } from 'kysely';
import type { BlobTables } from './tables/blob.ts';
import type { ProcessTables } from './tables/process.ts';
import type { QueryTables } from './tables/query.ts';
import type { QueueTables } from './tables/queue.ts';
import type { UserTables } from './tables/user.ts';

/** The gateway's own tables. */
export interface Tables extends BlobTables, ProcessTables, QueryTables, QueueTables, SchemaTables, UserTables {}

/** The query builder of the gateway's own tables: over the pool, or inside a transaction. */
export type Db = Kysely<Tables>;

/** The tables that say what was done to the database itself. */
interface SchemaTables {
  signalbox_migration: MigrationTable;
  signalbox_migration_lock: MigrationLockTable;
  signalbox_sample_data: SampleDataTable;
}

/** One migration that was run. */
interface MigrationTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  applied: string;
}

/** The row that whoever brings the schema of PostgreSQL up to date holds locked. */
interface MigrationLockTable {
  id: number;
}

/** One file of sample data that was run. */
interface SampleDataTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  loaded: string;
}
