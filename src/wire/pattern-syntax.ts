// Regular expressions of ECMA-262 (section 22.2, with the flag u), without the constructs that no linear-time engine
// supports.

/** A pattern as a tree. Groups are dropped, since their matches are not used. */
export type PatternNode =
  | CharacterClass
  | { readonly kind: 'assertion'; readonly at: 'start' | 'end' | 'word edge' | 'no word edge' }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly item: PatternNode; readonly least: number; readonly most: number };

/** One character: any in the ranges and properties, or if negated any other. */
export interface CharacterClass {
  readonly kind: 'class';
  readonly negated: boolean;
  readonly ranges: readonly Range[];
  readonly properties: readonly Property[];
}

/** Code points from and to, both included. */
export type Range = readonly [number, number];

/** `\p{name}`, or `\P{name}`. */
export interface Property {
  readonly name: string;
  readonly negated: boolean;
}

/** Why a pattern is rejected. The message is a clause whose subject is the pattern: `refers back to a group`. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

/** Deepest nesting of groups. */
const DEEPEST = 100;
const HIGHEST = 0x10ffff;

const digits: readonly Range[] = [[0x30, 0x39]];
const word: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** WhiteSpace and LineTerminator. */
const space: readonly Range[] = [
  [0x9, 0xd],
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
const controls: Readonly<Record<string, number>> = { n: 0xa, r: 0xd, t: 0x9, v: 0xb, f: 0xc, 0: 0x0 };

/**
 * Parses a pattern. The tree describes only which texts match: whether a repetition is lazy is dropped.
 * @throws PatternError if it is not valid, or uses constructs without a time bound
 */
export function readPattern(source: string): PatternNode {
  try {
    new RegExp(source, 'u');
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: \/.*\/u?: /s, '');
    throw new PatternError(`is not a regular expression: ${reason.toLowerCase()}`);
  }
  return new PatternReader([...source]).all();
}

/** The code points that are in none of the ranges. */
export function complement(ranges: readonly Range[]): Range[] {
  const found: Range[] = [];
  let next = 0;
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from > next) found.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= HIGHEST) found.push([next, HIGHEST]);
  return found;
}

/** Parses a pattern that V8 has accepted, so it checks only for the constructs that are not supported here. */
class PatternReader {
  private readonly text: readonly string[];
  private at = 0;
  private depth = 0;

  constructor(text: readonly string[]) {
    this.text = text;
  }

  all(): PatternNode {
    return this.choice();
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
    this.take('?');
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
    if (this.take('.')) return oneOf(lineEnds, true);
    if (this.take('^')) return { kind: 'assertion', at: 'start' };
    if (this.take('$')) return { kind: 'assertion', at: 'end' };
    if (this.take('\\')) return this.escape();
    return character(this.next());
  }

  private group(): PatternNode {
    if (this.take('?')) {
      if (this.take('=') || this.take('!')) throw lookAround();
      if (this.take('<')) {
        if (this.take('=') || this.take('!')) throw lookAround();
        this.until('>');
      } else if (!this.take(':')) throw new PatternError('sets flags inside');
    }
    if (++this.depth > DEEPEST) throw new PatternError(`nests more than ${DEEPEST} groups`);
    const node = this.choice();
    this.depth--;
    this.take(')');
    return node;
  }

  private escape(): PatternNode {
    const next = this.next();
    if (next === 'b') return { kind: 'assertion', at: 'word edge' };
    if (next === 'B') return { kind: 'assertion', at: 'no word edge' };
    if (next === 'k' || /[1-9]/.test(next)) throw new PatternError('refers back to a group');
    const set = sets[next.toLowerCase()];
    if (set !== undefined) return oneOf(set, next !== next.toLowerCase());
    if (next === 'p' || next === 'P')
      return {
        kind: 'class',
        negated: next === 'P',
        ranges: [],
        properties: [{ name: this.property(), negated: false }],
      };
    return character(this.escaped(next));
  }

  private property(): string {
    this.take('{');
    return this.until('}');
  }

  /** The code point that `\` and the character after it represent. */
  private escaped(next: string): number {
    const control = controls[next];
    if (control !== undefined) return control;
    if (next === 'c') return this.next().charCodeAt(0) % 32;
    if (next === 'x') return this.hexadecimal(2);
    if (next !== 'u') return next.codePointAt(0) as number;
    if (this.take('{')) return Number.parseInt(this.until('}'), 16);
    const high = this.hexadecimal(4);
    const isPair = high >= 0xd800 && high <= 0xdbff && this.text[this.at] === '\\' && this.text[this.at + 1] === 'u';
    if (!isPair || this.text[this.at + 2] === '{') return high;
    const start = this.at;
    this.at += 2;
    const low = this.hexadecimal(4);
    if (low >= 0xdc00 && low <= 0xdfff) return (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000;
    this.at = start;
    return high;
  }

  private hexadecimal(digits: number): number {
    let text = '';
    while (text.length < digits) text += this.next();
    return Number.parseInt(text, 16);
  }

  private characterClass(): PatternNode {
    const negated = this.take('^');
    const ranges: Range[] = [];
    const properties: Property[] = [];
    while (!this.take(']')) {
      const first = this.member();
      if (typeof first !== 'number') {
        if ('name' in first) properties.push(first);
        else ranges.push(...first);
      } else if (this.text[this.at] === '-' && this.text[this.at + 1] !== ']') {
        this.at++;
        ranges.push([first, this.member() as number]);
      } else ranges.push([first, first]);
    }
    return { kind: 'class', negated, ranges, properties };
  }

  private member(): number | readonly Range[] | Property {
    const next = this.next();
    if (next !== '\\') return next.codePointAt(0) as number;
    const escaped = this.next();
    if (escaped === 'b') return 0x8;
    if (escaped === 'p' || escaped === 'P') return { name: this.property(), negated: escaped === 'P' };
    const set = sets[escaped.toLowerCase()];
    if (set === undefined) return this.escaped(escaped);
    return escaped === escaped.toLowerCase() ? set : complement(set);
  }

  private next(): string {
    return this.text[this.at++] as string;
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

const lookAround = (): PatternError => new PatternError('looks ahead or behind');

function oneOf(ranges: readonly Range[], negated: boolean): PatternNode {
  return { kind: 'class', negated, ranges, properties: [] };
}

function character(given: string | number): PatternNode {
  const code = typeof given === 'number' ? given : (given.codePointAt(0) as number);
  return oneOf([[code, code]], false);
}
