import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isKindWord, kindsAmong } from '../../kinds/kinds.ts';
import type { Place, Report } from '../diagnostic/diagnostic.ts';
import { type Places, placeAt, type SourceText } from './places.ts';

/** A value of a tree. Maps have no prototype, so every key is just a key. */
export type TreeValue = string | number | boolean | null | TreeValue[] | TreeMap;
export interface TreeMap {
  [key: string]: TreeValue;
}

export function isTreeMap(value: TreeValue | undefined): value is TreeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The contents of a file, one root for each YAML document. */
interface ParsedFile {
  readonly roots: readonly { readonly value: TreeValue; readonly at: Place }[];
  /** False when a part could not be read, so that its declarations are unknown. */
  readonly whole: boolean;
}

/** Parses a file into trees: one for each `---` part, with resolved aliases and a place for each map and list. */
export function parseTree(source: SourceText, places: Places, report: Report): ParsedFile {
  const lines = new LineCounter();
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
  const parsing: Parsing = { source, lines, places, report, documents };
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

/** A text under conversion, and its report. */
interface Parsing {
  readonly source: SourceText;
  readonly lines: LineCounter;
  readonly places: Places;
  readonly report: Report;
  /** All documents of the text. */
  readonly documents: readonly Document.Parsed[];
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
    if (level === 0) this.refuseSecond(node);
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

  /** Abandons a root in which a second definition begins: its keys would be reported as repeated, or as unknown. */
  private refuseSecond({ items }: YAMLMap.Parsed): void {
    const names = items.map(({ key }) => String((key as Scalar.Parsed).value));
    const [first, other] = kindsAmong(names);
    if (first === undefined) return;
    const isRepeated = (name: string, at: number): boolean => isKindWord(name) && names.indexOf(name) < at;
    const begins = names.findIndex((name, at) => name === other || isRepeated(name, at));
    if (begins >= 0)
      this.abandon('two-kinds', { first, second: names[begins] as string }, (items[begins] as Pair<ParsedNode>).key);
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
    if (anchor === undefined) {
      const defined = this.anchorElsewhere(alias.source);
      if (defined === undefined) this.abandon('unquoted-star', { text: `*${alias.source}` }, alias);
      this.abandon('alias-of-another-document', { name: alias.source, line: defined }, alias);
    }
    if (anchor.value === undefined) this.abandon('alias-expansion', { name: alias.source, most: MOST_REPEATED }, alias);
    this.size += anchor.size;
    this.repeated += anchor.size;
    if (this.repeated > MOST_REPEATED)
      this.abandon('alias-expansion', { name: alias.source, most: MOST_REPEATED }, alias);
    return anchor.value;
  }

  /** The line of an anchor in any document of the file: only those above an alias in its own document are known to it. */
  private anchorElsewhere(name: string): number | undefined {
    const { documents, lines } = this.parsing;
    let found: number | undefined;
    for (const document of documents) {
      visit(document, {
        Node: (_, node) => {
          if (isAlias(node) || node.anchor !== name) return undefined;
          found = (node as ParsedNode).range[0];
          return visit.BREAK;
        },
      });
      if (found !== undefined) return lines.linePos(found).line;
    }
    return undefined;
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
  | ['alias-of-another-document', { name: string; line: number }, ParsedNode]
  | ['unquoted-star', { text: string }, ParsedNode]
  | ['two-kinds', { first: string; second: string }, ParsedNode];

function scalarValue({ value }: Scalar.Parsed): TreeValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value;
  return String(value);
}

/** A URI template or a reference, in braces without spaces, which is never a real map. */
const BRACES = /\$?\{[^\s{}"']+\}/;
/** Quoted parts are text already. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;

/** Reports an error of the parser in the author's words, or a more specific one for common slips. */
function raiseSyntax(problem: YAMLError, document: Document.Parsed, { source, lines, report }: Parsing): void {
  const [from, to] = problem.pos;
  if (problem.code === 'BAD_ALIAS') {
    report.raise('unquoted-star', { text: '*' }, placeAt(source, lines, from, to));
    return;
  }
  const lineStart = source.text.lastIndexOf('\n', from - 1) + 1;
  const line = source.text.slice(lineStart).split('\n', 1)[0] as string;
  const unquoted = line.replace(QUOTED, (text) => ' '.repeat(text.length));
  const template = TEMPLATE.exec(unquoted);
  if (template !== null) {
    const start = lineStart + template.index;
    const [text, name = ''] = template;
    report.raise('unprefixed-reference', { text, name }, placeAt(source, lines, start, start + text.length));
    return;
  }
  const slip = slipOf(problem, document, { text: source.text, lines, lineStart, line });
  const braces = slip?.sure ? null : BRACES.exec(unquoted);
  if (braces === null || from < lineStart + braces.index) {
    const { reason = problem.message, hint, at = [from, to] } = slip ?? {};
    report.raise('yaml-syntax', { reason, hint }, placeAt(source, lines, at[0], at[1]));
  } else {
    const start = lineStart + braces.index;
    report.raise('unquoted-braces', { text: braces[0] }, placeAt(source, lines, start, start + braces[0].length));
  }
}

/** A variable of Helm, Ansible or Camel. */
const TEMPLATE = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/;

/** An error of the parser, as its author would put it. */
interface Slip {
  readonly reason: string;
  readonly hint?: string;
  /** The offsets of its place, if it is not that of the parser. */
  readonly at?: readonly [number, number];
  /** Nothing else in the line can be the cause. */
  readonly sure?: true;
}

/** The line of an error. */
interface Scene {
  readonly text: string;
  readonly lines: LineCounter;
  readonly lineStart: number;
  readonly line: string;
}

const QUOTE_IT = 'Put the whole text in quotes.';

function slipOf({ code, message, pos }: YAMLError, document: Document.Parsed, scene: Scene): Slip | undefined {
  const [from] = pos;
  const { line, lineStart } = scene;
  const quote = /^Missing closing (["'])/.exec(message)?.[1];
  if (quote !== undefined) {
    const opened = openQuote(document, from);
    return { reason: `the quote ${quote} is not closed`, at: [opened, opened + 1], sure: true };
  }
  const bracket = /must be sufficiently indented and end with a (.)$/.exec(message)?.[1];
  if (bracket !== undefined) {
    const opened = openBracket(document, scene.text, from, bracket);
    if (opened === undefined) return undefined;
    return { reason: `the bracket ${scene.text[opened]} is not closed by ${bracket}`, at: [opened, opened + 1] };
  }
  const key = /^\s*(?:- )?([\w.-]+):(?=\S)(?!\/\/)/.exec(line);
  switch (code) {
    case 'TAB_AS_INDENT':
      return { reason: "a tab can't be part of an indent", hint: 'Write blanks.', sure: true };
    case 'BAD_INDENT':
      return /must start at the same column$/.test(message) ? indentSlip(scene) : undefined;
    case 'BLOCK_AS_IMPLICIT_KEY': {
      // The value in this line contains another colon, or a line below it is indented as if this line had no value.
      if (/:\s/.test(scene.text.slice(from, lineStart + line.length)))
        return { reason: 'text that contains a colon and a blank needs quotes', hint: QUOTE_IT };
      const above = /^\s*(?:- )?([^:]*):/.exec(line)?.[1] ?? 'the key';
      const column = line.search(/[^\s-]/) + 1;
      const reason = `${above} has a value in its line, but the next line is indented as a part of it`;
      return { reason, hint: `Begin the next line in column ${column}, as ${above} does.` };
    }
    case 'MULTILINE_IMPLICIT_KEY':
    case 'MISSING_CHAR': {
      if (!/^Implicit (?:map )?keys need/.test(message)) return undefined;
      if (key !== null)
        return {
          reason: `a blank is missing after the colon of ${key[1]}`,
          hint: `Write \`${key[1]}: \` and the value.`,
        };
      return { reason: 'this line is not a key with a colon', hint: 'Write `key: value`, or indent it below its key.' };
    }
    case 'BAD_SCALAR_START':
      return { reason: `text can't begin with ${scene.text[from]} without quotes`, hint: QUOTE_IT };
    case 'BAD_DQ_ESCAPE':
      return {
        reason: `${/\\.*/.exec(message)?.[0] ?? 'a backslash'} is not an escape in double quotes`,
        hint: 'Put the text in single quotes, in which a backslash is only a backslash.',
      };
    case 'UNEXPECTED_TOKEN':
      if (!/at node end$/.test(message)) return undefined;
      return (
        bracketsSlip(scene, from) ?? {
          reason: 'more text follows the end of a quoted text or of a bracket',
          hint: QUOTE_IT,
        }
      );
    case 'TAG_RESOLVE_FAILED':
      return {
        reason: `${/!\S*/.exec(line)?.[0] ?? 'a tag'} is not a known tag`,
        hint: 'Put text that begins with ! in quotes.',
      };
    default:
      return undefined;
  }
}

/** A type as others write lists, inside braces: `{ type: ORDER[] }`. */
function bracketsSlip({ text, lineStart }: Scene, from: number): Slip | undefined {
  const type = /[\w.()]+$/.exec(text.slice(lineStart, from))?.[0];
  if (type === undefined || !/^\[\d*\]/.test(text.slice(from))) return undefined;
  return {
    reason: `the brackets after ${type} begin a list of YAML`,
    hint: `Write list of ${type}, or quotes around text.`,
  };
}

/** A line that begins in a column in which no key above it begins. */
function indentSlip({ text, lines, lineStart, line }: Scene): Slip {
  const indent = line.search(/\S/);
  const above: string[] = [];
  let least = Number.POSITIVE_INFINITY;
  let number = lines.linePos(lineStart).line;
  for (const each of text.slice(0, lineStart).split('\n').toReversed().slice(1)) {
    number -= 1;
    const column = /^\s*#/.test(each) ? -1 : each.search(/\S/);
    if (column < 0 || column >= least) continue;
    least = column;
    above.push(`column ${column + 1} (${each.trim().split(':', 1)[0]}, line ${number})`);
    if (column === 0) break;
  }
  const here = lineStart + indent;
  return {
    reason: `this line begins in column ${indent + 1}, but the keys above it begin in ${above.join(' and ')}`,
    hint: 'Keys of one map begin in the same column.',
    at: [here, here + 1],
    sure: true,
  };
}

/** The offset of a bracket that is not closed before the end; the outermost. */
function openBracket(document: Document.Parsed, text: string, end: number, bracket: string): number | undefined {
  let opened: number | undefined;
  visit(document, {
    Collection: (_, { flow, range }) => {
      if (flow !== true || !range || range[0] > end || opened !== undefined) return;
      if (text[range[1] - 1] !== bracket || range[1] > end) opened = range[0];
    },
  });
  return opened;
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
