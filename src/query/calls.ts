import { Fault } from '../model/fault.ts';
import { abandoned, unavailable } from './errors.ts';
import type { RawResult, Task } from './runner.ts';

/** A query that was asked for, until its caller is told. */
export interface Call extends Task {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  readonly timer: NodeJS.Timeout;
  /** Nobody waits for the answer any more. */
  settled: boolean;
}

/** What runs calls, each by a holder: a reader, or a connection. */
interface Crew<H> {
  /** What messages call a holder. */
  readonly what: string;
  /** Calls that may wait. */
  readonly maxWaiting: number;
  /** A holder that can take a call now. @throws Fault UNAVAILABLE where none ever can */
  free(): H | undefined;
  begin(holder: H, call: Call): void;
  /** A call waits. */
  queued(): void;
  /**
   * Stops a call that nobody waits for any more: at once where it is late, else after it had a moment to end by itself.
   * @returns whether it had begun
   */
  stop(call: Call, isLate: boolean): boolean;
  /** A call was given up: it may have been the last before the end. */
  quiet(): void;
}

/** The calls of one database: those that wait, and how each is answered, once: by its result, its time, or its caller's going. */
export class Calls<H> {
  readonly #crew: Crew<H>;
  #waiting = new Set<Call>();
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(crew: Crew<H>) {
    this.#crew = crew;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** No call comes any more. */
  get closing(): boolean {
    return this.#closing !== undefined;
  }

  /** @throws Fault TIMEOUT, UNAVAILABLE, INTERNAL; AbortError */
  run(task: Task): Promise<RawResult> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) throw unavailable('the gateway is stopping');
      if (task.signal?.aborted) throw abandoned(task.signal);
      const { what, maxWaiting } = this.#crew;
      const holder = this.#crew.free();
      if (holder === undefined && this.#waiting.size >= maxWaiting)
        throw unavailable(`too many queries wait for a ${what}`);
      const call: Call = {
        ...task,
        resolve,
        reject,
        onAbort: () => this.#abort(call),
        timer: setTimeout(() => this.#expire(call), task.timeout),
        settled: false,
      };
      task.signal?.addEventListener('abort', call.onAbort, { once: true });
      if (holder === undefined) {
        this.#waiting.add(call);
        this.#crew.queued();
      } else this.#crew.begin(holder, call);
    });
  }

  /** The call that has waited longest, which waits no longer. */
  next(): Call | undefined {
    const [call] = this.#waiting;
    if (call !== undefined) this.#waiting.delete(call);
    return call;
  }

  /** Lets calls wait before all that came later. */
  putFirst(calls: readonly Call[]): void {
    this.#waiting = new Set([...calls, ...this.#waiting]);
  }

  /** Gives a call its result, which is given up where nobody waits for it. */
  answer(call: Call | undefined, result: RawResult): void {
    if (call !== undefined && this.#settle(call)) call.resolve(result);
    else if (!Buffer.isBuffer(result.content)) result.content.file.close();
  }

  /** Tells a call why it failed. */
  fail(call: Call, error: unknown): void {
    if (this.#settle(call)) call.reject(error);
  }

  /** Tells all that wait. */
  failWaiting(error: unknown): void {
    for (const call of this.#waiting) this.fail(call, error);
  }

  /** Lets no call in any more. Resolves with {@link closed}. */
  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    return this.#closing.promise;
  }

  /** What ran the calls has ended. */
  closed(): void {
    this.#closing?.resolve();
  }

  #settle(call: Call): boolean {
    if (call.settled) return false;
    call.settled = true;
    clearTimeout(call.timer);
    call.signal?.removeEventListener('abort', call.onAbort);
    this.#waiting.delete(call);
    return true;
  }

  #expire(call: Call): void {
    if (!this.#settle(call)) return;
    const { plan, timeout } = call;
    if (!this.#crew.stop(call, true)) call.reject(unavailable(`no ${this.#crew.what} was free in time`));
    else call.reject(Fault.of('TIMEOUT', { what: `Query ${plan.name}`, seconds: timeout / 1000 }));
    this.#crew.quiet();
  }

  #abort(call: Call): void {
    if (!this.#settle(call)) return;
    this.#crew.stop(call, false);
    if (call.signal !== undefined) call.reject(abandoned(call.signal));
    this.#crew.quiet();
  }
}
