import type { Dispatcher } from 'undici';
import type { OriginDispatcher } from './connection/pools.ts';

/** Moments of one request, as `performance.now()`. */
interface Marks {
  /** Its connection was made; `undefined` when it was open before. */
  readonly connected: number | undefined;
  /** Its last byte was handed over. */
  readonly sent: number | undefined;
}

/** Bytes of a body that wait for their reader before the connection is paused. */
const HELD = 64 * 1024;

/**
 * The reply to one request. It takes the bytes from the connection as they arrive: a stream of Node's, which `request()` of
 * undici makes, costs a small reply as much as all else about it (16 of 40 microseconds).
 */
export class Incoming implements Dispatcher.DispatchHandler, Marks {
  connected: number | undefined;
  sent: number | undefined;
  status = 0;
  statusText = '';
  headers: Readonly<Record<string, string | string[] | undefined>> = {};
  readonly #isFresh: () => boolean;
  readonly #written: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #begun: (reply: Incoming) => void;
  readonly #failed: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  /** Bytes of the chunks. */
  #held = 0;
  #isPaused = false;
  #isComplete = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes the reader that waits for the next chunk. */
  #wake: (() => void) | undefined;
  /** Bytes that may still be dropped; `undefined` while there may be a reader. */
  #dropping: number | undefined;

  constructor(
    isFresh: () => boolean,
    written: () => void,
    signal: AbortSignal | undefined,
    begun: (reply: Incoming) => void,
    failed: (error: unknown) => void,
  ) {
    this.#isFresh = isFresh;
    this.#written = written;
    this.#signal = signal;
    this.#begun = begun;
    this.#failed = failed;
    signal?.addEventListener('abort', this.#aborted);
  }

  /** The body, when all of it has arrived; `undefined` when it has not, or is empty. Can be taken once. */
  whole(): Buffer | undefined {
    if (!this.#isComplete || this.#chunks.length === 0 || this.#failure !== undefined) return undefined;
    const whole = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#held = 0;
    this.#letGo();
    return whole;
  }

  /** The next chunk, if it has arrived. */
  take(): Buffer | undefined {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    this.#held -= chunk.length;
    if (this.#isPaused && this.#held === 0) {
      this.#isPaused = false;
      this.#controller?.resume();
    }
    return chunk;
  }

  /** Waits for the next chunk; `undefined` at the end. @throws what the connection throws; the reason of the signal */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.take();
      if (chunk !== undefined) return chunk;
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isComplete) {
        this.#letGo();
        return undefined;
      }
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (let chunk = await this.next(); chunk !== undefined; chunk = await this.next()) yield chunk;
  }

  /** Closes the connection, unless the reply is complete. @param error for who reads on */
  discard(error?: unknown): void {
    if (this.#isComplete && this.#chunks.length === 0) return;
    this.#fail(error ?? discarded());
  }

  /** Drops the rest of a body, which frees the connection for another request; a longer one closes it. */
  release(most: number): void {
    if (Number(this.headers['content-length'] ?? 0) > most) {
      this.discard();
      return;
    }
    this.#dropping = most - this.#held;
    this.#chunks = [];
    this.#isPaused = false;
    this.#controller?.resume();
    if (this.#isComplete) this.#letGo();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure.error as Error);
    else if (this.#isFresh()) this.connected = performance.now();
  }

  onRequestSent(): void {
    this.sent = performance.now();
    this.#written();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Incoming['headers'],
    statusText = '',
  ): void {
    // Interim replies (RFC 9110 section 15.2).
    if (status < 200) return;
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.#begun(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    if (this.#dropping !== undefined) {
      this.#dropping -= chunk.length;
      if (this.#dropping < 0) this.#fail(discarded());
      return;
    }
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    if (this.#held >= HELD) {
      this.#isPaused = true;
      controller.pause();
    }
    this.#wakeReader();
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    if (this.#dropping !== undefined) this.#letGo();
    this.#wakeReader();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end(error);
  }

  readonly #aborted = (): void => this.#fail(this.#signal?.reason);

  /** Ends the exchange from this side. */
  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#chunks = [];
    this.#end(error);
    this.#controller?.abort(error as Error);
  }

  #end(error: unknown): void {
    this.#letGo();
    this.#failure ??= { error };
    this.#failed(error);
    this.#wakeReader();
  }

  #letGo(): void {
    this.#signal?.removeEventListener('abort', this.#aborted);
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

/** As undici calls it. */
function discarded(): Error {
  return Object.assign(new Error('the reply was discarded'), { code: 'UND_ERR_ABORTED' });
}

/**
 * Sends a request, and waits for the head of its reply.
 * @param written called when the last byte of the request was handed over
 * @throws what the connection throws; the reason of the signal
 */
export function dispatched(
  { dispatcher, isFresh }: OriginDispatcher,
  request: Dispatcher.DispatchOptions,
  written: () => void,
  signal: AbortSignal | undefined,
): Promise<Incoming> {
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  return new Promise((begun, failed) =>
    dispatcher.dispatch(request, new Incoming(isFresh, written, signal, begun, failed)),
  );
}
