import type { Position } from '../../model/position.ts';
import type { Registry } from '../../model/registry.ts';
import type { Role, User } from '../../model/security.ts';

/** Who calls: a user, whoever shows a token that gives roles, or whoever has a role. */
export interface CallerFacts {
  /** `demo`, `a token of PARTNER_TOKENS with scope locations.read`, `role CLERK`. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** It stands for its one role, whoever has that. */
  readonly isRole?: true;
  /** Where each of them is named; undefined for a caller who is in no file. */
  readonly grantedAt?: ReadonlyMap<Role, Position> | undefined;
}

/** Users, and tokens by each value of the claim that gives roles. */
export function listCallers(registry: Registry, users: Iterable<User>): CallerFacts[] {
  return [...[...users].map(callerOfUser), ...listTokens(registry).map(({ caller }) => caller)];
}

/** A user of the definitions or of the database. */
export function callerOfUser({ id, roles, grantedAt }: User): CallerFacts {
  return { name: id, roles, grantedAt };
}

/** Whoever has a role. */
export function callerOfRole(role: Role): CallerFacts {
  return { name: `role ${role.id}`, roles: [role], isRole: true };
}

/** Whoever shows a token with a value that gives roles, by scheme and value: `PARTNER_TOKENS:locations.read`. */
export function listTokens(registry: Registry): { readonly id: string; readonly caller: CallerFacts }[] {
  return [...registry.schemes.values()].flatMap((scheme) => {
    if (scheme.kind !== 'bearer') return [];
    return [...scheme.roles].map(([value, roles]) => {
      const name = `a token of ${scheme.id} with ${scheme.claim} ${value}`;
      return { id: `${scheme.id}:${value}`, caller: { name, roles, grantedAt: scheme.grantedAt?.get(value) } };
    });
  });
}
