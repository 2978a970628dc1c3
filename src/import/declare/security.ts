import { isTaken } from '../../wire/request-headers.ts';
import type { DraftSecurity } from '../draft.ts';
import { type DeclaredMap, given } from './declared.ts';

/** The credential of calls. Its values are settings. */
export function credentialOf(security: readonly DraftSecurity[], node: string): DeclaredMap | undefined {
  for (const each of security) {
    switch (each.kind) {
      case 'basic':
        return { basic: { user: `\${env:${node}_USER}`, password: `\${secret:${node}_PASSWORD}` } };
      case 'bearer':
        return { bearer: `\${secret:${node}_TOKEN}` };
      case 'api-key':
        if (each.in !== 'header') break;
        return { 'api-key': { header: each.name, value: `\${secret:${node}_KEY}` } };
      case 'client-credentials':
        return {
          'client-credentials': given({
            'token-url': each.tokenUrl,
            'client-id': `\${env:${node}_CLIENT_ID}`,
            'client-secret': `\${secret:${node}_CLIENT_SECRET}`,
            scope: each.scopes.length === 0 ? undefined : each.scopes.join(' '),
          }),
        };
    }
  }
  return undefined;
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
      if (security.in !== 'header' || isTaken(security.name.toLowerCase())) return undefined;
      return { 'api-key': { header: security.name } };
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
