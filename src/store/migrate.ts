import { errorText, StoreError } from './error.ts';
import type { Migration } from './migrations.ts';
import { type Connection, describe } from './sqlite-file.ts';

/**
 * Runs the migrations that the database has not seen, all in one transaction that holds the write lock, so that two
 * processes which start together run each step once.
 * @throws StoreError where a step fails (nothing of the run is kept), or where the database is of a newer version
 */
export async function migrate(file: string, connection: Connection, migrations: readonly Migration[]): Promise<void> {
  if (pending(file, connection, migrations).length === 0) return;
  // Loaded where it is needed only: it takes longer than everything else that a start does.
  const { kyselyOver } = await import('./kysely.ts');
  const db = kyselyOver(connection);
  begin(file, connection);
  try {
    connection.exec('create table if not exists signalbox_migration (name text primary key, applied text not null)');
    for (const migration of pending(file, connection, migrations)) {
      await migration.up(db).catch((cause: unknown) => {
        throw new Error(`migration ${migration.name} failed: ${errorText(cause)}`, { cause });
      });
      await db
        .insertInto('signalbox_migration')
        .values({ name: migration.name, applied: new Date().toISOString() })
        .execute();
    }
    connection.exec('commit');
  } catch (error) {
    if (connection.inTransaction) connection.exec('rollback');
    throw error instanceof StoreError ? error : describe(file, error);
  }
}

/** Steps that the database has not seen, in order. */
function pending(file: string, connection: Connection, migrations: readonly Migration[]): Migration[] {
  const done = applied(connection);
  const known = new Set(migrations.map((migration) => migration.name));
  const newer = [...done].filter((name) => !known.has(name));
  if (newer.length > 0) {
    throw new StoreError(
      file,
      `${file} was written by a newer version of signalbox (it has seen ${newer.join(', ')}); run that version, or name another file`,
    );
  }
  return migrations.filter((migration) => !done.has(migration.name));
}

function applied(connection: Connection): Set<string> {
  const table = connection.prepare("select 1 from sqlite_schema where type = 'table' and name = 'signalbox_migration'");
  if (table.get() === undefined) return new Set();
  const names = connection.prepare<[], { name: string }>('select name from signalbox_migration').all();
  return new Set(names.map((row) => row.name));
}

function begin(file: string, connection: Connection): void {
  try {
    connection.exec('begin immediate');
  } catch (error) {
    throw describe(file, error);
  }
}
