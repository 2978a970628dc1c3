import { statSync } from 'node:fs';
import { StoreError } from '../error.ts';
import type { PendingMigration, SampleDataFile, Store, StoreReader } from '../port.ts';
import { loadSampleData, pendingSampleData } from '../schema/sample-data.ts';
import { lacking, migrate, planOf, type SchemaAccess } from '../schema/schema.ts';
import type { AppliedStep } from '../tables.ts';
import { transact } from '../transaction.ts';
import { kyselyOver, Turns } from './driver.ts';
import { type Connection, checkMissing, describe, openDatabaseFile, openToLook, whileBusy } from './file.ts';

/** Opens a database file, and creates a missing one. @throws StoreError for a file that can't be used */
export function openSqlite(location: string): Store {
  const connection = openDatabaseFile(location);
  const identity = statSync(location).ino;
  const probe = connection.prepare('select 1 from sqlite_schema limit 1');
  // From here on the driver waits for locks.
  connection.pragma('busy_timeout = 0');
  const turns = new Turns();
  const db = kyselyOver(connection, turns);
  const transaction: Store['transaction'] = (work) => transact(db, (tx) => turns.inside(() => work(tx)));
  return {
    kind: 'sqlite',
    location,
    files: location,
    postgres: undefined,
    tables: async () => db,
    transaction,
    pending: (files) => planSqlite(location, connection, files),
    migrate: (onStep) => migrate(schemaOf(location, connection, transaction), onStep),
    loadSampleData: (files, onFile) =>
      loadSampleData(
        {
          ...{ location, db, alone: transaction },
          run: async (_, sql) => connection.exec(sql),
          isGone: () => true,
          describe: (error) => describe(location, error),
        },
        files,
        onFile,
      ),
    warnings: async () => [],
    async ready() {
      // An open connection outlives its file: without this check a deleted database would seem healthy.
      if (statSync(location, { throwIfNoEntry: false })?.ino !== identity) {
        throw new StoreError(location, `${location} was deleted or replaced; restart the gateway`);
      }
      try {
        await whileBusy(() => probe.get());
      } catch (error) {
        throw describe(location, error);
      }
    },
    async close() {
      connection.close();
    },
  };
}

/** What a database file lacks; creates and changes nothing. @throws StoreError for a file that can't be read */
export async function pendingSqlite(
  location: string,
  files: readonly SampleDataFile[],
): Promise<readonly PendingMigration[]> {
  const connection = openToLook(location);
  if (connection === undefined) checkMissing(location);
  try {
    return await planSqlite(location, connection, files);
  } catch (error) {
    throw error instanceof StoreError ? error : describe(location, error);
  } finally {
    connection?.close();
  }
}

/** Opens a database file to read its tables; creates and changes nothing. @throws StoreError for a file that can't be read */
export function readSqlite(location: string): StoreReader {
  const connection = openToLook(location);
  if (connection === undefined) throw new StoreError(location, `${location} does not exist`);
  const db = kyselyOver(connection, new Turns());
  return {
    kind: 'sqlite',
    tables: async () => db,
    warnings: async () => [],
    close: async () => void connection.close(),
  };
}

/** @param connection `undefined` for a file that does not exist */
async function planSqlite(
  location: string,
  connection: Connection | undefined,
  files: readonly SampleDataFile[] = [],
): Promise<readonly PendingMigration[]> {
  const steps = connection === undefined ? [] : applied(connection);
  const plan = await planOf(lacking(location, steps), 'sqlite', steps);
  if (connection === undefined) return [...plan, ...files.map(({ name, sql }) => ({ name, statements: [sql.trim()] }))];
  const db = kyselyOver(connection, new Turns());
  const access = { db, describe: (error: unknown) => describe(location, error) };
  return [...plan, ...(await pendingSampleData(access, files))];
}

function schemaOf(location: string, connection: Connection, transaction: Store['transaction']): SchemaAccess {
  return {
    kind: 'sqlite',
    location,
    applied: () => whileBusy(() => applied(connection)),
    async alone(work) {
      try {
        return await transaction(async (tx) => {
          makeStepTable(connection);
          return work(tx);
        });
      } catch (error) {
        throw error instanceof StoreError ? error : describe(location, error);
      }
    },
  };
}

function makeStepTable(connection: Connection): void {
  connection.exec('create table if not exists signalbox_migration (name text primary key, applied text not null)');
  const column = "select 1 from pragma_table_info('signalbox_migration') where name = 'compatible_with'";
  if (connection.prepare(column).get() === undefined)
    connection.exec('alter table signalbox_migration add column compatible_with text');
}

function applied(connection: Connection): AppliedStep[] {
  const table = connection.prepare("select 1 from sqlite_schema where type = 'table' and name = 'signalbox_migration'");
  if (table.get() === undefined) return [];
  return connection.prepare<[], AppliedStep>('select * from signalbox_migration').all();
}
