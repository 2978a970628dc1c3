import { Fault } from '../model/fault.ts';
import { abandoned, unavailable } from './errors.ts';
import type { RawResult, RunnerOptions, Task } from './runner.ts';

/** A requested query, until its caller has the result or the error. */
export interface Call extends Task {
  readonly resolve: (result: RawResult) => void;
  readonly reject: (error: unknown) => void;
  readonly onAbort: () => void;
  readonly timer: NodeJS.Timeout;
  /** The caller has its result or error, or has gone. */
  settled: boolean;
}

/** How many calls may wait, and run. */
interface Waiting {
  /** Calls that may wait, of all callers. Those of one caller may be half as many. */
  readonly maxWaiting: number;
  /** Holders that work for one caller at the same time. */
  readonly share: number;
}

/** The bounds of calls that at most so many holders run: one holder is left for other callers if there are several. */
export function waitingOf({ maxWaiting, share }: RunnerOptions, holders: number): Waiting {
  return { maxWaiting, share: Math.max(1, Math.min(share ?? Math.ceil(holders / 2), holders - 1)) };
}

/** What runs calls, each on a holder: a reader process or a connection. */
interface Crew<H> extends Waiting {
  /** The word for a holder in messages. */
  readonly what: string;
  /** A holder that can take a call now, if it `fits`. @throws Fault UNAVAILABLE where none ever can */
  free(fits: (holder: H) => boolean): H | undefined;
  /** The callers that holders work for, each as often as a holder does. */
  working(): Iterable<string | undefined>;
  /** Whether a holder has a call of a caller already. */
  serves(holder: H, caller: string): boolean;
  begin(holder: H, call: Call): void;
  /** A call waits. */
  queued(): void;
  /**
   * Stops a call whose caller no longer waits: at once if it is late, otherwise after a moment in which it may end by itself.
   * @returns whether it had begun
   */
  stop(call: Call, isLate: boolean): boolean;
  /** A call was given up: it may have been the last before the end. */
  quiet(): void;
}

/**
 * The calls of one database: those that wait, and how each is answered, once: by its result, its time, or its caller's going.
 * A caller holds no more than its share, so that slow queries of one do not delay the others; callers that wait take turns.
 */
export class Calls<H> {
  readonly #crew: Crew<H>;
  /** By caller, whose turn it is first. No set is empty. */
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

  /** How many of those that wait may begin, as far as shares go. */
  get startable(): number {
    const { share } = this.#crew;
    const held = this.#held();
    let sum = 0;
    for (const [caller, { size }] of this.#waiting)
      sum += caller === undefined ? size : Math.min(size, Math.max(0, share - (held.get(caller) ?? 0)));
    return sum;
  }

  /** Further calls are refused. */
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
        timer: setTimeout(() => this.#expire(call), task.timeout),
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
   * The call that a holder is to take, which waits no longer: of the callers that have not used up their shares, the one whose
   * turn it is; of its calls the one that has waited longest.
   */
  next(holder: H): Call | undefined {
    for (const [caller, calls] of this.#waiting) {
      if (!this.#isWithin(caller) && !this.#crew.serves(holder, caller as string)) continue;
      const [call] = calls as Set<Call> & Iterable<Call, undefined>;
      if (call === undefined) continue;
      this.#remove(call);
      // The others have their turn before this caller has its next one.
      if (calls.size > 0) {
        this.#waiting.delete(caller);
        this.#waiting.set(caller, calls);
      }
      return call;
    }
    return undefined;
  }

  /** Lets calls that had begun wait again, each before those of its caller that came later. */
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

  /** Rejects a call. */
  fail(call: Call, error: unknown): void {
    if (this.#settle(call)) call.reject(error);
  }

  /** Rejects all calls that wait. */
  failWaiting(error: unknown): void {
    for (const calls of [...this.#waiting.values()]) for (const call of calls) this.fail(call, error);
  }

  /** Refuses further calls. Resolves with {@link closed}. */
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

  /** Whether a caller may hold one more. */
  #isWithin(caller: string | undefined): boolean {
    return caller === undefined || (this.#held().get(caller) ?? 0) < this.#crew.share;
  }

  /** How many holders work for each caller. */
  #held(): ReadonlyMap<string | undefined, number> {
    const held = new Map<string | undefined, number>();
    for (const caller of this.#crew.working()) held.set(caller, (held.get(caller) ?? 0) + 1);
    return held;
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
