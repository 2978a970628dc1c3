import { curlCommand, restCredentials } from '../../describe/example/curl.ts';
import { exampleRequest } from '../../describe/example/request.ts';
import { activeOperations } from '../../describe/scope.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import { type Answer, finalAnswer, type Operation } from '../../model/service.ts';
import { may } from '../../security/authorise.ts';

/** A sample user that is permitted to call the operation, for a command that works unchanged. */
export function sampleUser(operation: Operation, { users }: Registry, sampleUsers: boolean): User | undefined {
  return sampleUsers ? [...users.values()].find((user) => user.sample && may(user, operation)) : undefined;
}

/**
 * Services of the project come before those of the package; answers that need other systems or an existing record come
 * last.
 */
const ORDER: readonly Answer['kind'][] = ['handler', 'query', 'queries', 'component', 'delivered', 'call'];

/**
 * A shell command that shows that the gateway answers: a GET, preferably one that works unchanged.
 * @param base address of the gateway with its context
 * @param sampleUsers whether sample users are active
 */
export function firstCall(registry: Registry, base: string, sampleUsers: boolean): string | undefined {
  const calls = [...registry.services.values()]
    .flatMap((service) => activeOperations({ service }))
    .filter(({ method, uris }) => method === 'GET' && uris.length > 0);
  const rank = (operation: Operation): number => {
    const works = operation.public || sampleUser(operation, registry, sampleUsers) !== undefined;
    return (works ? 0 : ORDER.length) + ORDER.indexOf(finalAnswer(operation).kind);
  };
  const [operation] = calls.sort((a, b) => rank(a) - rank(b));
  const [uri] = operation?.uris ?? [];
  if (operation === undefined || uri === undefined) return undefined;
  const credentials = restCredentials(operation, sampleUser(operation, registry, sampleUsers));
  return curlCommand(exampleRequest(operation, uri, base, registry.gateway.namespace), credentials);
}
