import { AsyncLocalStorage } from 'node:async_hooks';
import type { Trace } from './trace.ts';

/** The end of the time in which someone waits for the database: a caller, or a probe of health. */
export interface Deadline {
  /** Milliseconds that are left, negative when it has passed; `undefined` when no one waits any more. */
  left(): number | undefined;
  /** Moves the end: so many milliseconds are left now, or more. */
  extend?(left: number): void;
}

/** What work passes on to all that it awaits. It is one context, because a second one costs a request three times as much. */
export interface Context {
  readonly trace?: Trace | undefined;
  /** `unhurried`: no one waits, and it may take long. */
  readonly deadline?: Deadline | 'unhurried' | undefined;
}

const current = new AsyncLocalStorage<Context>();

/** The context of the work that runs now; `undefined` outside of any. */
export function currentContext(): Context | undefined {
  return current.getStore();
}

/** Runs work in a context, which replaces the current one. */
export function inContext<T>(context: Context, work: () => T): T {
  return current.run(context, work);
}
