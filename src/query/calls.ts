import { Fault } from '../model/fault.ts';
import { duration } from '../wire/duration.ts';
import { abandoned, unavailable } from './errors.ts';
import type { RawResult, RunnerOptions, Task } from './runner.ts';

/** A query that a caller waits for, until it has the result or the error. */
export interface Call extends Task {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  readonly timer: NodeJS.Timeout;
  /** The caller has its result or error, or has gone. */
  settled: boolean;
}

/** The limits on waiting and running calls. */
interface Waiting {
  /** Calls of all callers that may wait. One caller may have half as many. */
  readonly maxWaiting: number;
  /** Holders that work for one caller at the same time. */
  readonly share: number;
}

function timeLeft({ timeout, since }: Task): number {
  return since === undefined ? timeout : Math.max(1, since + timeout - performance.now());
}

/** The limits for a number of holders: if there are several, one is always left for other callers. */
export function waitingOf({ maxWaiting, share }: RunnerOptions, holders: number): Waiting {
  return { maxWaiting, share: Math.max(1, Math.min(share ?? Math.ceil(holders / 2), holders - 1)) };
}

/** Runs calls, each on a holder: a reader process or a connection. */
interface Crew<H> extends Waiting {
  /** The word for a holder in messages. */
  readonly what: string;
  /** A holder that `fits` and can take a call now. @throws Fault UNAVAILABLE if none will ever be available */
  free(fits: (holder: H) => boolean): H | undefined;
  /** The callers that holders work for: one entry for each busy holder. */
  working(): Iterable<string | undefined>;
  /** Whether a holder already runs a call of this caller. */
  serves(holder: H, caller: string): boolean;
  begin(holder: H, call: Call): void;
  /** Called when a call starts to wait. */
  queued(): void;
  /**
   * Stops a call whose caller no longer waits: at once if it timed out, otherwise after a grace period in which it may finish.
   * @returns whether it had begun
   */
  stop(call: Call, isLate: boolean): boolean;
  /** Called when a call was abandoned: it may have been the last one before closing. */
  quiet(): void;
}

/**
 * The calls of one database. Each is settled exactly once: by its result, its timeout, or its caller's disconnection.
 * A caller never holds more than its share, so its slow queries do not delay others; waiting callers take turns.
 */
export class Calls<H> {
  readonly #crew: Crew<H>;
  /** By caller, in the order of their turns. No set is empty. */
  readonly #waiting = new Map<string | undefined, Set<Call>>();
  #count = 0;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(crew: Crew<H>) {
    this.#crew = crew;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#count;
  }

  /** How many waiting calls the shares allow to begin. */
  get startable(): number {
    const { share } = this.#crew;
    const held = this.#held();
    let sum = 0;
    for (const [caller, { size }] of this.#waiting)
      sum += caller === undefined ? size : Math.min(size, Math.max(0, share - (held.get(caller) ?? 0)));
    return sum;
  }

  /** Whether new calls are rejected. */
  get closing(): boolean {
    return this.#closing !== undefined;
  }

  /** @throws Fault TIMEOUT, UNAVAILABLE, INTERNAL; AbortError */
  run(task: Task): Promise<RawResult> {
    return new Promise((resolve, reject) => {
      if (this.#closing !== undefined) throw unavailable('the gateway is stopping');
      if (task.signal?.aborted) throw abandoned(task.signal);
      const { caller } = task;
      const isWithin = this.#isWithin(caller);
      const holder = this.#crew.free((free) => isWithin || this.#crew.serves(free, caller as string));
      if (holder === undefined) this.#needRoom(caller);
      const call: Call = {
        ...task,
        resolve,
        reject,
        onAbort: () => this.#abort(call),
        timer: setTimeout(() => this.#expire(call), timeLeft(task)),
        settled: false,
      };
      task.signal?.addEventListener('abort', call.onAbort, { once: true });
      if (holder === undefined) {
        this.#add(call);
        this.#crew.queued();
      } else this.#crew.begin(holder, call);
    });
  }

  /**
   * Removes and returns the next call for a holder: the longest waiting call of the first caller in turn that has not used up
   * its share.
   */
  next(holder: H): Call | undefined {
    for (const [caller, calls] of this.#waiting) {
      if (!this.#isWithin(caller) && !this.#crew.serves(holder, caller as string)) continue;
      const [call] = calls as Set<Call> & Iterable<Call, undefined>;
      if (call === undefined) continue;
      this.#remove(call);
      // This caller's next turn comes after all others.
      if (calls.size > 0) {
        this.#waiting.delete(caller);
        this.#waiting.set(caller, calls);
      }
      return call;
    }
    return undefined;
  }

  /** Puts calls that had begun back into the queue, ahead of later calls of the same caller. */
  putFirst(calls: readonly Call[]): void {
    for (const call of calls.toReversed()) {
      const later = this.#waiting.get(call.caller) ?? [];
      this.#waiting.set(call.caller, new Set([call, ...later]));
      this.#count += 1;
    }
  }

  /** Resolves a call with its result, or frees the result if the caller no longer waits. */
  answer(call: Call | undefined, result: RawResult): void {
    if (call !== undefined && this.#settle(call)) call.resolve(result);
    else if (!Buffer.isBuffer(result.content)) result.content.file.close();
  }

  fail(call: Call, error: unknown): void {
    if (this.#settle(call)) call.reject(error);
  }

  /** Rejects all waiting calls. */
  failWaiting(error: unknown): void {
    for (const calls of [...this.#waiting.values()]) for (const call of calls) this.fail(call, error);
  }

  /** Rejects new calls from now on. Resolves once {@link closed} is called. */
  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    return this.#closing.promise;
  }

  /** Reports that all holders have ended. */
  closed(): void {
    this.#closing?.resolve();
  }

  #settle(call: Call): boolean {
    if (call.settled) return false;
    call.settled = true;
    clearTimeout(call.timer);
    call.signal?.removeEventListener('abort', call.onAbort);
    this.#remove(call);
    return true;
  }

  #add(call: Call): void {
    const calls = this.#waiting.get(call.caller);
    if (calls === undefined) this.#waiting.set(call.caller, new Set([call]));
    else calls.add(call);
    this.#count += 1;
  }

  #remove(call: Call): void {
    const calls = this.#waiting.get(call.caller);
    if (calls?.delete(call) !== true) return;
    this.#count -= 1;
    if (calls.size === 0) this.#waiting.delete(call.caller);
  }

  /** @throws Fault UNAVAILABLE */
  #needRoom(caller: string | undefined): void {
    const { what, maxWaiting } = this.#crew;
    const own = this.#waiting.get(caller)?.size ?? 0;
    if (this.#count >= maxWaiting || (caller !== undefined && own >= Math.ceil(maxWaiting / 2)))
      throw unavailable(`too many queries wait for a ${what}`);
  }

  /** Whether a caller may use one more holder. */
  #isWithin(caller: string | undefined): boolean {
    return caller === undefined || (this.#held().get(caller) ?? 0) < this.#crew.share;
  }

  /** The number of holders that work for each caller. */
  #held(): ReadonlyMap<string | undefined, number> {
    const held = new Map<string | undefined, number>();
    for (const caller of this.#crew.working()) held.set(caller, (held.get(caller) ?? 0) + 1);
    return held;
  }

  #expire(call: Call): void {
    if (!this.#settle(call)) return;
    const { plan, timeout } = call;
    if (!this.#crew.stop(call, true)) call.reject(unavailable(`no ${this.#crew.what} was free in time`));
    else call.reject(Fault.of('TIMEOUT', { what: `Query ${plan.name}`, time: duration(timeout) }));
    this.#crew.quiet();
  }

  #abort(call: Call): void {
    if (!this.#settle(call)) return;
    this.#crew.stop(call, false);
    if (call.signal !== undefined) call.reject(abandoned(call.signal));
    this.#crew.quiet();
  }
}
