import { operationsByName, shortestName } from '../../model/operation-names.ts';
import type { Position } from '../../model/position.ts';
import { reachedBy } from '../../model/reached.ts';
import type { Registry } from '../../model/registry.ts';
import type { PermissionList, Role } from '../../model/security.ts';
import type { Answer } from '../../model/service.ts';
import { may } from '../authorise.ts';
import { listsOf } from '../undeclared-user.ts';
import type { CallerFacts } from './callers.ts';
import { type Need, nameOf, type Thing, type ThingKind } from './things.ts';

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
  const { granted, as } = need;
  const open = openChain(need);
  const chains = open !== undefined ? [open] : as === undefined ? chainsOf(caller, need) : chainsOfRole(need, as.role);
  // By the gateway's own judge: what explains it must not decide it.
  return { what: nameOf(need), may: may({ permissionLists: listsOf(caller.roles) }, granted, as?.role), chains };
}

/** Where nobody needs a grant. */
function openChain(need: Need): Chain | undefined {
  const { kind, granted } = need;
  if (!granted.public) return undefined;
  const what = nameOf(need);
  const because =
    kind === 'component' ? `nothing names ${what}: who may use what reads or saves it, may` : `${what} is public`;
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
  const runs = link(`${need.as?.operation} runs as the role ${role.id}`, need.as?.at);
  return chainsFrom(role, need).map((chain) => [runs, ...chain]);
}

/** By each list of a role that grants it. */
function chainsFrom(role: Role, need: Need): Chain[] {
  return role.permissionLists
    .filter((list) => need.granted.permissions.includes(list))
    .map((list) => [link(`${role.id} has the list ${list.id}`, role.grantedAt?.get(list)), grantLink(list, need)]);
}

function grantLink(list: PermissionList, need: Need): Link {
  return link(`${list.id} grants ${nameOf(need)}`, need.granted.grantedAt?.get(list));
}

function link(because: string, at: Position | undefined): Link {
  return at === undefined ? { because } : { because, at };
}

/** What would have to be held: the lists that grant each need that a verdict denies, and the roles that have them. */
export function whatIsMissing(registry: Registry, thing: Thing, { needs }: Verdict): Chain[] {
  return thing.needs
    .filter((_, index) => needs[index]?.may === false)
    .flatMap((need): Chain[] => {
      const { granted } = need;
      if (granted.permissions.length === 0) return [[link(`no list grants ${nameOf(need)}`, granted.at)]];
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
    const name = shortestName(operationsByName(registry), operation);
    const chains = thing.needs.map((need) => {
      const open = openChain(need);
      return open === undefined
        ? chainsOfRole({ ...need, as: { role, operation: name, at: operation.at } }, role)
        : [open];
    });
    // All needs have to be held; a thing that is open needs no role.
    const isReached = chains.every((each) => each.length > 0) && thing.needs.some(({ granted }) => !granted.public);
    return isReached ? chains.flat() : [];
  });
}
