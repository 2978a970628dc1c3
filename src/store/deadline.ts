import { currentContext, type Deadline, inContext } from '../trace/trace.ts';
import { LONGEST_TIMER, withinTime } from '../wire/waiting.ts';

/** Runs work whose use of the database ends with a deadline: what is not done by then fails, and is rolled back. */
export function withDeadline<T>(deadline: Deadline, work: () => T): T {
  return inContext({ trace: currentContext()?.trace, deadline }, work);
}

/** Runs work whose statements may take long, such as those of a project's code, unless there is a deadline. */
export function unhurried<T>(work: () => T): T {
  const { trace, deadline } = currentContext() ?? {};
  return deadline === undefined ? inContext({ trace, deadline: 'unhurried' }, work) : work();
}

/** Runs work that has a longer time limit of its own: it uses up none of the current deadline. */
export async function resting<T>(work: () => Promise<T>): Promise<T> {
  const found = currentContext()?.deadline;
  const left = timeLeft();
  if (left === undefined || found === 'unhurried') return work();
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
  const found = currentContext()?.deadline;
  return found === 'unhurried' ? undefined : found?.left();
}

/** Milliseconds that a statement may take now. @param usual without a deadline @param longest for unhurried work */
export function timeForStatement(usual: number, longest: number): number {
  return currentContext()?.deadline === 'unhurried' ? longest : (timeLeft() ?? usual);
}

/** Waits for work until the current deadline, or to its end without one. @throws the error of the work, or of `late` */
export function untilDeadline<T>(work: Promise<T>, late: () => Error): Promise<T> {
  const left = timeLeft() ?? Number.POSITIVE_INFINITY;
  return left > LONGEST_TIMER ? work : withinTime(work, left, late);
}
