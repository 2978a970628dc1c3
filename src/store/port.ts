import type { ClientConfig } from 'pg';
import type { DatabaseEngine } from '../model/gateway.ts';
import type { SampleDataFile } from './schema/sample-data.ts';
import type { Db } from './tables.ts';

/** The database port: where the gateway keeps what outlives it. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  /** The database file, absolute; `host:port/database` of PostgreSQL. For people: it holds no password. */
  readonly location: string;
  /** What the paths of files begin with that belong to the database: `<files>-spool`, `<files>-results`. */
  readonly files: string;
  /** How to open more connections to it; undefined for SQLite. */
  readonly postgres: PostgresAccess | undefined;
  /** The query builder for the gateway's own tables. */
  tables(): Promise<Db>;
  /**
   * Runs work in a transaction that may write, and commits it; what it throws rolls all of it back. Inside it only what it
   * is given may be used: on SQLite all else waits for its end. On PostgreSQL work may run more than once, where its
   * transaction gave way to another; it commits once.
   * @throws what work throws; errors of the database. Where the connection was lost in the commit itself, nobody knows
   * whether that happened
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Steps of the schema that the database lacks, in their order. @throws StoreError */
  pending(): Promise<readonly PendingMigration[]>;
  /**
   * Brings the schema up to this version, once among any number of processes; a second call changes nothing.
   * @param onStep is told the name of each step before it is run
   * @throws StoreError
   */
  migrate(onStep?: (name: string) => void): Promise<void>;
  /** Runs each file that this database has not seen. @throws StoreError */
  loadSampleData(files: readonly SampleDataFile[]): Promise<void>;
  /** Resolves where the database answers. @throws StoreError */
  ready(): Promise<void>;
  /** Ends the connection; a second call does nothing. */
  close(): Promise<void>;
}

/** A step of the schema that a database lacks. */
export interface PendingMigration {
  readonly name: string;
  /** What it does, in the words of the engine: statements, one a line. */
  readonly statements: readonly string[];
}

/** How to reach a PostgreSQL. */
export interface PostgresAccess {
  /** For the driver. Holds the password. */
  readonly config: ClientConfig;
  readonly engine: DatabaseEngine;
  /** Connections that may be opened, by what they are for. */
  readonly connections: { readonly tables: number; readonly queries: number; readonly queue: number };
}

/** Which database. */
export interface StoreOptions {
  /** `sqlite:path`, or `postgres://user:password@host/database`. */
  readonly url: string;
  readonly engine?: DatabaseEngine;
  /** Connections to PostgreSQL at most, six or more; 20. */
  readonly connections?: number;
  /** The project's folder, which a relative path starts from. */
  readonly root: string;
  /** Told of connections that were lost while nobody used them. */
  readonly onError?: (error: Error) => void;
}

/** A database whose tables are looked at. */
export interface StoreReader extends Pick<Store, 'kind' | 'tables' | 'close'> {}
