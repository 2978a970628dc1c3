import type { Registry } from '../../model/registry.ts';
import {
  DIGEST_ALGORITHMS,
  type PermissionList,
  type Role,
  type SecurityScheme,
  SIGNATURE_ALGORITHMS,
  type User,
} from '../../model/security.ts';
import type { JsonTree } from '../json-text.ts';
import { sorted } from '../vocabulary.ts';
import { idsOf, some, sortedIds, yes } from './tree.ts';

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
        roles: new Map([...scheme.roles].map(([value, roles]) => [value, idsOf(roles)])),
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
    'api-keys': some(apiKeys.map((hash) => `${hash.slice(0, 'sha256:'.length + 12)}...`)),
    certificates: some(certificates),
    'shared-secret': user.sharedSecret?.source,
    roles: sortedIds(user.roles),
    sample: yes(user.sample),
  };
}

/** What lists grant: an operation, a consumer, a query. */
interface Granted {
  readonly id: string;
  readonly permissions: readonly PermissionList[];
}

/** A permission list of `registry.json`: what it says, what that comes to, and who has it. */
export function permissionTree(list: PermissionList, registry: Registry): JsonTree {
  const granted = (things: ReadonlyMap<string, Granted>): string[] =>
    idsOf(sorted(things).filter(({ permissions }) => permissions.includes(list)));
  return {
    description: list.description,
    adds: some(list.operations),
    'adds-queries': some(list.queries),
    'adds-processes': some(list.processes),
    'adds-components': some(list.components),
    requests: list.requests,
    operations: granted(registry.operations),
    consumers: some(granted(registry.consumers)),
    queries: granted(registry.queries),
    'related-content': some(granted(registry.relatedContent)),
    processes: some(granted(registry.processes)),
    components: some(granted(registry.components)),
    users: usersOf(registry, (user) => user.permissionLists.has(list)),
  };
}

/** A role of `registry.json`, and who has it. */
export function roleTree(role: Role, registry: Registry): JsonTree {
  return {
    description: role.description,
    'permission-lists': sortedIds(role.permissionLists),
    users: usersOf(registry, (user) => user.roles.includes(role)),
  };
}

function usersOf({ users }: Registry, has: (user: User) => boolean): string[] {
  return idsOf(sorted(users).filter(has));
}
