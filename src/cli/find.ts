import { type Subject, segmentOf } from '../describe/scope.ts';
import { distance, nearest } from '../load/diagnostic/suggest.ts';
import type { ConsumerOperation } from '../model/consumer.ts';
import { alternatives, operationsByName, qualifiedName, shortestName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { wrongUsage } from './failure.ts';

/** A message lists up to this many names, or the nearest few of more. */
const MOST = 8;
const FEW = 5;

/**
 * A hint for an unknown name: `Did you mean X?`, or all known names if they are few, or the nearest of them.
 * @param all the command that lists all names
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

/** Names that contain the given one come first. */
function nearestOf(given: string, names: readonly string[]): string[] {
  const far = (name: string): number => (name.toLowerCase().includes(given) ? 0 : distance(given, name.toLowerCase()));
  return names.toSorted((a, b) => far(a) - far(b)).slice(0, FEW);
}

/**
 * Finds a service by its id, by its segment in paths (`ExecuteQuery.v1`), or by its name alone, which means the default
 * version. The result has a path name if the service was found by one other than its own name.
 * @throws CliFailure that proposes other services
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

/**
 * Finds an operation, provided or consumed, by its name or qualified name.
 * @param others names of what else could be meant, for the proposal
 * @throws CliFailure that proposes other operations
 */
export function findOperation(
  registry: Registry,
  name: string,
  others: readonly string[] = [],
): Operation | ConsumerOperation {
  const byName = operationsByName(registry);
  const meant = byName.get(name) ?? [];
  const [found] = meant;
  if (found === undefined) {
    const spell = (each: Operation | ConsumerOperation): string => shortestName(byName, each);
    const consumers = [...registry.consumers.values()].map(spell);
    const known = [...consumers, ...others, ...[...registry.operations.values()].map(spell)];
    throw wrongUsage(`there is no operation ${name}`, propose(name, known));
  }
  if (meant.length === 1) return found;
  throw wrongUsage(`${name} may mean ${alternatives(meant)}`, `Write one of them in full: ${qualifiedName(found)}.`);
}
