import type * as Undici from 'undici';
import { CONNECTIONS, REPLY_HEAD } from './limits.ts';

/** Connections by origin, kept for the next call. */
export class Pools {
  readonly #pools = new Map<string, Undici.Pool>();
  /** Loaded with the first call: a start should not wait for it, whoever imports the package. */
  #undici: typeof Undici | undefined;
  readonly #unconnected = new WeakSet<object>();
  readonly #connectTimeout: number;
  #closed = false;

  /** @param connectTimeout in milliseconds */
  constructor(connectTimeout: number) {
    this.#connectTimeout = connectTimeout;
  }

  /** @throws Error where they are closed */
  of(origin: string): Undici.Pool | Promise<Undici.Pool> {
    if (this.#closed) throw new Error('the client is closed');
    return this.#pools.get(origin) ?? this.#open(origin);
  }

  async #open(origin: string): Promise<Undici.Pool> {
    this.#undici ??= await import('undici');
    return this.#closed ? this.of(origin) : (this.#pools.get(origin) ?? this.#make(this.#undici, origin));
  }

  #make({ Pool }: typeof Undici, origin: string): Undici.Pool {
    const pool = new Pool(origin, {
      connections: CONNECTIONS,
      connectTimeout: this.#connectTimeout,
      maxHeaderSize: REPLY_HEAD,
      allowH2: false,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      connect: { rejectUnauthorized: true },
    });
    pool.on('connectionError', (_origin, _targets, error) => this.#unconnected.add(error));
    this.#pools.set(origin, pool);
    return pool;
  }

  /** Whether an error of a request is that there was no connection, so that nothing of it was sent. */
  isUnconnected(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#unconnected.has(error);
  }

  /** Ends all connections, and with them what still runs. Nothing can be called afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }
}
