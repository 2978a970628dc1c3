import type { Position } from '../model/position.ts';
import type { Place, Report } from './diagnostic/diagnostic.ts';
import type { Declaration, Declarations } from './read/declaration.ts';
import type { Kind } from './read/kinds.ts';
import type { Places } from './read/places.ts';

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

/** The definitions of a kind, as the JSON Schema lets them through. */
export function declarationsOf<V>({ declared }: Linking, kind: Kind): Declaration<V>[] {
  return [...declared.of(kind).values()] as unknown as Declaration<V>[];
}

/** Looks an id up; one that does not exist is reported, unless its definition is there and can't be used. */
export function resolveId<T>(
  { report, declared }: Linking,
  kind: Kind | 'operation',
  among: ReadonlyMap<string, T>,
  id: string,
  at: Place,
): T | undefined {
  const found = among.get(id);
  const lost = kind === 'operation' ? declared.anySetAside('service') : declared.isSetAside(kind, id);
  if (found === undefined && !lost) {
    report.raise('unknown-reference', { what: kind.replace('-', ' '), id, known: [...among.keys()] }, at);
  }
  return found;
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
  if (ids === undefined) return [];
  const { places } = linking;
  if (typeof ids === 'string') {
    const found = resolveId(linking, kind, among, ids, places.value(container, key));
    return found === undefined ? [] : [found];
  }
  return ids.flatMap((id, index) => resolveId(linking, kind, among, id, places.value(ids, index)) ?? []);
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

/** A place without its extent, as the registry keeps it. */
export function positionOf({ file, line, column, length }: Place): Position {
  const position = { file, line, column };
  if (length !== undefined) extents.set(position, length);
  return position;
}

/** The place that a position of the registry was made of, extent included. */
export function placeOf(position: Position): Place {
  const length = extents.get(position);
  return length === undefined ? position : { ...position, length };
}

const extents = new WeakMap<Position, number>();

/** Takes items into a map in the order of their ids. */
export function byId<T extends { readonly id: string }>(items: Iterable<T>): Map<string, T> {
  return new Map([...items].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)).map((item) => [item.id, item]));
}
