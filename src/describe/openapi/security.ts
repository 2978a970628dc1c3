import type { BearerScheme, HmacScheme, TransportScheme } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { JsonObject } from '../json.ts';
import { literalText, restSchemes } from '../requirements.ts';
import { joined } from '../words.ts';

/** The `securitySchemes` of a description, by their ids: those that operations require over REST. */
export function securitySchemes(operations: readonly Operation[]): JsonObject {
  const wanted = new Map(operations.flatMap(restSchemes).map((scheme) => [scheme.id, scheme]));
  return Object.fromEntries([...wanted].map(([id, scheme]) => [id, schemeObject(scheme)]));
}

/**
 * The security requirements of an address: none if it is public, optional if one of several operations is. The scopes of a
 * bearer token are listed at the name of its scheme, which OpenAPI 3.1 permits for every kind of scheme.
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
    case 'webhook':
      return {
        type: 'apiKey',
        in: 'header',
        name: 'webhook-signature',
        description: joined('\n\n', description, WEBHOOK),
      };
    case 'hmac':
      return {
        type: 'apiKey',
        in: 'header',
        name: scheme.header,
        description: joined('\n\n', description, hmacText(scheme)),
      };
  }
}

const WEBHOOK =
  'The signature of a webhook (Standard Webhooks): `v1,` and base64 of HMAC-SHA256, or `v1a,` and base64 of Ed25519, over `webhook-id`, `webhook-timestamp` and the body, with a full stop between them. Libraries of https://www.standardwebhooks.com write the three headers.';

function hmacText({ algorithm, form, signed, timestamp, webhookId }: HmacScheme): string {
  const places = [
    timestamp === undefined ? '' : ` {timestamp} is the header ${timestamp}.`,
    webhookId === undefined ? '' : ` {id} is the header ${webhookId}.`,
  ];
  return `The signature of a webhook: \`${form}\`, HMAC with ${algorithm} (RFC 2104) over \`${signed}\`.${places.join('')}`;
}

/** An issuer may not support OpenID Connect or publish where tokens are issued, so those kinds of schemes don't fit. */
function bearerText({ issuer, audience, scopes }: BearerScheme): string | undefined {
  const from = literalText(issuer);
  const meant = audience.map(literalText).filter((text) => text !== undefined);
  return joined(
    ' ',
    `A JSON Web Token${from === undefined ? '' : ` of the issuer ${from}`} (RFC 6750, RFC 7519).`,
    meant.length === 0 ? undefined : `Audience: ${meant.join(' or ')}.`,
    scopes.length === 0 ? undefined : `Required scopes: ${scopes.join(' ')}.`,
  );
}
