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
  readonly granted: Granted;
  /** Judged by this role, whoever calls; `at` is where the operation stands that says so. */
  readonly as?: { readonly role: Role; readonly operation: Operation };
}

/** A thing of the model, with the places of its grants. */
export interface Granted extends Grantable {
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly at: Position;
}

/** Something that a caller may use or not. */
export interface Thing {
  readonly kind: ThingKind;
  readonly id: string;
  /** All of them have to be held. */
  readonly needs: readonly Need[];
}

/** Everything that is granted, kind by kind and in the order of ids. */
export function listThings(registry: Registry): Thing[] {
  const { operations, consumers, flows, queries, processes, components, relatedContent } = registry;
  const single = (kind: ThingKind, all: ReadonlyMap<string, Granted>): Thing[] =>
    [...all.values()].map((granted) => ({ kind, id: granted.id, needs: [needOf(kind, granted)] }));
  return [
    ...[...operations.values()].map(thingOfOperation),
    ...single('consumer', consumers),
    ...[...flows.values()].map((flow): Thing => {
      return { kind: 'flow', id: flow.id, needs: neededBy({ kind: 'call', call: flow }) };
    }),
    ...single('query', queries),
    ...[...processes.values()].map((process): Thing => {
      const { id, answer } = process;
      const query = answer.kind === 'query' ? [needOf('query', answer.query)] : [];
      return { kind: 'process', id, needs: [needOf('process', process), ...query] };
    }),
    ...single('component', components),
    ...single('related-content', relatedContent),
  ];
}

/** Things of an id, of whatever kind; with a kind before it (`query:PROCESS_MONITOR`) of that alone. */
export function findThings(things: readonly Thing[], asked: string): Thing[] {
  const kind = THING_KINDS.find((each) => asked.startsWith(`${each}:`));
  const id = kind === undefined ? asked : asked.slice(kind.length + 1);
  return things.filter((each) => each.id === id && (kind === undefined || each.kind === kind));
}

/** `query PROCESS_MONITOR`. */
export function nameOf({ kind, id }: Pick<Thing, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

function needOf(kind: ThingKind, granted: Granted): Need {
  return { kind, granted };
}

/** An operation, and what answers it under a grant of its own. Of code only running it tells what it reaches. */
function thingOfOperation(operation: Operation): Thing {
  const { id, as } = operation;
  const reached = neededBy(operation.answer);
  const needs = as === undefined ? reached : reached.map((need) => ({ ...need, as: { role: as, operation } }));
  return { kind: 'operation', id, needs: [needOf('operation', operation), ...needs] };
}

function neededBy(answer: Answer): Need[] {
  return (reachedBy(answer) ?? []).map(({ kind, thing }) => needOf(kind, thing));
}
