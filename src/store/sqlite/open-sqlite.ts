import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText, StoreError } from '../error.ts';
import {
  baseline,
  type MigrationSession,
  migrateProject,
  type ProjectAccess,
  pendingProject,
} from '../schema/project.ts';
import { provenanceOf, rebuildProject } from '../schema/rebuild.ts';
import { loadSampleData, pendingFile, pendingSampleData } from '../schema/sample-data.ts';
import { lacking, migrate, planOf, type SchemaAccess } from '../schema/schema.ts';
import type { PendingMigration, ProjectFiles, RehearsedStore, Store, StoreReader } from '../store-port.ts';
import type { AppliedStep, ProjectMigrationTable } from '../tables.ts';
import { transact } from '../transaction.ts';
import { kyselyOver, Turns } from './driver.ts';
import { type Connection, checkMissing, describe, openDatabaseFile, openToLook, whileBusy } from './file.ts';
import { LockFile } from './lock-file.ts';
import { offsetOfRefusedToken } from './refused-token.ts';

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
    pending: (project) => planSqlite(location, connection, project),
    migrate: (onStep) => migrate(schemaOf(location, connection, transaction), onStep),
    migrateProject: (files, onFile, by) => migrateProject(projectOf(location, connection), files, onFile, by),
    provenance: async () => provenanceOf(await projectOf(location, connection).recorded()),
    rebuild: (options) => rebuildProject(projectOf(location, connection), options),
    rehearse: (project, work) => rehearseSqlite(location, project, work),
    baseline: (files, upTo, onFile) => baseline(projectOf(location, connection), files, upTo, onFile),
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
export async function pendingSqlite(location: string, project: ProjectFiles): Promise<readonly PendingMigration[]> {
  const connection = openToLook(location);
  if (connection === undefined) checkMissing(location);
  try {
    return await planSqlite(location, connection, project);
  } catch (error) {
    throw error instanceof StoreError ? error : describe(location, error);
  } finally {
    connection?.close();
  }
}

/** The tables whose rows say what ran. */
const RECORDS = ['signalbox_migration', 'signalbox_project_migration', 'signalbox_sample_data'];

/** Runs work with a copy of a database, without its rows, on which all that is pending has run. */
export async function rehearseSqlite<T>(
  location: string,
  { migrations = [], sampleData = [] }: ProjectFiles,
  work: (rehearsed: RehearsedStore) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-rehearsal-'));
  const copy = join(folder, 'copy.db');
  try {
    const connection = openToLook(location);
    try {
      if (connection !== undefined) copySchema(connection, copy);
    } finally {
      connection?.close();
    }
    const store = openSqlite(copy);
    try {
      await store.migrate();
      await store.migrateProject(migrations);
      // It may depend on rows, and a start reports what fails.
      for (const file of sampleData) await store.loadSampleData([file]).catch(() => {});
      return await work({ ...store, postgres: undefined });
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copySchema(from: Connection, file: string): void {
  const to = openDatabaseFile(file);
  try {
    // Tables before what refers to them. Tables that belong to a virtual one exist once that is created.
    const created =
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite\\_%' escape '\\' order by type <> 'table', rowid";
    to.pragma('foreign_keys = OFF');
    for (const sql of from.prepare<[], string>(created).pluck().all()) {
      try {
        to.exec(sql);
      } catch {
        // A check then reports what is missing.
      }
    }
    for (const table of RECORDS.filter((name) => hasTable(from, name))) {
      for (const row of from.prepare<[], unknown[]>(`select * from ${table}`).raw().all())
        to.prepare(`insert into ${table} values (${row.map(() => '?').join(', ')})`).run(row);
    }
  } finally {
    to.close();
  }
}

function hasTable(connection: Connection, name: string): boolean {
  const found = connection.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name);
  return found !== undefined;
}

/** Opens a database file to read its tables; creates and changes nothing. @throws StoreError for a file that can't be read */
export function readSqlite(location: string): StoreReader {
  const connection = openToLook(location);
  if (connection === undefined) throw new StoreError(location, `${location} does not exist`);
  const db = kyselyOver(connection, new Turns());
  return {
    kind: 'sqlite',
    location,
    tables: async () => db,
    warnings: async () => [],
    close: async () => void connection.close(),
  };
}

/** @param connection `undefined` for a file that does not exist */
async function planSqlite(
  location: string,
  connection: Connection | undefined,
  project: ProjectFiles = {},
): Promise<readonly PendingMigration[]> {
  const { sampleData = [] } = project;
  const steps = connection === undefined ? [] : applied(connection);
  const plan = await planOf(lacking(location, steps), 'sqlite', steps);
  const ofProject = await pendingProject(projectOf(location, connection), project);
  if (connection === undefined) return [...plan, ...ofProject, ...sampleData.map(pendingFile)];
  const db = kyselyOver(connection, new Turns());
  const access = { db, describe: (error: unknown) => describe(location, error) };
  return [...plan, ...ofProject, ...(await pendingSampleData(access, sampleData))];
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

/** @param looking `undefined` for a file that does not exist */
function projectOf(location: string, looking: Connection | undefined): ProjectAccess {
  /** Runs work on a connection of its own, whose settings end with it. */
  const separately = async (work: (connection: Connection) => Promise<void>): Promise<void> => {
    const lock = await LockFile.wait(`${location}-migration`);
    try {
      const connection = openDatabaseFile(location);
      try {
        connection.pragma('busy_timeout = 0');
        await work(connection);
      } finally {
        connection.close();
      }
    } catch (error) {
      throw error instanceof StoreError ? error : describe(location, error);
    } finally {
      lock.end(false);
    }
  };
  return {
    kind: 'sqlite',
    location,
    recorded: () => whileBusy(() => (looking === undefined ? [] : recorded(looking))),
    alone: (work) =>
      separately(async (connection) => {
        // As SQLite's manual says (ALTER TABLE, section 7): to drop a table that was built anew must not delete what refers to it.
        connection.pragma('foreign_keys = OFF');
        const before = orphansNow(connection);
        await whileBusy(() => connection.exec('begin immediate'));
        await work({ ...sessionOn(connection), settle: async () => refuseOrphans(before, orphans(connection)) });
        await whileBusy(() => connection.exec('commit'));
      }),
    apart: (work) => separately((connection) => work({ ...sessionOn(connection), settle: async () => {} })),
  };
}

function sessionOn(connection: Connection): Omit<MigrationSession, 'settle'> {
  return {
    db: kyselyOver(connection, new Turns()),
    run: (sql) => whileBusy(() => connection.exec(sql)),
    offsetOf: (error, statement) =>
      offsetOfRefusedToken(statement, errorText(error), (sql) => {
        try {
          connection.prepare(sql);
          return undefined;
        } catch (refusal) {
          return errorText(refusal);
        }
      }),
  };
}

/** `undefined` when they can't be counted, so that a migration can correct that. */
function orphansNow(connection: Connection): ReadonlyMap<string, number> | undefined {
  try {
    return orphans(connection);
  } catch {
    return undefined;
  }
}

/**
 * The number of rows that refer to rows that do not exist, by their table and the other.
 * @throws SqliteError for a foreign key that no unique columns correspond to
 */
function orphans(connection: Connection): ReadonlyMap<string, number> {
  const counted =
    "select \"table\" || ' refer to rows of ' || parent || ' that do not exist', count(*) from pragma_foreign_key_check group by 1";
  return new Map(connection.prepare<[], [string, number]>(counted).raw().all());
}

function refuseOrphans(before: ReadonlyMap<string, number> | undefined, after: ReadonlyMap<string, number>): void {
  if (before === undefined) return;
  for (const [what, count] of after) {
    const added = count - (before.get(what) ?? 0);
    if (added > 0)
      throw new Error(`FOREIGN KEY constraint failed: ${added === 1 ? 'a row' : `${added} rows`} of ${what}`);
  }
}

function recorded(connection: Connection): ProjectMigrationTable[] {
  if (!hasTable(connection, 'signalbox_project_migration')) return [];
  return connection
    .prepare<[], ProjectMigrationTable>('select * from signalbox_project_migration order by number')
    .all();
}

function makeStepTable(connection: Connection): void {
  connection.exec('create table if not exists signalbox_migration (name text primary key, applied text not null)');
  const column = "select 1 from pragma_table_info('signalbox_migration') where name = 'compatible_with'";
  if (connection.prepare(column).get() === undefined)
    connection.exec('alter table signalbox_migration add column compatible_with text');
}

function applied(connection: Connection): AppliedStep[] {
  if (!hasTable(connection, 'signalbox_migration')) return [];
  return connection.prepare<[], AppliedStep>('select * from signalbox_migration').all();
}
