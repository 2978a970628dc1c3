// What the runner of queries on database servers needs of a driver.

import type { Fault } from '../../model/fault.ts';
import type { ScalarKind } from '../../model/scalar.ts';
import type { Plan, ResultColumn } from '../plan.ts';
import type { SqlValue } from '../render/index.ts';
import type { Bound } from '../runner.ts';

/** Some rows of a result. */
export interface Rows {
  /** As the driver has them: {@link Statement.read} makes values of them, in place. */
  readonly rows: SqlValue[][];
  /** No row stands behind them. */
  readonly complete: boolean;
}

/** One run of a statement. Rows come in batches, so that no more of them is in memory than was asked for. */
export interface Cursor {
  /** The batch that was asked for last. @throws errors of the database and of the connection */
  readonly batch: Promise<Rows>;
  /** Asks for the next rows; the batch before must have come, and not been the last. */
  ask(rows: number): void;
  /** Ends the run; resolves when the connection can be used for another. */
  close(): Promise<void>;
}

/** How a statement is run. */
export interface CursorOptions {
  readonly values: readonly Bound[];
  /** Rows of the first batch. */
  readonly rows: number;
  /** Rows that are wanted in all; `undefined` for all that there are. */
  readonly wanted?: number;
  /** The first batch is all that is wanted: it and the end of the run may take one round trip. */
  readonly once?: boolean;
}

/** A statement that is prepared on a connection, and whose columns were found. */
export interface Statement {
  /** Names of the columns of its result. */
  readonly names: readonly string[];
  readonly columns: readonly ResultColumn[];
  /** Turns a row of the driver into values of the same content in SQLite, so that every writer writes the same of both. */
  read(row: SqlValue[]): SqlValue[];
  start(options: CursorOptions): Cursor;
  /**
   * Reads the rows while other statements of the connection run: each call returns the next ones, and none at the end.
   * @param folder for what has to be kept meanwhile
   */
  readInTurn(options: Pick<CursorOptions, 'values' | 'wanted'>, folder: string): () => Promise<SqlValue[][]>;
}

/** What is looked for below a batch of rows. */
export interface Keys {
  readonly values: readonly (readonly SqlValue[])[];
  /** The declared kinds of the values of one key. */
  readonly kinds: readonly ScalarKind[];
}

/** The statement of a member of a connected query, for a whole batch of parents. */
export interface ChildStatement {
  readonly sql: string;
  /** Distinguishes it from other statements of the same member. */
  readonly variant: string;
  /** The values of its keys, behind those of its prompts, and their kinds. */
  readonly values: readonly Bound[];
  readonly kinds: readonly ScalarKind[];
}

/** A connection to a database server for stored queries. It runs one at a time, and reads only. */
export interface Connection {
  /** By which the server knows it. */
  readonly id: number;
  readonly lost: boolean;
  /** Called once, when the connection has ended, however that came about. */
  whenLost(onLost: () => void): void;
  /**
   * The statement of a plan, prepared the first time. @throws errors of the database and of the connection; ValueError
   * @param id unique among the statements of the connection
   */
  prepare(id: string, plan: Plan): Promise<Statement>;
  /** Prepares a statement anew the next time, and those whose ids begin with its own and a slash. */
  forget(id: string): void;
  /**
   * A member's statement with only the rows that have one of the keys. Nothing is joined to it, so that its own order stays.
   * @param columns names of the columns with the values of the keys, in its result
   */
  childStatement(plan: Plan, columns: readonly string[], keys: Keys): ChildStatement;
  /** Why a statement could do more than read; `undefined` if it only reads. */
  findRefused(sql: string): Promise<Refusal | undefined>;
  /** Begins and ends a transaction that sees one state of the database. */
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Lets statements run for as long as this, in milliseconds. */
  allow(timeout: number): Promise<void>;
  /** Resolves if the database answers. */
  ping(): Promise<void>;
  /** Takes what stops its own statement from another connection, if it can't end one that has more rows. */
  stopBy?(stop: () => Promise<void>): void;
  /** Stops what runs on another connection now, if anything does. */
  cancel(id: number): Promise<void>;
  /** Ends the connection; resolves when it has ended. */
  close(): Promise<void>;
  /** Ends the connection at once, whatever runs on it. */
  destroy(): void;
}

/** How connections to one database are made, and what their errors mean. */
export interface Driver {
  /**
   * Commands are sent before those that were sent earlier are answered: a run takes fewer round trips if its first batch is known
   * to be all that is wanted ({@link CursorOptions.once}), and the next one need not wait for a cursor that is being closed.
   */
  readonly pipelines: boolean;
  /** @throws errors of the connection, and of the database that refuses it */
  connect(): Promise<Connection>;
  /** Whether an error says that the connection has ended, or was never made. */
  isLost(error: unknown): boolean;
  /** Whether a statement must be prepared anew: its tables were changed, or the connection lost it. */
  isOutdated(error: unknown): boolean;
  /** What an error of the database is to the caller of a query: the query itself, a value of a prompt, or the database is at fault. */
  faultOf(plan: Plan, error: unknown): Fault;
}

/** What a query must not say, and where in its statement that is. */
export interface Refusal {
  /** A sentence without an end, for the author. */
  readonly message: string;
  /** In the statement as the database is given it, from 0. */
  readonly offset: number;
}
