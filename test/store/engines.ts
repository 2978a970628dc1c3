import Database from 'better-sqlite3';
import { describe, onTestFinished } from 'vitest';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.ts';
import { atFileEnd } from '../support/file-end.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { copyMigrated } from '../support/sqlite.ts';
import { temporaryFolder } from './support.ts';

/** A place for one database. */
export interface Place {
  readonly options: StoreOptions;
  /** Opens it; closed when the test ends. */
  open(): Promise<Store>;
  /** Opens it and brings it up to date. */
  migrated(): Promise<Store>;
  /** Runs statements beside the store, and returns the rows of the last. */
  run(sql: string): Promise<Record<string, unknown>[]>;
}

/** One of the databases that the store port stands on. */
export interface Engine {
  readonly kind: Store['kind'];
  /** A place without data, removed when the test ends. The tables are there already: they take long to make. */
  place(): Promise<Place>;
  /** One that no store has been in. */
  empty(): Promise<Place>;
}

/** Describes what holds on each engine; PostgreSQL's part is skipped where there is none. */
export function describeEngines(name: string, suite: (engine: Engine) => void): void {
  describe(`${name} on SQLite`, () => suite({ kind: 'sqlite', place: sqlitePlace, empty: emptySqlitePlace }));
  describe.skipIf(!hasPostgres)(`${name} on PostgreSQL`, () =>
    suite({ kind: 'postgres', place: () => postgresPlace({ migrated: true }), empty: postgresPlace }),
  );
}

export async function sqlitePlace(): Promise<Place> {
  const root = temporaryFolder();
  copyMigrated(`${root}/box.db`);
  return sqlitePlaceIn(root);
}

async function emptySqlitePlace(): Promise<Place> {
  return sqlitePlaceIn(temporaryFolder());
}

function sqlitePlaceIn(root: string): Place {
  const run = async (sql: string): Promise<Record<string, unknown>[]> => {
    const database = new Database(`${root}/box.db`);
    try {
      const statements = sql.split(';').filter((statement) => statement.trim() !== '');
      for (const statement of statements.slice(0, -1)) database.exec(statement);
      const last = database.prepare<[], Record<string, unknown>>(statements.at(-1) ?? '');
      if (last.reader) return last.all();
      last.run();
      return [];
    } finally {
      database.close();
    }
  };
  return placeOf({ url: 'sqlite:box.db', root }, run);
}

export async function postgresPlace(given: { readonly migrated?: boolean } = {}): Promise<Place> {
  const database = await createDatabase(given);
  // With the file's last, since that takes its time.
  atFileEnd(database.drop);
  return placeOf({ url: database.url, root: temporaryFolder() }, async (sql) => {
    const result = await database.run(sql);
    const last = Array.isArray(result) ? result.at(-1) : result;
    return last.rows;
  });
}

function placeOf(options: StoreOptions, run: Place['run']): Place {
  const open = async (): Promise<Store> => {
    const store = await openStore(options);
    onTestFinished(() => store.close());
    return store;
  };
  const migrated = async (): Promise<Store> => {
    const store = await open();
    await store.migrate();
    return store;
  };
  return { options, open, migrated, run };
}
