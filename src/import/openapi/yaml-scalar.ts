/** Ends the reading of a text that the package `yaml` has to read. Made once, because a stack is not needed. */
export const UNUSUAL = new Error('YAML of a rare form');

const INTEGER = /^[-+]?[0-9]+$/;
const REAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Forms of numbers that are rare: octal, hexadecimal, infinite, not a number. */
const RARE = /^(?:0[ox]|[-+]?\.(?:inf|nan)$)/i;

const WORDS = new Map<string, boolean | null>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);

/** The value of a text without quotes, by YAML's core schema (10.3.2). */
export function plainValue(text: string): string | number | boolean | null {
  const first = text.charCodeAt(0);
  if (first > 0x39 || Number.isNaN(first)) {
    const word = text.length <= 5 ? WORDS.get(text) : undefined;
    return word === undefined ? text : word;
  }
  if (INTEGER.test(text)) return Number.parseInt(text, 10);
  if (REAL.test(text)) return Number.parseFloat(text);
  if (RARE.test(text)) throw UNUSUAL;
  return text;
}

/** The text between single quotes. */
export function singleQuoted(inside: string): string {
  return foldedFlow(inside).replaceAll("''", "'");
}

/** The text between double quotes. */
export function doubleQuoted(inside: string): string {
  if (!inside.includes('\\')) return foldedFlow(inside);
  if (!inside.includes('\n')) return inside.replace(ESCAPE, unescaped);
  // Blanks that are escaped in front of a line break are rare, and readers differ on empty lines behind one that is escaped.
  if (/\\[ \t]+\n|\\\n[ \t]*\n|\ue000/.test(inside)) throw UNUSUAL;
  // A line break that is escaped joins lines, and what is in front of it stays (7.3.1).
  const marked = inside.replace(ESCAPED_BREAK, (written) => (written[1] === '\n' ? '\ue000' : written));
  return foldedFlow(marked).replaceAll('\ue000', '').replace(ESCAPE, unescaped);
}

const ESCAPED_BREAK = /\\(?:\n[ \t]*|[^\n])/g;
const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([\s\S]))/g;

const ESCAPES: Readonly<Record<string, string | undefined>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  '\t': '\t',
};

function unescaped(_: string, two?: string, four?: string, eight?: string, other?: string): string {
  const digits = two ?? four ?? eight;
  const code = digits === undefined ? undefined : Number.parseInt(digits, 16);
  if (code !== undefined && code <= 0x10ffff) return String.fromCodePoint(code);
  const found = other === undefined ? undefined : ESCAPES[other];
  if (found === undefined) throw UNUSUAL;
  return found;
}

/** Lines of a text outside of a block as one: a line break is a space, and n empty lines are n line feeds (6.5). */
export function foldedFlow(text: string): string {
  if (!text.includes('\n')) return text;
  return text.replace(/[ \t]*\n[ \t]*((?:\n[ \t]*)*)/g, (_, blank: string) =>
    blank === '' ? ' ' : blank.replace(/[ \t]/g, ''),
  );
}

/** How a block text is written: `|`, `>-`, `|2+`. */
export interface BlockHeader {
  readonly isFolded: boolean;
  readonly chomp: '' | '-' | '+';
  /** Columns that its lines are further in; `undefined` when its first line says so. */
  readonly indent: number | undefined;
  /** Characters of the header. */
  readonly length: number;
}

const HEADER = /([|>])(?:([1-9])([-+])?|([-+])([1-9])?)?(?=[ ]*(?:\n|$)|[ ]+#)/y;

export function blockHeader(text: string, from: number): BlockHeader {
  HEADER.lastIndex = from;
  const found = HEADER.exec(text);
  if (found === null) throw UNUSUAL;
  const digit = found[2] ?? found[5];
  return {
    isFolded: found[1] === '>',
    chomp: (found[3] ?? found[4] ?? '') as BlockHeader['chomp'],
    indent: digit === undefined ? undefined : Number(digit),
    length: found[0].length,
  };
}

/** The lines of a block as its text. @param lines without their indentation, the last one followed by a line feed */
export function blockText(lines: readonly string[], { isFolded, chomp }: BlockHeader): string {
  let filled = lines.length;
  while (filled > 0 && lines[filled - 1] === '') filled -= 1;
  const content = lines.slice(0, filled);
  const text = isFolded ? foldedBlock(content) : content.join('\n');
  if (chomp === '-') return text;
  if (chomp === '') return filled === 0 ? '' : `${text}\n`;
  return `${text}${'\n'.repeat(lines.length - filled + (filled === 0 ? 0 : 1))}`;
}

/**
 * Lines as one: a line break is a space, and n empty lines are n line feeds. Around lines that are further in, breaks stay
 * (8.1.3).
 */
function foldedBlock(lines: readonly string[]): string {
  let text = '';
  let empty = 0;
  let isFirst = true;
  let wasFurther = false;
  for (const line of lines) {
    if (line === '') {
      empty += 1;
      continue;
    }
    const isFurther = line.startsWith(' ') || line.startsWith('\t');
    const breaks = !isFirst && (isFurther || wasFurther) ? empty + 1 : empty;
    text += breaks === 0 && !isFirst ? ' ' : '\n'.repeat(breaks);
    text += line;
    empty = 0;
    isFirst = false;
    wasFurther = isFurther;
  }
  return text;
}
