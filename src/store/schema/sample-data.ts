import { errorCode, errorText, StoreError } from '../error.ts';
import type { PendingMigration, SampleDataFile } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** The database that sample data is loaded into. */
export interface SampleDataAccess {
  readonly location: string;
  readonly db: Db;
  /** Runs work in a transaction during which no other process loads sample data. */
  alone(work: (tx: Db) => Promise<void>): Promise<void>;
  /** Runs SQL with any number of statements in that transaction. */
  run(tx: Db, sql: string): Promise<unknown>;
  /** Whether an error of `release savepoint` means that it does not exist. */
  isGone(error: unknown): boolean;
  /** The error for an operator when the database can't be read. */
  describe(error: unknown): StoreError;
}

/**
 * Runs each file once in the life of the database, in the order given, whatever number of gateways starts; a file and the
 * record that it was run are one transaction.
 * @throws StoreError naming the file of SQL; nothing of that file is kept
 */
export async function loadSampleData(
  access: SampleDataAccess,
  files: readonly SampleDataFile[],
  onFile: (name: string) => void = () => {},
): Promise<void> {
  const { location, db } = access;
  for (const file of files) {
    // Checked without a lock first, so that a later start does not wait.
    const loaded = await seen(db, file.name).catch((error: unknown) => {
      throw access.describe(error);
    });
    if (loaded) continue;
    try {
      await access.alone(async (tx) => {
        if (await seen(tx, file.name)) return;
        onFile(file.name);
        await load(access, tx, file);
      });
    } catch (cause) {
      const remedy = isMissingTable(cause)
        ? '; tables are created by `migrations:` of the gateway, which run before'
        : '';
      throw new StoreError(location, `sample data ${file.name} could not be loaded: ${errorText(cause)}${remedy}`, {
        cause,
      });
    }
  }
}

/** The files that were not run on the database, each as one change. The table of them need not exist. @throws StoreError */
export async function pendingSampleData(
  { db, describe }: Pick<SampleDataAccess, 'db' | 'describe'>,
  files: readonly SampleDataFile[],
): Promise<PendingMigration[]> {
  const pending: PendingMigration[] = [];
  for (const { name, sql } of files) {
    const loaded = await seen(db, name).catch((error: unknown) => {
      if (isMissingTable(error)) return false;
      throw describe(error);
    });
    if (!loaded) pending.push(pendingFile({ name, sql }));
  }
  return pending;
}

/** A file that was not run. */
export function pendingFile({ name, sql }: SampleDataFile): PendingMigration {
  return { of: 'sample-data', name, statements: [sql.trim()] };
}

/** Whether an error of PostgreSQL or of SQLite says that a table does not exist. */
export function isMissingTable(error: unknown): boolean {
  return errorCode(error) === '42P01' || /no such table/.test(errorText(error));
}

async function seen(db: Db, name: string): Promise<boolean> {
  const query = db.selectFrom('signalbox_sample_data').select('name').where('name', '=', name);
  return (await query.executeTakeFirst()) !== undefined;
}

async function load(access: SampleDataAccess, tx: Db, { name, sql }: SampleDataFile): Promise<void> {
  // A savepoint ends with its transaction: when it is gone, the file has ended the transaction.
  await access.run(tx, 'savepoint signalbox_sample_data');
  await access.run(tx, sql);
  await access.run(tx, 'release savepoint signalbox_sample_data').catch((cause: unknown) => {
    if (!access.isGone(cause)) throw cause;
    throw new Error('it ends its own transaction; remove begin, commit and rollback', { cause });
  });
  await tx.insertInto('signalbox_sample_data').values({ name, loaded: new Date().toISOString() }).execute();
}
