import type { PatternNode } from './pattern.ts';

/**
 * The pattern in the dialect of XML Schema (Part 2, appendix F), where the whole value must match by definition. Undefined
 * where it names a character that no XML document can hold.
 */
export function xsdPattern(node: PatternNode): string | undefined {
  const text = write(node);
  return /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text) ? undefined : text;
}

function write(node: PatternNode): string {
  switch (node.kind) {
    case 'class':
      return writeClass(node);
    case 'sequence':
      return node.items.map((item) => (item.kind === 'choice' ? `(${write(item)})` : write(item))).join('');
    case 'choice':
      return node.items.map(write).join('|');
    case 'repeat':
      return `${node.item.kind === 'class' ? write(node.item) : `(${write(node.item)})`}${quantifier(node.least, node.most)}`;
  }
}

function writeClass(node: Extract<PatternNode, { kind: 'class' }>): string {
  if (node.category !== undefined) return `\\${node.negated ? 'P' : 'p'}{${node.category}}`;
  const [only, ...others] = node.ranges;
  if (!node.negated && others.length === 0 && only !== undefined && only[0] === only[1]) return escaped(only[0]);
  const ranges = node.ranges.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`));
  return `[${node.negated ? '^' : ''}${ranges.join('')}]`;
}

/** SingleCharEsc of appendix F: all of these may be escaped inside and outside a class. */
function escaped(code: number): string {
  const control = { 9: '\\t', 10: '\\n', 13: '\\r' }[code];
  if (control !== undefined) return control;
  const text = String.fromCodePoint(code);
  return '\\|.?*+(){}-[]^'.includes(text) ? `\\${text}` : text;
}

function quantifier(least: number, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  if (least === 0 && most === 1) return '?';
  return least === most ? `{${least}}` : `{${least},${most}}`;
}

/** A text that matches, as short as the pattern allows but with `length` characters where a repetition can give them. */
export function samplePattern(node: PatternNode, length = 0): string {
  switch (node.kind) {
    case 'class':
      return sampleClass(node);
    case 'choice':
      return samplePattern(node.items[0] as PatternNode, length);
    case 'sequence':
      return sampleSequence(node.items, length);
    case 'repeat': {
      const one = samplePattern(node.item);
      const wanted = one.length === 0 ? node.least : Math.ceil(length / one.length);
      return one.repeat(Math.min(Math.max(node.least, wanted), node.most));
    }
  }
}

/** What can grow fills up what the others leave, the first such part first. */
function sampleSequence(items: readonly PatternNode[], length: number): string {
  const texts = items.map((item) => samplePattern(item));
  let missing = length - texts.join('').length;
  for (const [index, item] of items.entries()) {
    if (missing <= 0) break;
    const short = texts[index] as string;
    const grown = samplePattern(item, short.length + missing);
    texts[index] = grown;
    missing -= grown.length - short.length;
  }
  return texts.join('');
}

/** Letters and digits before anything else. */
const candidates = [...'A1a-_ .,:/@', 'é', '€'];

function sampleClass(node: Extract<PatternNode, { kind: 'class' }>): string {
  if (node.category !== undefined) {
    const test = new RegExp(`\\${node.negated ? 'P' : 'p'}{${node.category}}`, 'u');
    return candidates.find((candidate) => test.test(candidate)) ?? '';
  }
  const holds = (candidate: string): boolean => {
    const code = candidate.codePointAt(0) as number;
    return node.ranges.some(([from, to]) => code >= from && code <= to) !== node.negated;
  };
  const found = candidates.find(holds);
  if (found !== undefined) return found;
  return node.negated ? '' : String.fromCodePoint((node.ranges[0] as readonly [number, number])[0]);
}
