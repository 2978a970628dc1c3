import type { Call } from '../calls.ts';
import { ReaderProcess } from './reader-process.ts';

/** A query that has run for this long counts as slow: a reader more is started where all are held by such. */
export const SLOW = 25;
/**
 * A reader that answers within this time is told its next queries while it runs one: it need not fall asleep in between
 * and be woken, which costs both sides more than a small query does. Where the first turns out slow, the others are given
 * to another reader.
 */
const QUICK = 5;
/** Queries that a quick reader is told at most, the one that it runs among them. */
const DEPTH = 8;

/** One reader, and what it is doing. */
export class Seat {
  readonly process: ReaderProcess;
  /** What it was told, in order: the first is what it runs. Those that nobody waits for any more stay until answered. */
  #calls: Call[] = [];
  ready = false;
  /** It was killed on purpose, or never to be used again. */
  ended = false;
  /** Since when it has been running its first call, or has had none. */
  #since = performance.now();
  /** Its last answer came at once. */
  #quick = false;

  constructor(...given: ConstructorParameters<typeof ReaderProcess>) {
    this.process = new ReaderProcess(...given);
  }

  /** The call that it runs. */
  get first(): Call | undefined {
    return this.#calls[0];
  }

  /** Calls that it runs, and stand behind that. */
  get count(): number {
    return this.#calls.length;
  }

  /** The callers of what it runs, and of what stands behind that. */
  get callers(): ReadonlySet<string | undefined> {
    return new Set(this.#calls.map(({ caller }) => caller));
  }

  /** Somebody waits for what it does. */
  get isAwaited(): boolean {
    return this.#calls.some((call) => !call.settled);
  }

  /** It can be told another call now that it has answered. */
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

  /** Takes away what it has not begun and somebody waits for. It has that already, and will answer it to nobody. */
  takeBack(): readonly Call[] {
    const [first, ...next] = this.#calls;
    const back = next.filter((call) => !call.settled);
    if (first !== undefined && back.length > 0)
      this.#calls = [first, ...next.map((call) => ({ ...call, settled: true }))];
    return back;
  }
}
