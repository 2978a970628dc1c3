import type { Dispatcher } from 'undici';

/** Moments of one request, as `performance.now()` says them. */
export interface Marks {
  /** Its connection stood; undefined where it had stood before. */
  connected: number | undefined;
  /** Its last byte was handed over. */
  sent: number | undefined;
}

/** A request that is watched on its way. */
export interface WatchedRequest extends Dispatcher.RequestOptions {
  readonly marks: Marks;
}

/**
 * Notes the moments of each request of a dispatcher.
 * @param isNew whether the connection that a request is just being written to has only now been made
 */
export function watching(isNew: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, new Watch(handler, (options as WatchedRequest).marks, isNew));
}

class Watch implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #marks: Marks;
  readonly #isNew: () => boolean;

  constructor(handler: Dispatcher.DispatchHandler, marks: Marks, isNew: () => boolean) {
    this.#handler = handler;
    this.#marks = marks;
    this.#isNew = isNew;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    if (this.#isNew()) this.#marks.connected = performance.now();
    this.#handler.onRequestStart?.(controller, context);
  }

  onRequestSent(): void {
    this.#marks.sent = performance.now();
  }

  onResponseStart(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...given);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...given: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...given);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#handler.onResponseError?.(controller, error);
  }
}
