import type { CheckedDatabase } from './check-columns.ts';
import type { Dialect } from './plan.ts';
import type { Runner, RunnerOptions } from './runner.ts';

/**
 * Everything that stored queries need of a database engine: how its SQL is written, how a database is reached, what runs
 * queries there, and how they are checked against its catalogue. There is one for each engine, in a folder of its own.
 */
export interface EngineAdapter<Access> {
  readonly dialect: Dialect;
  /**
   * How a database is reached that a URL names; nothing is opened yet.
   * @param root folder that a relative path starts from
   * @param password in place of one in the URL
   * @throws StoreError for a URL that is not supported, and for a driver that is not installed
   */
  reach(url: string, root: string, password: string | undefined): Promise<Reached<Access>>;
  /** The database is reached with the first query, if it is a server. */
  open(access: Access, options: RunnerOptions): Runner;
  /** @throws errors of a database that can't be opened */
  check(access: Access): Promise<CheckedDatabase>;
  /**
   * Whether nothing bounds what queries write to temporary files.
   * @param bytes the bound that they should have
   * @returns why, and what to do: a part of a sentence that begins with "because"; `undefined` if they are bounded
   * @throws errors of a database that can't be reached
   */
  findUnbounded(access: Access, bytes: number): Promise<string | undefined>;
}

/** A database that an adapter can open. */
export interface Reached<Access> {
  /** The database file, absolute, or `host:port/database`. For people: it holds no password. */
  readonly location: string;
  /** A file, or the configuration of a driver, which holds the password. */
  readonly access: Access;
}

/** A database that queries read, the gateway's own or a datasource, with the adapter of its engine. */
export interface QueryDatabase {
  readonly dialect: Dialect;
  readonly location: string;
  open(options: RunnerOptions): Runner;
  check(): Promise<CheckedDatabase>;
  findUnbounded(bytes: number): Promise<string | undefined>;
}

/** Ties a database to its adapter. */
export function databaseOf<A>(adapter: EngineAdapter<A>, { location, access }: Reached<A>): QueryDatabase {
  return {
    location,
    dialect: adapter.dialect,
    open: (options) => adapter.open(access, options),
    check: () => adapter.check(access),
    findUnbounded: (bytes) => adapter.findUnbounded(access, bytes),
  };
}
