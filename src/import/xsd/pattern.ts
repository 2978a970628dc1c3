import { checkPattern, propertyRanges } from '../../wire/pattern.ts';
import { complement, PatternError, type Property, type Range } from '../../wire/pattern-syntax.ts';
import { BLOCKS, type Characters, NAME, NAME_START, NO_WORD, SPACE, WORD } from './characters.ts';

// Regular expressions of XML Schema 1.0 (Part 2, appendix F) as those of ECMA-262 with the flag `u`. Both match the whole
// value. Where the letters of the two dialects mean different sets (`\d`, `\w`, `.`), the set is written out.

/**
 * Translates a pattern.
 * @throws PatternError if it is not valid, uses a block that is unknown, or is larger than patterns in definitions may be
 */
export function ecmaPattern(source: string): string {
  const text = new PatternTranslator([...source]).all();
  checkPattern(text);
  return text;
}

/** Alternatives as one pattern. */
export function anyOf(patterns: readonly string[]): string {
  return [...new Set(patterns)].join('|');
}

/** The pattern of exactly one text. */
export function literalPattern(text: string): string {
  return [...text].map((each) => outside(each)).join('');
}

/** A class of characters. */
interface CharacterSet extends Characters {
  readonly negated: boolean;
}

const DEEPEST = 100;

class PatternTranslator {
  readonly #text: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  all(): string {
    const written = this.#branches();
    if (this.#at < this.#text.length) throw new PatternError('closes a group that it does not open');
    return written;
  }

  #branches(): string {
    let written = '';
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined || next === ')') return written;
      if (this.#take('|')) written += '|';
      else written += this.#atom() + this.#quantifier();
    }
  }

  #quantifier(): string {
    for (const each of ['?', '*', '+']) if (this.#take(each)) return each;
    if (!this.#take('{')) return '';
    const bounds = this.#until('}');
    if (!/^\d+(?:,\d*)?$/.test(bounds)) throw new PatternError(`has a quantifier {${bounds}}, which is not valid`);
    return `{${bounds}}`;
  }

  #atom(): string {
    const next = this.#next();
    switch (next) {
      case '(':
        return this.#group();
      case '[':
        return bracketed(this.#set());
      case '.':
        return '[^\\n\\r]';
      case '\\':
        return this.#escape();
      case '?':
      case '*':
      case '+':
        throw new PatternError(`has a quantifier "${next}" that follows nothing`);
      default:
        return outside(next);
    }
  }

  #group(): string {
    if (this.#text[this.#at] === '?') throw new PatternError('uses "(?", which XML Schema does not have');
    if (++this.#depth > DEEPEST) throw new PatternError(`nests more than ${DEEPEST} groups`);
    const inside = this.#branches();
    if (!this.#take(')')) throw new PatternError('does not close a group');
    this.#depth--;
    return `(${inside})`;
  }

  #escape(): string {
    const next = this.#next();
    const set = this.#named(next);
    if (set === undefined) return outside(escaped(next));
    return bracketed(set);
  }

  /** The set of a letter after a backslash; `undefined` for the escape of a single character. */
  #named(letter: string): CharacterSet | undefined {
    const negated = letter !== letter.toLowerCase();
    switch (letter.toLowerCase()) {
      case 'd':
        return property('Nd', negated);
      case 's':
        return ofRanges(SPACE, negated);
      case 'i':
        return { ...NAME_START, negated };
      case 'c':
        return { ...NAME, negated };
      case 'w':
        return { ...(negated ? NO_WORD : WORD), negated: false };
      case 'p':
        return this.#property(negated);
      default:
        return undefined;
    }
  }

  #property(negated: boolean): CharacterSet {
    if (!this.#take('{')) throw new PatternError('has a property without braces');
    const name = this.#until('}');
    if (!name.startsWith('Is')) {
      if (!/^[LMNPZSC][a-z]?$/.test(name)) throw new PatternError(`uses the unknown category "${name}"`);
      return property(name, negated);
    }
    const block = BLOCKS.get(name.slice(2));
    if (block === undefined) throw new PatternError(`uses the unknown block "${name}"`);
    return ofRanges(block, negated);
  }

  /** A class, after its bracket was read. */
  #set(): CharacterSet {
    if (++this.#depth > DEEPEST) throw new PatternError(`nests more than ${DEEPEST} groups`);
    const negated = this.#take('^');
    const parts: CharacterSet[] = [];
    for (;;) {
      const next = this.#next();
      if (next === ']') break;
      if (next === '[') throw new PatternError('has a bracket inside a class');
      if (next === '-' && this.#take('[')) {
        const without = this.#set();
        if (!this.#take(']')) throw new PatternError('does not end a class after a subtraction');
        this.#depth--;
        return subtracted(united(parts, negated), without);
      }
      parts.push(this.#member(next));
    }
    this.#depth--;
    if (parts.length === 0) throw new PatternError('has an empty class');
    return united(parts, negated);
  }

  #member(next: string): CharacterSet {
    const letter = next === '\\' ? this.#next() : undefined;
    const set = letter === undefined ? undefined : this.#named(letter);
    if (set !== undefined) return set;
    const from = codeOf(letter === undefined ? next : escaped(letter));
    const after = this.#text[this.#at + 1];
    if (this.#text[this.#at] !== '-' || after === ']' || after === '[') return ofRanges([[from, from]], false);
    this.#at++;
    const last = this.#next();
    const to = codeOf(last === '\\' ? escaped(this.#next()) : last);
    if (to < from) throw new PatternError('has a range whose ends are not in order');
    return ofRanges([[from, to]], false);
  }

  #next(): string {
    const next = this.#text[this.#at++];
    if (next === undefined) throw new PatternError('ends inside an expression');
    return next;
  }

  #take(wanted: string): boolean {
    if (this.#text[this.#at] !== wanted) return false;
    this.#at++;
    return true;
  }

  #until(end: string): string {
    let text = '';
    for (let next = this.#next(); next !== end; next = this.#next()) text += next;
    return text;
  }
}

function property(name: string, negated: boolean): CharacterSet {
  return { ranges: [], properties: [{ name, negated }], negated: false };
}

function ofRanges(ranges: readonly Range[], negated: boolean): CharacterSet {
  return { ranges, properties: [], negated };
}

/** The code points of a set. */
function allOf({ ranges, properties, negated }: CharacterSet): readonly Range[] {
  const all = [
    ...ranges,
    ...properties.flatMap(({ name, negated: not }) => (not ? complement(propertyRanges(name)) : propertyRanges(name))),
  ];
  return negated ? complement(all) : all;
}

function united(parts: readonly CharacterSet[], negated: boolean): CharacterSet {
  return {
    // Inside a class there is no sign for the rest of a set.
    ranges: parts.flatMap((each) => (each.negated ? allOf(each) : each.ranges)),
    properties: parts.flatMap((each) => (each.negated ? [] : each.properties)),
    negated,
  };
}

/** A set without another. Its properties are kept where they have none of the characters: `[\i-[:]]`. */
function subtracted(from: CharacterSet, without: CharacterSet): CharacterSet {
  const gone = allOf(without);
  const properties = { ranges: [], properties: from.properties, negated: false };
  if (from.negated || intersects(allOf(properties), gone)) return ofRanges(difference(allOf(from), gone), false);
  return { ...from, ranges: difference(from.ranges, gone) };
}

function difference(from: readonly Range[], without: readonly Range[]): readonly Range[] {
  return complement([...complement(from), ...without]);
}

function intersects(a: readonly Range[], b: readonly Range[]): boolean {
  return b.some(([from, to]) => a.some(([least, most]) => least <= to && from <= most));
}

function bracketed(set: CharacterSet): string {
  const { ranges, properties, negated } = set;
  const [only] = properties;
  if (only !== undefined && ranges.length === 0 && properties.length === 1 && !negated) return propertyText(only);
  // A class without members matches nothing, in both dialects.
  return `[${negated ? '^' : ''}${insideOf(set)}]`;
}

/** What is between the brackets of a class. */
export function insideOf({ ranges, properties }: Characters): string {
  return ranges.map(rangeText).join('') + properties.map(propertyText).join('');
}

function propertyText({ name, negated }: Property): string {
  return `\\${negated ? 'P' : 'p'}{${name}}`;
}

function codeOf(character: string): number {
  return character.codePointAt(0) as number;
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The character that a backslash and a character mean. Tools accept a backslash before any punctuation. */
function escaped(character: string): string {
  const control = CONTROLS[character];
  if (control !== undefined) return control;
  if (/[\p{L}\p{N}]/u.test(character)) throw new PatternError(`uses the unknown escape "\\${character}"`);
  return character;
}

/** A character outside of a class, as ECMA-262 writes it. */
function outside(character: string): string {
  return /[\^$\\.*+?()[\]{}|]/.test(character) ? `\\${character}` : plain(character);
}

function rangeText([from, to]: Range): string {
  if (from === to) return member(from);
  return `${member(from)}${to === from + 1 ? '' : '-'}${member(to)}`;
}

function member(code: number): string {
  const character = String.fromCodePoint(code);
  return /[\\\]^[-]/.test(character) ? `\\${character}` : plain(character);
}

/** Readable characters as they are, others by their numbers. */
function plain(character: string): string {
  const code = codeOf(character);
  const letter = WRITTEN[character];
  if (letter !== undefined) return letter;
  if (code >= 0x20 && code < 0x7f) return character;
  if (/[\p{L}\p{N}\p{P}\p{Sc}]/u.test(character) && code < 0x370) return character;
  return `\\u{${code.toString(16).toUpperCase()}}`;
}

const WRITTEN: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
