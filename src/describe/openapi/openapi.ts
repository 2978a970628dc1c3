// OpenAPI Specification 3.1.1 (OpenAPI Initiative, 24 October 2024).
import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';
import { restScopeOf, type Scope } from '../documents.ts';
import { type JsonObject, jsonText } from '../json.ts';
import { uriNames } from '../names.ts';
import { deprecationNote } from '../words.ts';
import { openComponents } from './components.ts';
import { pathItems } from './paths.ts';
import { securitySchemes } from './security.ts';

/**
 * The OpenAPI 3.1 description of a service, as JSON text. `base` is the gateway's address with its context, without a
 * slash at the end.
 * @throws RangeError where `pathName` is no path name of the service
 */
export function describeOpenApi(
  registry: Registry,
  service: Service,
  options: { readonly base: string; readonly pathName?: string },
): string {
  const scope = restScopeOf(registry, service, options.pathName);
  const components = openComponents(scope.documents.all);
  const paths = pathItems({ scope, components, names: uriNames(service.operations) });
  const url = `${options.base}/RESTListeningConnector/${registry.gateway.id}`;
  const { schemas, responses } = components.all();
  return jsonText({
    openapi: '3.1.1',
    info: { title: scope.name, description: infoText(scope), version: service.version },
    servers: [{ url }],
    externalDocs: {
      description: 'The same as WADL, with the XML Schemas of the documents.',
      url: `${options.base}/RESTListeningConnector/${scope.name}.wadl`,
    },
    paths,
    components: {
      schemas: filled(schemas),
      responses: filled(responses),
      headers: {
        'X-Request-Id': {
          description: 'What the log of the gateway knows the request by.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: filled(securitySchemes(scope.operations)),
    },
  });
}

function infoText({ service, name }: Scope): string | undefined {
  const { description, id } = service;
  const part = name === id ? undefined : `Part of the service ${id}.`;
  const text = [description, part, deprecationNote(service)].filter((part) => part !== undefined).join('\n\n');
  return text === '' ? undefined : text;
}

function filled(members: JsonObject): JsonObject | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}
