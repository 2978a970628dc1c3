import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  type LineCounter,
  type Pair,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Place } from './diagnostic.ts';

/** A definition file as it was read. */
export interface SourceText {
  /** Relative to the project's folder, with `/`. */
  readonly file: string;
  readonly text: string;
}

export type ParsedMap = YAMLMap.Parsed;
export type ParsedSeq = YAMLSeq.Parsed;

/** Where the maps and lists of a tree stand in their files, and their keys, values and entries. */
export interface Places {
  /** Ties a map or list of a tree to its node. */
  tie(container: object, node: ParsedMap | ParsedSeq, source: SourceText, lines: LineCounter): void;
  /** Lets a map that is made up stand where another one does. */
  alias(made: object, container: object): void;
  /** Where a map or list begins. */
  start(container: object): Place;
  /** Where a key stands; where the map begins if it has none of that name. */
  key(container: object, key: string): Place;
  /** Where the value of a key, or an entry of a list, stands. */
  value(container: object, key: string | number): Place;
  /** Where some characters of a text stand, counted in the text; the whole value where it is folded or has escapes. */
  inText(container: object, key: string | number, offset: number, length: number): Place;
  /** A single value as it is written, before it was taken for a number. */
  written(container: object, key: string | number): string | undefined;
  /** The map is written with braces. */
  inBraces(container: object): boolean;
}

interface Tie {
  readonly node: ParsedMap | ParsedSeq;
  readonly source: SourceText;
  readonly lines: LineCounter;
  pairs?: Map<string, Pair<ParsedNode, ParsedNode | null>>;
}

export function createPlaces(): Places {
  const ties = new WeakMap<object, Tie>();

  function tieOf(container: object): Tie {
    const tie = ties.get(container);
    if (tie === undefined) throw new TypeError('not a map or list of a definition');
    return tie;
  }

  function pairOf(tie: Tie, key: string | number): Pair<ParsedNode, ParsedNode | null> | undefined {
    if (!isMap(tie.node)) return undefined;
    if (tie.pairs === undefined) {
      tie.pairs = new Map();
      for (const pair of (tie.node as ParsedMap).items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : undefined;
        // Of a key that stands twice the first counts, as in the tree.
        if (name !== undefined && !tie.pairs.has(name)) tie.pairs.set(name, pair);
      }
    }
    return tie.pairs.get(String(key));
  }

  function nodeOf(tie: Tie, key: string | number): ParsedNode | null | undefined {
    return isMap(tie.node)
      ? pairOf(tie, key)?.value
      : ((tie.node as ParsedSeq).items[Number(key)] as ParsedNode | undefined);
  }

  const here = (tie: Tie, node: ParsedNode): Place => placeAt(tie.source, tie.lines, node.range[0], node.range[1]);

  return {
    tie: (container, node, source, lines) => void ties.set(container, { node, source, lines }),
    alias: (made, container) => void ties.set(made, tieOf(container)),
    start(container) {
      const tie = tieOf(container);
      return here(tie, tie.node);
    },
    key(container, key) {
      const tie = tieOf(container);
      return here(tie, pairOf(tie, key)?.key ?? tie.node);
    },
    value(container, key) {
      const tie = tieOf(container);
      const node = nodeOf(tie, key);
      // An empty value has no extent of its own: its key is what can be seen.
      if (node === null || node === undefined || isEmpty(node))
        return here(tie, pairOf(tie, key)?.key ?? node ?? tie.node);
      return here(tie, node);
    },
    inText(container, key, offset, length) {
      const tie = tieOf(container);
      const node = nodeOf(tie, key);
      const from = isScalar(node) ? offsetInSource(node as Scalar.Parsed, tie.source.text, offset) : undefined;
      return from === undefined ? this.value(container, key) : placeAt(tie.source, tie.lines, from, from + length);
    },
    written(container, key) {
      const node = nodeOf(tieOf(container), key);
      return isScalar(node) && !isAlias(node) ? (node.source ?? String(node.value)) : undefined;
    },
    inBraces(container) {
      const { node } = tieOf(container);
      return isCollection(node) && node.flow === true;
    },
  };
}

/** Where a character of a text stands in its file; undefined where it can't be told by counting. */
function offsetInSource({ type, value, range }: Scalar.Parsed, source: string, offset: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (type !== 'BLOCK_LITERAL') {
    const start = range[0] + (type === 'PLAIN' ? 0 : 1);
    return source.startsWith(value, start) ? start + offset : undefined;
  }
  // Lines of a literal block follow its header one to one, each behind the same indent.
  const before = value.slice(0, offset).split('\n');
  const lines = source.slice(range[0], range[1]).split('\n');
  const indent = /^ */.exec(lines.slice(1).find((line) => line.trim() !== '') ?? '')?.[0].length ?? 0;
  const skipped = lines.slice(0, before.length).reduce((sum, line) => sum + line.length + 1, 0);
  return range[0] + skipped + indent + (before.at(-1) as string).length;
}

function isEmpty(node: ParsedNode): boolean {
  return node.range[0] === node.range[1];
}

/** The place of a range of offsets; its length ends with its first line. */
export function placeAt({ file, text }: SourceText, lines: LineCounter, from: number, to: number): Place {
  const start = Math.min(from, text.length);
  const { line, col } = lines.linePos(start);
  const lineEnd = text.indexOf('\n', start);
  let end = Math.min(to, lineEnd < 0 ? text.length : lineEnd);
  while (end > start && /\s/.test(text[end - 1] as string)) end--;
  // linePos answers line 0 where nothing was read.
  return { file, line: Math.max(1, line), column: Math.max(1, col), length: Math.max(1, end - start) };
}
