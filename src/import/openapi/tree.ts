import { ImportError, type Place } from '../place.ts';

/** A value of JSON or YAML. */
export type TreeValue = string | number | boolean | null | readonly TreeValue[] | TreeMap;

export interface TreeMap {
  readonly [key: string]: TreeValue;
}

function isTreeMap(value: TreeValue | undefined): value is TreeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A key that a map has twice. The last value counts. */
export interface Repeated {
  readonly key: string;
  readonly place: Place;
}

/** The content of a source, with the place of each value. */
export interface Tree {
  readonly location: string;
  readonly root: Node;
  readonly repeated: readonly Repeated[];
}

/** Offsets of the members of one container. */
interface Offsets {
  readonly start: number;
  /** Keys of a map in their order, with those that were removed since; for a list empty. */
  readonly keys: readonly string[];
  /** Offsets of keys; for a list of entries. */
  readonly at: readonly number[];
  /** Offsets of values. */
  readonly values: readonly number[];
}

/** A value at its place. Equal nodes have the same `value`, if that is a map or a list. */
export class Node {
  readonly value: TreeValue;
  readonly tree: TreeText;
  /** Offset of the value in the text. */
  readonly #offset: number;
  /** Offset of its key, where a person looks for it. */
  readonly #named: number;

  constructor(tree: TreeText, value: TreeValue, offset: number, named: number) {
    this.tree = tree;
    this.value = value;
    this.#offset = offset;
    this.#named = named;
  }

  /** The place of its key, or of the value itself in a list. */
  get place(): Place {
    return this.tree.placeOf(this.#named);
  }

  get map(): TreeMap | undefined {
    return isTreeMap(this.value) ? this.value : undefined;
  }

  get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  get flag(): boolean {
    return this.value === true;
  }

  /** A number with all its digits as written; `undefined` for other values. */
  get number(): string | undefined {
    if (typeof this.value !== 'number' || !Number.isFinite(this.value)) return undefined;
    WRITTEN.lastIndex = this.#offset;
    const written = WRITTEN.exec(this.tree.text)?.[0];
    return written !== undefined && Number(written) === this.value ? written.replace(/^\+/, '') : String(this.value);
  }

  has(key: string): boolean {
    return this.map !== undefined && Object.hasOwn(this.map, key);
  }

  /** A member of a map; `undefined` if it has none, or is not a map. */
  get(key: string): Node | undefined {
    const { map } = this;
    if (map === undefined || !Object.hasOwn(map, key)) return undefined;
    return this.#member(map[key] as TreeValue, this.tree.offsetsOf(map), this.tree.indexOf(map, key));
  }

  /** Members of a map, in the order of the text. */
  entries(): (readonly [string, Node])[] {
    const { map } = this;
    if (map === undefined) return [];
    const offsets = this.tree.offsetsOf(map);
    return offsets.keys.flatMap((key, index) =>
      Object.hasOwn(map, key) ? [[key, this.#member(map[key] as TreeValue, offsets, index)] as const] : [],
    );
  }

  /** Entries of a list. */
  items(): Node[] {
    const { value } = this;
    if (!Array.isArray(value)) return [];
    const offsets = this.tree.offsetsOf(value);
    return value.map((each: TreeValue, index) => this.#member(each, offsets, index));
  }

  #item(index: number): Node | undefined {
    const list = this.value as readonly TreeValue[];
    const each = list[index];
    return each === undefined ? undefined : this.#member(each, this.tree.offsetsOf(list), index);
  }

  /** A map without some of its members. The same one each time. */
  without(keys: ReadonlySet<string>): Node {
    const { map, tree } = this;
    if (map === undefined || !Object.keys(map).some((key) => keys.has(key))) return this;
    return new Node(tree, tree.without(map, keys), this.#offset, this.#named);
  }

  /** Removes a member, or an entry of a list, from what was read. */
  remove(token: string): void {
    if (typeof this.value === 'object' && this.value !== null) this.tree.remove(this.value, token);
  }

  /** A value that is not in the text, at the place of this one. */
  standIn(value: TreeValue): Node {
    return new Node(this.tree, value, this.#offset, this.#named);
  }

  /** What a JSON Pointer leads to (RFC 6901); as far as it leads, if `partly`. */
  at(tokens: readonly string[], partly = false): Node | undefined {
    let node: Node = this;
    for (const token of tokens) {
      const next = Array.isArray(node.value) ? node.#item(Number(token)) : node.get(token);
      if (next === undefined) return partly ? node : undefined;
      node = next;
    }
    return node;
  }

  #member(value: TreeValue, { at, values }: Offsets, index: number): Node {
    return new Node(this.tree, value, values[index] ?? 0, at[index] ?? 0);
  }
}

const WRITTEN = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;

/** The tokens of a JSON Pointer. */
export function pointerTokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Keys from which on a map has an index. */
const LARGE = 32;

/** A text, with the offsets of the values that were read from it. */
class TreeText {
  readonly text: string;
  readonly location: string;
  readonly #offsets = new Map<object, Offsets>();
  readonly #parts = new Map<object, TreeMap>();
  readonly #indexes = new Map<object, ReadonlyMap<string, number>>();
  #lines: number[] | undefined;

  constructor(text: string, location: string) {
    this.text = text;
    this.location = location;
  }

  offsetsOf(container: object): Offsets {
    return this.#offsets.get(container) ?? { start: 0, keys: Object.keys(container), at: [], values: [] };
  }

  /** A map or a list that was read from the text. */
  nodeOf(container: TreeMap | readonly TreeValue[]): Node {
    const { start } = this.offsetsOf(container);
    return new Node(this, container, start, start);
  }

  /** The position of a key in a map. Large maps, such as those of all schemas, are asked for every reference. */
  indexOf(map: TreeMap, key: string): number {
    const { keys } = this.offsetsOf(map);
    if (keys.length < LARGE) return keys.indexOf(key);
    const known = this.#indexes.get(map) ?? new Map(keys.map((each, index) => [each, index]));
    this.#indexes.set(map, known);
    return known.get(key) ?? -1;
  }

  tie(container: object, offsets: Offsets): void {
    this.#offsets.set(container, offsets);
  }

  /** A map without some of its members, with the places of the others. */
  without(map: TreeMap, keys: ReadonlySet<string>): TreeMap {
    const known = this.#parts.get(map);
    if (known !== undefined) return known;
    const { start, keys: names, at, values } = this.offsetsOf(map);
    const kept = names.flatMap((name, index) => (keys.has(name) || !Object.hasOwn(map, name) ? [] : [index]));
    const part = Object.fromEntries(Object.entries(map).filter(([key]) => !keys.has(key)));
    const pick = (offsets: readonly number[]): number[] => kept.map((index) => offsets[index] ?? start);
    this.tie(part, { start, keys: kept.map((index) => names[index] as string), at: pick(at), values: pick(values) });
    this.#parts.set(map, part);
    return part;
  }

  /** Removes a member of a map, whose offsets stay so that many can be removed, or an entry of a list by its index. */
  remove(container: TreeMap | readonly TreeValue[], token: string): void {
    this.#parts.delete(container);
    if (!Array.isArray(container)) {
      delete (container as Record<string, TreeValue>)[token];
      return;
    }
    const index = Number(token);
    if (!(index >= 0)) return;
    const { at, values } = this.offsetsOf(container);
    for (const each of new Set<readonly unknown[]>([container, at, values])) (each as unknown[]).splice(index, 1);
  }

  placeOf(offset: number): Place {
    this.#lines ??= lineStarts(this.text);
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lines[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { source: this.location, line: low + 1, column: offset - (this.#lines[low] as number) + 1 };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Most objects and lists of one file: they take half a gigabyte. */
const MOST_CONTAINERS = 1_000_000;

/** Builds the tree of a text while it is read. */
export class TreeBuilder {
  readonly #text: TreeText;
  readonly #repeated: Repeated[] = [];
  #containers = 0;

  constructor(text: string, location: string) {
    this.#text = new TreeText(text, location);
  }

  placeOf(offset: number): Place {
    return this.#text.placeOf(offset);
  }

  map(start: number): MapBuilder {
    this.#count(start);
    return new MapBuilder(this.#text, start, this.#repeated);
  }

  list(start: number): ListBuilder {
    this.#count(start);
    return new ListBuilder(this.#text, start);
  }

  #count(start: number): void {
    if (++this.#containers > MOST_CONTAINERS)
      throw new ImportError(`there are more than ${MOST_CONTAINERS} objects and lists`, this.#text.placeOf(start));
  }

  done(value: TreeValue, start: number): Tree {
    const root = new Node(this.#text, value, start, start);
    return { location: this.#text.location, root, repeated: this.#repeated };
  }
}

class MapBuilder {
  readonly value: Record<string, TreeValue> = {};
  readonly #keys: string[] = [];
  /** The positions of the keys, from the first one on that is there twice. */
  #positions: Map<string, number> | undefined;
  readonly #at: number[] = [];
  readonly #values: number[] = [];
  readonly #text: TreeText;
  readonly #start: number;
  readonly #repeated: Repeated[];

  constructor(text: TreeText, start: number, repeated: Repeated[]) {
    this.#text = text;
    this.#start = start;
    this.#repeated = repeated;
  }

  set(key: string, value: TreeValue, at: number, start: number): void {
    let index = this.#keys.length;
    if (Object.hasOwn(this.value, key)) {
      this.#positions ??= new Map(this.#keys.map((each, position) => [each, position]));
      index = this.#positions.get(key) as number;
      this.#repeated.push({ key, place: this.#text.placeOf(at) });
    }
    if (key === '__proto__') Object.defineProperty(this.value, key, { value, enumerable: true, configurable: true });
    else this.value[key] = value;
    this.#keys[index] = key;
    this.#positions?.set(key, index);
    this.#at[index] = at;
    this.#values[index] = start;
  }

  done(): TreeMap {
    this.#text.tie(this.value, { start: this.#start, keys: this.#keys, at: this.#at, values: this.#values });
    return this.value;
  }
}

class ListBuilder {
  readonly value: TreeValue[] = [];
  readonly #at: number[] = [];
  readonly #text: TreeText;
  readonly #start: number;

  constructor(text: TreeText, start: number) {
    this.#text = text;
    this.#start = start;
  }

  add(value: TreeValue, at: number): void {
    this.value.push(value);
    this.#at.push(at);
  }

  done(): readonly TreeValue[] {
    this.#text.tie(this.value, { start: this.#start, keys: [], at: this.#at, values: this.#at });
    return this.value;
  }
}
