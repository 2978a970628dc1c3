import { ENDS_TRANSACTION, ofSampleData, type SampleDataFile } from '../sample-data.ts';
import type { Store } from '../store.ts';
import type { Connection } from './file.ts';

/**
 * Runs each file once in the life of the database, in the order given; a file and the record that it was run are one
 * transaction.
 * @throws StoreError naming the file of SQL; nothing of that file is kept
 */
export async function loadSampleData(
  location: string,
  connection: Connection,
  transaction: Store['transaction'],
  files: readonly SampleDataFile[],
): Promise<void> {
  if (files.length === 0) return;
  const seen = connection.prepare<[string]>('select 1 from signalbox_sample_data where name = ?');
  const record = connection.prepare<[string, string]>('insert into signalbox_sample_data (name, loaded) values (?, ?)');
  for (const { name, sql } of files) {
    // Looked at without a lock first: a later start writes nothing.
    if (seen.get(name) !== undefined) continue;
    try {
      await transaction(async () => {
        if (seen.get(name) !== undefined) return;
        run(connection, sql);
        record.run(name, new Date().toISOString());
      });
    } catch (error) {
      throw ofSampleData(location, name, error);
    }
  }
}

/** A savepoint ends with its transaction: where it is gone, the SQL has ended that. */
function run(connection: Connection, sql: string): void {
  connection.exec('savepoint signalbox_sample_data');
  connection.exec(sql);
  try {
    connection.exec('release signalbox_sample_data');
  } catch (cause) {
    throw new Error(ENDS_TRANSACTION, { cause });
  }
}
