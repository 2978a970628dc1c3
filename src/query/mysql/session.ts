import type { Duplex } from 'node:stream';
import type { Connection as Client, Query } from 'mysql2';
import { errorCode, StoreError } from '../../store/error.ts';
import type { Plan } from '../plan.ts';
import type { SqlValue } from '../render/index.ts';
import { requireColumns } from '../result.ts';
import {
  type ChildStatement,
  type Connection,
  type Cursor,
  type CursorOptions,
  type Keys,
  PreparedStatements,
  type Refusal,
  STATEMENTS_KEPT,
  type Statement,
} from '../server/connection.ts';
import { limitMessages, type MessageFormat } from '../server/message-limit.ts';
import type { MysqlAccess } from './access.ts';
import { StreamedRows } from './cursor.ts';
import { lostConnection, OutdatedError } from './errors.ts';
import { KeptRows } from './kept-rows.ts';
import { ALL_ROWS, childStatement, findRefused } from './sql.ts';
import { compileReading, type Field, parameterOf } from './values.ts';

/** Options that all sessions of a database share. */
export interface SessionOptions {
  readonly access: MysqlAccess;
  /** IANA zone of datetimes, which never have an offset. */
  readonly timezone: string;
  /** Milliseconds after which the database itself ends a statement, if the gateway does not. */
  readonly statementTimeout: number;
  /** Bytes of temporary files that a session may use; if `undefined`, the database's own setting applies. */
  readonly temporaryLimit?: number;
}

/** Time limit for connecting, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** Rows in each batch of a result that is buffered while other statements run. */
const ROWS_IN_TURN = 500;
/** A length of three bytes and a number; a message of the largest length is continued ("MySQL Packets" of its manual). */
const MESSAGES: MessageFormat = { head: 4, length: (bytes, at) => bytes.readUIntLE(at, 3), continuedAt: 0xffffff };

/** Capabilities that are not requested: access to local files, and SQL modes that differ from the scan for prompts. */
const FLAGS = ['-LOCAL_FILES', '-IGNORE_SPACE', '-ODBC', '-FOUND_ROWS'];

/** Overrides the server's SQL mode, so that the syntax and errors are known: backslashes escape, double quotes enclose text. */
const SQL_MODE = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

/** The server's error for a zone that is missing in its tables. */
const UNKNOWN_ZONE = 'ER_UNKNOWN_TIME_ZONE';

/** Members of the driver's prepared statement that its types lack. */
interface Info {
  execute(values: readonly unknown[]): Query;
  readonly columns: readonly Field[];
  readonly parameters: readonly unknown[];
}

/** A connection to a MariaDB or a MySQL. */
export class Session implements Connection {
  readonly #client: Client;
  readonly #typed: typeof import('mysql2').TypedParameter;
  readonly #prepared = new PreparedStatements<{ readonly sql: string; readonly statement: Statement }>();
  /** MariaDB's settings have other names than MySQL's. */
  #isMaria = false;
  #statementTimeout = 0;
  #rowLimit = ALL_ROWS;
  #lost = false;
  #unbounded = false;
  #onLost = (): void => {};
  #stopBy = async (): Promise<void> => this.destroy();
  #running: StreamedRows | undefined;
  #kept: KeptRows | undefined;

  private constructor(client: Client, typed: typeof import('mysql2').TypedParameter) {
    this.#client = client;
    this.#typed = typed;
    client.on('error', (error: Error) => this.#lose(error));
    client.on('end', () => this.#lose(lostConnection('the server has ended the connection')));
  }

  /** @throws errors of the connection, and of a database that rejects it */
  static async open(options: SessionOptions): Promise<Session> {
    // Loaded with the first connection: projects without such a datasource need not install it.
    const { default: driver } = await import('mysql2');
    const client = driver.createConnection({
      ...options.access.config,
      connectTimeout: CONNECT_TIMEOUT,
      enableKeepAlive: true,
      charset: 'UTF8MB4_UNICODE_CI',
      flags: FLAGS,
      multipleStatements: false,
      maxPreparedStatements: 4 * STATEMENTS_KEPT,
      // Exact values: numbers keep all digits, and dates are not converted to the time zone of this process.
      rowsAsArray: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      decimalNumbers: false,
      dateStrings: true,
      jsonStrings: true,
    });
    const session = new Session(client, driver.TypedParameter);
    await new Promise<void>((resolve, reject) => {
      client.connect((error) => (error ? reject(error) : resolve()));
    });
    try {
      limitMessages(streamOf(client), MESSAGES);
      await session.#prepareSession(options);
    } catch (error) {
      session.destroy();
      throw error;
    }
    return session;
  }

  async #prepareSession({ access, timezone, statementTimeout, temporaryLimit }: SessionOptions): Promise<void> {
    const [found = []] = await this.ask('select version()');
    const version = String(found[0]);
    this.#isMaria = /mariadb/i.test(version);
    await this.ask('set session transaction isolation level repeatable read, read only');
    // These optimizations would change the row order of a child's statement in a connected query.
    const plans = this.#isMaria
      ? ", optimizer_switch = 'derived_with_keys=off', in_predicate_conversion_threshold = 0"
      : '';
    await this.ask(`set session sql_mode = '${SQL_MODE}', ${this.#timeLimit(statementTimeout)}${plans}`);
    this.#statementTimeout = statementTimeout;
    await this.#setZone(access.location, timezone);
    if (temporaryLimit !== undefined) await this.#boundFiles(temporaryLimit, version);
    const readOnly = await this.ask(
      "show session variables where variable_name in ('tx_read_only', 'transaction_read_only') and value = 'ON'",
    );
    if (readOnly.length === 0)
      throw new StoreError(access.location, `${access.location} does not make a session read only`);
  }

  /** Sets the zone in which datetimes are compared and shown. The server knows zone names only if its tables were filled. */
  async #setZone(location: string, timezone: string): Promise<void> {
    try {
      await this.ask(`set session time_zone = '${timezone === 'UTC' ? '+00:00' : timezone}'`);
    } catch (error) {
      if (errorCode(error) !== UNKNOWN_ZONE) throw error;
      const reason = `${location} does not know the time zone ${timezone}, which is the gateway's`;
      const remedy = 'fill its tables of zones: mariadb-tzinfo-to-sql /usr/share/zoneinfo | mariadb mysql';
      throw new StoreError(location, `${reason}; ${remedy}`, { cause: error });
    }
  }

  get id(): number {
    return this.#client.threadId;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** Whether its temporary files are not limited. */
  get unbounded(): boolean {
    return this.#unbounded;
  }

  whenLost(onLost: () => void): void {
    this.#onLost = onLost;
    if (this.#lost) onLost();
  }

  async prepare(id: string, plan: Plan): Promise<Statement> {
    const known = this.#prepared.find(id);
    if (known !== undefined) return known;
    const replaced = this.#prepared.makeRoom();
    if (replaced !== undefined) this.#client.unprepare(replaced.sql);
    const statement = this.#statementOf(plan, await this.describe(plan));
    this.#prepared.add(id, { sql: plan.sql, statement });
    return statement;
  }

  /** Prepares a statement. @throws Error if the server's parameters differ from the prompts that the scan found */
  async describe({ sql, parameters }: Plan): Promise<Info> {
    const info = await new Promise<Info>((resolve, reject) => {
      this.#client.prepare(sql, (error, found) => (error ? reject(error) : resolve(found as unknown as Info)));
    });
    if (info.parameters.length !== parameters.length)
      throw new Error(
        "the server reads its prompts in other places; begin the datasource's url with mysql://, so that check reads them as it does",
      );
    return info;
  }

  forget(id: string): void {
    for (const { sql } of this.#prepared.remove(id)) this.#client.unprepare(sql);
  }

  #statementOf(plan: Plan, info: Info): Statement {
    const names = info.columns.map((field) => field.name);
    const columns = requireColumns(plan.columns, names, `${plan.name}: `);
    // A prompt in the result has the type of its value, or of NULL, so types are only known once a run has begun.
    let types = typesOf(info.columns);
    let reading = compileReading(columns, info.columns);
    const fields = (found: readonly Field[]): void => {
      if (found.some((field, index) => field.name !== names[index]) || found.length !== names.length)
        throw new OutdatedError(`the columns of ${plan.name} have changed`);
      if (typesOf(found) === types) return;
      types = typesOf(found);
      reading = compileReading(columns, found);
    };
    const read = (row: SqlValue[]): SqlValue[] => reading(row);
    const kinds = plan.parameters.map(({ kind }) => kind);
    const start = ({ values, rows, wanted }: CursorOptions): Cursor => {
      const parameters = values.map((value, index) => parameterOf(kinds[index] ?? 'string', value, this.#typed));
      return this.#start(() => info.execute(parameters), rows, wanted, fields);
    };
    return {
      names,
      columns,
      read,
      start,
      readInTurn: ({ values, wanted }, folder) => {
        let kept: Promise<KeptRows> | undefined;
        return async () => {
          kept ??= this.#keep(
            start({ values, rows: ROWS_IN_TURN, ...(wanted === undefined ? {} : { wanted }) }),
            read,
            folder,
          );
          return (await kept).take();
        };
      },
    };
  }

  #start(
    execute: () => Query,
    rows: number,
    wanted: number | undefined,
    fields: (found: readonly Field[]) => void,
  ): StreamedRows {
    const rowsOf = new StreamedRows(this.#client, rows, { fields, stop: () => this.#stop() });
    this.#running = rowsOf;
    const limit = wanted === undefined ? ALL_ROWS : BigInt(wanted);
    if (limit !== this.#rowLimit) {
      this.#rowLimit = limit;
      // The driver sends commands in sequence, so the limit applies to the run that follows.
      this.ask(`set session sql_select_limit = ${limit}`).catch((error: Error) => rowsOf.fail(error));
    }
    if (this.#lost) rowsOf.fail(lostConnection('the connection has ended'));
    else rowsOf.follow(execute());
    return rowsOf;
  }

  async #stop(): Promise<void> {
    try {
      await this.#stopBy();
      // Once the session has answered, a late stop has taken effect.
      await this.ping().catch(() => this.ping());
    } catch {
      this.destroy();
    }
  }

  /** Reads all rows: a connection can't run a statement while it reads the rows of another. */
  async #keep(cursor: Cursor, read: (row: SqlValue[]) => SqlValue[], folder: string): Promise<KeptRows> {
    const kept = new KeptRows(folder);
    this.#kept = kept;
    for (;;) {
      const { rows, complete } = await cursor.batch;
      await kept.add(rows.map(read));
      if (complete) return kept;
      cursor.ask(ROWS_IN_TURN);
    }
  }

  childStatement({ sql }: Plan, columns: readonly string[], keys: Keys): ChildStatement {
    return childStatement(sql, columns, keys);
  }

  async findRefused(sql: string): Promise<Refusal | undefined> {
    return findRefused(sql);
  }

  async begin(): Promise<void> {
    await this.ask('start transaction with consistent snapshot, read only');
  }

  async end(): Promise<void> {
    this.#kept?.close();
    this.#kept = undefined;
    await this.ask('rollback');
  }

  async ping(): Promise<void> {
    await this.ask('select 1');
  }

  stopBy(stop: () => Promise<void>): void {
    this.#stopBy = stop;
  }

  async cancel(id: number): Promise<void> {
    await this.ask(`kill query ${id}`);
  }

  async allow(timeout: number): Promise<void> {
    if (timeout <= this.#statementTimeout) return;
    await this.ask(`set session ${this.#timeLimit(timeout)}`);
    this.#statementTimeout = timeout;
  }

  /** The setting for the statement timeout, whose unit differs between servers. @param timeout in milliseconds */
  #timeLimit(timeout: number): string {
    return this.#isMaria ? `max_statement_time = ${timeout / 1000}` : `max_execution_time = ${Math.ceil(timeout)}`;
  }

  async #boundFiles(bytes: number, version: string): Promise<void> {
    const [major = 0, minor = 0] = version.split('.').map(Number);
    this.#unbounded = !this.#isMaria || major < 11 || (major === 11 && minor < 5);
    if (!this.#unbounded) await this.ask(`set session max_tmp_session_space_usage = ${bytes}`);
  }

  /** Runs a statement of the gateway's own. @throws errors of the database and of the connection */
  ask(sql: string): Promise<readonly (readonly unknown[])[]> {
    return new Promise((resolve, reject) => {
      this.#client.query(sql, (error: Error | null, rows: unknown) => {
        if (error) reject(error);
        else resolve(Array.isArray(rows) ? rows : []);
      });
    });
  }

  async close(): Promise<void> {
    if (this.#lost) return;
    await new Promise<void>((resolve) => {
      this.#client.once('end', resolve);
      this.#client.once('error', () => resolve());
      this.#client.end(() => resolve());
    });
  }

  destroy(): void {
    streamOf(this.#client).destroy();
    // Its events arrive later; until then no query may be given this connection.
    this.#lose(lostConnection('the connection was cut'));
  }

  #lose(error: Error): void {
    this.#running?.fail(error);
    this.#kept?.close();
    if (this.#lost) return;
    this.#lost = true;
    this.#onLost();
  }
}

function typesOf(fields: readonly Field[]): string {
  return fields.map(({ columnType, characterSet }) => `${columnType}/${characterSet}`).join();
}

/** The current socket: TLS replaces it. */
function streamOf(client: Client): Duplex {
  return (client as unknown as { readonly stream: Duplex }).stream;
}
