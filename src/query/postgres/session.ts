import type { FieldDef } from 'pg';
import { errorCode } from '../../store/error.ts';
import type { Connection as Client } from '../../store/postgres/client.ts';
import type { ConnectionConfig, SessionSetting } from '../../store/postgres/connection-config.ts';
import { neutralText } from '../connected/keys.ts';
import type { Plan } from '../plan.ts';
import { requireColumns } from '../result.ts';
import {
  type ChildStatement,
  type Connection,
  type Keys,
  PreparedStatements,
  type Refusal,
  type Statement,
} from '../server/connection.ts';
import { limitMessages, type MessageFormat } from '../server/message-limit.ts';
import { BEGIN, END, Portal, type PortalRun, Preparation, type Surroundings } from './portal.ts';
import { findRefused, volatileAmong } from './refused.ts';
import { compileReading } from './values.ts';

/** Options that all sessions of a database share. */
export interface SessionOptions {
  readonly config: ConnectionConfig;
  /** IANA zone of datetimes without an offset. */
  readonly timezone: string;
  /** Milliseconds after which the database itself ends a statement, if the gateway does not. */
  readonly statementTimeout: number;
  /** Bytes of temporary files that a session may use; if `undefined`, the database's own setting applies. */
  readonly temporaryLimit?: number;
}

/** Before a statement: its plan instead of its rows, with the values that are bound. */
export const EXPLAIN = 'explain (format text) ';

/** Rows that are read between other statements at once. */
const ROWS_IN_TURN = 500;
/** A kind, and a length that counts itself (PostgreSQL's manual, section 55.7). */
const MESSAGES: MessageFormat = { head: 5, length: (bytes, at) => bytes.readUInt32BE(at + 1) - 4 };

/**
 * What a query may rely on, and can't change: nothing is written, texts of values have one form. Datetimes without an
 * offset are of the gateway's zone, so that they are compared with those that have one as they are shown.
 */
export function sessionOf({
  timezone,
  statementTimeout,
}: Pick<SessionOptions, 'timezone' | 'statementTimeout'>): SessionSetting[] {
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
  return Object.entries(own).map(([name, value]) => ({ name, value }));
}

/** Returns a row if temporary files are limited to at most $1 kilobytes. -1 means no limit. */
const BOUNDED = "select 1 from pg_settings where name = 'temp_file_limit' and setting::bigint between 0 and $1";

/** A statement that is prepared on a session. */
interface Prepared {
  /** By which the server knows it. */
  readonly name: string;
  readonly statement: Statement;
}

/** A connection to a PostgreSQL. */
export class Session implements Connection {
  readonly #client: Client;
  readonly #prepared = new PreparedStatements<Prepared>();
  #statements = 0;
  #statementTimeout: number;
  #lost = false;
  #unbounded = false;
  #inTransaction = false;
  #onLost = (): void => {};

  private constructor(client: Client, statementTimeout: number) {
    this.#client = client;
    this.#statementTimeout = statementTimeout;
    // The reason why an idle connection ended is reported when the next one can't be made.
    client.on('error', () => this.#lose());
    client.on('end', () => this.#lose());
  }

  /** @throws errors of the connection, and of the database that refuses it */
  static async open(options: SessionOptions): Promise<Session> {
    // Loaded only when needed: loading the driver takes a third of the startup time.
    const [{ Connection }, { applicationName }] = await Promise.all([
      import('../../store/postgres/client.ts'),
      import('../../store/postgres/pool.ts'),
    ]);
    const { config } = options;
    const client = new Connection({
      ...config,
      application_name: applicationName('queries'),
      session: [...config.session, ...sessionOf(options)],
    });
    const session = new Session(client, options.statementTimeout);
    await client.connect();
    limitMessages(client.socket, MESSAGES);
    try {
      if (options.temporaryLimit !== undefined)
        await session.#boundFiles(options.temporaryLimit, config.bounds.timeouts.connect);
    } catch (error) {
      session.destroy();
      throw error;
    }
    return session;
  }

  /** A session on a connection that is open and in a transaction. Both are left to their owner. */
  static within(client: Client, statementTimeout: number): Session {
    const session = new Session(client, statementTimeout);
    session.#inTransaction = true;
    return session;
  }

  /** Of the process that serves it in the database. */
  get id(): number {
    return this.#client.backend;
  }

  get lost(): boolean {
    return this.#lost;
  }

  whenLost(onLost: () => void): void {
    this.#onLost = onLost;
    if (this.#lost) onLost();
  }

  async prepare(id: string, plan: Plan): Promise<Statement> {
    const known = this.#prepared.find(id);
    if (known !== undefined) return known;
    const replaced = this.#prepared.makeRoom();
    // Names are never reused, so there is no need to wait for the deallocation of the previous one.
    this.#statements += 1;
    const name = `signalbox_${this.#statements}`;
    const sql = plan.explains ? `${EXPLAIN}${plan.sql}` : plan.sql;
    const fields = await this.describe(name, sql, replaced?.name);
    const statement = this.#statementOf(name, plan, fields);
    this.#prepared.add(id, { name, statement });
    return statement;
  }

  /** Prepares a statement under a name. @param forget name of one that is not needed any more */
  describe(name: string, sql: string, forget?: string): Promise<readonly FieldDef[]> {
    return this.#client.query(new Preparation(name, sql, this.#where(), forget) as never as Submitted).fields;
  }

  forget(id: string): void {
    this.#prepared.remove(id);
  }

  #statementOf(statement: string, plan: Plan, fields: readonly FieldDef[]): Statement {
    const names = fields.map((field) => field.name);
    const columns = requireColumns(plan.columns, names, `${plan.name}: `);
    const read = compileReading(
      columns,
      fields.map((field) => field.dataTypeID),
    );
    return {
      names,
      columns,
      read,
      start: ({ values, rows, once = false }) => this.#start({ statement, values, rows, once }),
      readInTurn: ({ values }) => {
        // A portal with a name stays open while other statements run, as long as the transaction lasts.
        const run = { statement, values, rows: ROWS_IN_TURN, once: true, portal: 'signalbox_parents' };
        let begun = false;
        let over = false;
        return async () => {
          if (over) return [];
          const { rows, complete } = await this.#start({ ...run, begun }).batch;
          begun = true;
          over = complete;
          return rows.map(read);
        };
      },
    };
  }

  #start(run: PortalRun): Portal {
    const portal = new Portal(run, this.#where());
    this.#client.query(portal as never);
    return portal;
  }

  #where(): Surroundings {
    return {
      inTransaction: this.#inTransaction,
      // A connection that is lost needs none.
      abandon: () =>
        this.ask(END).then(
          () => {},
          () => {},
        ),
    };
  }

  /**
   * Each column is matched separately, which may find combinations that are not a key: the reader of the rows drops these. A
   * condition on all columns together would be a join, and PostgreSQL's joins do not keep the row order.
   */
  childStatement({ sql, parameters }: Plan, columns: readonly string[], { values, kinds }: Keys): ChildStatement {
    const conditions = columns.map((name, index) => {
      const column = `"${name.replaceAll('"', '""')}"`;
      return `signalbox_child.${column} = any($${parameters.length + index + 1})`;
    });
    const texts = kinds.map((kind, index) => values.map((key) => neutralText(kind, key[index] ?? null)));
    return {
      sql: `select * from (\n${sql}\n) as signalbox_child where ${conditions.join(' and ')}`,
      variant: 'keys',
      values: texts.map((each) => arrayText([...new Set(each)])),
      kinds,
    };
  }

  async findRefused(sql: string): Promise<Refusal | undefined> {
    return findRefused(sql, (names) => volatileAmong(this, names));
  }

  async begin(): Promise<void> {
    await this.ask(BEGIN);
    this.#inTransaction = true;
  }

  async end(): Promise<void> {
    this.#inTransaction = false;
    await this.ask(END);
  }

  async ping(): Promise<void> {
    await this.ask('select 1');
  }

  async cancel(pid: number): Promise<void> {
    await this.ask('select pg_cancel_backend($1)', [pid]);
  }

  /** Runs a statement of the gateway's own. @throws errors of the database and of the connection */
  async ask(text: string, values: readonly unknown[] = []): Promise<readonly (readonly unknown[])[]> {
    return (await this.#client.query({ text, values: [...values], rowMode: 'array' })).rows;
  }

  async allow(timeout: number): Promise<void> {
    if (timeout <= this.#statementTimeout) return;
    await this.ask("select set_config('statement_timeout', $1, false)", [String(timeout)]);
    this.#statementTimeout = timeout;
  }

  /**
   * Limits the session's temporary files. A lower limit of its role is kept.
   * @param ms for each statement: it is part of connecting
   * @throws errors of the connection
   */
  async #boundFiles(bytes: number, ms: number): Promise<void> {
    const kilobytes = Math.ceil(bytes / 1024);
    const lower = await this.#client.ask(ms, BOUNDED, [kilobytes]);
    if (lower.rows.length > 0) return;
    try {
      await this.#client.ask(ms, "select set_config('temp_file_limit', $1, false)", [`${kilobytes}kB`]);
    } catch (error) {
      // 42501: only superusers and roles with the privilege may. 42704: other engines with this protocol lack the setting.
      if (errorCode(error) !== '42501' && errorCode(error) !== '42704') throw error;
      this.#unbounded = errorCode(error) === '42501';
    }
  }

  /** Whether temporary files are unlimited and the role is not permitted to limit them. */
  get unbounded(): boolean {
    return this.#unbounded;
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  destroy(): void {
    this.#client.cut();
    // Its events arrive later; until then no query may be given this connection.
    this.#lose();
  }

  #lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#onLost();
  }
}

/** The text of an array (section 8.15.2 of PostgreSQL's manual). */
function arrayText(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join()}}`;
}

type Submitted = Preparation & { submit: () => void };
