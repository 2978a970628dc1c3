import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type Node as YamlNode,
} from 'yaml';
import { ImportError } from '../place.ts';
import { MOST_LEVELS } from './json.ts';
import { type Tree, TreeBuilder, type TreeMap, type TreeValue } from './tree.ts';

/** Reads YAML 1.2 with the place of each member, and the merge key `<<` of YAML 1.1. @throws ImportError */
export function readYaml(text: string, location: string): Tree {
  const builder = new TreeBuilder(text, location);
  const fail = (reason: string, offset: number, hint?: string): never => {
    throw new ImportError(reason, builder.placeOf(offset), hint);
  };
  const [first, second] = documentsOf(text, fail);
  if (second?.range !== undefined && second.contents !== null)
    fail('holds more than one YAML document', second.range?.[0] ?? 0, 'Import a file with one document.');
  const problem = first?.errors[0];
  if (problem !== undefined) fail(`not valid YAML: ${lowered(problem.message)}`, problem.pos[0]);
  const contents = first?.contents ?? undefined;
  if (contents === undefined) return fail('is empty', 0);
  return builder.done(new Converter(builder, fail).convert(contents, 0), contents.range?.[0] ?? 0);
}

type Fail = (reason: string, offset: number, hint?: string) => never;

function documentsOf(text: string, fail: Fail): Document.Parsed[] {
  const options = { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const;
  try {
    return [...parseAllDocuments(text, options)];
  } catch (error) {
    // The parser recurses for each level.
    if (error instanceof RangeError) return fail(`nests more than ${MOST_LEVELS} levels`, 0);
    return fail(`not valid YAML: ${lowered((error as Error).message)}`, 0);
  }
}

const lowered = (message: string): string => message.slice(0, 1).toLowerCase() + message.slice(1);

class Converter {
  readonly #builder: TreeBuilder;
  readonly #fail: Fail;
  readonly #aliases: Aliases;

  constructor(builder: TreeBuilder, fail: Fail) {
    this.#builder = builder;
    this.#fail = fail;
    this.#aliases = new Aliases(builder);
  }

  convert(node: YamlNode | null, level: number): TreeValue {
    if (node === null) return null;
    if (isAlias(node)) return this.#aliases.value(node.source, offsetOf(node));
    if (level > MOST_LEVELS) this.#fail(`nests more than ${MOST_LEVELS} levels`, offsetOf(node));
    this.#aliases.count();
    const { anchor } = node as Scalar;
    const read = (): TreeValue => this.#value(node, level);
    return anchor === undefined ? read() : this.#aliases.anchored(anchor, read);
  }

  #value(node: YamlNode, level: number): TreeValue {
    if (isMap(node)) return this.#map(node, level);
    if (!isSeq(node)) return scalarValue((node as Scalar).value);
    const list = this.#builder.list(offsetOf(node));
    for (const item of node.items) {
      const at = isPair(item) ? offsetOf(item.key as YamlNode) : offsetOf(item as YamlNode);
      list.add(isPair(item) ? null : this.convert(item as YamlNode | null, level + 1), at);
    }
    return list.done();
  }

  #map(node: YAMLMap, level: number): TreeMap {
    const map = this.#builder.map(offsetOf(node));
    const merged: Merged[] = [];
    for (const { key, value } of node.items as { key: YamlNode | null; value: YamlNode | null }[]) {
      const at = offsetOf(key);
      const name = this.#key(key);
      const read = this.convert(value, level + 1);
      if (name === '<<') for (const from of mergedMaps(read)) merged.push({ from, at });
      else map.set(name, read, at, value === null ? at : offsetOf(value));
    }
    mergeInto(map, merged);
    return map.done();
  }

  #key(key: YamlNode | null): string {
    if (key !== null && isAlias(key)) return String(this.#aliases.value(key.source, offsetOf(key)));
    // A status as a key, 200, is its text; a number keeps its spelling.
    if (key !== null && isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? '');
    return key === null ? '' : this.#fail('a key of a map is itself a map or a list', offsetOf(key));
  }
}

function offsetOf(node: YamlNode | null): number {
  return node?.range?.[0] ?? 0;
}

function scalarValue(value: unknown): TreeValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return String(value);
}

/**
 * Most values that the aliases of one file may repeat: what reads the file walks through all of them. Contracts that a tool
 * wrote from objects that share parts repeat 100,000.
 */
const MOST_REPEATED = 1_000_000;

/** The anchors of a YAML file, with the number of values that each stands for. */
class Aliases {
  readonly #builder: TreeBuilder;
  readonly #anchors = new Map<string, { value: TreeValue | undefined; size: number }>();
  #size = 0;
  #repeated = 0;

  constructor(builder: TreeBuilder) {
    this.#builder = builder;
  }

  /** Counts a value that was read. */
  count(): void {
    this.#size += 1;
  }

  /** Reads the value of an anchor, which can't contain its own alias. */
  anchored(anchor: string, read: () => TreeValue): TreeValue {
    this.#anchors.set(anchor, { value: undefined, size: 0 });
    const before = this.#size;
    const value = read();
    this.#anchors.set(anchor, { value, size: this.#size - before });
    return value;
  }

  /** What an alias stands for. @param at its offset @throws ImportError */
  value(name: string, at: number): TreeValue {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) return this.#fail(`the alias *${name} has no anchor`, at);
    if (anchor.value === undefined) return this.#fail(`the alias *${name} contains itself`, at);
    this.#repeated += anchor.size;
    this.#size += anchor.size;
    if (this.#repeated > MOST_REPEATED) this.#fail(`aliases repeat more than ${MOST_REPEATED} values`, at);
    return anchor.value;
  }

  #fail(reason: string, at: number): never {
    throw new ImportError(reason, this.#builder.placeOf(at));
  }
}

/** Maps that a merge key (`<<` of YAML 1.1) adds to one, with the offset of the key. */
interface Merged {
  readonly from: TreeMap;
  readonly at: number;
}

/** The maps that are the value of a merge key. */
function mergedMaps(value: TreeValue): TreeMap[] {
  const all = Array.isArray(value) ? (value as readonly TreeValue[]) : [value];
  return all.filter((each): each is TreeMap => typeof each === 'object' && each !== null && !Array.isArray(each));
}

/** Adds members of merged maps that a map does not have itself. */
function mergeInto(map: ReturnType<TreeBuilder['map']>, merged: readonly Merged[]): void {
  for (const { from, at } of merged)
    for (const key of Object.keys(from))
      if (!Object.hasOwn(map.value, key)) map.set(key, from[key] as TreeValue, at, at);
}
