import type { Duplex } from 'node:stream';
import type { Client, ClientConfig, FieldDef } from 'pg';
import { errorCode } from '../../store/error.ts';
import { ResultLimitError } from '../render/result-limit.ts';
import { limitMessages } from './message-limit.ts';
import { Portal, type PortalRun, Preparation } from './portal.ts';

/** What all sessions of a database have in common. */
export interface SessionOptions {
  /** How it is reached. */
  readonly config: ClientConfig;
  /** IANA zone of datetimes that have none. */
  readonly timezone: string;
  /** Milliseconds after which the database itself ends a statement, should nobody else do. */
  readonly statementTimeout: number;
  /** Bytes of temporary files that a session may have; as the database has it where undefined. */
  readonly temporaryLimit?: number;
}

/** A statement that is prepared on a session. */
export interface Prepared {
  readonly name: string;
  readonly fields: readonly FieldDef[];
}

/** How long a connection may take to be made, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** Statements that one session keeps prepared. */
const STATEMENTS_KEPT = 256;
/** Bytes of one row, which is in memory whole. */
const LARGEST_ROW = 67_108_864;

/**
 * What a query may rely on, and can't change: nothing is written, texts of values have one form. Datetimes without an
 * offset are of the gateway's zone, so that they are compared with those that have one as they are shown.
 */
function settings(given: readonly string[], { timezone, statementTimeout }: SessionOptions): string {
  const own = {
    default_transaction_read_only: 'on',
    statement_timeout: String(statementTimeout),
    TimeZone: timezone,
    DateStyle: 'ISO',
    IntervalStyle: 'iso_8601',
    extra_float_digits: '1',
    bytea_output: 'hex',
    standard_conforming_strings: 'on',
    client_encoding: 'UTF8',
  };
  const options = Object.entries(own).map(([name, value]) => `-c ${name}=${value}`);
  // The last one holds where two set the same.
  return [...given, ...options].join(' ');
}

/** How the driver is to connect. What the address says of options stands before ours, or it would take their place. */
function clientConfig(options: SessionOptions): ClientConfig {
  const { connectionString, options: own, ...config } = options.config;
  const given = own === undefined ? [] : [own];
  if (connectionString === undefined) return { ...config, options: settings(given, options) };
  const address = new URL(connectionString);
  given.push(...address.searchParams.getAll('options'));
  address.searchParams.delete('options');
  return { ...config, connectionString: address.href, options: settings(given, options) };
}

/** A row where temporary files are bounded by no more than so many kilobytes. -1 is no bound. */
const BOUNDED = "select 1 from pg_settings where name = 'temp_file_limit' and setting::bigint between 0 and $1";

/** One connection for stored queries. It runs one at a time. */
export class Session {
  readonly #client: Client;
  /** By what they are called, the least used first. */
  readonly #prepared = new Map<string, Prepared>();
  #statements = 0;
  #statementTimeout: number;
  #lost = false;
  #unbounded = false;
  #onLost = (): void => {};

  private constructor(client: Client, statementTimeout: number) {
    this.#client = client;
    this.#statementTimeout = statementTimeout;
    // What ended a connection that has nothing to do is told by the next one, which can't be made.
    client.on('error', () => this.#lose());
    client.on('end', () => this.#lose());
  }

  /** @throws errors of the connection, and of the database that refuses it */
  static async open(options: SessionOptions): Promise<Session> {
    // Loaded where there is a PostgreSQL: the driver takes as long as a third of a start.
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      ...clientConfig(options),
    });
    const session = new Session(client, options.statementTimeout);
    await client.connect();
    limitMessages(
      streamOf(client),
      LARGEST_ROW,
      () => new ResultLimitError(`has a row of more than ${LARGEST_ROW} bytes`),
    );
    if (options.temporaryLimit !== undefined) await session.#boundFiles(options.temporaryLimit);
    return session;
  }

  /** The process that serves it in the database. */
  get pid(): number {
    return (this.#client as unknown as { readonly processID: number }).processID;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Called once, when the connection has ended, however it came about. */
  whenLost(onLost: () => void): void {
    this.#onLost = onLost;
    if (this.#lost) onLost();
  }

  /** The statement of a name, prepared the first time. @throws errors of the database and of the connection */
  async prepare(id: string, sql: string): Promise<Prepared> {
    const known = this.#prepared.get(id);
    if (known !== undefined) {
      this.#prepared.delete(id);
      this.#prepared.set(id, known);
      return known;
    }
    const [oldest] = this.#prepared.size < STATEMENTS_KEPT ? [] : this.#prepared;
    if (oldest !== undefined) this.#prepared.delete(oldest[0]);
    // A name is never used twice: that the one before was forgotten need not be waited for.
    this.#statements += 1;
    const name = `signalbox_${this.#statements}`;
    const fields = await this.#client.query(new Preparation(name, sql, oldest?.[1].name) as never as Submitted).fields;
    const prepared = { name, fields };
    this.#prepared.set(id, prepared);
    return prepared;
  }

  /** Prepares the statement of a name anew the next time, and those of names that begin with it and a slash. */
  forget(id: string): void {
    for (const name of this.#prepared.keys()) {
      if (name === id || name.startsWith(`${id}/`)) this.#prepared.delete(name);
    }
  }

  /** Runs a prepared statement, or goes on with it. */
  start(run: PortalRun): Portal {
    const portal = new Portal(run);
    this.#client.query(portal as never);
    return portal;
  }

  /** Runs a statement of ours. @throws errors of the database and of the connection */
  async ask(text: string, values: readonly unknown[] = []): Promise<readonly (readonly unknown[])[]> {
    return (await this.#client.query({ text, values: [...values], rowMode: 'array' })).rows;
  }

  /** Lets statements run for as long as this, in milliseconds. */
  async allow(timeout: number): Promise<void> {
    if (timeout <= this.#statementTimeout) return;
    await this.ask("select set_config('statement_timeout', $1, false)", [String(timeout)]);
    this.#statementTimeout = timeout;
  }

  /** Bounds the session's temporary files. A lower bound that its role has already stays. @throws errors of the connection */
  async #boundFiles(bytes: number): Promise<void> {
    const kilobytes = Math.ceil(bytes / 1024);
    const lower = await this.ask(BOUNDED, [kilobytes]);
    if (lower.length > 0) return;
    try {
      await this.ask("select set_config('temp_file_limit', $1, false)", [`${kilobytes}kB`]);
    } catch (error) {
      // Only superusers may, and roles that were given the right to (42501); others that speak the protocol know no such setting.
      if (errorCode(error) !== '42501' && errorCode(error) !== '42704') throw error;
      this.#unbounded = errorCode(error) === '42501';
    }
  }

  /** The role may not bound its temporary files, and nothing else does. */
  get unbounded(): boolean {
    return this.#unbounded;
  }

  /** Ends the connection; resolves when it has ended. */
  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  /** Ends the connection at once, whatever runs on it. */
  destroy(): void {
    streamOf(this.#client).destroy();
    // Its events come later, and nobody is to be given it meanwhile.
    this.#lose();
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#onLost();
  }
}

/** The socket, which is another one once it is encrypted. */
function streamOf(client: Client): Duplex {
  return (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;
}

type Submitted = Preparation & { submit: () => void };
