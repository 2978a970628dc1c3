import type { DatabaseBounds, DatabaseEngine, MigrationFile } from '../model/gateway.ts';
import type { PoolStatus } from '../model/metrics.ts';
import type { MigrationError } from './error.ts';
import type { ConnectionConfig } from './postgres/connection-config.ts';
import type { Db } from './tables.ts';

/** The database port: everything that outlives the gateway is kept there. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  /** The absolute path of the database file; `host:port/database` of PostgreSQL. For people: without the password. */
  readonly location: string;
  /** The beginning of the paths of files that belong to the database: `<files>-spool`, `<files>-results`. */
  readonly files: string;
  /** How to open more connections; `undefined` for SQLite. */
  readonly postgres: PostgresAccess | undefined;
  /** The query builder for the gateway's own tables. */
  tables(): Promise<Db>;
  /**
   * Runs work in a transaction that may write, and commits it; an error rolls all of it back. Work may use only the transaction
   * that it is given: on SQLite everything else waits for its end. On PostgreSQL work may run more than once, when its
   * transaction gave way to another; it commits once.
   * @param about what it locks, when many may want the same: its transactions of this gateway wait for each other before they
   * take a connection
   * @throws what work throws; errors of the database. When the connection is lost during the commit, it is unknown whether the
   * transaction was committed
   */
  transaction<T>(work: (tx: Db) => Promise<T>, about?: string): Promise<T>;
  /**
   * Runs single statements on a connection that no transaction occupies, while the caller has one open: what they change is
   * kept whatever becomes of it, and what they lock is free at once. Absent where they might wait for the caller itself.
   */
  readonly apart?: Db;
  /**
   * What {@link migrate}, {@link migrateProject} and {@link loadSampleData} would run, in this order; changes nothing.
   * @throws StoreError, MigrationError
   */
  pending(project?: ProjectFiles): Promise<readonly PendingMigration[]>;
  /**
   * Brings the tables and the queue up to this version, once for any number of processes; a second call changes nothing.
   * @param onStep is called with the name of each step before it runs
   * @throws StoreError
   */
  migrate(onStep?: (name: string) => void): Promise<void>;
  /**
   * Runs each migration of the project that did not run on this database before, in the order of their numbers, once for any
   * number of processes. The tables must be those of this version: see {@link migrate}.
   * @param onFile is called with the path of each that is run, before it is
   * @param by `dev` records that `signalbox dev` ran them, which may run them again once they are changed
   * @throws MigrationError for one that fails, or can't run after those that ran; StoreError
   */
  migrateProject(
    files: readonly MigrationFile[],
    onFile?: (file: string) => void,
    by?: 'applied' | 'dev',
  ): Promise<void>;
  /** Who ran the migrations of the project on this database. @throws StoreError */
  provenance(): Promise<Provenance>;
  /**
   * Removes what the migrations and the sample data of the project made, so that they run again from the first.
   * @throws StoreError for a database that `signalbox dev` did not build, without `force`
   */
  rebuild(options: RebuildOptions): Promise<void>;
  /**
   * Runs work with the database as it will be once all that is pending has run, and undoes all of it. On PostgreSQL that is a
   * transaction, on SQLite a copy without rows. What the work has to wait for, or takes long, fails soon.
   * @throws MigrationError, StoreError; what the work throws
   */
  rehearse<T>(project: ProjectFiles, work: (rehearsed: RehearsedStore) => Promise<T>): Promise<T>;
  /**
   * Records migrations of the project as they are now, without running them.
   * @param upTo the number of the last one
   * @param onFile is called with the path of each that was not recorded so before
   * @throws StoreError
   */
  baseline(files: readonly MigrationFile[], upTo: number, onFile?: (file: string) => void): Promise<void>;
  /**
   * Runs each file that was not run on this database before.
   * @param onFile is called with the name of each that is run, before it is
   * @throws StoreError
   */
  loadSampleData(files: readonly SampleDataFile[], onFile?: (name: string) => void): Promise<void>;
  /**
   * What an operator should know about the database, one sentence each: servers that are not verified, too few connections.
   * @param gateways that this process and its siblings are; 0 when another of them warns
   * @throws StoreError
   */
  warnings(gateways: number): Promise<readonly string[]>;
  /** What the server permits, and its time; absent on SQLite. @throws StoreError */
  condition?(): Promise<DatabaseCondition>;
  /** Resolves when the database answers. @throws StoreError */
  ready(): Promise<void>;
  /** The connections for the tables; absent on SQLite, which has one. */
  pool?(): PoolStatus;
  /** Ends the connection; a second call does nothing. */
  close(): Promise<void>;
}

/** What a rebuild removes. */
export interface RebuildOptions {
  /** Also the rows of the gateway's own tables: messages, jobs, requests, records. Users, their keys and the trail of them stay. */
  readonly everything: boolean;
  /** Also on a database that `signalbox dev` did not build. */
  readonly force?: boolean;
}

/** `none` ran, all were run by `signalbox dev`, or some by a release: by `signalbox migrate` or a gateway. */
export type Provenance = 'none' | 'dev' | 'released';

/** The files of a project that change its database. */
export interface ProjectFiles {
  /** In the order of their numbers, those for all engines. */
  readonly migrations?: readonly MigrationFile[];
  readonly sampleData?: readonly SampleDataFile[];
  /** Is called with what an operator should know about migrations that are not pending, one sentence each. */
  readonly onNote?: (sentence: string) => void;
  /** Is called with why a migration can't run on the database as it is; without it, that is thrown. */
  readonly onRefused?: (error: MigrationError) => void;
}

/**
 * A change that a database lacks. Of signalbox are the steps of its schema, the schema itself, and the queue; of the project,
 * its migrations.
 */
export interface PendingMigration {
  readonly of: 'signalbox' | 'project' | 'sample-data';
  /** The name of a step, or the path of a file. */
  readonly name: string;
  /** The statements that it runs: those of signalbox each on one line, those of files as they are there. */
  readonly statements: readonly string[];
  /** Why it can't run on the database as it is, and what to do; it has no statements then. */
  readonly refused?: Pick<MigrationError, 'reason' | 'hint'>;
}

/** A file of SQL statements that fill tables with sample data. */
export interface SampleDataFile {
  /** Its path relative to the definitions folder, by which it is recorded. */
  readonly name: string;
  readonly sql: string;
}

/** How to reach a PostgreSQL. */
export interface PostgresAccess {
  /** For the driver. It contains the password. */
  readonly config: ConnectionConfig;
  readonly engine: DatabaseEngine;
  /** The connections that may be opened, by their purpose. */
  readonly connections: { readonly tables: number; readonly queries: number; readonly queue: number };
  /** Servers for stored queries. */
  readonly replicas?: { readonly lag: number; readonly configs: readonly ConnectionConfig[] } | undefined;
  /** The schema of this installation's queue. @throws StoreError when it belongs to another one */
  queue(): Promise<string>;
}

/** The replicas of a database. */
export interface ReplicaAccess {
  /** How old the data may be that is read from them, in milliseconds. */
  readonly lag: number;
  /** Their URLs as they are now, always as many. */
  readonly urls: () => readonly string[];
}

/** Which database. */
export interface StoreOptions {
  /** `sqlite:path`, or `postgres://user:password@host/database`. */
  readonly url: string;
  /** Returns the URL as it is now, for each new connection: passwords are rotated. `url` by default. */
  readonly renewed?: () => string;
  readonly engine?: DatabaseEngine;
  /** The most connections to PostgreSQL, at least six; 20 by default. */
  readonly connections?: number;
  /** The schema of PostgreSQL that has everything of the installation; by default the connection's own. */
  readonly schema?: string;
  /** Of PostgreSQL, for stored queries. */
  readonly replicas?: ReplicaAccess | undefined;
  /** Time limits on PostgreSQL; by default those of a gateway without settings. */
  readonly bounds?: DatabaseBounds;
  /** The project's folder, the base of a relative path. */
  readonly root: string;
  /** Is called when an idle connection was lost. */
  readonly onError?: (error: Error) => void;
}

/** The database as it will be: what checks of definitions need of it. */
export interface RehearsedStore extends Pick<Store, 'kind' | 'location' | 'tables'> {
  readonly postgres: Pick<PostgresAccess, 'config' | 'replicas'> | undefined;
}

/** A database that is only read. */
export interface StoreReader extends Pick<Store, 'kind' | 'location' | 'tables' | 'warnings' | 'condition' | 'close'> {}

/** What a database server permits this user, and its time. */
export interface DatabaseCondition {
  /** The user of the connection. */
  readonly user: string;
  /** Whether the user may create what migrations create. */
  readonly creates: boolean;
  /** Tables of the installation that the user can't read and write. */
  readonly locked: readonly string[];
  /** Milliseconds that the clock of the server is ahead of this machine's; negative if it is behind. */
  readonly ahead: number;
}
