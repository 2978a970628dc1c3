import type { KindWord } from '../kinds/kinds.ts';
import type { Position } from '../model/definition.ts';
import {
  alternatives,
  type OperationIdentity,
  type OperationsByName,
  qualifiedName,
  shortestName,
} from '../model/operation-names.ts';
import type { SimpleType } from '../model/simple-type.ts';
import { createReport, type Place, positionOf, type Report } from './diagnostic/diagnostic.ts';
import { given } from './object.ts';
import { type Declaration, Declarations } from './read/declaration.ts';
import { createPlaces, type Places } from './read/places.ts';
import type { TypeDeclared } from './schema/type.ts';
import type { ConfigUse } from './value/config-text.ts';

/** The shared state of all stages of linking. */
export interface Linking {
  readonly report: Report;
  readonly places: Places;
  readonly declared: Declarations;
  readonly doubt: Doubt;
  /** The named types that have been linked, with what they declare. */
  readonly types: Map<string, { readonly type: SimpleType; readonly declared: TypeDeclared }>;
  /** Reports a default with call values, `{File.name}`, whose text does not fit its field, by the position of the field. */
  readonly misfits: Map<Position, () => void>;
  /** Every use of configuration that was found. */
  readonly uses: ConfigUse[];
}

/**
 * Maps, documents and other linked things in which a part was rejected. Nothing is reported about what such a thing lacks: the
 * first error already explains it.
 */
export class Doubt {
  private readonly keys = new WeakMap<object, Set<string>>();

  /** Puts keys of a thing in doubt, which the rejected part may have meant; without keys the thing itself. */
  mark(thing: object, ...keys: readonly string[]): void {
    const marked = this.keys.get(thing) ?? new Set();
    this.keys.set(thing, marked);
    for (const key of keys.length === 0 ? [ITSELF] : keys) marked.add(key);
  }

  /** Whether one of the keys is in doubt; without keys, whether the thing itself is. */
  about(thing: object | undefined, ...keys: readonly string[]): boolean {
    const marked = thing && this.keys.get(thing);
    return marked !== undefined && (keys.length === 0 ? [ITSELF] : keys).some((key) => marked.has(key));
  }
}

/** No key of a definition is empty. */
const ITSELF = '';

/** What a run begins with. */
export function createLinking(): Linking {
  return {
    report: createReport(),
    places: createPlaces(),
    declared: new Declarations(),
    doubt: new Doubt(),
    types: new Map(),
    misfits: new Map(),
    uses: [],
  };
}

/** The definitions of a kind, with the form that its JSON Schema guarantees. */
export function declarationsOf<V>({ declared }: Linking, kind: KindWord): Declaration<V>[] {
  return [...declared.of(kind).values()] as unknown as Declaration<V>[];
}

/** Finds an id. An unknown one is reported, unless its definition was rejected. */
export function resolveId<T>(
  { report, declared }: Linking,
  kind: KindWord,
  among: ReadonlyMap<string, T>,
  id: string,
  at: Place,
): T | undefined {
  const found = among.get(id);
  if (found === undefined && !declared.rejected(kind).has(id)) {
    report.raise('unknown-reference', { what: kind.replace('-', ' '), id, known: [...among.keys()] }, at);
  }
  return found;
}

/** Finds the definition that `key` of `container` refers to, if any. */
export function resolveKey<T>(
  linking: Linking,
  kind: KindWord,
  among: ReadonlyMap<string, T>,
  container: object,
  key: string,
): T | undefined {
  const id = (container as Readonly<Record<string, string | undefined>>)[key];
  return id === undefined ? undefined : resolveId(linking, kind, among, id, linking.places.value(container, key));
}

/** Finds one or several: `permission: X`, `permission: [X, Y]`. */
export function resolveIds<T>(
  linking: Linking,
  kind: KindWord,
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

/** Refuses a key that has no effect. */
export function refuseKey(
  { report, places }: Linking,
  container: object,
  key: string,
  owner: string,
  why: string,
): void {
  if (isSaid(container, key)) report.raise('key-without-effect', { key, owner, why }, places.key(container, key));
}

/** Refuses the second of two keys that exclude each other. */
export function refuseBoth(
  { report, places }: Linking,
  container: object,
  first: string,
  second: string,
  reason: string,
  remedy?: string,
): void {
  if (isSaid(container, first) && isSaid(container, second))
    report.raise('conflicting-options', { first, second, reason, ...given({ remedy }) }, places.key(container, second));
}

function isSaid(container: object, key: string): boolean {
  return (container as Readonly<Record<string, unknown>>)[key] !== undefined;
}

/** A definition without the members that all kinds share. */
type Own<T> = Omit<T, 'id' | 'description' | 'at'>;

/** Links the definitions of a kind. One that `link` leaves out has been reported, and counts as rejected. */
export function linkEach<V extends object, T extends { readonly id: string; readonly at: Position }>(
  linking: Linking,
  kind: KindWord,
  link: (declaration: Declaration<V>) => Own<T> | undefined,
): Map<string, T> {
  const linked = declarationsOf<V & { readonly description?: string }>(linking, kind).flatMap((declaration) => {
    const own = link(declaration);
    const { id, value, at } = declaration;
    if (own === undefined) {
      linking.declared.reject(kind, id);
      return [];
    }
    return { id, ...given({ description: value.description }), ...own, at: positionOf(at) } as unknown as T;
  });
  return byId(linked);
}

/** Maps items by id, in the order of ids. */
export function byId<T extends { readonly id: string }>(items: Iterable<T>): Map<string, T> {
  return new Map([...items].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).map((item) => [item.id, item]));
}

/** Every operation that is declared, whether it can be used or not, by the names that definitions may call it by. */
export type OperationNames = OperationsByName<OperationIdentity>;

/**
 * The operation that a reference names, by its name or its qualified name. An unknown or ambiguous name is reported, unless the
 * definition that it means was rejected.
 * @param isMeant the operations to propose for an unknown name
 */
export function resolveOperation(
  linking: Linking,
  names: OperationNames,
  reference: string,
  at: Place,
  isMeant: (operation: OperationIdentity) => boolean = () => true,
): OperationIdentity | undefined {
  const [found, another] = names.get(reference) ?? [];
  if (isRejectedOperation(linking, reference)) return undefined;
  if (found !== undefined && another === undefined) return found;
  if (found !== undefined) raiseAmbiguous(linking, names, reference, at);
  else if (linking.declared.rejected('service').size === 0) {
    const known = proposals(names, reference, isMeant);
    linking.report.raise('unknown-reference', { what: 'operation', id: reference, known }, at);
  }
  return undefined;
}

/** Operations of that name in any service, or else all; with their versions when the reference has one. */
function proposals(
  byName: OperationNames,
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

/** Reports a name that several operations have. */
export function raiseAmbiguous({ report }: Linking, names: OperationNames, reference: string, at: Place): void {
  const meant = names.get(reference) ?? [];
  const [first] = meant.map(qualifiedName);
  report.raise('ambiguous-operation', { name: reference, meant: alternatives(meant), first: first ?? reference }, at);
}

/** Whether the definition of an operation of that name was rejected. */
export function isRejectedOperation({ declared }: Linking, reference: string): boolean {
  return declared.rejected('operation').has(reference.slice(reference.lastIndexOf('.') + 1));
}
