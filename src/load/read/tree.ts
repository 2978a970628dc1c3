import {
  type Alias,
  isAlias,
  isMap,
  isSeq,
  type LineCounter,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Report } from '../diagnostic/diagnostic.ts';
import type { Place } from '../diagnostic/place.ts';
import { type Places, placeAt, type SourceText } from './places.ts';

/** A value of a tree. Maps have no prototype, so no key of theirs can mean anything else. */
export type TreeValue = string | number | boolean | null | TreeValue[] | TreeMap;
export interface TreeMap {
  [key: string]: TreeValue;
}

/** A text that is gone through, and who is told of it. */
export interface Parsing {
  readonly source: SourceText;
  readonly lines: LineCounter;
  readonly places: Places;
  readonly report: Report;
}

/** Levels of maps and lists inside each other. The deepest definition that means anything has some 30. */
export const MOST_LEVELS = 100;
/** Values that aliases may repeat in one file. */
const MOST_REPEATED = 10_000;

/** Ends the conversion of one root; what is wrong has been reported. */
class Abandoned extends Error {}

/** One root's nodes to plain values; undefined where one can't be converted, which has been reported. */
export function convertRoot(node: ParsedNode, parsing: Parsing): TreeValue | undefined {
  try {
    return new Converter(parsing).convert(node, 0);
  } catch (error) {
    if (error instanceof Abandoned) return undefined;
    throw error;
  }
}

class Converter {
  private readonly anchors = new Map<string, { value: TreeValue | undefined; size: number }>();
  private size = 0;
  private repeated = 0;
  private readonly parsing: Parsing;

  constructor(parsing: Parsing) {
    this.parsing = parsing;
  }

  convert(node: ParsedNode | null, level: number): TreeValue {
    if (node === null) return null;
    if (isAlias(node)) return this.resolve(node);
    if (level > MOST_LEVELS) this.abandon('nested-too-deep', { most: MOST_LEVELS }, node);
    const before = this.size++;
    const { anchor } = node;
    if (anchor !== undefined) this.anchors.set(anchor, { value: undefined, size: 0 });
    let value: TreeValue;
    if (isMap(node)) value = this.map(node as YAMLMap.Parsed, level);
    else if (isSeq(node)) value = this.list(node as YAMLSeq.Parsed, level);
    else value = scalarValue(node as Scalar.Parsed);
    if (anchor !== undefined) this.anchors.set(anchor, { value, size: this.size - before });
    return value;
  }

  private map(node: YAMLMap.Parsed, level: number): TreeMap {
    const map: TreeMap = Object.create(null) as TreeMap;
    const keys: string[] = [];
    const offsets: number[] = [];
    const written = new Map<string, number>();
    const { lines, report } = this.parsing;
    for (const { key, value } of node.items) {
      // The parser has refused any other key.
      const name = String((key as Scalar.Parsed).value);
      const first = written.get(name);
      if (first !== undefined) {
        const { line } = lines.linePos(first);
        report.raise('duplicate-key', { key: name, line }, this.placeOf(key));
      } else {
        const range = value?.range ?? [key.range[1], key.range[1]];
        written.set(name, key.range[0]);
        keys.push(name);
        offsets.push(key.range[0], key.range[1], range[0], range[1]);
        map[name] = this.convert(value, level + 1);
      }
    }
    this.tie(map, node, keys, offsets);
    return map;
  }

  private list(node: YAMLSeq.Parsed, level: number): TreeValue[] {
    const list: TreeValue[] = [];
    const offsets: number[] = [];
    for (const item of node.items as (ParsedNode | null)[]) {
      const range = item?.range ?? [node.range[0], node.range[0]];
      offsets.push(range[0], range[1]);
      list.push(this.convert(item, level + 1));
    }
    this.tie(list, node, [], offsets);
    return list;
  }

  private tie(container: object, node: YAMLMap.Parsed | YAMLSeq.Parsed, keys: string[], offsets: number[]): void {
    const { source, lines, places } = this.parsing;
    const whole = [node.range[0], node.range[1]] as const;
    places.tie(container, { source, lines, whole, inBraces: node.flow === true, keys, offsets });
  }

  private resolve(alias: Alias.Parsed): TreeValue {
    const anchor = this.anchors.get(alias.source);
    if (anchor === undefined) this.abandon('unquoted-star', { text: `*${alias.source}` }, alias);
    if (anchor.value === undefined) this.abandon('alias-expansion', { name: alias.source, most: MOST_REPEATED }, alias);
    this.size += anchor.size;
    this.repeated += anchor.size;
    if (this.repeated > MOST_REPEATED)
      this.abandon('alias-expansion', { name: alias.source, most: MOST_REPEATED }, alias);
    return anchor.value;
  }

  private abandon(...[code, parameters, node]: Reason): never {
    this.parsing.report.raise(code, parameters as never, this.placeOf(node));
    throw new Abandoned();
  }

  private placeOf(node: ParsedNode): Place {
    return placeAt(this.parsing.source, this.parsing.lines, node.range[0], node.range[1]);
  }
}

type Reason =
  | ['nested-too-deep', { most: number }, ParsedNode]
  | ['alias-expansion', { name: string; most: number }, ParsedNode]
  | ['unquoted-star', { text: string }, ParsedNode];

function scalarValue({ value }: Scalar.Parsed): TreeValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return String(value);
}
