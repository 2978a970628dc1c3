// The digits of numbers in JSON without a document. Code gets ordinary numbers (an integer beyond 2^53 - 1 is a bigint);
// the object or list that a number is in remembers how it was written, so that it is written again as it was: `1.0`,
// `0.1000`, `1e400`. Code that computes has a new number and writes that.

interface Written {
  readonly value: unknown;
  readonly source: string;
}

type Members = Map<string | number, Written>;

const written = new WeakMap<object, Members>();

/** Remembers how a member that is a number was written. */
export function keepDigits(container: object, step: string | number, value: unknown, source: string): void {
  if (String(value) === source) return;
  const members: Members = written.get(container) ?? new Map();
  if (members.size === 0) written.set(container, members);
  members.set(step, { value, source });
}

/** How a member was written; `undefined` if the number is written as JavaScript writes it, or has changed since. */
export function digitsWritten(container: object, step: string | number, value: unknown): string | undefined {
  const kept = written.get(container)?.get(step);
  return kept !== undefined && Object.is(kept.value, value) ? kept.source : undefined;
}

/** Lets a copy of an object know how the numbers that it has of the original were written. */
export function carryDigits<T extends object>(from: object, copy: T): T {
  const members = written.get(from);
  if (members === undefined) return copy;
  const own = written.get(copy);
  if (own === undefined) written.set(copy, new Map(members));
  else for (const [step, each] of members) own.set(step, each);
  return copy;
}

/** Lets a member of another object know how the number that it was given was written. */
export function carryNumber(from: object, name: string, copy: object, as: string): void {
  const kept = written.get(from)?.get(name);
  if (kept !== undefined) keepDigits(copy, as, kept.value, kept.source);
}
