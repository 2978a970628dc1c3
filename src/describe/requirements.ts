import type { ConfigText } from '../model/definition.ts';
import {
  isMessageScheme,
  isRequestScheme,
  type SecurityScheme,
  type TransportScheme,
  type UsernameTokenScheme,
} from '../model/security.ts';
import type { Operation } from '../model/service.ts';

/** The alternative schemes over REST: those inside a SOAP message don't apply. Empty when the operation is public. */
export function restSchemes(operation: Pick<Operation, 'public' | 'requires'>): readonly TransportScheme[] {
  return operation.public
    ? []
    : operation.requires.filter((scheme): scheme is TransportScheme => !isMessageScheme(scheme));
}

/** The alternative schemes over SOAP: webhooks arrive over REST. Empty when the operation is public. */
export function soapSchemes(operation: Pick<Operation, 'public' | 'requires'>): readonly SecurityScheme[] {
  return operation.public ? [] : operation.requires.filter((scheme) => !isRequestScheme(scheme));
}

/** The required credentials, as a sentence. @param schemes alternatives; empty when the operation is public */
export function accessNote(schemes: readonly SecurityScheme[]): string {
  return schemes.length === 0
    ? 'Public.'
    : `Requires credentials: ${[...new Set(schemes.map(schemeWords))].join(' or ')}.`;
}

/** A scheme in words, with everything a caller needs to know about it. */
export function schemeWords(scheme: SecurityScheme): string {
  switch (scheme.kind) {
    case 'basic':
      return 'HTTP Basic';
    case 'api-key':
      return `an API key in the header ${scheme.header}`;
    case 'bearer':
      return `a bearer token (JWT)${scopeWords(scheme.scopes)}`;
    case 'client-certificate':
      return 'a client certificate';
    case 'username-token':
      return `a WS-Security UsernameToken with ${passwordWords(scheme)}`;
    case 'signature':
      return 'an XML signature over Body and Timestamp with an X.509 certificate (WS-Security)';
    case 'webhook':
      return 'a signature in webhook-signature (Standard Webhooks)';
    case 'hmac':
      return `a signature in the header ${scheme.header} (HMAC with ${scheme.algorithm})`;
  }
}

/** A configuration text without references; `undefined` if its value is known at the start only, or is secret. */
export function literalText({ parts }: ConfigText): string | undefined {
  const texts = parts.flatMap((part) => (part.kind === 'literal' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('') : undefined;
}

function scopeWords(scopes: readonly string[]): string {
  if (scopes.length === 0) return '';
  return ` with the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(' ')}`;
}

function passwordWords({ passwords }: UsernameTokenScheme): string {
  const words = { text: 'text (over TLS)', digest: 'digest with nonce and created' };
  return `the password as ${passwords.map((form) => words[form]).join(' or as ')}`;
}
