import type { ConsumerOperation } from '../model/consumer.ts';
import type { Position } from '../model/definition.ts';
import { flowNames } from '../model/flow.ts';
import { operationsByName, qualifiedName, shortestName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import type { PermissionList, Role, User } from '../model/security.ts';
import { type Answer, type Operation, reachedBy } from '../model/service.ts';
import { type Grantable, listsOf, may } from './authorise.ts';

/** One link of a chain of grants: what holds, and the line that says so. */
export interface Link {
  readonly because: string;
  /** Undefined for what is in no file. */
  readonly at?: Position;
}

/** From the caller to the thing. */
export type Chain = readonly Link[];

/** How it stands with one need of a thing. */
interface Judged {
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

/** Kinds of things that are granted, by the words that name them. A consumer is an operation with a target. */
export const THING_KINDS = [
  'operation',
  'consumer',
  'flow',
  'query',
  'process',
  'component',
  'related-content',
] as const;

type ThingKind = (typeof THING_KINDS)[number];

/** One grant that the use of a thing takes. */
interface Need {
  readonly kind: ThingKind;
  /** As it is named. */
  readonly id: string;
  readonly granted: Granted;
  /** Judged by this role, whoever calls: the name of the operation that says so, and where it stands. */
  readonly as?: { readonly role: Role; readonly operation: string; readonly at: Position };
}

/** A thing of the model, with the places of its grants. */
interface Granted extends Grantable {
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly at: Position;
}

/** Something that a caller may use or not. */
export interface Thing {
  readonly kind: ThingKind;
  /** As it is named: of an operation the shortest name that means it. */
  readonly id: string;
  /** Everything that names it; a name of operations in several services is one of each. */
  readonly names: readonly string[];
  /** All of them have to be held. */
  readonly needs: readonly Need[];
}

/** Everything that is granted, kind by kind and in the order of ids. */
export function listThings(registry: Registry): Thing[] {
  const { operations, consumers, flows, queries, processes, components, relatedContent } = registry;
  const byName = operationsByName(registry);
  const spell = (operation: Operation | ConsumerOperation): string => shortestName(byName, operation);
  const single = (kind: ThingKind, all: ReadonlyMap<string, Granted>): Thing[] =>
    [...all.values()].map((granted) => thingOf(kind, granted.id, [needOf(kind, granted)]));
  const named = (operation: Operation | ConsumerOperation): string[] => {
    const isMeant = byName.get(operation.name)?.includes(operation) === true;
    return [qualifiedName(operation), ...(isMeant ? [operation.name] : [])];
  };
  return [
    ...[...operations.values()].map((each): Thing => {
      return { ...thingOf('operation', spell(each), neededFor(each, spell)), names: named(each) };
    }),
    ...[...consumers.values()].map((each): Thing => {
      const id = spell(each);
      return { ...thingOf('consumer', id, [needOf('consumer', each, id)]), names: named(each) };
    }),
    ...[...flows.values()].map((flow): Thing => {
      return { ...thingOf('flow', flow.id, neededBy({ kind: 'call', call: flow }, spell)), names: flowNames(flow) };
    }),
    ...single('query', queries),
    ...[...processes.values()].map((process): Thing => {
      const { id, answer } = process;
      const query = answer.kind === 'query' ? [needOf('query', answer.query)] : [];
      return thingOf('process', id, [needOf('process', process), ...query]);
    }),
    ...single('component', components),
    ...single('related-content', relatedContent),
  ];
}

/** Things of a name, of whatever kind; with a kind before it (`query:PROCESS_MONITOR`) of that alone. */
export function findThings(things: readonly Thing[], asked: string): Thing[] {
  const kind = THING_KINDS.find((each) => asked.startsWith(`${each}:`));
  const name = kind === undefined ? asked : asked.slice(kind.length + 1);
  return things.filter((each) => each.names.includes(name) && (kind === undefined || each.kind === kind));
}

/** `query PROCESS_MONITOR`. */
export function nameOf({ kind, id }: Pick<Thing, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

/** The name that an operation is shown by. */
type Spell = (operation: Operation | ConsumerOperation) => string;

function thingOf(kind: ThingKind, id: string, needs: readonly Need[]): Thing {
  return { kind, id, names: [id], needs };
}

function needOf(kind: ThingKind, granted: Granted, id = granted.id): Need {
  return { kind, id, granted };
}

/** What the use of an operation takes: itself, and what answers it under a grant of its own. Of code only running it tells. */
function neededFor(operation: Operation, spell: Spell): Need[] {
  const { as } = operation;
  const name = spell(operation);
  const reached = neededBy(operation.answer, spell);
  const needs =
    as === undefined
      ? reached
      : reached.map((need) => ({ ...need, as: { role: as, operation: name, at: operation.at } }));
  return [needOf('operation', operation, name), ...needs];
}

function neededBy(answer: Answer, spell: Spell): Need[] {
  return (reachedBy(answer) ?? []).map(({ kind, thing }) =>
    needOf(kind, thing, 'target' in thing ? spell(thing) : thing.id),
  );
}

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
