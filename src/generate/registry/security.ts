import type { SecurityScheme, User } from '../../model/security.ts';
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../../model/xml-signature.ts';
import type { JsonTree } from '../json-text.ts';

/** A scheme of `registry.json`, in full: what is checked of a caller is what its reader wants to see. Times in milliseconds. */
export function schemeTree(scheme: SecurityScheme): JsonTree {
  return { description: scheme.description, [scheme.kind]: kindTree(scheme) };
}

function kindTree(scheme: SecurityScheme): JsonTree {
  switch (scheme.kind) {
    case 'basic':
      return {};
    case 'api-key':
    case 'client-certificate':
      return { header: scheme.header };
    case 'bearer':
      return {
        issuer: scheme.issuer.source,
        audience: scheme.audience.map(({ source }) => source),
        jwks: scheme.jwks.source,
        algorithms: scheme.algorithms,
        scopes: scheme.scopes,
        tolerance: scheme.tolerance,
        user: scheme.user,
        users: scheme.users,
        claim: scheme.claim,
        roles: new Map([...scheme.roles].map(([value, roles]) => [value, roles.map(({ id }) => id)])),
      };
    case 'username-token':
      return { passwords: scheme.passwords, 'max-age': scheme.maxAge };
    case 'signature':
      return {
        'max-age': scheme.maxAge,
        algorithms: wordsOf(scheme.algorithms, SIGNATURE_ALGORITHMS),
        digests: wordsOf(scheme.digests, DIGEST_ALGORITHMS),
        ca: scheme.caFile?.source,
      };
  }
}

/** URIs in the words of the definitions. */
function wordsOf(uris: readonly string[], words: Readonly<Record<string, string>>): string[] {
  const byUri = new Map(Object.entries(words).map(([word, uri]) => [uri, word]));
  return uris.map((uri) => byUri.get(uri) ?? uri);
}

/** A user of `registry.json`: what it may show, and no more of hashes than tells one from another. */
export function userTree(user: User): JsonTree {
  const { password, apiKeys, certificates } = user;
  return {
    description: user.description,
    password: password === undefined ? undefined : (/^\$([a-z0-9-]+)\$/.exec(password)?.[1] ?? 'unknown'),
    'api-keys': apiKeys.length === 0 ? undefined : apiKeys.map((hash) => `${hash.slice(0, 'sha256:'.length + 12)}...`),
    certificates: certificates.length === 0 ? undefined : certificates,
    'shared-secret': user.sharedSecret?.source,
    roles: user.roles.map(({ id }) => id).sort(),
    sample: user.sample || undefined,
  };
}
