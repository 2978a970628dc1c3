import { AsyncLocalStorage } from 'node:async_hooks';

/** The end of the time in which someone waits for the database: a caller, or a probe of health. */
export interface Deadline {
  /** Milliseconds that are left, negative when it has passed; `undefined` when no one waits any more. */
  left(): number | undefined;
  /** Moves the end: so many milliseconds are left now, or more. */
  extend?(left: number): void;
}

/** For work that no one waits for, and that may take long. */
const UNHURRIED = Symbol('unhurried');

const current = new AsyncLocalStorage<Deadline | typeof UNHURRIED | undefined>();

/** Runs work whose use of the database ends with a deadline: what is not done by then fails, and is rolled back. */
export function withDeadline<T>(deadline: Deadline, work: () => T): T {
  return current.run(deadline, work);
}

/** Runs work whose statements may take long, such as those of a project's code, unless there is a deadline. */
export function unhurried<T>(work: () => T): T {
  return current.getStore() === undefined ? current.run(UNHURRIED, work) : work();
}

/** Runs work that has a longer time limit of its own: it uses up none of the current deadline. */
export async function resting<T>(work: () => Promise<T>): Promise<T> {
  const found = current.getStore();
  const left = timeLeft();
  if (left === undefined || found === UNHURRIED) return work();
  try {
    return await work();
  } finally {
    found?.extend?.(left);
  }
}

/** A deadline after so many milliseconds. */
export function deadlineIn(ms: number): Deadline {
  const end = performance.now() + ms;
  return { left: () => end - performance.now() };
}

/** Milliseconds until the deadline; `undefined` without one. */
export function timeLeft(): number | undefined {
  const found = current.getStore();
  return found === UNHURRIED ? undefined : found?.left();
}

/** Milliseconds that a statement may take now. @param usual without a deadline @param longest for unhurried work */
export function timeForStatement(usual: number, longest: number): number {
  return current.getStore() === UNHURRIED ? longest : (timeLeft() ?? usual);
}
