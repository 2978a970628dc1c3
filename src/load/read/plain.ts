import { createLines, isWithin, type Lines, type Places, type SourceText, type Stretch } from './places.ts';
import { readEscapes, resolvePlain, tableOf, UNUSUAL } from './scalar.ts';

/** A value of a tree. Maps have no prototype, so every key is just a key. */
export type TreeValue = string | number | boolean | null | TreeValue[] | TreeMap;
export interface TreeMap {
  [key: string]: TreeValue;
}

export function isTreeMap(value: TreeValue | undefined): value is TreeMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The contents of a file in plain YAML. */
interface PlainFile {
  readonly lines: Lines;
  /** One for each part that has contents. */
  readonly roots: readonly { readonly value: TreeValue; readonly whole: Stretch }[];
}

/**
 * Reads a file that is written in the part of YAML that most definitions use: maps and lists by indent, maps and lists in braces
 * within one line, texts of one line, literal blocks and comments. Seven times as fast as the yaml package, with the same values
 * and places.
 * @returns `undefined` for a file with anything else or with an error, which the yaml package has to read
 */
export function parsePlain(source: SourceText, places: Places): PlainFile | undefined {
  // A tab or a carriage return is part of the white space in YAML, by rules of its own, but for tabs of literal blocks.
  if (source.text.includes('\r')) return undefined;
  const lines = createLines(source.text);
  try {
    const reader = new PlainReader(source, lines, places);
    const roots = reader.roots();
    return isWithin(source.text, '\t', reader.literals) ? { lines, roots } : undefined;
  } catch (error) {
    if (error === UNUSUAL) return undefined;
    throw error;
  }
}

/** Maximum nesting; deeper files are rejected by the limit of the other reader, or read by it. */
const DEEPEST = 60;
/** YAML permits 1,024 characters before the colon. */
const LONGEST_KEY = 1000;

const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const HASH = 0x23;
const APOSTROPHE = 0x27;
const COMMA = 0x2c;
const DASH = 0x2d;
const COLON = 0x3a;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const MAP = 0x7b;
const BAR = 0x7c;
const MAP_END = 0x7d;

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';

/** Characters of keys without quotes, in braces and outside. */
const IN_KEY_INSIDE = tableOf(`${LETTERS}${DIGITS}_$./()+-*~@%`);
const IN_KEY = tableOf(`${LETTERS}${DIGITS}_$./()+-*~@%[]`);
const STARTS_KEY = tableOf(`${LETTERS}${DIGITS}_$/(`);
const BLANK_LINES = /(?: *\n)+/y;
/** Characters with which a text without quotes may begin; any other than ASCII may too. A dash needs a look at the next. */
const STARTS_TEXT = tableOf(`${LETTERS}${DIGITS}_$./()+~=^;<\\`);

/** Reads one file; a method leaves the offset after what it read in `#to`, or the next line in `#at` and `#indent`. */
class PlainReader {
  /** The lines of literal blocks. */
  readonly literals: Stretch[] = [];
  readonly #source: SourceText;
  readonly #text: string;
  readonly #lines: Lines;
  readonly #places: Places;
  /** The first character of the line that is read next. */
  #at = 0;
  /** Its column from 0; -1 after the last line. */
  #indent = -1;
  #from = 0;
  #to = 0;

  constructor(source: SourceText, lines: Lines, places: Places) {
    this.#source = source;
    this.#text = source.text;
    this.#lines = lines;
    this.#places = places;
  }

  roots(): PlainFile['roots'] {
    const roots: { value: TreeValue; whole: Stretch }[] = [];
    this.#nextLine(0);
    while (this.#indent >= 0) {
      if (this.#isSeparator()) {
        this.#endLine(this.#at + 3);
        continue;
      }
      if (this.#indent > 0) throw UNUSUAL;
      const from = this.#at;
      const value = this.#block(0, 0);
      roots.push({ value, whole: [from, this.#lineStart()] });
      if (this.#indent >= 0 && !this.#isSeparator()) throw UNUSUAL;
    }
    return roots;
  }

  /** Three dashes alone in their line. */
  #isSeparator(): boolean {
    if (this.#indent !== 0 || !this.#text.startsWith('---', this.#at)) return false;
    const after = this.#text.charCodeAt(this.#at + 3);
    return after === NEWLINE || Number.isNaN(after);
  }

  #lineStart(): number {
    return this.#indent < 0 ? this.#text.length : this.#at - this.#indent;
  }

  /** Goes to the first line from an offset, the beginning of a line, that is neither blank nor a comment. */
  #nextLine(offset: number): void {
    const text = this.#text;
    for (let at = offset; at < text.length; ) {
      const start = at;
      while (text.charCodeAt(at) === SPACE) at += 1;
      const code = text.charCodeAt(at);
      if (code === HASH) at = this.#lineEnd(at);
      else if (code !== NEWLINE && at < text.length) {
        this.#at = at;
        this.#indent = at - start;
        return;
      }
      at += 1;
    }
    this.#at = text.length;
    this.#indent = -1;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }

  #skipSpaces(offset: number): number {
    let at = offset;
    while (this.#text.charCodeAt(at) === SPACE) at += 1;
    return at;
  }

  /** Goes to the next line, where only blanks and a comment follow in this one. */
  #endLine(offset: number): void {
    const at = this.#skipSpaces(offset);
    const isComment = at > offset && this.#text.charCodeAt(at) === HASH;
    if (at < this.#text.length && this.#text.charCodeAt(at) !== NEWLINE && !isComment) throw UNUSUAL;
    this.#nextLine(isComment ? this.#lineEnd(at) + 1 : at + 1);
  }

  /** The map or list whose first entry begins at `#at`, in a column. */
  #block(column: number, level: number): TreeValue {
    if (level > DEEPEST) throw UNUSUAL;
    return this.#isEntry() ? this.#list(column, level) : this.#map(column, level);
  }

  #isEntry(): boolean {
    return this.#text.charCodeAt(this.#at) === DASH && this.#text.charCodeAt(this.#at + 1) === SPACE;
  }

  #map(column: number, level: number): TreeMap {
    const map: TreeMap = Object.create(null) as TreeMap;
    const keys: string[] = [];
    const offsets: number[] = [];
    const from = this.#at;
    do {
      const at = this.#at;
      const key = this.#key(at);
      if (key === undefined || map[key] !== undefined) throw UNUSUAL;
      const keyEnd = this.#to;
      const value = this.#value(keyEnd, column, level);
      map[key] = value;
      keys.push(key);
      offsets.push(at, keyEnd, this.#from, this.#to);
    } while (this.#indent === column && !this.#isSeparator());
    if (this.#indent > column) throw UNUSUAL;
    this.#tie(map, [from, this.#lineStart()], false, keys, offsets);
    return map;
  }

  #list(column: number, level: number): TreeValue[] {
    const list: TreeValue[] = [];
    const offsets: number[] = [];
    const from = this.#at;
    do {
      const dash = this.#at;
      const at = this.#skipSpaces(dash + 1);
      if (this.#key(at) === undefined) list.push(this.#scalar(at, column, level));
      else {
        this.#at = at;
        list.push(this.#map(column + at - dash, level + 1));
        this.#from = at;
        this.#to = this.#lineStart();
      }
      offsets.push(this.#from, this.#to);
    } while (this.#indent === column && this.#isEntry());
    if (this.#indent > column) throw UNUSUAL;
    this.#tie(list, [from, this.#lineStart()], false, [], offsets);
    return list;
  }

  #tie(container: object, whole: Stretch, inBraces: boolean, keys: string[], offsets: number[]): void {
    this.#places.tie(container, { source: this.#source, lines: this.#lines, whole, inBraces, keys, offsets });
  }

  /** A key that begins at an offset and that a colon follows; sets `#to` to the colon. */
  #key(from: number, marks = IN_KEY): string | undefined {
    const text = this.#text;
    const first = text.charCodeAt(from);
    let key: string;
    if (first === QUOTE || first === APOSTROPHE) {
      key = this.#quoted(from, first);
    } else {
      if (STARTS_KEY[first] !== 1) return undefined;
      let at = from + 1;
      while (marks[text.charCodeAt(at)] === 1) at += 1;
      this.#to = at;
      key = text.slice(from, at);
    }
    if (this.#to - from > LONGEST_KEY || text.charCodeAt(this.#to) !== COLON) return undefined;
    const after = text.charCodeAt(this.#to + 1);
    return after === SPACE || after === NEWLINE || Number.isNaN(after) ? key : undefined;
  }

  /** The value after the colon of a key, with its range in `#from` and `#to`; goes to the next line. */
  #value(colon: number, column: number, level: number): TreeValue {
    const text = this.#text;
    const at = this.#skipSpaces(colon + 1);
    const first = text.charCodeAt(at);
    if (first !== NEWLINE && first !== HASH && at < text.length) return this.#scalar(at, column, level);
    this.#endLine(colon + 1);
    if (this.#indent > column || (this.#indent === column && this.#isEntry())) {
      const from = this.#at;
      const value = this.#block(this.#indent, level + 1);
      this.#from = from;
      this.#to = this.#lineStart();
      return value;
    }
    if (first === HASH) throw UNUSUAL;
    this.#from = colon + 1;
    this.#to = colon + 1;
    return null;
  }

  /** A value that begins in the line of its key or dash; goes to the next line. */
  #scalar(from: number, column: number, level: number): TreeValue {
    if (this.#text.charCodeAt(from) === BAR) return this.#literal(from, column);
    const value = this.#inLine(from, false, level);
    this.#from = from;
    this.#endLine(this.#to);
    return value;
  }

  /** A value within a line; sets `#to` to its end. */
  #inLine(from: number, inBraces: boolean, level: number): TreeValue {
    const first = this.#text.charCodeAt(from);
    if (first === QUOTE || first === APOSTROPHE) return this.#quoted(from, first);
    if (first === MAP) return this.#mapInBraces(from, level + 1);
    if (first === LIST) return this.#listInBrackets(from, level + 1);
    const second = this.#text.charCodeAt(from + 1);
    const begins = first < 128 ? STARTS_TEXT[first] === 1 : first >= 128;
    // A number below zero.
    if (!begins && !(first === DASH && second >= 0x30 && second <= 0x39)) throw UNUSUAL;
    this.#to = this.#textEnd(from, inBraces);
    return resolvePlain(this.#text.slice(from, this.#to));
  }

  /** The end of a text without quotes. */
  #textEnd(from: number, inBraces: boolean): number {
    const text = this.#text;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) break;
      if (code === COLON) {
        const next = text.charCodeAt(at + 1);
        if (next === SPACE || next === NEWLINE || Number.isNaN(next) || (inBraces && isBracket(next))) throw UNUSUAL;
      } else if (code === HASH && text.charCodeAt(at - 1) === SPACE) break;
      else if (inBraces && isBracket(code)) break;
    }
    while (text.charCodeAt(at - 1) === SPACE) at -= 1;
    return at;
  }

  /** A text in quotes within one line; sets `#to` to its end. */
  #quoted(from: number, quote: number): string {
    const text = this.#text;
    let escaped = false;
    for (let at = from + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) break;
      if (code === BACKSLASH && quote === QUOTE) {
        escaped = true;
        at += 1;
      } else if (code === quote) {
        if (quote === APOSTROPHE && text.charCodeAt(at + 1) === APOSTROPHE) {
          escaped = true;
          at += 1;
          continue;
        }
        this.#to = at + 1;
        const inside = text.slice(from + 1, at);
        if (!escaped) return inside;
        return quote === APOSTROPHE ? inside.replaceAll("''", "'") : readEscapes(text.slice(from, at + 1));
      }
    }
    throw UNUSUAL;
  }

  #mapInBraces(from: number, level: number): TreeMap {
    if (level > DEEPEST) throw UNUSUAL;
    const map: TreeMap = Object.create(null) as TreeMap;
    const keys: string[] = [];
    const offsets: number[] = [];
    let at = this.#skipSpaces(from + 1);
    while (this.#text.charCodeAt(at) !== MAP_END || keys.length > 0) {
      const key = this.#key(at, IN_KEY_INSIDE);
      if (key === undefined || map[key] !== undefined) throw UNUSUAL;
      const keyEnd = this.#to;
      const begin = this.#skipSpaces(keyEnd + 1);
      map[key] = this.#inLine(begin, true, level);
      keys.push(key);
      offsets.push(at, keyEnd, begin, this.#to);
      at = this.#skipSpaces(this.#to);
      if (this.#text.charCodeAt(at) === MAP_END) break;
      if (this.#text.charCodeAt(at) !== COMMA) throw UNUSUAL;
      at = this.#skipSpaces(at + 1);
    }
    this.#to = at + 1;
    this.#tie(map, [from, at + 1], true, keys, offsets);
    return map;
  }

  #listInBrackets(from: number, level: number): TreeValue[] {
    if (level > DEEPEST) throw UNUSUAL;
    const list: TreeValue[] = [];
    const offsets: number[] = [];
    let at = this.#skipSpaces(from + 1);
    while (this.#text.charCodeAt(at) !== LIST_END || list.length > 0) {
      list.push(this.#inLine(at, true, level));
      offsets.push(at, this.#to);
      at = this.#skipSpaces(this.#to);
      if (this.#text.charCodeAt(at) === LIST_END) break;
      if (this.#text.charCodeAt(at) !== COMMA) throw UNUSUAL;
      at = this.#skipSpaces(at + 1);
    }
    this.#to = at + 1;
    this.#tie(list, [from, at + 1], true, [], offsets);
    return list;
  }

  /** A block of lines after a bar, with a line feed at its end unless a dash follows the bar; goes to the next line. */
  #literal(from: number, column: number): string {
    const text = this.#text;
    const isStripped = text.charCodeAt(from + 1) === DASH;
    const body = from + (isStripped ? 3 : 2);
    BLANK_LINES.lastIndex = body;
    const first = BLANK_LINES.test(text) ? BLANK_LINES.lastIndex : body;
    const indent = this.#skipSpaces(first) - first;
    if (text.charCodeAt(body - 1) !== NEWLINE || indent <= column) throw UNUSUAL;
    const lines: string[] = [];
    let filled = 0;
    let end = body;
    for (let at = body; at < text.length; ) {
      const begin = this.#skipSpaces(at);
      const lineEnd = text.indexOf('\n', begin);
      if (lineEnd === begin) {
        // Blanks beyond the indent are part of the text.
        if (begin - at > indent) throw UNUSUAL;
        lines.push('');
      } else if (begin - at < indent) break;
      else {
        // The end of the file without a line feed is not plain.
        if (lineEnd < 0) throw UNUSUAL;
        filled = lines.push(text.slice(at + indent, lineEnd));
        end = lineEnd + 1;
      }
      at = lineEnd + 1;
    }
    if (filled === 0) throw UNUSUAL;
    this.literals.push([body, end]);
    this.#from = from;
    this.#to = end;
    this.#nextLine(end);
    return `${lines.slice(0, filled).join('\n')}${isStripped ? '' : '\n'}`;
  }
}

function isBracket(code: number): boolean {
  return code === COMMA || code === LIST || code === LIST_END || code === MAP || code === MAP_END;
}
