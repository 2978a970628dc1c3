import { Document, isMap, isPair, isScalar, isSeq, type Node, Scalar } from 'yaml';
import { type Declared, type DeclaredMap, type DeclaredValue, isMapValue } from './declare/declared.ts';

/** Longest map or list that is written on one line, in characters. */
const LINE = 100;

/** Most members of a map inside a map that is written on one line. */
const MEMBERS = 4;

/** Characters of the braces around a map, and of the indentation of a field. */
const BRACES = 4;
const INDENT = 4;

/** Keys whose map is always written over several lines at the top of a definition. */
const BLOCKS: ReadonlySet<string> = new Set(['fields', 'one-of', 'operations']);

/** A definition as a YAML document, laid out as a person would: short maps are on one line. */
export function yamlOf({ kind, id, keys }: Declared): Document {
  const document = new Document({ [kind]: id, ...keys }, { aliasDuplicateObjects: false });
  const { contents } = document;
  layOut(contents, 0);
  if (isMap(contents)) {
    contents.flow = false;
    for (const { key, value } of contents.items) {
      if (isScalar(key) && BLOCKS.has(String(key.value)) && isMap(value) && value.items.length > 0) value.flow = false;
    }
  }
  return document;
}

/** A value as a YAML node, laid out likewise. */
export function nodeOf(value: DeclaredValue): Node {
  const node = new Document(value as DeclaredMap, { aliasDuplicateObjects: false }).contents as Node;
  layOut(node, INDENT);
  return node;
}

/** The text of a file with these documents. */
export function yamlText(documents: readonly (Document | Declared)[]): string {
  return documents.map((each) => ('kind' in each ? declaredText(each) : documentText(each))).join('---\n');
}

function documentText(document: Document): string {
  return document.toString({ lineWidth: 0 }).replace(/^---\n/, '');
}

/** Texts of definitions: what `check` judged is written afterwards. */
const TEXTS = new WeakMap<DeclaredMap, { readonly head: string; readonly text: string }>();

/** A definition as {@link yamlOf} writes it. Nearly all consist of texts that need no rules, and are written in a fraction of the time. */
function declaredText(declared: Declared): string {
  const { kind, id, keys } = declared;
  const head = `${kind} ${id}`;
  const known = TEXTS.get(keys);
  if (known?.head === head) return known.text;
  const lines = Object.entries({ [kind]: id, ...keys }).map(([key, value]) => {
    const isBlock = BLOCKS.has(key) && isMapValue(value) && Object.keys(value).length > 0;
    return pairText(key, value, 0, isBlock);
  });
  const text = lines.join('');
  TEXTS.set(keys, { head, text });
  return text;
}

/** A member of a map over several lines. @param depth spaces before it */
function pairText(key: string, value: DeclaredValue, depth: number, isBlock = false): string {
  return easyPairText(key, value, depth, isBlock) ?? printedPairText(key, value, depth);
}

/** The same by the YAML package, in a map of its own below another, since texts differ at the top. */
function printedPairText(key: string, value: DeclaredValue, depth: number): string {
  const isTop = depth === 0;
  const map = { [key]: value };
  const document = new Document(isTop ? map : { _: map }, { aliasDuplicateObjects: false });
  const inner: unknown = isTop ? document.contents : document.get('_');
  layOut(document.contents, depth - (isTop ? 0 : 2));
  for (const each of [document.contents, inner]) if (isMap(each)) each.flow = false;
  const text = documentText(document);
  if (isTop) return text;
  const below = text.slice(text.indexOf('\n') + 1);
  return below.replace(/^(?=[^\n])/gm, ' '.repeat(depth - 2));
}

/** `undefined` when it has a text that is not easy. */
function easyPairText(key: string, value: DeclaredValue, depth: number, isBlock: boolean): string | undefined {
  const start = `${' '.repeat(depth)}${key}:`;
  if (!EASY_BLOCK_KEY.test(key)) return undefined;
  if (typeof value === 'string' && value.includes('\n')) return literalText(start, value, ' '.repeat(depth + 2));
  if (typeof value !== 'object' || (!isBlock && widthOf(value, depth + 2) !== Number.POSITIVE_INFINITY)) {
    const text = lineText(value, false);
    return text === undefined ? undefined : `${start} ${text}\n`;
  }
  if (isMapValue(value)) {
    const members = Object.entries(value).map(([name, each]) => pairText(name, each, depth + 2));
    return `${start}\n${members.join('')}`;
  }
  const items = (value as readonly DeclaredValue[]).map((each) => itemText(each, depth + 2));
  return items.includes(undefined) ? undefined : `${start}\n${items.join('')}`;
}

/** A single value in a list over several lines. */
function itemText(value: DeclaredValue, depth: number): string | undefined {
  const isSingle = typeof value !== 'object' && !String(value).includes('\n');
  const text = isSingle ? lineText(value, false) : undefined;
  return text === undefined ? undefined : `${' '.repeat(depth)}- ${text}\n`;
}

/**
 * Keys that YAML takes for the texts that they are, without quotes: inside of a map on one line, and elsewhere. Those beyond 1,024
 * characters have a form of their own.
 */
const EASY_KEY = /^(?!(?:null|true|false)$)[A-Za-z_][\w.%/+-]{0,1000}$/i;
const EASY_BLOCK_KEY = /^(?!(?:null|true|false)$)[A-Za-z_][\w.%/+[\]-]{0,1000}$/i;

/** Characters that are seen, as a class of a regular expression: none that YAML escapes, and no white space beyond ASCII. */
const SEEN = String.raw`\x21-\x7e\xa1-\u167f\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\ue000-\ufdff`;
const LITERAL_LINE = new RegExp(`^(?:[${SEEN}](?:[ \\t${SEEN}]*[${SEEN}])?)?$`);
const ONE_LINE = new RegExp(`^(?!%|---|\\.\\.\\.)[ ${SEEN}]+$`);

/** A text that means something else without quotes, by how it begins or ends or by a mark within. */
const MARKED = /^[ ,[\]{}#&*!|>'"%@`]|^[?-](?: |$)|: | #|[ :]$/;
const MARKED_INSIDE = /[[\]{},]/;

/** A text that is a value of another type without quotes (YAML 1.2, section 10.3.2). */
const TYPED =
  /^(?:~|[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.(?:inf|Inf|INF)|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)|\.(?:nan|NaN|NAN))$/;

/** A text on one line; `undefined` for one that is not easy. */
function scalarText(value: string, isInside: boolean): string | undefined {
  if (value === '') return '""';
  if (!ONE_LINE.test(value)) return undefined;
  if (!MARKED.test(value) && !(isInside && MARKED_INSIDE.test(value)) && !TYPED.test(value)) return value;
  if (!/["\\]/.test(value)) return `"${value}"`;
  return value.includes('"') && !value.includes("'") ? `'${value}'` : undefined;
}

function lineText(value: DeclaredValue, isInside: boolean): string | undefined {
  if (typeof value === 'string') return scalarText(value, isInside);
  if (typeof value !== 'object')
    return typeof value === 'boolean' || (Number.isSafeInteger(value) && !Object.is(value, -0))
      ? String(value)
      : undefined;
  if (!isMapValue(value)) {
    const items = (value as readonly DeclaredValue[]).map((each) => lineText(each, true));
    return items.includes(undefined) || items.length === 0 ? undefined : `[ ${items.join(', ')} ]`;
  }
  const members = Object.entries(value).map(([key, each]) => {
    const text = EASY_KEY.test(key) ? lineText(each, true) : undefined;
    return text === undefined ? undefined : `${key}: ${text}`;
  });
  if (members.length === 0) return '{}';
  return members.includes(undefined) ? undefined : `{ ${members.join(', ')} }`;
}

/** A text of several lines, as a literal block. */
function literalText(start: string, value: string, indent: string): string | undefined {
  const lines = value.split('\n');
  if (lines[0] === '' || lines.at(-1) === '' || lines.some((line) => !LITERAL_LINE.test(line))) return undefined;
  return `${start} |-\n${lines.map((line) => (line === '' ? '' : indent + line)).join('\n')}\n`;
}

/** The width of a value on one line, as {@link layOut} counts it; infinite when it has several. */
function widthOf(value: DeclaredValue, indent: number): number {
  if (typeof value !== 'object')
    return String(value).includes('\n') ? Number.POSITIVE_INFINITY : String(value).length + 2;
  let width = BRACES;
  let isCrowded = false;
  if (isMapValue(value)) {
    for (const [key, each] of Object.entries(value)) {
      width += 2 + key.length + 2 + widthOf(each, indent + 2);
      isCrowded ||= isMapValue(each) && Object.keys(each).length > MEMBERS;
    }
  } else for (const each of value as readonly DeclaredValue[]) width += 2 + widthOf(each, indent + 2);
  return width + indent <= LINE && !isCrowded ? width : Number.POSITIVE_INFINITY;
}

/** Sets whether maps and lists are on one line. @returns the width of the node on one line; infinite when it has several */
function layOut(node: unknown, indent: number): number {
  if (isScalar(node)) {
    if (typeof node.value !== 'string' || !node.value.includes('\n')) return String(node.value).length + 2;
    node.type = Scalar.BLOCK_LITERAL;
    return Number.POSITIVE_INFINITY;
  }
  if (!isMap(node) && !isSeq(node)) return 0;
  let width = BRACES;
  for (const item of node.items as readonly unknown[]) {
    width +=
      2 + (isPair(item) ? String(item.key).length + 2 + layOut(item.value, indent + 2) : layOut(item, indent + 2));
  }
  const isCrowded = isMap(node) && node.items.some(({ value }) => isMap(value) && value.items.length > MEMBERS);
  node.flow = width + indent <= LINE && !isCrowded;
  return node.flow ? width : Number.POSITIVE_INFINITY;
}
