/**
 * Regular expressions of the definitions (ECMA-262, `u` flag) in the part that XML Schema has too (XML Schema Part 2,
 * appendix F): read into a tree, from which come the XSD's `pattern` facet and a text that matches.
 */
export type PatternNode =
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly Range[]; readonly category?: string }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number };

/** Code points from and to, both included. */
type Range = readonly [number, number];

/** Raised inside the reader where the two dialects part. */
class Unsupported extends Error {}

/**
 * Reads a pattern that the whole value must match. Undefined where XML Schema has no such thing: look-around,
 * back-references, word boundaries, inner anchors, scripts, and classes that mix in a negated one.
 */
export function readPattern(source: string): PatternNode | undefined {
  try {
    const reader = new PatternReader([...unanchored(source)]);
    return reader.all();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** A first `^` and a last `$` say nothing where the whole value must match. */
function unanchored(source: string): string {
  const start = source.startsWith('^') ? 1 : 0;
  const end = /(?<!\\)(?:\\\\)*\$$/.test(source) ? source.length - 1 : source.length;
  return source.slice(start, end);
}

const digits: readonly Range[] = [[0x30, 0x39]];
const word: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** WhiteSpace and LineTerminator of ECMA-262; form feed and vertical tab can't stand in XML. */
const space: readonly Range[] = [
  [0x9, 0xa],
  [0xd, 0xd],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const lineEnds: readonly Range[] = [
  [0xa, 0xa],
  [0xd, 0xd],
  [0x2028, 0x2029],
];
const sets: Readonly<Record<string, readonly Range[]>> = { d: digits, w: word, s: space };
const controls: Readonly<Record<string, number>> = { n: 0xa, r: 0xd, t: 0x9 };

/** What `\` may stand before, with the `u` flag, to mean the character itself. */
const plainEscapes = '^$\\.*+?()[]{}|/-';

class PatternReader {
  private readonly text: readonly string[];
  private at = 0;

  constructor(text: readonly string[]) {
    this.text = text;
  }

  all(): PatternNode {
    const node = this.choice();
    if (this.at < this.text.length) throw new Unsupported();
    return node;
  }

  private choice(): PatternNode {
    const items = [this.sequence()];
    while (this.take('|')) items.push(this.sequence());
    return items.length === 1 ? (items[0] as PatternNode) : { kind: 'choice', items };
  }

  private sequence(): PatternNode {
    const items: PatternNode[] = [];
    for (let next = this.text[this.at]; next !== undefined && next !== '|' && next !== ')'; next = this.text[this.at]) {
      items.push(this.repeated());
    }
    return { kind: 'sequence', items };
  }

  private repeated(): PatternNode {
    const item = this.atom();
    const bounds = this.quantifier();
    if (bounds === undefined) return item;
    this.take('?'); // Lazy or not is the same where the whole value must match.
    return { kind: 'repeat', item, least: bounds[0], most: bounds[1] };
  }

  private quantifier(): Range | undefined {
    if (this.take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.take('?')) return [0, 1];
    if (!this.take('{')) return undefined;
    const [least = '', most] = this.until('}').split(',');
    return [Number(least), most === undefined ? Number(least) : most === '' ? Number.POSITIVE_INFINITY : Number(most)];
  }

  private atom(): PatternNode {
    if (this.take('(')) return this.group();
    if (this.take('[')) return this.characterClass();
    if (this.take('.')) return { kind: 'class', negated: true, ranges: lineEnds };
    if (this.take('\\')) return this.escape();
    const next = this.next();
    if ('^$*+?{}'.includes(next)) throw new Unsupported();
    return character(next.codePointAt(0) as number);
  }

  private group(): PatternNode {
    if (this.take('?')) {
      if (this.take('<')) {
        if (this.text[this.at] === '=' || this.text[this.at] === '!') throw new Unsupported();
        this.until('>');
      } else if (!this.take(':')) throw new Unsupported();
    }
    const node = this.choice();
    if (!this.take(')')) throw new Unsupported();
    return node;
  }

  private escape(): PatternNode {
    const next = this.next();
    const set = sets[next.toLowerCase()];
    if (set !== undefined) return { kind: 'class', negated: next !== next.toLowerCase(), ranges: set };
    if (next === 'p' || next === 'P')
      return { kind: 'class', negated: next === 'P', ranges: [], category: this.category() };
    return character(this.escaped(next));
  }

  private category(): string {
    if (!this.take('{')) throw new Unsupported();
    const name = this.until('}');
    // General categories have the same one- and two-letter names in both dialects; the others differ.
    if (!/^(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|Z[slp]?|S[mcko]?|C[cfon]?)$/.test(name)) throw new Unsupported();
    return name;
  }

  private escaped(next: string): number {
    const control = controls[next];
    if (control !== undefined) return control;
    if (next === 'x') return Number.parseInt(this.next() + this.next(), 16);
    if (next === 'u' && this.take('{')) return Number.parseInt(this.until('}'), 16);
    if (next === 'u') return Number.parseInt(this.next() + this.next() + this.next() + this.next(), 16);
    if (!plainEscapes.includes(next)) throw new Unsupported();
    return next.codePointAt(0) as number;
  }

  private characterClass(): PatternNode {
    const negated = this.take('^');
    const ranges: Range[] = [];
    while (!this.take(']')) {
      const first = this.member();
      if (typeof first !== 'number') {
        ranges.push(...first);
      } else if (this.text[this.at] === '-' && this.text[this.at + 1] !== ']') {
        this.at++;
        const last = this.member();
        if (typeof last !== 'number') throw new Unsupported();
        ranges.push([first, last]);
      } else ranges.push([first, first]);
    }
    if (ranges.length === 0) throw new Unsupported();
    return { kind: 'class', negated, ranges };
  }

  private member(): number | readonly Range[] {
    const next = this.next();
    if (next !== '\\') return next.codePointAt(0) as number;
    const escaped = this.next();
    return sets[escaped] ?? this.escaped(escaped);
  }

  private next(): string {
    const next = this.text[this.at++];
    if (next === undefined) throw new Unsupported();
    return next;
  }

  private take(wanted: string): boolean {
    if (this.text[this.at] !== wanted) return false;
    this.at++;
    return true;
  }

  private until(end: string): string {
    let text = '';
    for (let next = this.next(); next !== end; next = this.next()) text += next;
    return text;
  }
}

function character(code: number): PatternNode {
  return { kind: 'class', negated: false, ranges: [[code, code]] };
}
