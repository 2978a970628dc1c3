import { type Subject, segmentOf } from '../describe/scope.ts';
import type { Registry } from '../model/registry.ts';
import { wrongUsage } from './failure.ts';
import { propose } from './proposal.ts';

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
