import { Connection } from '../postgres/client.ts';
import type { ConnectionConfig } from '../postgres/connection-config.ts';
import { applicationName } from '../postgres/pool.ts';

/** Milliseconds between two checks of a connection that listens, and before another is opened. */
const CHECK = 10_000;
const AGAIN = 1000;

/** Milliseconds for the answer to such a check. */
const CHECKED = 5000;

/** What a listening connection reports. */
interface Hearing {
  /** Gets the payload of each notification. */
  heard(payload: string): void;
  /** Is called when notifications may have been missed. */
  missed(): void;
  /** Is called for each connection that is lost; another follows. */
  lost(error: Error): void;
}

/** A connection that listens to a channel; it is replaced when it is lost. */
export class Listening {
  readonly #config: ConnectionConfig;
  readonly #channel: string;
  readonly #hearing: Hearing;
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #open = true;

  constructor(config: ConnectionConfig, channel: string, hearing: Hearing) {
    this.#config = config;
    this.#channel = channel;
    this.#hearing = hearing;
  }

  /** @throws errors of the connection */
  async begin(): Promise<void> {
    const connection = new Connection({ ...this.#config, application_name: applicationName('notifications') });
    connection.on('notification', ({ payload = '' }) => this.#hearing.heard(payload));
    await connection.connect();
    try {
      await connection.ask(CHECKED, `listen "${this.#channel}"`);
    } catch (error) {
      connection.cut();
      throw error;
    }
    if (!this.#open) return connection.cut();
    this.#connection = connection;
    connection.once('end', () => this.#again(connection, new Error('connection ended')));
    this.#hearing.missed();
    this.#checkLater(connection);
  }

  async end(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#timer);
    await this.#connection?.end().catch(() => {});
  }

  /** A connection that nothing comes from may be one that has vanished. */
  #checkLater(connection: Connection): void {
    this.#timer = setTimeout(() => {
      const checked = connection.ask(CHECKED, 'select 1');
      checked.then(
        () => this.#checkLater(connection),
        (error: Error) => this.#again(connection, error),
      );
    }, CHECK);
  }

  #again(connection: Connection, error: Error): void {
    if (!this.#open || this.#connection !== connection) return;
    this.#connection = undefined;
    connection.cut();
    this.#hearing.lost(error);
    this.#retry();
  }

  #retry(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.begin().catch(() => {
        if (this.#open && this.#connection === undefined) this.#retry();
      });
    }, AGAIN);
  }
}
