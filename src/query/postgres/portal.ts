import type { Duplex } from 'node:stream';
import type { FieldDef } from 'pg';
import type { SqlValue } from '../render/index.ts';
import type { Cursor, Rows } from '../server/connection.ts';

/** The parts of the driver's connection that are used here: messages of PostgreSQL's protocol 3.0, section 55.2.3. */
interface Wire {
  readonly stream: Duplex;
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: {
    readonly portal: string;
    readonly statement: string;
    readonly values: readonly (string | null)[];
  }): void;
  describe(message: { readonly type: 'S'; readonly name: string }): void;
  execute(message: { readonly portal: string; readonly rows: number }): void;
  close(message: { readonly type: 'S'; readonly name: string }): void;
  flush(): void;
  sync(): void;
}

/** Writes several messages as one. */
function together(wire: Wire, write: () => void): void {
  wire.stream.cork();
  try {
    write();
  } finally {
    wire.stream.uncork();
  }
}

/**
 * Begins the transaction of a query. Read-only is stated here and not only as the default of the session: poolers drop the
 * options of a start, and a function of the query can change a default. A transaction that has read can't become one that
 * writes (PostgreSQL's manual, SET TRANSACTION).
 */
export const BEGIN = 'begin isolation level repeatable read read only';
/** Ends it, and undoes what a function of the query has set. */
export const END = 'rollback';

/** What the server reports when it has completed these. */
const CONTROL: ReadonlySet<string> = new Set(['BEGIN', 'ROLLBACK']);

/** Runs a statement without a result as part of what is being written. */
function perform(wire: Wire, text: string): void {
  wire.parse({ name: '', text });
  wire.bind({ portal: '', statement: '', values: [] });
  wire.execute({ portal: '', rows: 0 });
}

/** A statement that the server has completed, by its tag (section 55.7). */
interface Completed {
  readonly text: string;
}

/** The transaction in which something runs. */
export interface Surroundings {
  /** It is open already, and stays open. Otherwise the run has one of its own, in the same round trip. */
  readonly inTransaction: boolean;
  /** Ends the run's own transaction after an error. Never rejects. */
  readonly abandon: () => Promise<void>;
}

/** Waits after an error until the connection can be used again. */
async function left({ inTransaction, abandon }: Surroundings): Promise<void> {
  if (!inTransaction) await abandon();
}

/** A run of a prepared statement, or the next rows of one. */
export interface PortalRun {
  readonly statement: string;
  readonly values: readonly (string | null)[];
  /** Rows of the first batch. */
  readonly rows: number;
  /** No further rows are wanted. */
  readonly once: boolean;
  /** A name by which more rows can be requested until the transaction ends; none by default. */
  readonly portal?: string;
  /** The portal of that name exists: fetch more of its rows. */
  readonly begun?: boolean;
}

/**
 * One run of a prepared statement, for the driver to submit. Rows come in batches, so that no more of them is in memory
 * than was asked for. Where the first batch is all that is wanted, it and the end of the run take one round trip.
 */
export class Portal implements Cursor {
  readonly #run: PortalRun;
  readonly #where: Surroundings;
  readonly #ready = Promise.withResolvers<void>();
  #wire: Wire | undefined;
  #gathered: SqlValue[][] = [];
  #batch = Promise.withResolvers<Rows>();
  /** No more rows arrive, or no more are wanted. */
  #over: boolean;
  /** The error that ended it, once the connection can be used again. */
  #failure: Promise<never> | undefined;

  constructor(run: PortalRun, where: Surroundings) {
    this.#run = run;
    this.#where = where;
    this.#over = run.once;
  }

  get batch(): Promise<Rows> {
    return this.#batch.promise;
  }

  ask(rows: number): void {
    this.#batch = Promise.withResolvers();
    // A server that stops reports it right behind a batch: one chunk may hold both, and then nothing answers this request.
    if (this.#failure !== undefined) {
      this.#fail(this.#failure);
      return;
    }
    const wire = this.#wire as Wire;
    together(wire, () => {
      wire.execute({ portal: this.#run.portal ?? '', rows });
      wire.flush();
    });
  }

  close(): Promise<void> {
    this.#end();
    return this.#ready.promise;
  }

  // What the driver calls.

  submit(wire: Wire): void {
    this.#wire = wire;
    const { portal = '', statement, values, rows, once, begun = false } = this.#run;
    together(wire, () => {
      if (!this.#where.inTransaction) perform(wire, BEGIN);
      if (!begun) wire.bind({ portal, statement, values });
      wire.execute({ portal, rows });
      if (once) this.#finish(wire);
      else wire.flush();
    });
  }

  handleDataRow({ fields }: { readonly fields: SqlValue[] }): void {
    this.#gathered.push(fields);
  }

  handlePortalSuspended(): void {
    this.#deliver(false);
  }

  handleCommandComplete({ text }: Completed): void {
    if (CONTROL.has(text)) return;
    this.#deliver(true);
    this.#end();
  }

  handleError(error: Error): void {
    this.#end();
    const failure = left(this.#where).then(() => {
      this.#ready.resolve();
      throw error;
    });
    this.#failure = failure;
    this.#fail(failure);
  }

  handleReadyForQuery(): void {
    this.#ready.resolve();
  }

  #deliver(complete: boolean): void {
    const rows = this.#gathered;
    this.#gathered = [];
    this.#batch.resolve({ rows, complete });
  }

  #fail(failure: Promise<never>): void {
    this.#batch.resolve(failure);
    // There may be no one who waits for it.
    failure.catch(() => {});
    this.#batch.promise.catch(() => {});
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    const wire = this.#wire;
    if (wire !== undefined) together(wire, () => this.#finish(wire));
  }

  #finish(wire: Wire): void {
    if (!this.#where.inTransaction) perform(wire, END);
    wire.sync();
  }
}

/** Prepares a statement under a name, without running it, for the driver to submit. */
export class Preparation {
  readonly #name: string;
  readonly #text: string;
  readonly #where: Surroundings;
  readonly #forget: string | undefined;
  readonly #done = Promise.withResolvers<readonly FieldDef[]>();
  #fields: readonly FieldDef[] = [];

  /** @param forget name of a statement to deallocate */
  constructor(name: string, text: string, where: Surroundings, forget?: string) {
    this.#name = name;
    this.#text = text;
    this.#where = where;
    this.#forget = forget;
  }

  /** The columns of its result; empty if it returns none. @throws errors of the database and of the connection */
  get fields(): Promise<readonly FieldDef[]> {
    return this.#done.promise;
  }

  // What the driver calls.

  submit(wire: Wire): void {
    together(wire, () => {
      if (this.#forget !== undefined) wire.close({ type: 'S', name: this.#forget });
      if (!this.#where.inTransaction) perform(wire, BEGIN);
      wire.parse({ name: this.#name, text: this.#text });
      wire.describe({ type: 'S', name: this.#name });
      if (!this.#where.inTransaction) perform(wire, END);
      wire.sync();
    });
  }

  handleCommandComplete(): void {
    // Of its transaction.
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#fields = fields;
  }

  handleError(error: Error): void {
    void left(this.#where).then(() => this.#done.reject(error));
  }

  handleReadyForQuery(): void {
    this.#done.resolve(this.#fields);
  }
}
