// What the runner of queries on database servers needs of a driver.

import type { Fault } from '../../model/fault.ts';
import type { ScalarKind } from '../../model/scalar.ts';
import type { Plan, ResultColumn } from '../plan.ts';
import type { SqlValue } from '../render/index.ts';
import type { Bound } from '../runner.ts';

/** Some rows of a result. */
export interface Rows {
  /** In the driver's form: {@link Statement.read} converts them in place. */
  readonly rows: SqlValue[][];
  /** No more rows follow. */
  readonly complete: boolean;
}

/** One run of a statement. Rows come in batches, so that no more of them is in memory than was asked for. */
export interface Cursor {
  /** The batch that was requested last. @throws errors of the database and of the connection */
  readonly batch: Promise<Rows>;
  /** Requests the next rows. The previous batch must have arrived, and not been complete. */
  ask(rows: number): void;
  /** Ends the run; resolves when the connection can be used again. */
  close(): Promise<void>;
}

/** How a statement is run. */
export interface CursorOptions {
  readonly values: readonly Bound[];
  /** Rows of the first batch. */
  readonly rows: number;
  /** Total rows wanted; `undefined` for all. */
  readonly wanted?: number;
  /** Only the first batch is wanted: it and the end of the run may take one round trip. */
  readonly once?: boolean;
}

/** A statement that is prepared on a connection, and whose columns were found. */
export interface Statement {
  /** Names of the columns of its result. */
  readonly names: readonly string[];
  readonly columns: readonly ResultColumn[];
  /** Converts a driver's row to the values that SQLite would return, so that every format is the same for both. */
  read(row: SqlValue[]): SqlValue[];
  start(options: CursorOptions): Cursor;
  /**
   * Reads the rows while other statements of the connection run: each call returns the next rows, and an empty list at the end.
   * @param folder for rows that must be buffered
   */
  readInTurn(options: Pick<CursorOptions, 'values' | 'wanted'>, folder: string): () => Promise<SqlValue[][]>;
}

/** Most statements that stay prepared on one connection. */
export const STATEMENTS_KEPT = 256;

/** The statements prepared on one connection, by id, least recently used first. */
export class PreparedStatements<T extends { readonly statement: Statement }> {
  readonly #byId = new Map<string, T>();

  find(id: string): Statement | undefined {
    const found = this.#byId.get(id);
    if (found === undefined) return undefined;
    this.#byId.delete(id);
    this.#byId.set(id, found);
    return found.statement;
  }

  add(id: string, prepared: T): void {
    this.#byId.set(id, prepared);
  }

  /** Removes the least recently used statement when there is no room for another. */
  makeRoom(): T | undefined {
    const [oldest] = this.#byId.size < STATEMENTS_KEPT ? [] : this.#byId;
    if (oldest === undefined) return undefined;
    this.#byId.delete(oldest[0]);
    return oldest[1];
  }

  /** Removes a statement and those of its members (`id/...`). */
  remove(id: string): T[] {
    const removed = [...this.#byId].filter(([name]) => name === id || name.startsWith(`${id}/`));
    for (const [name] of removed) this.#byId.delete(name);
    return removed.map(([, prepared]) => prepared);
  }
}

/** The keys of the rows to find below a batch. */
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
  /** Called once, when the connection has ended for any reason. */
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
  /** Receives a function that stops its statement from another connection, for drivers that can't end one with more rows. */
  stopBy?(stop: () => Promise<void>): void;
  /** Cancels the statement that is running on another connection, if any. */
  cancel(id: number): Promise<void>;
  /** Ends the connection; resolves when it has ended. */
  close(): Promise<void>;
  /** Ends the connection at once, even if a statement is running. */
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
  /** Whether an error means that the connection has ended, or was never made. */
  isLost(error: unknown): boolean;
  /** Whether a statement must be prepared anew: its tables were changed, or the connection lost it. */
  isOutdated(error: unknown): boolean;
  /** The fault for the caller of a query: the cause may be the query itself, a prompt's value, or the database. */
  faultOf(plan: Plan, error: unknown): Fault;
}

/** A forbidden construct in a query, with its place in the statement. */
export interface Refusal {
  /** A sentence without a full stop, for the author. */
  readonly message: string;
  /** In the statement that is sent to the database, from 0. */
  readonly offset: number;
}
