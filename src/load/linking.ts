import type { Position } from '../model/definition.ts';
import {
  alternatives,
  type OperationIdentity,
  type OperationsByName,
  qualifiedName,
  shortestName,
} from '../model/operation-names.ts';
import { createReport, type Place, type Report } from './diagnostic/diagnostic.ts';
import { type Declaration, Declarations } from './read/declaration.ts';
import { createPlaces, type Places } from './read/places.ts';
import type { Kind } from './schema/kinds.ts';

/** What every stage of linking works with. */
export interface Linking {
  readonly report: Report;
  readonly places: Places;
  readonly declared: Declarations;
  /** Parts of which something was refused, documents and maps alike: what they lack is nobody's mistake. */
  readonly incomplete: WeakSet<object>;
  /** Keys that a definition or an operation may have meant with what was refused of it: that they are not there is nobody's mistake. */
  readonly refused: WeakMap<object, ReadonlySet<string>>;
  /** Reports a default made of values, `{File.name}`, that does not fit its field as it is written: by the field's position. */
  readonly misfits: Map<Position, () => void>;
}

/** What a run begins with. */
export function createLinking(): Linking {
  return {
    report: createReport(),
    places: createPlaces(),
    declared: new Declarations(),
    incomplete: new WeakSet(),
    refused: new WeakMap(),
    misfits: new Map(),
  };
}

/** The definitions of a kind, as the JSON Schema lets them through. */
export function declarationsOf<V>({ declared }: Linking, kind: Kind): Declaration<V>[] {
  return [...declared.of(kind).values()] as unknown as Declaration<V>[];
}

/** Looks an id up; one that does not exist is reported, unless its definition is there and can't be used. */
export function resolveId<T>(
  { report, declared }: Linking,
  kind: Kind,
  among: ReadonlyMap<string, T>,
  id: string,
  at: Place,
): T | undefined {
  const found = among.get(id);
  if (found === undefined && !declared.isSetAside(kind, id)) {
    report.raise('unknown-reference', { what: kind.replace('-', ' '), id, known: [...among.keys()] }, at);
  }
  return found;
}

/** Looks up what `key` of `container` names, if it names something. */
export function resolveKey<T>(
  linking: Linking,
  kind: Kind,
  among: ReadonlyMap<string, T>,
  container: object,
  key: string,
): T | undefined {
  const id = (container as Readonly<Record<string, string | undefined>>)[key];
  return id === undefined ? undefined : resolveId(linking, kind, among, id, linking.places.value(container, key));
}

/** Looks several up: `permission: X`, `permission: [X, Y]`. `key` is where they stand in `container`. */
export function resolveIds<T>(
  linking: Linking,
  kind: Kind,
  among: ReadonlyMap<string, T>,
  container: object,
  key: string,
): T[] {
  const ids = (container as Readonly<Record<string, string | readonly string[] | undefined>>)[key];
  if (typeof ids === 'object')
    return ids.flatMap((id, index) => resolveId(linking, kind, among, id, linking.places.value(ids, index)) ?? []);
  const found = resolveKey(linking, kind, among, container, key);
  return found === undefined ? [] : [found];
}

/** Refuses a key that has no effect where it is said. */
export function refuseKey(
  { report, places }: Linking,
  container: object,
  key: string,
  owner: string,
  why: string,
): void {
  if (isSaid(container, key)) report.raise('key-without-effect', { key, owner, why }, places.key(container, key));
}

/** Refuses the second of two keys that are both said and exclude each other. */
export function refuseBoth(
  { report, places }: Linking,
  container: object,
  first: string,
  second: string,
  reason: string,
): void {
  if (isSaid(container, first) && isSaid(container, second))
    report.raise('conflicting-options', { first, second, reason }, places.key(container, second));
}

function isSaid(container: object, key: string): boolean {
  return (container as Readonly<Record<string, unknown>>)[key] !== undefined;
}

/** Notes keys that `container` may have meant with what was refused of it. */
export function noteRefused({ refused }: Pick<Linking, 'refused'>, container: object, keys: readonly string[]): void {
  refused.set(container, new Set([...(refused.get(container) ?? []), ...keys]));
}

/** Whether `container` may have meant one of the keys with what was refused of it. */
export function mayHaveMeant({ refused }: Linking, container: object, keys: readonly string[]): boolean {
  const found = refused.get(container);
  return found !== undefined && keys.some((key) => found.has(key));
}

/** Takes items into a map in the order of their ids. */
export function byId<T extends { readonly id: string }>(items: Iterable<T>): Map<string, T> {
  return new Map([...items].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).map((item) => [item.id, item]));
}

/** The operations that definitions may name. */
export interface OperationNames {
  /** Every operation that is declared, whatever becomes of it. */
  readonly byName: OperationsByName<OperationIdentity>;
  /** Names of operations that were declared and can't be used. */
  readonly lost: ReadonlySet<string>;
}

/**
 * The operation that a reference names, by its name or its qualified name. One that does not exist is reported, and one
 * that may be several; neither where the definition that was meant can't be used.
 * @param isMeant operations that are proposed where there is none of that name
 */
export function resolveOperation(
  linking: Linking,
  names: OperationNames,
  reference: string,
  at: Place,
  isMeant: (operation: OperationIdentity) => boolean = () => true,
): OperationIdentity | undefined {
  const { byName } = names;
  const [found, another] = byName.get(reference) ?? [];
  if (isLostOperation(names, reference)) return undefined;
  if (found === undefined) {
    if (!linking.declared.anySetAside('service')) {
      const known = proposals(byName, reference, isMeant);
      linking.report.raise('unknown-reference', { what: 'operation', id: reference, known }, at);
    }
    return undefined;
  }
  if (another === undefined) return found;
  raiseAmbiguous(linking, names, reference, at);
  return undefined;
}

/** Operations of that name, whatever stands beside it, else all; spelled with their versions where the reference has one. */
function proposals(
  byName: OperationNames['byName'],
  reference: string,
  isMeant: (operation: OperationIdentity) => boolean,
): string[] {
  const parts = reference.split('.');
  const all = [...new Set([...byName.values()].flat())].filter(isMeant);
  const named = all.filter(({ name }) => parts.includes(name));
  return (named.length > 0 ? named : all).map((each) =>
    parts.length > 2 ? qualifiedName(each) : shortestName(byName, each),
  );
}

/** Reports a name that operations of several services have. */
export function raiseAmbiguous({ report }: Linking, { byName }: OperationNames, reference: string, at: Place): void {
  const meant = byName.get(reference) ?? [];
  const [first] = meant.map(qualifiedName);
  report.raise('ambiguous-operation', { name: reference, meant: alternatives(meant), first: first ?? reference }, at);
}

/** Whether an operation of that name was declared and can't be used. */
export function isLostOperation({ lost }: OperationNames, reference: string): boolean {
  return lost.has(reference.slice(reference.lastIndexOf('.') + 1));
}
