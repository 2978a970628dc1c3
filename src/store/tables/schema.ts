/** The tables that record what was done to the database itself. */
export interface SchemaTables {
  signalbox_migration: MigrationTable;
  signalbox_migration_lock: MigrationLockTable;
  signalbox_sample_data: SampleDataTable;
}

/** One migration that was run. */
export interface MigrationTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  applied: string;
}

/** The row that is locked while a process changes the schema on PostgreSQL. */
export interface MigrationLockTable {
  id: number;
}

/** One file of sample data that was run. */
export interface SampleDataTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  loaded: string;
}
