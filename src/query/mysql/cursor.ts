import type { Connection, Query } from 'mysql2';
import type { SqlValue } from '../render/index.ts';
import type { Cursor, Rows } from '../server/connection.ts';
import type { Field } from './values.ts';

/** Maximum of unwanted rows that are read and discarded; if more may follow, the statement is stopped. */
const MOST_DISCARDED = 1000;

/** What a cursor reports to its session. */
interface CursorEvents {
  /** Receives the columns of the result before its rows. @throws errors that fail the run */
  fields(fields: readonly Field[]): void;
  /** Stops the statement, because too many unwanted rows follow. Resolves when the connection can be used again. */
  stop(): Promise<void>;
}

/**
 * One run of a prepared statement. The server sends all rows as fast as they are read: until more are asked for, the
 * connection does not read, so that no more of them is in memory than was asked for.
 */
export class StreamedRows implements Cursor {
  readonly #client: Connection;
  readonly #events: CursorEvents;
  readonly #ended = Promise.withResolvers<void>();
  #gathered: SqlValue[][] = [];
  #batch = Promise.withResolvers<Rows>();
  /** Rows of the requested batch; 0 if none is requested. */
  #wanted: number;
  #over = false;
  #failure: Error | undefined;
  #discarded: number | undefined;
  #stopping: Promise<void> | undefined;

  constructor(client: Connection, rows: number, events: CursorEvents) {
    this.#client = client;
    this.#events = events;
    this.#wanted = rows;
  }

  /** Subscribes to the events of the driver's run. */
  follow(run: Query): void {
    run.on('fields', (fields: unknown) => this.#begin(fields as readonly Field[] | undefined));
    run.on('result', (row: unknown) => this.#take(row as SqlValue[]));
    run.on('error', (error: Error) => this.fail(error));
    run.on('end', () => this.#end());
  }

  get batch(): Promise<Rows> {
    return this.#batch.promise;
  }

  ask(rows: number): void {
    this.#batch = Promise.withResolvers();
    if (this.#failure !== undefined) {
      this.#reject(this.#failure);
      return;
    }
    if (this.#over) {
      this.#deliver(true);
      return;
    }
    this.#wanted = rows;
    // Rows that have already arrived are emitted at once: without yielding to the event loop, other work would wait for all of them.
    setImmediate(() => this.#client.resume());
  }

  async close(): Promise<void> {
    if (!this.#over && this.#discarded === undefined) {
      this.#discarded = 0;
      this.#client.resume();
    }
    await this.#ended.promise;
    await this.#stopping;
  }

  /** Ends the run after a lost connection or a failed statement. */
  fail(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#reject(error);
    this.#ended.resolve();
  }

  #reject(error: Error): void {
    // Rows that arrived earlier are not a result: every further request, pending or later, gets the error.
    this.#failure = error;
    this.#batch.promise.catch(() => {});
    this.#batch.reject(error);
  }

  #begin(fields: readonly Field[] | undefined): void {
    if (fields === undefined) return;
    try {
      this.#events.fields(fields);
    } catch (error) {
      this.#reject(error as Error);
      this.#discarded = 0;
    }
  }

  #take(row: SqlValue[]): void {
    if (this.#discarded !== undefined) {
      this.#discarded += 1;
      if (this.#discarded === MOST_DISCARDED) this.#stopping = this.#events.stop();
      return;
    }
    this.#gathered.push(row);
    if (this.#gathered.length < this.#wanted) return;
    this.#client.pause();
    this.#deliver(false);
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#wanted > 0) this.#deliver(true);
    this.#ended.resolve();
  }

  #deliver(complete: boolean): void {
    const rows = this.#gathered;
    this.#gathered = [];
    this.#wanted = 0;
    this.#batch.resolve({ rows, complete });
  }
}
