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
  readonly #ready = Promise.withResolvers<void>();
  #wire: Wire | undefined;
  #gathered: SqlValue[][] = [];
  #batch = Promise.withResolvers<Rows>();
  /** No more rows arrive, or no more are wanted. */
  #over: boolean;

  constructor(run: PortalRun) {
    this.#run = run;
    this.#over = run.once;
  }

  get batch(): Promise<Rows> {
    return this.#batch.promise;
  }

  ask(rows: number): void {
    this.#batch = Promise.withResolvers();
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
      if (!begun) wire.bind({ portal, statement, values });
      wire.execute({ portal, rows });
      if (once) wire.sync();
      else wire.flush();
    });
  }

  handleDataRow({ fields }: { readonly fields: SqlValue[] }): void {
    this.#gathered.push(fields);
  }

  handlePortalSuspended(): void {
    this.#deliver(false);
  }

  handleCommandComplete(): void {
    this.#deliver(true);
    this.#end();
  }

  handleError(error: Error): void {
    this.#batch.promise.catch(() => {});
    this.#batch.reject(error);
    this.#end();
    this.#ready.resolve();
  }

  handleReadyForQuery(): void {
    this.#ready.resolve();
  }

  #deliver(complete: boolean): void {
    const rows = this.#gathered;
    this.#gathered = [];
    this.#batch.resolve({ rows, complete });
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#wire?.sync();
  }
}

/** Prepares a statement under a name, without running it, for the driver to submit. */
export class Preparation {
  readonly #name: string;
  readonly #text: string;
  readonly #forget: string | undefined;
  readonly #done = Promise.withResolvers<readonly FieldDef[]>();
  #fields: readonly FieldDef[] = [];

  /** @param forget name of a statement to deallocate */
  constructor(name: string, text: string, forget?: string) {
    this.#name = name;
    this.#text = text;
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
      wire.parse({ name: this.#name, text: this.#text });
      wire.describe({ type: 'S', name: this.#name });
      wire.sync();
    });
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#fields = fields;
  }

  handleError(error: Error): void {
    this.#done.reject(error);
  }

  handleReadyForQuery(): void {
    this.#done.resolve(this.#fields);
  }
}
