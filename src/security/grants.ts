import type { ConsumerOperation } from '../model/consumer.ts';
import type { Position } from '../model/definition.ts';
import { flowNames } from '../model/flow.ts';
import { operationsByName, qualifiedName, shortestName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import { CONSOLE_GRANTS, type PermissionList, type Role, type User } from '../model/security.ts';
import { type Answer, type Operation, reachedBy } from '../model/service.ts';
import { type Grantable, listsOf, may } from './authorise.ts';

/** A link in a chain of grants: a fact, and the line that declares it. */
export interface Link {
  readonly because: string;
  /** Absent for facts that are in no file. */
  readonly at?: Position;
}

/** From the caller to the thing. */
export type Chain = readonly Link[];

/** The verdict about one need of a thing. */
interface Judged {
  readonly what: string;
  readonly may: boolean;
  /** All ways in which it is granted; revoking it means cutting each. */
  readonly chains: readonly Chain[];
}

/** Whether a caller may use a thing, and why. */
export interface Verdict {
  readonly may: boolean;
  readonly needs: readonly Judged[];
}

/** Judges by grants whether a caller may use a thing, as the gateway does. Credentials are not considered. */
export function judge(caller: CallerFacts, thing: Thing): Verdict {
  const needs = thing.needs.map((need) => judgeNeed(caller, need));
  return { may: needs.every((each) => each.may), needs };
}

/**
 * Whether a caller may use things, without the reasons: to find those of thousands that it may.
 * @returns the judgement of a thing
 */
export function permittedTo({ roles }: CallerFacts): (thing: Thing) => boolean {
  const user = { permissionLists: listsOf(roles) };
  return ({ needs }) => needs.every(({ granted, as }) => may(user, granted, as?.role));
}

function judgeNeed(caller: CallerFacts, need: Need): Judged {
  const { granted, as } = need;
  const open = openChain(need);
  const chains = open !== undefined ? [open] : as === undefined ? chainsOf(caller, need) : chainsOfRole(need, as.role);
  // The gateway's own function decides; the chains only explain the decision.
  return { what: nameOf(need), may: may({ permissionLists: listsOf(caller.roles) }, granted, as?.role), chains };
}

/** The explanation for a need without restrictions. */
function openChain(need: Need): Chain | undefined {
  const { kind, granted } = need;
  if (!granted.public) return undefined;
  const what = nameOf(need);
  const because =
    kind === 'component'
      ? `no list restricts ${what}: the grants of the operations that use it are enough`
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
  const runs = link(`${need.as?.operation} runs as the role ${role.id}`, need.as?.at);
  return chainsFrom(role, need).map((chain) => [runs, ...chain]);
}

/** One chain for each list of a role that grants the need. */
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

/** What the caller lacks: the lists that grant each denied need, and the roles that have these lists. */
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

/** The kinds of things that the code of an operation can use. */
const OF_CODE: ReadonlySet<ThingKind> = new Set(['consumer', 'flow', 'query', 'component']);

/** Whether an answer uses a thing; for code, whether it could. */
function reaches(answer: Answer, { kind, needs }: Pick<Thing, 'kind' | 'needs'>): boolean {
  const reached = reachedBy(answer);
  if (reached === undefined) return OF_CODE.has(kind);
  if (
    answer.kind === 'version' &&
    answer.operation.as === undefined &&
    reaches(answer.operation.answer, { kind, needs })
  )
    return true;
  return needs.every(({ granted }) => reached.some(({ thing }) => thing === granted));
}

/** Operations that use a thing by their own role (`as:`), whoever calls them. */
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
    // All needs must be granted; a public thing needs no role.
    const isReached = chains.every((each) => each.length > 0) && thing.needs.some(({ granted }) => !granted.public);
    return isReached ? chains.flat() : [];
  });
}

/** Kinds of things with grants, by their names in commands. A consumer is an operation with a target. */
export const THING_KINDS = [
  'operation',
  'consumer',
  'flow',
  'query',
  'process',
  'component',
  'related-content',
  'console',
] as const;

type ThingKind = (typeof THING_KINDS)[number];

/** What a kind is called in sentences. */
export const wordOf = (kind: ThingKind): string => (kind === 'consumer' ? 'called operation' : kind);

/** A grant that is required to use a thing. */
interface Need {
  readonly kind: ThingKind;
  readonly id: string;
  readonly granted: Granted;
  /** The role that replaces the caller's grants, with the operation that declares it. */
  readonly as?: { readonly role: Role; readonly operation: string; readonly at: Position };
}

/** Something with grants, and the places where they are declared. */
interface Granted extends Grantable {
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly at: Position;
}

/** Something that a caller may or may not use. */
export interface Thing {
  readonly kind: ThingKind;
  /** For an operation, its shortest unambiguous name. */
  readonly id: string;
  /** All its names. Operations of several services may share a name. */
  readonly names: readonly string[];
  /** All of them must be granted. */
  readonly needs: readonly Need[];
}

/** Everything with grants, sorted by kind and id. */
export const listThings = (registry: Registry): Thing[] => [...eachThing(registry)];

/** {@link listThings}, one after the other: with thousands of operations all of them take a while. */
export function* eachThing(registry: Registry): Generator<Thing, void> {
  const { operations, consumers, flows, queries, processes, components, relatedContent } = registry;
  const byName = operationsByName(registry);
  const spell = (operation: Operation | ConsumerOperation): string => shortestName(byName, operation);
  const single = (kind: ThingKind, all: ReadonlyMap<string, Granted>): Thing[] =>
    [...all.values()].map((granted) => thingOf(kind, granted.id, [needOf(kind, granted)]));
  const named = (operation: Operation | ConsumerOperation): string[] => {
    const isMeant = byName.get(operation.name)?.includes(operation) === true;
    return [qualifiedName(operation), ...(isMeant ? [operation.name] : [])];
  };
  for (const each of operations.values())
    yield { ...thingOf('operation', spell(each), neededFor(each, spell)), names: named(each) };
  for (const each of consumers.values()) {
    const id = spell(each);
    yield { ...thingOf('consumer', id, [needOf('consumer', each, id)]), names: named(each) };
  }
  for (const flow of flows.values())
    yield { ...thingOf('flow', flow.id, neededBy({ kind: 'call', call: flow }, spell)), names: flowNames(flow) };
  yield* single('query', queries);
  for (const process of processes.values()) {
    const { id, answer } = process;
    const query = answer.kind === 'query' ? [needOf('query', answer.query)] : [];
    yield thingOf('process', id, [needOf('process', process), ...query]);
  }
  yield* single('component', components);
  yield* single('related-content', relatedContent);
  yield* consoleThings(registry);
}

/** The grants of the operator's console, while it is on. */
function consoleThings({ gateway, permissionLists }: Registry): Thing[] {
  if (gateway.console === undefined) return [];
  return CONSOLE_GRANTS.map((id) => {
    const grantedAt = new Map(
      [...permissionLists.values()].flatMap((list) => {
        const at = list.console?.get(id);
        return at === undefined ? [] : [[list, at] as const];
      }),
    );
    const granted = { id, public: false, permissions: [...grantedAt.keys()], grantedAt, at: gateway.at };
    return thingOf('console', id, [needOf('console', granted)]);
  });
}

/** Finds things by name, of all kinds or of the one in front: `query:PROCESS_MONITOR`. */
export function findThings(things: readonly Thing[], asked: string): Thing[] {
  const kind = THING_KINDS.find((each) => asked.startsWith(`${each}:`));
  const name = kind === undefined ? asked : asked.slice(kind.length + 1);
  return things.filter((each) => each.names.includes(name) && (kind === undefined || each.kind === kind));
}

/** `query PROCESS_MONITOR`. */
export function nameOf({ kind, id }: Pick<Thing, 'kind' | 'id'>): string {
  return `${wordOf(kind)} ${id}`;
}

/** Gives the name of an operation in messages. */
type Spell = (operation: Operation | ConsumerOperation) => string;

function thingOf(kind: ThingKind, id: string, needs: readonly Need[]): Thing {
  return { kind, id, names: [id], needs };
}

function needOf(kind: ThingKind, granted: Granted, id = granted.id): Need {
  return { kind, id, granted };
}

/** The needs of an operation: its own grant, and those of what answers it. What code uses is not known before it runs. */
function neededFor(operation: Operation, spell: Spell): Need[] {
  const { as } = operation;
  const name = spell(operation);
  const reached = neededBy(operation.answer, spell);
  const needs =
    as === undefined
      ? reached
      : reached.map((need) => ({ as: { role: as, operation: name, at: operation.at }, ...need }));
  return [needOf('operation', operation, name), ...needs];
}

function neededBy(answer: Answer, spell: Spell): Need[] {
  if (answer.kind === 'version') return neededFor(answer.operation, spell);
  return (reachedBy(answer) ?? []).map(({ kind, thing }) =>
    needOf(kind, thing, 'target' in thing ? spell(thing) : thing.id),
  );
}

/** A caller: a user, anyone with a token that gives roles, or anyone with a role. */
export interface CallerFacts {
  /** `demo`, `a token of PARTNER_TOKENS with scope locations.read`, `role CLERK`. */
  readonly name: string;
  readonly roles: readonly Role[];
  /** Represents anyone with its single role. */
  readonly isRole?: true;
  /** Where each role is named; absent for a caller that is in no file. */
  readonly grantedAt?: ReadonlyMap<Role, Position> | undefined;
}

/** All users, and tokens by each claim value that gives roles. */
export function listCallers(registry: Registry, users: Iterable<User>): CallerFacts[] {
  return [...[...users].map(callerOfUser), ...listTokens(registry).map(({ caller }) => caller)];
}

/** A user of the definitions or of the database. */
export function callerOfUser({ id, roles, grantedAt }: User): CallerFacts {
  return { name: id, roles, grantedAt };
}

/** Anyone with a role. */
export function callerOfRole(role: Role): CallerFacts {
  return { name: `role ${role.id}`, roles: [role], isRole: true };
}

/** Anyone with a token that has a claim value with roles. Ids consist of scheme and value: `PARTNER_TOKENS:locations.read`. */
export function listTokens(registry: Registry): { readonly id: string; readonly caller: CallerFacts }[] {
  return [...registry.schemes.values()].flatMap((scheme) => {
    if (scheme.kind !== 'bearer') return [];
    return [...scheme.roles].map(([value, roles]) => {
      const name = `a token of ${scheme.id} with ${scheme.claim} ${value}`;
      return { id: `${scheme.id}:${value}`, caller: { name, roles, grantedAt: scheme.grantedAt?.get(value) } };
    });
  });
}

/** Who may use one thing. `signalbox who-can --json` writes it. */
export interface WhoMay {
  readonly kind: Thing['kind'];
  readonly id: string;
  /** Everyone may use it, without credentials. */
  readonly public: boolean;
  readonly callers: readonly {
    readonly caller: string;
    readonly roles: readonly string[];
    readonly needs: Verdict['needs'];
  }[];
  /** For a component without grants of its own: the operations that read or save it. */
  readonly operations?: readonly string[];
  /** Operations that use it in the name of a role (`as:`). */
  readonly reached: readonly Chain[];
}

/** Finds who may use a thing. @param callers those to consider */
export function whoMay(registry: Registry, callers: readonly CallerFacts[], thing: Thing): WhoMay {
  const { kind, id } = thing;
  const isOpen = judge(ANYONE, thing).may;
  const judged = callers.map((caller) => ({ caller, verdict: judge(caller, thing) }));
  const permitted = isOpen ? [] : judged.filter(({ verdict }) => verdict.may);
  return {
    kind,
    id,
    public: isOpen && kind !== 'component',
    callers: permitted.map(({ caller: { name, roles }, verdict: { needs } }) => ({
      caller: name,
      roles: roles.map((role) => role.id),
      needs,
    })),
    ...(isOpen && kind === 'component' ? { operations: operationsOnComponent(registry, id) } : {}),
    reached: reachedAs(registry, thing),
  };
}

/** A caller without credentials. */
export const ANYONE: CallerFacts = { name: 'anyone', roles: [] };

function operationsOnComponent(registry: Registry, id: string): string[] {
  const byName = operationsByName(registry);
  return [...registry.operations.values()].flatMap((operation) =>
    operation.answer.kind === 'component' && operation.answer.component.id === id
      ? shortestName(byName, operation)
      : [],
  );
}
