import { Session, type SessionOptions } from './session.ts';

/**
 * Stops statements of other sessions. Its own connection is made with the first of them and kept, so that it can be had when
 * all others are taken.
 */
export class Canceller {
  readonly #options: SessionOptions;
  #session: Promise<Session> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Makes the connection, where there is none; whoever stops something is told where that can't be done. */
  prepare(): void {
    this.#open().catch(() => {});
  }

  /** Stops what runs on a session now, if anything does. @throws errors of the database and of the connection */
  async cancel(pid: number): Promise<void> {
    const session = await this.#open();
    await session.ask('select pg_cancel_backend($1)', [pid]);
  }

  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    this.#session = undefined;
    await session?.close();
  }

  #open(): Promise<Session> {
    this.#session ??= Session.open(this.#options).then(
      (session) => {
        session.whenLost(() => {
          this.#session = undefined;
        });
        return session;
      },
      (error: unknown) => {
        this.#session = undefined;
        throw error;
      },
    );
    return this.#session;
  }
}
