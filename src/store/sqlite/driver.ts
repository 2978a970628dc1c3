import { AsyncLocalStorage } from 'node:async_hooks';
import type { Statement } from 'better-sqlite3';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { LONGEST_TIMER } from '../../wire/waiting.ts';
import { timeLeft } from '../deadline.ts';
import { errorCode, StoreBusyError } from '../error.ts';
import { type RawRows, rawReading } from '../raw-rows.ts';
import { statementSpans } from '../spans.ts';
import type { Db, Tables } from '../tables.ts';
import { type Connection, describe, whileBusy } from './file.ts';

/** The number of prepared statements to keep. */
const MOST_STATEMENTS = 256;

/** The query builder for the gateway's own tables, over a shared connection that its owner closes. */
export function kyselyOver(connection: Connection, turns: Turns): Db {
  const dialect: Dialect = {
    createAdapter: () => new TurnsAdapter(),
    createDriver: () => new TurnsDriver(connection, turns),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<Tables>({ dialect, log: statementSpans('sqlite') });
}

/** Claims to support several connections: the driver itself makes users wait, and notices those that would wait for ever. */
class TurnsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class TurnsDriver implements Driver {
  readonly #connection: Connection;
  readonly #turns: Turns;
  readonly #runner: Runner;

  constructor(connection: Connection, turns: Turns) {
    this.#connection = connection;
    this.#turns = turns;
    this.#runner = new Runner(connection);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turns.take();
    return this.#runner;
  }

  /** Takes the write lock at once: a transaction that began with a read could lose its turn to another process. */
  async beginTransaction(): Promise<void> {
    await patiently(this.#connection, () => this.#connection.exec('begin immediate'));
  }

  async commitTransaction(): Promise<void> {
    await patiently(this.#connection, () => this.#connection.exec('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    // Some errors, such as a full disk, have rolled it back already.
    if (this.#connection.inTransaction) this.#connection.exec('rollback');
  }

  async releaseConnection(): Promise<void> {
    this.#turns.give();
  }

  async destroy(): Promise<void> {}
}

class Runner implements DatabaseConnection {
  readonly #connection: Connection;
  /** The least recently used first. */
  readonly #statements = new Map<string, Statement<unknown[]>>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const raw = rawReading();
    if (raw !== undefined) return { rows: [rawRows(this.#connection, sql, parameters, raw.most)] as R[] };
    // Integers of our own tables fit a number; those of a user's statements may not.
    const exact = query.kind === 'RawNode';
    const statement = this.#prepare(sql, exact);
    if (!statement.reader) {
      const { changes } = await patiently(this.#connection, () => statement.run(parameters));
      return { numAffectedRows: BigInt(changes), rows: [] };
    }
    const rows = (await patiently(this.#connection, () => statement.all(parameters))) as Record<string, unknown>[];
    return { rows: (exact ? rows.map(narrowed) : rows) as R[] };
  }

  // biome-ignore lint/correctness/useYield: the one connection can't be left in the middle of a statement.
  async *streamQuery(): AsyncGenerator<never, void, undefined> {
    throw new Error('the SQLite store does not stream rows');
  }

  #prepare(sql: string, exact: boolean): Statement<unknown[]> {
    const key = exact ? `=${sql}` : sql;
    const statement = this.#statements.get(key) ?? this.#connection.prepare(sql).safeIntegers(exact);
    this.#statements.delete(key);
    this.#statements.set(key, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > MOST_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }
}

/** @throws Error for a statement that could write */
function rawRows(connection: Connection, sql: string, values: readonly unknown[], most: number): RawRows {
  const statement = connection.prepare<unknown[], RawRows['cells'][number]>(sql);
  if (!statement.reader || !statement.readonly) throw new Error('the SQL must only read');
  statement.raw().safeIntegers();
  const cells: RawRows['cells'] = [];
  for (const row of statement.iterate(...values)) {
    if (cells.length === most) break;
    cells.push(row);
  }
  return { names: statement.columns().map(({ name }) => name), types: [], cells };
}

/** Runs a statement once no other connection has the database locked. @throws StoreBusyError when that takes too long */
async function patiently<T>(connection: Connection, work: () => T): Promise<T> {
  try {
    return await whileBusy(work);
  } catch (error) {
    throw errorCode(error).startsWith('SQLITE_BUSY') ? describe(connection.name, error) : error;
  }
}

/** Integers as numbers wherever a number holds them. */
function narrowed(row: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) row[name] = Number(value);
  }
  return row;
}

/** Milliseconds that code inside a transaction waits for another turn before it fails: it may be waiting for itself. */
const NESTED_WAIT = 5000;

/** A user's turn. */
interface Turn {
  over: boolean;
}

/**
 * Gives the one connection to one user after the other, in the order of their requests. A transaction keeps its turn while it
 * waits for other things. Code in it that asks for the connection, instead of using the transaction, would wait for ever and
 * gets an error.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  readonly #inside = new AsyncLocalStorage<Turn>();
  #taken = false;

  /**
   * Resolves when it is the caller's turn.
   * @throws Error when the caller is inside the transaction that it would wait for; StoreBusyError at the current deadline
   */
  take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const giveUp = (ms: number, reason: () => Error): void => {
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
        reject(reason());
      }, ms);
      promise.finally(() => clearTimeout(late)).catch(() => {});
    };
    const left = timeLeft() ?? Number.POSITIVE_INFINITY;
    // Code that the transaction does not wait for gets its turn in time; the error is for code that it does wait for.
    if (this.#inside.getStore()?.over === false && left > NESTED_WAIT) giveUp(NESTED_WAIT, nested);
    else if (left <= LONGEST_TIMER) giveUp(left, () => new StoreBusyError('', 'another transaction has the database'));
    return promise;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }

  /** Runs the work that has the turn, so that everything it starts is known to be inside it. */
  async inside<T>(work: () => Promise<T>): Promise<T> {
    const turn: Turn = { over: false };
    try {
      return await this.#inside.run(turn, work);
    } finally {
      turn.over = true;
    }
  }
}

function nested(): Error {
  return new Error('code inside a transaction waits for the database: it must use the transaction it was given');
}
