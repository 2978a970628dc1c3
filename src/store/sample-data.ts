import { errorText, StoreError } from './error.ts';
import type { Connection } from './sqlite-file.ts';

/** A file of SQL statements that fill tables with examples. */
export interface SampleDataFile {
  /** What it is remembered by: its path relative to the definitions folder. */
  readonly name: string;
  readonly sql: string;
}

/**
 * Runs each file once in the life of the database, in the order given; a file and the record that it was run are one
 * transaction.
 * @throws StoreError naming the file of SQL; nothing of that file is kept
 */
export function loadSampleData(location: string, connection: Connection, files: readonly SampleDataFile[]): void {
  if (files.length === 0) return;
  const seen = connection.prepare<[string]>('select 1 from signalbox_sample_data where name = ?');
  const record = connection.prepare<[string, string]>('insert into signalbox_sample_data (name, loaded) values (?, ?)');
  for (const file of files) {
    // Looked at without a lock first: a later start writes nothing.
    if (seen.get(file.name) !== undefined) continue;
    try {
      connection.exec('begin immediate');
      if (seen.get(file.name) === undefined) {
        connection.exec(file.sql);
        if (!connection.inTransaction)
          throw new Error('it ends its own transaction; take begin, commit and rollback out');
        record.run(file.name, new Date().toISOString());
      }
      connection.exec('commit');
    } catch (error) {
      if (connection.inTransaction) connection.exec('rollback');
      throw new StoreError(location, `sample data ${file.name} could not be loaded: ${errorText(error)}`, {
        cause: error,
      });
    }
  }
}
