import type { DatabaseBounds } from '../model/gateway.ts';
import type { CheckedDatabase } from './check-columns.ts';
import type { Dialect } from './plan.ts';
import type { Runner, RunnerOptions } from './runner.ts';

/**
 * Everything that stored queries need from a database engine: its SQL dialect, how to reach a database, run queries on it and
 * check them against its catalogue. Each engine has one, in its own folder.
 */
export interface EngineAdapter<Access> {
  readonly dialect: Dialect;
  /**
   * Finds how to reach the database of a URL, without opening it.
   * @param root base folder of relative paths
   * @throws StoreError if the URL is not supported or the driver is not installed
   */
  reach(url: string, root: string, options: ReachOptions): Promise<Reached<Access>>;
  /**
   * Opens a runner. A database server is connected to with the first query.
   * @param replicas for engines that have them: {@link reachDatabase} refuses them for others
   */
  open(access: Access, options: RunnerOptions, replicas?: ReachedReplicas<Access>): Runner;
  /** @throws the database's error if it can't be opened */
  check(access: Access): Promise<CheckedDatabase>;
  /**
   * Checks whether the temporary files of queries are limited.
   * @param bytes the limit that should apply
   * @returns why they are not, and the remedy, as a clause that begins with "because"; `undefined` if they are
   * @throws the database's error if it can't be reached
   */
  findUnbounded(access: Access, bytes: number): Promise<string | undefined>;
}

/** What is not in the URL of a database. */
export interface ReachOptions {
  /** Replaces the one in the URL. */
  readonly password?: string | undefined;
  /** Returns the URL and the password as they are now, for each new connection: passwords are rotated. */
  readonly renewed?: () => { readonly url: string; readonly password: string | undefined };
  /** Time limits of connections to PostgreSQL. */
  readonly bounds?: DatabaseBounds | undefined;
  /** The schema of PostgreSQL that names without one refer to. */
  readonly schema?: string | undefined;
  /** It is the database that replicas belong to. */
  readonly hasReplicas?: boolean;
  /** It is a replica. */
  readonly isReplica?: boolean;
}

/** A database that an adapter can open. */
export interface Reached<Access> {
  /** The absolute path of the file, or `host:port/database`. For display: contains no password. */
  readonly location: string;
  /** A sentence about a server that is not verified. */
  readonly warning?: string | undefined;
  /** A file, or a driver's configuration, which contains the password. */
  readonly access: Access;
  readonly replicas?: ReachedReplicas<Access> | undefined;
}

/** The replicas of a database. */
export interface ReachedReplicas<Access> {
  /** How old the data may be that is read from them, in milliseconds. */
  readonly lag: number;
  readonly servers: readonly Reached<Access>[];
}

/** A database that queries read (the gateway's own or a datasource), bound to the adapter of its engine. */
export interface QueryDatabase {
  readonly dialect: Dialect;
  readonly location: string;
  /** A sentence about each server that is not verified, those of replicas too. */
  readonly warnings: readonly string[];
  readonly replicas: readonly QueryDatabase[];
  open(options: RunnerOptions): Runner;
  check(): Promise<CheckedDatabase>;
  findUnbounded(bytes: number): Promise<string | undefined>;
}

/** Binds a database to its adapter. */
export function databaseOf<A>(adapter: EngineAdapter<A>, reached: Reached<A>): QueryDatabase {
  const { location, warning, access, replicas } = reached;
  const servers = (replicas?.servers ?? []).map((each) => databaseOf(adapter, each));
  return {
    location,
    warnings: [...(warning === undefined ? [] : [warning]), ...servers.flatMap(({ warnings }) => warnings)],
    replicas: servers,
    dialect: adapter.dialect,
    open: (options) => adapter.open(access, options, replicas),
    check: () => adapter.check(access),
    findUnbounded: (bytes) => adapter.findUnbounded(access, bytes),
  };
}
