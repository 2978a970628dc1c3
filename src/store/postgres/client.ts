import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { DatabaseBounds } from '../../model/gateway.ts';
import { LONGEST_TIMER } from '../../wire/waiting.ts';
import { StoreError } from '../error.ts';

/**
 * A setting of a session (chapter 20 of PostgreSQL's manual). It is applied once the connection is open: poolers ignore or
 * refuse what a client sends at its start.
 */
export interface SessionSetting {
  readonly name: string;
  /** In the form in which `pg_settings` has it: `on`, or a number in the unit of the setting. */
  readonly value: string;
  /** The server has to have this very value afterwards; otherwise the connection is not used. */
  readonly verified?: boolean;
}

/** How to open a connection. */
export interface ConnectionConfig extends pg.ClientConfig {
  /** What is in force when the connection is open. Of two settings with the same name, the last one counts. */
  readonly session: readonly SessionSetting[];
  readonly bounds: DatabaseBounds;
}

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
    // During a long statement the server looks whether its client is still there; from PostgreSQL 14 on.
    client_connection_check_interval: idle,
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
}

/** Applies the settings that the server knows: its relatives, and earlier versions, lack some. */
const APPLY = `
  select wanted.name, set_config(wanted.name, wanted.value, false)
  from unnest($1::text[], $2::text[]) as wanted (name, value)
  where current_setting(wanted.name, true) is not null`;

const IN_FORCE = 'select name, setting from pg_settings where name = any($1::text[])';

/** Milliseconds for the server to end a connection that is not needed any more. */
const FAREWELL = 2000;

/**
 * A connection of the gateway to PostgreSQL. All of them are of this class: the settings of the session are in force once it
 * is open, and each statement is answered in time, or the connection ends.
 */
export class Connection extends pg.Client {
  readonly #config: ConnectionConfig;

  constructor(config: ConnectionConfig) {
    super(config);
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

  async #open(): Promise<pg.Client> {
    await super.connect();
    try {
      await this.#apply();
      return this;
    } catch (error) {
      this.cut();
      throw error;
    }
  }

  async #apply(): Promise<void> {
    const settings = [...new Map(this.#config.session.map((setting) => [setting.name, setting])).values()];
    const { connect } = this.#config.bounds.timeouts;
    await this.ask(connect, APPLY, [settings.map(({ name }) => name), settings.map(({ value }) => value)]);
    const verified = settings.filter((setting) => setting.verified);
    if (verified.length === 0) return;
    const { rows } = await this.ask(connect, IN_FORCE, [verified.map(({ name }) => name)]);
    const inForce = new Map((rows as { name: string; setting: string }[]).map(({ name, setting }) => [name, setting]));
    for (const { name, value } of verified) {
      const found = inForce.get(name) ?? 'unknown to the server';
      if (found !== value) throw new StoreError('', `the session has ${name} ${found} instead of ${value}`);
    }
  }

  /** Runs a statement within the patience of the gateway. */
  // biome-ignore lint/suspicious/noExplicitAny: the driver has ten forms of this function.
  override query(...given: any[]): any {
    return this.ask(this.#config.bounds.patience, ...given);
  }

  /**
   * Runs a statement. If it is not answered in time, the connection ends: it can't be used for anything else. Cursors are bounded
   * by those who read them.
   */
  // biome-ignore lint/suspicious/noExplicitAny: it takes and gives what `query` does.
  ask(ms: number, ...given: any[]): any {
    const answer: unknown = (super.query as (...all: unknown[]) => unknown).apply(this, given);
    if (!(answer instanceof Promise) || ms > LONGEST_TIMER) return answer;
    const timer = setTimeout(() => this.cut(late()), ms);
    const done = (): void => clearTimeout(timer);
    answer.then(done, done);
    return answer;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    // A server that does not answer does not close the connection either.
    const farewell = setTimeout(() => this.cut(), FAREWELL);
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

/** The error of a statement that is not answered in time, with the code of a lost connection. */
export function late(): Error {
  return Object.assign(new Error('it did not answer in time'), { code: 'ETIMEDOUT' });
}
