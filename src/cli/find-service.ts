import { didYouMean } from '../load/read/suggest.ts';
import type { Registry } from '../model/registry.ts';
import type { Service } from '../model/service.ts';
import { CliFailure } from './failure.ts';

/** A service, and the name in paths that it was asked for by, where that is not its own. */
interface FoundService {
  readonly service: Service;
  readonly pathName: string | undefined;
}

/**
 * A service by its id, by the segment that it has in paths (`ExecuteQuery.v1`), or by its name alone, which means the
 * default version.
 * @throws CliFailure that proposes one where there is none
 */
export function findService(registry: Registry, given: string): FoundService {
  const services = [...registry.services.values()];
  const exact = registry.services.get(given) ?? services.find((service) => service.name === given && service.default);
  if (exact !== undefined) return { service: exact, pathName: undefined };
  for (const service of services) {
    for (const { pathName } of service.operations) {
      if (`${pathName}.${service.version}` === given || (pathName === given && service.default))
        return { service, pathName };
    }
  }
  throw new CliFailure(`there is no service ${given}`, {
    hint: didYouMean(
      given,
      services.map((service) => service.id),
    ),
  });
}
