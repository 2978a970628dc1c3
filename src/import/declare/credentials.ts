import { isTaken } from '../../wire/request-headers.ts';
import type { DraftSecurity, DraftService } from '../draft.ts';
import { type DeclaredMap, given } from './declared.ts';

/** The way of a service to authenticate calls; if it has none for all operations, the one that most of them have. */
export function securityOfCalls({ security, operations }: DraftService): readonly DraftSecurity[] {
  if (security !== undefined) return security;
  const counts = new Map<string, number>();
  for (const each of operations) {
    const key = JSON.stringify(each.security ?? []);
    if (key !== '[]') counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most === undefined ? [] : (JSON.parse(most[0]) as readonly DraftSecurity[]);
}

export function securityWords(security: DraftSecurity): string {
  return security.kind === 'api-key' ? `an API key in the ${security.in}, ${security.name}` : security.kind;
}

/** The credential of calls. Its values are settings. */
export function credentialOf(security: DraftSecurity, node: string): DeclaredMap | undefined {
  switch (security.kind) {
    case 'basic':
      return { basic: { user: `\${env:${node}_USER}`, password: `\${secret:${node}_PASSWORD}` } };
    case 'bearer':
      return { bearer: `\${secret:${node}_TOKEN}` };
    case 'api-key':
      if (security.in !== 'header') return undefined;
      return { 'api-key': { header: security.name, value: `\${secret:${node}_KEY}` } };
    case 'client-credentials':
      return {
        'client-credentials': given({
          'token-url': security.tokenUrl,
          'client-id': `\${env:${node}_CLIENT_ID}`,
          'client-secret': `\${secret:${node}_CLIENT_SECRET}`,
          scope: security.scopes.length === 0 ? undefined : security.scopes.join(' '),
        }),
      };
    default:
      return undefined;
  }
}

export const SCHEME_WORDS: Readonly<Record<DraftSecurity['kind'], string>> = {
  basic: 'BASIC',
  bearer: 'LOGIN',
  'api-key': 'KEY',
  'client-credentials': 'LOGIN',
  'username-token': 'TOKEN',
  'client-certificate': 'CERTIFICATE',
};

/** The keys of a scheme. What a contract does not say, as the issuer of tokens, is a setting. */
export function schemeKeys(security: DraftSecurity, name: string): DeclaredMap | undefined {
  switch (security.kind) {
    case 'basic':
      return undefined;
    case 'api-key':
      return security.in === 'header' && holdsKey(security.name) ? { 'api-key': { header: security.name } } : undefined;
    case 'bearer':
    case 'client-credentials':
      return {
        bearer: {
          issuer: `\${env:${name}_ISSUER}`,
          audience: `\${env:${name}_AUDIENCE}`,
          jwks: `\${env:${name}_JWKS}`,
        },
      };
    case 'username-token':
      return { 'username-token': {} };
    case 'client-certificate':
      return { 'client-certificate': {} };
  }
}

/** Whether a header may hold an API key of a caller. */
function holdsKey(header: string): boolean {
  const name = header.toLowerCase();
  return name === 'authorization' || !isTaken(name);
}
