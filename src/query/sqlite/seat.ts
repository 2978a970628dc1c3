import type { Call } from '../calls.ts';
import { ReaderProcess } from './reader-process.ts';

/** Milliseconds after which a query counts as slow: another reader is started if all are running slow queries. */
export const SLOW = 25;
/**
 * A reader that answers within this time is sent its next queries while it runs one: it need not fall asleep in between
 * and be woken, which costs both sides more than a small query does. Where the first turns out slow, the others are given
 * to another reader.
 */
const QUICK = 5;
/** The most queries that are sent to a quick reader, including the one that it runs. */
const DEPTH = 8;

/** One reader and its calls. */
export class Seat {
  readonly process: ReaderProcess;
  /** The calls that it was sent, in order; it runs the first. Calls whose caller has gone stay until they are answered. */
  #calls: Call[] = [];
  ready = false;
  /** It was killed on purpose, or never to be used again. */
  ended = false;
  /** Since when it has been running its first call, or has had none. */
  #since = performance.now();
  /** Its last answer was quick. */
  #quick = false;

  constructor(...given: ConstructorParameters<typeof ReaderProcess>) {
    this.process = new ReaderProcess(...given);
  }

  /** The call that it runs. */
  get first(): Call | undefined {
    return this.#calls[0];
  }

  /** The number of its calls: running and queued. */
  get count(): number {
    return this.#calls.length;
  }

  /** The callers of its running and queued calls. */
  get callers(): ReadonlySet<string | undefined> {
    return new Set(this.#calls.map(({ caller }) => caller));
  }

  /** Whether a caller still waits for one of its calls. */
  get isAwaited(): boolean {
    return this.#calls.some((call) => !call.settled);
  }

  /** Another call can be sent now that it has answered. */
  get takesMore(): boolean {
    return this.#calls.length < (this.#quick ? DEPTH : 1);
  }

  /** It will have answered before another could be woken. */
  isAlmostFree(now: number): boolean {
    return this.#quick && !this.ended && this.#calls.length < DEPTH && now - this.#since < QUICK;
  }

  /** For how long it has been running its first call, or has had none. */
  lasts(now: number): number {
    return now - this.#since;
  }

  give(call: Call): void {
    if (this.#calls.length === 0) this.#since = performance.now();
    this.#calls.push(call);
    this.process.send(call.command, call.plan);
  }

  /** It has answered, or has come: it begins what is next. */
  advance(): void {
    this.#since = performance.now();
  }

  /** The call that it has answered: answers come in the order in which calls were given. */
  answered(): Call | undefined {
    this.#quick = performance.now() - this.#since < QUICK;
    return this.#calls.shift();
  }

  /** Takes back the calls that it has not begun and whose callers wait. It has them already: its answers to them are dropped. */
  takeBack(): readonly Call[] {
    const [first, ...next] = this.#calls;
    const back = next.filter((call) => !call.settled);
    if (first !== undefined && back.length > 0)
      this.#calls = [first, ...next.map((call) => ({ ...call, settled: true }))];
    return back;
  }
}
