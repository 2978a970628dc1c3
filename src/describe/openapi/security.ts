import type { BearerScheme, TransportScheme } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { JsonObject } from '../json.ts';
import { literalText, restSchemes } from '../requirements.ts';
import { joined } from '../words.ts';

/** The `securitySchemes` of a description, by their ids; of those that operations ask for over REST alone. */
export function securitySchemes(operations: readonly Operation[]): JsonObject {
  const wanted = new Map(operations.flatMap(restSchemes).map((scheme) => [scheme.id, scheme]));
  return Object.fromEntries([...wanted].map(([id, scheme]) => [id, schemeObject(scheme)]));
}

/**
 * What an address asks for: none for what is public; either, where one of several operations there is. A bearer token's
 * scopes stand at its scheme's name, as OpenAPI 3.1 lets every kind of scheme have them.
 */
export function securityOf(operations: readonly Operation[]): JsonObject[] {
  const schemes = new Map(operations.flatMap(restSchemes).map((scheme) => [scheme.id, scheme]));
  if (schemes.size === 0) return [];
  const open = operations.some((operation) => operation.public) ? [{}] : [];
  return [...open, ...[...schemes].map(([id, scheme]) => ({ [id]: scheme.kind === 'bearer' ? scheme.scopes : [] }))];
}

function schemeObject(scheme: TransportScheme): JsonObject {
  const { description } = scheme;
  switch (scheme.kind) {
    case 'basic':
      return {
        type: 'http',
        scheme: 'basic',
        description: description ?? 'A user of the gateway and the password (RFC 7617).',
      };
    case 'api-key':
      return { type: 'apiKey', in: 'header', name: scheme.header, description };
    case 'bearer':
      return {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: joined('\n\n', description, bearerText(scheme)),
      };
    case 'client-certificate':
      return { type: 'mutualTLS', description };
  }
}

/** An issuer need not speak OpenID Connect, nor say where its tokens are had: in words, then, and no scheme of those kinds. */
function bearerText({ issuer, audience, scopes }: BearerScheme): string | undefined {
  const from = literalText(issuer);
  const meant = audience.map(literalText).filter((text) => text !== undefined);
  return joined(
    ' ',
    `A JSON Web Token${from === undefined ? '' : ` of the issuer ${from}`} (RFC 6750, RFC 7519).`,
    meant.length === 0 ? undefined : `Its audience: ${meant.join(' or ')}.`,
    scopes.length === 0 ? undefined : `It must hold: ${scopes.join(' ')}.`,
  );
}
