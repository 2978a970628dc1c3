import type { CharacterClass, PatternNode, Range } from '../../wire/pattern-syntax.ts';

/**
 * The pattern in the dialect of XML Schema (Part 2, appendix F), where the whole value must match by definition. Undefined
 * where that has no such thing: word boundaries, inner anchors, scripts, characters that no XML document can hold.
 */
export function xsdPattern(node: PatternNode): string | undefined {
  const text = write(node);
  return text.includes(UNTOLD) ? undefined : text;
}

/** Stands for what can't be told: a character that no schema holds. */
const UNTOLD = '\0';

function write(node: PatternNode): string {
  switch (node.kind) {
    case 'class':
      return writeClass(node);
    case 'assertion':
      return UNTOLD;
    case 'sequence':
      return node.items.map((item) => (item.kind === 'choice' ? `(${write(item)})` : write(item))).join('');
    case 'choice':
      return node.items.map(write).join('|');
    case 'repeat':
      return `${node.item.kind === 'class' ? write(node.item) : `(${write(node.item)})`}${quantifier(node.least, node.most)}`;
  }
}

/** Production Char of XML 1.0. */
const xmlCharacters: readonly Range[] = [
  [0x9, 0xa],
  [0xd, 0xd],
  [0x20, 0xd7ff],
  [0xe000, 0xfffd],
  [0x10000, 0x10ffff],
];
/** General categories have the same one- and two-letter names in both dialects; the others differ. */
const CATEGORY = /^(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/;

function writeClass({ negated, ranges: all, properties }: CharacterClass): string {
  const ranges = all.flatMap(([from, to]) =>
    xmlCharacters
      .map(([first, last]): Range => [Math.max(from, first), Math.min(to, last)])
      .filter(([first, last]) => first <= last),
  );
  if (ranges.length + properties.length === 0 || properties.some(({ name }) => !CATEGORY.test(name))) return UNTOLD;
  const [range] = ranges;
  const [property] = properties;
  if (ranges.length === 0 && property !== undefined && properties.length === 1)
    return `\\${property.negated === negated ? 'p' : 'P'}{${property.name}}`;
  if (!negated && properties.length === 0 && ranges.length === 1 && range !== undefined && range[0] === range[1])
    return escaped(range[0]);
  const members = [
    ...ranges.map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)),
    ...properties.map(({ name, negated: not }) => `\\${not ? 'P' : 'p'}{${name}}`),
  ];
  return `[${negated ? '^' : ''}${members.join('')}]`;
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
