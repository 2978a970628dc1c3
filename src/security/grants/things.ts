import type { ConsumerOperation } from '../../model/consumer.ts';
import { flowNames } from '../../model/flow-names.ts';
import { operationsByName, qualifiedName, shortestName } from '../../model/operation-names.ts';
import type { Position } from '../../model/position.ts';
import { reachedBy } from '../../model/reached.ts';
import type { Registry } from '../../model/registry.ts';
import type { PermissionList, Role } from '../../model/security.ts';
import type { Answer, Operation } from '../../model/service.ts';
import type { Grantable } from '../authorise.ts';

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

export type ThingKind = (typeof THING_KINDS)[number];

/** One grant that the use of a thing takes. */
export interface Need {
  readonly kind: ThingKind;
  /** As it is named. */
  readonly id: string;
  readonly granted: Granted;
  /** Judged by this role, whoever calls: the name of the operation that says so, and where it stands. */
  readonly as?: { readonly role: Role; readonly operation: string; readonly at: Position };
}

/** A thing of the model, with the places of its grants. */
export interface Granted extends Grantable {
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
