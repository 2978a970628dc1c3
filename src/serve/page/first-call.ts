import { exampleRequest } from '../../describe/example/example.ts';
import { activeOperations } from '../../describe/scope.ts';
import type { Registry } from '../../model/registry.ts';
import type { Answer, Operation } from '../../model/service.ts';
import { restCredentials, sampleUser } from './credentials.ts';
import { curlCommand } from './curl.ts';

/** Services of the project before those of the package; what needs other systems, or a record that is there, comes last. */
const ORDER: readonly Answer['kind'][] = ['handler', 'query', 'queries', 'component', 'delivered', 'call'];

/**
 * A line for a shell by which somebody sees that the gateway answers: a GET, one that works as it stands where there is one.
 * @param base address of the gateway with its context
 * @param sampleUsers users of the sample may call
 */
export function firstCall(registry: Registry, base: string, sampleUsers: boolean): string | undefined {
  const calls = [...registry.services.values()]
    .flatMap((service) => activeOperations({ service }))
    .filter(({ method, uris }) => method === 'GET' && uris.length > 0);
  const rank = (operation: Operation): number => {
    const works = operation.public || sampleUser(operation, registry, sampleUsers) !== undefined;
    return (works ? 0 : ORDER.length) + ORDER.indexOf(operation.answer.kind);
  };
  const [operation] = calls.sort((a, b) => rank(a) - rank(b));
  const [uri] = operation?.uris ?? [];
  if (operation === undefined || uri === undefined) return undefined;
  const credentials = restCredentials(operation, sampleUser(operation, registry, sampleUsers));
  return curlCommand(exampleRequest(operation, uri, base), credentials);
}
