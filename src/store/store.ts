import { statSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { StoreError } from './error.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { loadSampleData, type SampleDataFile } from './sample-data.ts';
import { describe, openDatabaseFile } from './sqlite-file.ts';
import type { Tables } from './tables.ts';
import { databaseFile } from './url.ts';

/** The database port: where the gateway keeps what outlives it. */
export interface Store {
  readonly kind: 'sqlite';
  /** The database file, absolute. */
  readonly location: string;
  /** The query builder for the gateway's own tables. */
  tables(): Promise<Kysely<Tables>>;
  /** Brings the schema up to this version; a second call changes nothing. @throws StoreError */
  migrate(): Promise<void>;
  /** Runs each file that this database has not seen. @throws StoreError */
  loadSampleData(files: readonly SampleDataFile[]): Promise<void>;
  /** Resolves where the database answers. @throws StoreError */
  ready(): Promise<void>;
  /** Ends the connection; a second call does nothing. */
  close(): Promise<void>;
}

/** Which database. */
export interface StoreOptions {
  /** `sqlite:path`. */
  readonly url: string;
  /** The project's folder, which a relative path starts from. */
  readonly root: string;
}

/**
 * Opens the database that a URL names, making it where there is none. It is not migrated yet.
 * @throws StoreError for a URL that is not supported and a file that can't be used
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const location = databaseFile(options.url, options.root);
  const connection = openDatabaseFile(location);
  const identity = statSync(location).ino;
  const probe = connection.prepare('select 1 from sqlite_schema limit 1');
  let tables: Promise<Kysely<Tables>> | undefined;
  return {
    kind: 'sqlite',
    location,
    tables() {
      tables ??= import('./kysely.ts').then((module) => module.kyselyOver(connection));
      return tables;
    },
    migrate: () => migrate(location, connection, migrations),
    async loadSampleData(files) {
      loadSampleData(location, connection, files);
    },
    async ready() {
      // An open connection outlives its file: without this look a deleted database would seem well.
      if (statSync(location, { throwIfNoEntry: false })?.ino !== identity) {
        throw new StoreError(location, `${location} was deleted or replaced; restart the gateway`);
      }
      try {
        probe.get();
      } catch (error) {
        throw describe(location, error);
      }
    },
    async close() {
      connection.close();
    },
  };
}
