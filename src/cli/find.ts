import { type Subject, segmentOf } from '../describe/scope.ts';
import { distance, nearest } from '../load/diagnostic/suggest.ts';
import type { Registry } from '../model/registry.ts';
import { wrongUsage } from './failure.ts';

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

/**
 * A service by its id, by the segment that it has in paths (`ExecuteQuery.v1`), or by its name alone, which means the
 * default version. It has a path name where it was asked for by one that is not its own.
 * @throws CliFailure that proposes one where there is none
 */
export function findService(registry: Registry, given: string): Subject {
  const services = [...registry.services.values()];
  const exact = registry.services.get(given) ?? services.find((service) => service.name === given && service.default);
  if (exact !== undefined) return { service: exact };
  for (const service of services) {
    for (const { pathName } of service.operations) {
      if (segmentOf({ service, pathName }) === given || (pathName === given && service.default))
        return { service, pathName };
    }
  }
  const known = services.map((service) => service.id);
  throw wrongUsage(`there is no service ${given}`, propose(given, known, 'signalbox routes'));
}
