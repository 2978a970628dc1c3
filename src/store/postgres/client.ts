import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { DatabaseBounds } from '../../model/gateway.ts';
import { duration } from '../../wire/duration.ts';
import { afterSilence, LONGEST_TIMER, withinTime } from '../../wire/waiting.ts';
import { errorText, StoreError, UnfitStoreError } from '../error.ts';
import type { ConnectionConfig, SessionSetting } from './connection-config.ts';
import type { Candidate, Role } from './servers.ts';

/** The settings of every session of the gateway. With them the server ends what a gateway that hangs or vanished left open. */
export function sessionSettings({ timeouts, keepalive: { idle, interval, count } }: DatabaseBounds): SessionSetting[] {
  const seconds = (ms: number): number => Math.max(1, Math.round(ms / 1000));
  const values = {
    statement_timeout: timeouts.statement,
    lock_timeout: timeouts.lock,
    idle_in_transaction_session_timeout: timeouts.transaction,
    tcp_keepalives_idle: seconds(idle),
    tcp_keepalives_interval: seconds(interval),
    tcp_keepalives_count: count,
    tcp_user_timeout: idle + interval * count,
    // During a long statement the server checks whether its client is still connected; from PostgreSQL 14 on.
    client_connection_check_interval: idle,
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
}

/** Applies the settings that the server knows: its relatives, and earlier versions, lack some. Returns them as it writes them. */
const APPLY = `
  select wanted.name, set_config(wanted.name, wanted.value, false) as value
  from unnest($1::text[], $2::text[], $3::boolean[]) as wanted (name, value, given)
  where wanted.given or current_setting(wanted.name, true) is not null`;

const IN_FORCE = 'select name, current_setting(name) as value from unnest($1::text[]) as applied (name)';

/** What a connection has to know about the session at its other end. */
const FACTS = `select pg_backend_pid() as pid, pg_is_in_recovery() as standby,
  current_setting('transaction_read_only') = 'on' as "readOnly"`;

type Facts = Role & { readonly pid: number };

/**
 * What the driver keeps of an attempt to connect. It allows one for each client; with several servers there are more. All of
 * it is set as in the driver's constructor.
 */
interface Attempt extends Record<string, unknown> {
  connection: pg.Connection;
  readonly connectionParameters: Record<string, unknown>;
}

/** Milliseconds that one of several servers has at least to accept a connection, when they divide the time for all. */
const LEAST_PATIENT = 1000;

/** Milliseconds for the server to end a connection that is not needed any more. */
const FAREWELL = 2000;

/**
 * A connection of the gateway to PostgreSQL. All of them are of this class: the settings of the session are in force once it
 * is open, and each statement is answered in time, or the connection ends.
 */
export class Connection extends pg.Client {
  readonly #config: ConnectionConfig;
  #backend = 0;

  constructor(config: ConnectionConfig & Pick<pg.ClientConfig, 'types'>) {
    // The server is chosen later; the driver's own reading of the environment must find nothing to object to.
    super({ ...config, host: 'localhost', ssl: true });
    this.#config = config;
    // A connection that is lost in use fails its statements; its error event without a listener would end the process.
    this.on('error', () => {});
  }

  /** @throws errors of the connection, and of the database that refuses it; StoreError when a setting is not in force */
  override connect(): Promise<pg.Client>;
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.ClientBase) => void)): void;
  override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
    const opened = this.#open();
    if (callback === undefined) return opened;
    opened.then(() => callback(null as never, this as never), callback as (error: unknown) => void);
    return undefined;
  }

  /** Notes that its server is not the one that is wanted any more. */
  leave(): void {
    const { host, port } = this;
    this.#config.servers.avoid({ host, port });
    this.cut();
  }

  /** The process that serves it in the database. A pooler shows clients another number than that. */
  get backend(): number {
    return this.#backend;
  }

  async #open(): Promise<pg.Client> {
    try {
      await this.#config.servers.choose(
        (candidate) => this.#reach(candidate),
        () => this.cut(),
      );
      await this.#apply();
      return this;
    } catch (error) {
      this.#abandon();
      throw error;
    }
  }

  /** Ends an attempt that failed. Its error is known: the driver must not report a lost connection too. */
  #abandon(): void {
    const { connection } = this as unknown as Attempt;
    connection.removeAllListeners();
    connection.on('error', () => {});
    connection.stream.destroy();
  }

  async #reach(candidate: Candidate): Promise<Role> {
    this.#aim(candidate);
    const ms = timeToAccept(this.#config);
    const unbound = afterSilence(ms, () => this.cut(silent(`no connection within ${duration(ms)}`)));
    try {
      await super.connect();
    } finally {
      unbound();
    }
    const { servers, bounds } = this.#config;
    const { connect } = bounds.timeouts;
    let facts = await factsOf(this, connect);
    this.#backend = facts.pid;
    if (facts.pid !== (this as unknown as { readonly processID: number }).processID) {
      await servers.provePooler(candidate, () => requireSessions(this, candidate, this.#config));
      // What another client left: settings, prepared statements, temporary tables, locks.
      await this.ask(connect, 'discard all');
      facts = await factsOf(this, connect);
    }
    return facts;
  }

  #aim({ host, port, tls, user, password }: Candidate): void {
    this.#abandon();
    const attempt = this as unknown as Attempt;
    const { keepAlive, keepAliveInitialDelayMillis, application_name, servers } = this.#config;
    const { address, database } = servers;
    const sslNegotiation = address.tls.direct ? 'direct' : 'postgres';
    const facts = { host, port, database, user: user ?? attempt.connectionParameters.user, password: password ?? null };
    const named = address.application ?? application_name;
    Object.assign(attempt.connectionParameters, { ...facts, options: undefined, application_name: named });
    const started = { _connecting: false, _connected: false, _connectionError: false, _ending: false, _ended: false };
    Object.assign(attempt, facts, started, {
      ssl: tls,
      sslNegotiation,
      connection: new pg.Connection({ ssl: tls, sslNegotiation, keepAlive, keepAliveInitialDelayMillis } as never),
      _queryable: true,
      _activeQuery: null,
      _txStatus: null,
    });
  }

  async #apply(): Promise<void> {
    const { session, servers, bounds } = this.#config;
    const { settings: ofAddress } = servers.address;
    const given = Object.entries(ofAddress).map(([name, value]) => ({ name, value }));
    const settings = [...new Map([...given, ...session].map((setting) => [setting.name, setting])).values()];
    const { connect } = bounds.timeouts;
    const { rows: wanted } = await this.ask<SessionSetting>(connect, APPLY, [
      settings.map(({ name }) => name),
      settings.map(({ value }) => value),
      settings.map(({ name }) => Object.hasOwn(ofAddress, name)),
    ]);
    const found = await this.ask<SessionSetting>(connect, IN_FORCE, [wanted.map(({ name }) => name)]);
    for (const [index, { name, value }] of found.rows.entries()) {
      const instead = wanted[index]?.value;
      if (value !== instead) throw new StoreError('', `the session has ${name} ${value} instead of ${instead}`);
    }
  }

  /** Runs a statement within the patience of the gateway, in any of the forms that the driver has. */
  override readonly query = ((...given: unknown[]) =>
    this.#run(this.#config.bounds.patience, given)) as pg.Client['query'];

  /** Runs a statement within so many milliseconds. */
  ask<R extends pg.QueryResultRow>(
    ms: number,
    sql: string | pg.QueryConfig,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<R>> {
    return this.#run(ms, [sql, values]) as Promise<pg.QueryResult<R>>;
  }

  /**
   * Runs a statement. If it is not answered in time, the connection ends: it can't be used for anything else. Cursors are bounded
   * by those who read them.
   */
  #run(ms: number, given: readonly unknown[]): unknown {
    const answer: unknown = (super.query as (...all: readonly unknown[]) => unknown).call(this, ...given);
    if (!(answer instanceof Promise) || ms > LONGEST_TIMER) return answer;
    const unbound = afterSilence(ms, () => this.cut(late()));
    answer.then(unbound, unbound);
    return answer;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    // A server that does not answer does not close the connection either.
    const farewell = setTimeout(() => this.cut(), FAREWELL).unref();
    this.once('end', () => clearTimeout(farewell));
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  /** Ends the connection at once. @param error what the statements that run on it fail with */
  cut(error?: Error): void {
    this.socket.destroy(error);
  }

  /** The current socket: TLS replaces it. */
  get socket(): Duplex {
    return (this as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;
  }
}

/** Milliseconds that each of the servers has to accept a connection. */
function timeToAccept({ servers: { address }, bounds: { timeouts } }: ConnectionConfig): number {
  const { connect } = timeouts;
  return address.timeout ?? Math.min(connect, Math.max(connect / address.hosts.length, LEAST_PATIENT));
}

/** Milliseconds for a connection to be opened, whichever server accepts it, or to become free. */
export function timeToConnect(config: ConnectionConfig): number {
  return Math.max(config.bounds.timeouts.connect, timeToAccept(config) * config.servers.address.hosts.length);
}

/** The error of a statement that is not answered in time. */
function late(): Error {
  return silent('it did not answer in time');
}

/** An error with the code of a lost connection. */
function silent(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

/** Milliseconds for a notification to arrive. */
const NOTIFIED = 5000;

/** How often two connections are compared. */
const ROUNDS = 3;

/**
 * Makes sure that a connection to a pooler, such as PgBouncer, has a session of its own. In transaction mode a pooler gives it
 * any of its sessions for each transaction: prepared statements, notifications and settings are then those of anyone.
 *
 * Two connections are compared. If a transaction of the second is served by the process that served the first, or the first
 * is served by several, sessions are shared. Poolers take the session that was used last, or all in turn: without other clients
 * the first round shows it. Among other clients it may not: then a notification decides, because a pooler has no session to
 * wait for it on behalf of a connection without a transaction.
 * @throws UnfitStoreError when sessions are shared
 */
async function requireSessions(first: Connection, candidate: Candidate, config: ConnectionConfig): Promise<void> {
  const { servers, bounds } = config;
  const { connect } = bounds.timeouts;
  const { location, database } = servers;
  const { host, port, user, password, tls: ssl } = candidate;
  const second = new pg.Client({
    ...{ host, port, database, ssl, application_name: config.application_name, connectionTimeoutMillis: connect },
    ...{ query_timeout: connect, user, password },
  });
  second.on('error', () => {});
  try {
    await second.connect();
    const pids = new Set<number>();
    for (let round = 1; round <= ROUNDS; round++) {
      pids.add((await factsOf(first, connect)).pid);
      await second.query('begin');
      const other = (await second.query(FACTS)).rows[0].pid as number;
      if (pids.has(other)) throw shared(location, 'transaction');
      pids.add((await factsOf(first, connect)).pid);
      if (pids.size > 1) throw shared(location, 'transaction');
      await second.query('rollback');
    }
    if (!(await hears(first, second, connect))) throw shared(location, 'transaction');
  } catch (error) {
    throw /statement pooling/i.test(errorText(error)) ? shared(location, 'statement') : error;
  } finally {
    second.end().catch(() => {});
  }
}

async function factsOf(connection: Connection, ms: number): Promise<Facts> {
  return (await connection.ask<Facts>(ms, FACTS)).rows[0] as Facts;
}

/** Whether a connection gets notifications while it is idle; also when the server has none: a standby, or another product. */
async function hears(first: Connection, second: pg.Client, ms: number): Promise<boolean> {
  const channel = `signalbox_${Math.random().toString(36).slice(2)}`;
  const heard = new Promise<boolean>((resolve) => first.once('notification', () => resolve(true)));
  try {
    await first.ask(ms, `listen ${channel}`);
    await second.query(`notify ${channel}`);
  } catch (error) {
    if (error instanceof pg.DatabaseError) return true;
    throw error;
  }
  return withinTime(heard, NOTIFIED, late).catch(() => false);
}

function shared(location: string, mode: 'transaction' | 'statement'): UnfitStoreError {
  return new UnfitStoreError(
    location,
    `${location} is a pooler, such as PgBouncer, in ${mode} mode: it gives each ${mode} another session, and a gateway needs sessions of its own, for prepared statements, notifications and settings; set pool_mode = session for this database, or name PostgreSQL itself in the URL`,
  );
}
