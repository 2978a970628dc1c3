// OpenAPI Specification 3.1.1 (OpenAPI Initiative, 24 October 2024).
import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';
import { type JsonObject, jsonText } from '../json.ts';
import { restScopeOf, type Scope } from '../scope.ts';
import { deprecationNote, joined } from '../words.ts';
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
  { base, pathName }: { readonly base: string; readonly pathName?: string | undefined },
): string {
  const scope = restScopeOf(registry, { service, pathName });
  const components = openComponents(scope.documents.all);
  const paths = pathItems({ scope, components });
  const url = `${base}/RESTListeningConnector/${scope.gateway.id}`;
  const { schemas, responses } = components.all();
  return jsonText({
    openapi: '3.1.1',
    info: { title: scope.name, description: infoText(scope), version: service.version },
    servers: [{ url }],
    externalDocs: {
      description: 'The same as WADL, with the XML Schemas of the documents.',
      url: `${base}/RESTListeningConnector/${scope.name}.wadl`,
    },
    // Generators make a class of a tag.
    tags: [{ name: service.id, description: service.description }],
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
      securitySchemes: filled(securitySchemes(scope.rest)),
    },
  });
}

function infoText({ service, name }: Scope): string | undefined {
  const part = name === service.id ? undefined : `Part of the service ${service.id}.`;
  return joined('\n\n', service.description, part, deprecationNote(service));
}

function filled(members: JsonObject): JsonObject | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}
