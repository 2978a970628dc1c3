import { Document, isMap, isPair, isScalar, isSeq, type Node, Scalar } from 'yaml';
import type { Declared, DeclaredMap, DeclaredValue } from './declare/declared.ts';

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

function declaredText(declared: Declared): string {
  const { kind, id, keys } = declared;
  const head = `${kind} ${id}`;
  const known = TEXTS.get(keys);
  if (known?.head === head) return known.text;
  const text = documentText(yamlOf(declared));
  TEXTS.set(keys, { head, text });
  return text;
}

/** Sets whether maps and lists are on one line. @returns the width of the node on one line; infinite when it has several */
function layOut(node: unknown, indent: number): number {
  if (isScalar(node)) {
    if (typeof node.value !== 'string' || !node.value.includes('\n')) return String(node.value).length + 2;
    // Blanks at the ends of lines do not survive in a block, or can't be seen there.
    node.type = /^\s|[^\S\n](?:\n|$)|[^\n\P{C}]/u.test(node.value) ? Scalar.QUOTE_DOUBLE : Scalar.BLOCK_LITERAL;
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
