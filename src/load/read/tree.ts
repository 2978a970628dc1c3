import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Place, Report } from '../diagnostic/diagnostic.ts';
import { type Places, placeAt, type SourceText } from './places.ts';

/** The contents of a file, one root for each YAML document. */
interface ParsedFile {
  readonly roots: readonly { readonly value: TreeValue; readonly at: Place }[];
  /** False when a part could not be read, so that its declarations are unknown. */
  readonly whole: boolean;
}

/** Parses a file into trees: one for each `---` part, with resolved aliases and a place for each map and list. */
export function parseTree(source: SourceText, places: Places, report: Report): ParsedFile {
  const lines = new LineCounter();
  const parsing: Parsing = { source, lines, places, report };
  let documents: Document.Parsed[];
  try {
    const options = {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
      logLevel: 'silent',
    } as const;
    documents = [...parseAllDocuments(source.text, options)];
  } catch (error) {
    // The parser recurses for each level: a thousand brackets exhaust the stack.
    const at = placeAt(source, lines, 0, 0);
    if (error instanceof RangeError) report.raise('nested-too-deep', { most: MOST_LEVELS }, at);
    else report.raise('yaml-syntax', { reason: (error as Error).message }, at);
    return { roots: [], whole: false };
  }
  const roots: { value: TreeValue; at: Place }[] = [];
  let whole = true;
  for (const document of documents) {
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem !== undefined) {
      raiseSyntax(problem, document, parsing);
      whole = false;
    } else if (document.contents !== null && !isBlank(document.contents)) {
      const contents = document.contents as ParsedNode;
      const value = convertRoot(contents, parsing);
      if (value === undefined) whole = false;
      else roots.push({ value, at: placeAt(source, lines, contents.range[0], contents.range[1]) });
    }
  }
  return { roots, whole };
}

function isBlank(node: unknown): boolean {
  return isScalar(node) && node.value === null && (node.source === undefined || node.source === '');
}

/** A value of a tree. Maps have no prototype, so every key is just a key. */
export type TreeValue = string | number | boolean | null | TreeValue[] | TreeMap;
export interface TreeMap {
  [key: string]: TreeValue;
}

export function isTreeMap(value: TreeValue | undefined): value is TreeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text under conversion, and its report. */
interface Parsing {
  readonly source: SourceText;
  readonly lines: LineCounter;
  readonly places: Places;
  readonly report: Report;
}

/** Maximum nesting of maps and lists. The deepest useful definition has about 30 levels. */
const MOST_LEVELS = 100;
/** Maximum number of values that aliases may repeat in one file. */
const MOST_REPEATED = 10_000;

/** Ends the conversion of one root after an error was reported. */
class Abandoned extends Error {}

/** Converts the nodes of one root to plain values; `undefined` after an error, which has been reported. */
function convertRoot(node: ParsedNode, parsing: Parsing): TreeValue | undefined {
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
      // The parser rejects any other key.
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

/** A URI template or a reference, in braces without spaces, which is never a real map. */
const BRACES = /\$?\{[^\s{}"']+\}/;
/** Quoted parts are text already. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/** Reports an error of the parser, or a more specific one for common slips. */
function raiseSyntax(problem: YAMLError, document: Document.Parsed, { source, lines, report }: Parsing): void {
  const [from, to] = problem.pos;
  const place = placeAt(source, lines, from, to);
  if (problem.code === 'BAD_ALIAS') {
    report.raise('unquoted-star', { text: '*' }, place);
    return;
  }
  const quote = /^Missing closing (["'])/.exec(problem.message)?.[1];
  if (quote !== undefined) {
    const reason = `the quote ${quote} is not closed`;
    const opened = openQuote(document, from);
    report.raise('yaml-syntax', { reason }, placeAt(source, lines, opened, opened + 1));
    return;
  }
  const lineStart = source.text.lastIndexOf('\n', from - 1) + 1;
  const line = source.text.slice(lineStart).split('\n', 1)[0] as string;
  const braces = BRACES.exec(line.replace(QUOTED, (text) => ' '.repeat(text.length)));
  if (braces === null || from < lineStart + braces.index) {
    report.raise('yaml-syntax', { reason: problem.message }, place);
  } else {
    const start = lineStart + braces.index;
    report.raise('unquoted-braces', { text: braces[0] }, placeAt(source, lines, start, start + braces[0].length));
  }
}

/** The offset at which the quoted text that ends at `end` begins. For an unclosed quote, the parser only reports the end. */
function openQuote(document: Document.Parsed, end: number): number {
  let opened = end;
  visit(document, {
    Scalar: (_, { type, range }) => {
      if ((type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') && range?.[1] === end) opened = range[0];
    },
  });
  return opened;
}
