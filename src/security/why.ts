import type { Position } from '../model/position.ts';
import { reachedBy } from '../model/reached.ts';
import type { Registry } from '../model/registry.ts';
import type { PermissionList, Role, User } from '../model/security.ts';
import type { Answer } from '../model/service.ts';
import { may } from './authorise.ts';
import type { Need, Thing, ThingKind } from './grantable-things.ts';

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

/** One link of a chain of grants: what holds, and the line that says so. */
export interface Link {
  readonly because: string;
  /** Undefined for what is in no file. */
  readonly at?: Position;
}

/** From the caller to the thing. */
export type Chain = readonly Link[];

/** How it stands with one need of a thing. */
export interface Judged {
  readonly what: string;
  readonly may: boolean;
  /** Every way in which it is granted; each would have to be cut to take it away. */
  readonly chains: readonly Chain[];
}

/** Whether a caller may use a thing, and why. */
export interface Verdict {
  readonly may: boolean;
  readonly needs: readonly Judged[];
}

/** Judges a caller by the grants of a thing, as the gateway does. Whether the caller's credentials are taken is another matter. */
export function judge(caller: CallerFacts, thing: Thing): Verdict {
  const needs = thing.needs.map((need) => judgeNeed(caller, need));
  return { may: needs.every((each) => each.may), needs };
}

function judgeNeed(caller: CallerFacts, need: Need): Judged {
  const { what, granted, as } = need;
  const open = openChain(need);
  const chains = open !== undefined ? [open] : as === undefined ? chainsOf(caller, need) : chainsOfRole(need, as.role);
  const lists = new Set(caller.roles.flatMap(({ permissionLists }) => permissionLists));
  // By the gateway's own judge: what explains it must not decide it.
  return { what, may: may({ permissionLists: lists }, granted, as?.role), chains };
}

/** Where nobody needs a grant. */
function openChain({ what, granted }: Need): Chain | undefined {
  if (!granted.public) return undefined;
  const because = what.startsWith('component ')
    ? `nothing names ${what}: who may use what reads or saves it, may`
    : `${what} is public`;
  return [{ because, at: granted.at }];
}

function chainsOf({ name, roles, grantedAt, isRole }: CallerFacts, need: Need): Chain[] {
  return roles.flatMap((role) => {
    if (isRole) return chainsFrom(role, need);
    const has = link(`${name} has the role ${role.id}`, grantedAt?.get(role));
    return chainsFrom(role, need).map((chain) => [has, ...chain]);
  });
}

function chainsOfRole(need: Need, role: Role): Chain[] {
  const operation = need.as?.operation;
  const runs = link(`${operation?.id} runs as the role ${role.id}`, operation?.at);
  return chainsFrom(role, need).map((chain) => [runs, ...chain]);
}

/** By each list of a role that grants it. */
function chainsFrom(role: Role, need: Need): Chain[] {
  return role.permissionLists
    .filter((list) => need.granted.permissions.includes(list))
    .map((list) => [link(`${role.id} has the list ${list.id}`, role.grantedAt?.get(list)), grantLink(list, need)]);
}

function grantLink(list: PermissionList, { what, granted }: Need): Link {
  return link(`${list.id} grants ${what}`, granted.grantedAt?.get(list));
}

function link(because: string, at: Position | undefined): Link {
  return at === undefined ? { because } : { because, at };
}

/** What would have to be held: the lists that grant each need that a verdict denies, and the roles that have them. */
export function whatIsMissing(registry: Registry, thing: Thing, { needs }: Verdict): Chain[] {
  return thing.needs
    .filter((_, index) => needs[index]?.may === false)
    .flatMap((need): Chain[] => {
      const { what, granted } = need;
      if (granted.permissions.length === 0) return [[link(`no list grants ${what}`, granted.at)]];
      return granted.permissions.map((list) => {
        const roles = [...registry.roles.values()].filter(({ permissionLists }) => permissionLists.includes(list));
        const had = roles.map((role) => link(`${role.id} has the list ${list.id}`, role.grantedAt?.get(list)));
        return [
          grantLink(list, need),
          ...(had.length === 0 ? [link(`no role has the list ${list.id}`, list.at)] : had),
        ];
      });
    });
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

/** What the code of an operation may reach, by its kind. */
const OF_CODE: ReadonlySet<ThingKind> = new Set(['consumer', 'flow', 'query', 'component']);

/** Whether an answer reaches a thing, or, of code, may do so. */
function reaches(answer: Answer, { kind, needs }: Thing): boolean {
  const reached = reachedBy(answer);
  if (reached === undefined) return OF_CODE.has(kind);
  return needs.every(({ granted }) => reached.some(({ thing }) => thing === granted));
}

/** Operations that reach a thing by a role of theirs (`as:`), whoever calls them. */
export function reachedAs(registry: Registry, thing: Thing): Chain[] {
  return [...registry.operations.values()].flatMap((operation) => {
    const role = operation.as;
    if (role === undefined || !reaches(operation.answer, thing)) return [];
    const chains = thing.needs.map((need) => {
      const open = openChain(need);
      return open === undefined ? chainsOfRole({ ...need, as: { role, operation } }, role) : [open];
    });
    // All needs have to be held; a thing that is open needs no role.
    const isReached = chains.every((each) => each.length > 0) && thing.needs.some(({ granted }) => !granted.public);
    return isReached ? chains.flat() : [];
  });
}
