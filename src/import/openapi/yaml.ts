import {
  type Alias,
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

/** Most values that the aliases of one file may repeat: what reads the file walks through all of them. */
const MOST_REPEATED = 100_000;

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
  readonly #anchors = new Map<string, { value: TreeValue | undefined; size: number }>();
  #size = 0;
  #repeated = 0;

  constructor(builder: TreeBuilder, fail: Fail) {
    this.#builder = builder;
    this.#fail = fail;
  }

  convert(node: YamlNode | null, level: number): TreeValue {
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node);
    if (level > MOST_LEVELS) this.#fail(`nests more than ${MOST_LEVELS} levels`, offsetOf(node));
    const before = this.#size++;
    const { anchor } = node as Scalar;
    if (anchor !== undefined) this.#anchors.set(anchor, { value: undefined, size: 0 });
    const value = this.#value(node, level);
    if (anchor !== undefined) this.#anchors.set(anchor, { value, size: this.#size - before });
    return value;
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
    const merged: { readonly from: TreeMap; readonly at: number }[] = [];
    for (const { key, value } of node.items as { key: YamlNode | null; value: YamlNode | null }[]) {
      const at = offsetOf(key);
      const name = this.#key(key);
      const read = this.convert(value, level + 1);
      if (name === '<<') for (const from of mergedMaps(read)) merged.push({ from, at });
      else map.set(name, read, at, value === null ? at : offsetOf(value));
    }
    for (const { from, at } of merged)
      for (const key of Object.keys(from))
        if (!Object.hasOwn(map.value, key)) map.set(key, from[key] as TreeValue, at, at);
    return map.done();
  }

  #key(key: YamlNode | null): string {
    if (key !== null && isAlias(key)) return String(this.#alias(key));
    // A status as a key, 200, is its text; a number keeps its spelling.
    if (key !== null && isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? '');
    return key === null ? '' : this.#fail('a key of a map is itself a map or a list', offsetOf(key));
  }

  #alias(alias: Alias): TreeValue {
    const anchor = this.#anchors.get(alias.source);
    if (anchor === undefined) return this.#fail(`the alias *${alias.source} has no anchor`, offsetOf(alias));
    if (anchor.value === undefined) this.#fail(`the alias *${alias.source} contains itself`, offsetOf(alias));
    this.#size += anchor.size;
    this.#repeated += anchor.size;
    if (this.#repeated > MOST_REPEATED)
      this.#fail(`its aliases repeat more than ${MOST_REPEATED} values`, offsetOf(alias));
    return anchor.value as TreeValue;
  }
}

function mergedMaps(value: TreeValue): TreeMap[] {
  const all = Array.isArray(value) ? (value as readonly TreeValue[]) : [value];
  return all.filter((each): each is TreeMap => typeof each === 'object' && each !== null && !Array.isArray(each));
}

function offsetOf(node: YamlNode | null): number {
  return node?.range?.[0] ?? 0;
}

function scalarValue(value: unknown): TreeValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return String(value);
}
