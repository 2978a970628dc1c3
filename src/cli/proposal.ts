import { distance, nearest } from '../load/diagnostic/suggest.ts';

/** More than these are not all named in a message. */
const MOST = 8;
const FEW = 5;

/**
 * What may have been meant by a name that nothing has: `Did you mean X?`, or all names where they are few, or else the nearest
 * of them.
 * @param all the command that lists every one
 */
export function propose(given: string, known: Iterable<string>, all?: string): string | undefined {
  const names = [...known];
  const meant = nearest(given, names);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  if (names.length === 0) return undefined;
  if (names.length <= MOST) return `There is ${names.join(', ')}.`;
  const few = `There are ${names.length}, among them ${nearestOf(given.toLowerCase(), names).join(', ')}`;
  return all === undefined ? `${few}.` : `${few}; '${all}' lists all.`;
}

/** Those that hold what was given come first. */
function nearestOf(given: string, names: readonly string[]): string[] {
  const far = (name: string): number => (name.toLowerCase().includes(given) ? 0 : distance(given, name.toLowerCase()));
  return names.toSorted((a, b) => far(a) - far(b)).slice(0, FEW);
}
