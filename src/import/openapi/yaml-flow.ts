import { MOST_LEVELS } from './json.ts';
import type { TreeBuilder, TreeMap, TreeValue } from './tree.ts';
import type { Aliases } from './yaml.ts';
import { doubleQuoted, plainValue, singleQuoted, UNUSUAL } from './yaml-scalar.ts';

export const MARKS = {
  tab: 0x09,
  newline: 0x0a,
  space: 0x20,
  quote: 0x22,
  hash: 0x23,
  ampersand: 0x26,
  apostrophe: 0x27,
  asterisk: 0x2a,
  comma: 0x2c,
  dash: 0x2d,
  colon: 0x3a,
  greater: 0x3e,
  question: 0x3f,
  list: 0x5b,
  backslash: 0x5c,
  listEnd: 0x5d,
  map: 0x7b,
  bar: 0x7c,
  mapEnd: 0x7d,
} as const;

/** Characters with which no text without quotes begins. */
const INDICATORS: ReadonlySet<number> = new Set([...',[]{}#&*!|>\'"%@`'].map((mark) => mark.charCodeAt(0)));

const ALIAS = /[&*]([^\s,[\]{}]+)/y;

export function isSpace(code: number): boolean {
  return code === MARKS.space || code === MARKS.tab;
}

/** Whether a character is white space, or behind the end. */
export function isBlank(code: number): boolean {
  return isSpace(code) || code === MARKS.newline || Number.isNaN(code);
}

export function isQuote(code: number): boolean {
  return code === MARKS.quote || code === MARKS.apostrophe;
}

function isBracket(code: number): boolean {
  return (
    code === MARKS.comma || code === MARKS.list || code === MARKS.listEnd || code === MARKS.map || code === MARKS.mapEnd
  );
}

/** Whether a text without quotes can begin at an offset. */
export function beginsPlain(text: string, from: number, isInBraces: boolean): boolean {
  const first = text.charCodeAt(from);
  if (INDICATORS.has(first)) return false;
  if (first !== MARKS.dash && first !== MARKS.question && first !== MARKS.colon) return true;
  const second = text.charCodeAt(from + 1);
  return !isBlank(second) && !(isInBraces && isBracket(second));
}

/** The name of an anchor or an alias at an offset, without its mark. */
export function anchorName(text: string, from: number): string {
  ALIAS.lastIndex = from;
  const found = ALIAS.exec(text)?.[1];
  if (found === undefined) throw UNUSUAL;
  return found;
}

/** The offset behind the quote that closes the one at an offset. */
export function quoteEnd(text: string, from: number): number {
  const quote = text.charCodeAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === MARKS.backslash && quote === MARKS.quote) at += 1;
    else if (code === quote) {
      if (quote === MARKS.quote || text.charCodeAt(at + 1) !== quote) return at + 1;
      at += 1;
    }
  }
  throw UNUSUAL;
}

/** The text in quotes between two offsets. */
export function quotedText(text: string, from: number, end: number): string {
  const inside = text.slice(from + 1, end - 1);
  return text.charCodeAt(from) === MARKS.quote ? doubleQuoted(inside) : singleQuoted(inside);
}

/** Reads maps in braces and lists in brackets, over any number of lines. A method leaves the offset after it in `to`. */
export class FlowReader {
  to = 0;
  readonly #text: string;
  readonly #builder: TreeBuilder;
  readonly #aliases: Aliases;

  constructor(text: string, builder: TreeBuilder, aliases: Aliases) {
    this.#text = text;
    this.#builder = builder;
    this.#aliases = aliases;
  }

  /** A map or a list. */
  read(from: number, level: number): TreeValue {
    if (level > MOST_LEVELS) throw UNUSUAL;
    return this.#text.charCodeAt(from) === MARKS.map ? this.#map(from, level) : this.#list(from, level);
  }

  #map(from: number, level: number): TreeMap {
    const map = this.#builder.map(from);
    let at = this.#skipBlanks(from + 1);
    while (this.#text.charCodeAt(at) !== MARKS.mapEnd) {
      const key = this.#key(at);
      if (key === '<<') throw UNUSUAL;
      const begin = this.#skipBlanks(this.to + 1);
      map.set(key, this.#value(begin, level), at, begin);
      at = this.#behindComma(this.#skipBlanks(this.to), MARKS.mapEnd);
    }
    this.to = at + 1;
    return map.done();
  }

  #list(from: number, level: number): readonly TreeValue[] {
    const list = this.#builder.list(from);
    let at = this.#skipBlanks(from + 1);
    while (this.#text.charCodeAt(at) !== MARKS.listEnd) {
      list.add(this.#value(at, level), at);
      // A pair without braces is not a comma.
      at = this.#behindComma(this.#skipBlanks(this.to), MARKS.listEnd);
    }
    this.to = at + 1;
    return list.done();
  }

  #behindComma(at: number, end: number): number {
    const code = this.#text.charCodeAt(at);
    if (code === end) return at;
    if (code !== MARKS.comma) throw UNUSUAL;
    return this.#skipBlanks(at + 1);
  }

  /** The next character that is neither blank nor in a comment. */
  #skipBlanks(offset: number): number {
    const text = this.#text;
    for (let at = offset; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === MARKS.hash && isBlank(text.charCodeAt(at - 1))) {
        at = text.indexOf('\n', at);
        if (at < 0) break;
      } else if (!isBlank(code)) return at;
    }
    throw UNUSUAL;
  }

  /** A key; leaves the offset of its colon. */
  #key(from: number): string {
    const text = this.#text;
    const isQuoted = isQuote(text.charCodeAt(from));
    if (!isQuoted && !beginsPlain(text, from, true)) throw UNUSUAL;
    const end = isQuoted ? quoteEnd(text, from) : this.#plainEnd(from);
    let colon = end;
    while (isSpace(text.charCodeAt(colon))) colon += 1;
    if (text.charCodeAt(colon) !== MARKS.colon || !(isQuoted || isBlank(text.charCodeAt(colon + 1)))) throw UNUSUAL;
    this.to = colon;
    return isQuoted ? quotedText(text, from, end) : text.slice(from, end);
  }

  #value(from: number, level: number): TreeValue {
    const text = this.#text;
    const first = text.charCodeAt(from);
    this.#aliases.count();
    if (first === MARKS.map || first === MARKS.list) return this.read(from, level + 1);
    if (isQuote(first)) {
      this.to = quoteEnd(text, from);
      return quotedText(text, from, this.to);
    }
    if (first === MARKS.asterisk) {
      const name = anchorName(text, from);
      if (!this.#aliases.has(name)) throw UNUSUAL;
      this.to = from + name.length + 1;
      return this.#aliases.value(name, from);
    }
    if (!beginsPlain(text, from, true)) throw UNUSUAL;
    this.to = this.#plainEnd(from);
    return plainValue(text.slice(from, this.to));
  }

  /** The end of a text without quotes. What follows it is judged by the caller, and so are further lines of it. */
  #plainEnd(from: number): number {
    const text = this.#text;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const next = text.charCodeAt(at + 1);
      if (code === MARKS.newline || isBracket(code)) break;
      if (code === MARKS.colon && (isBlank(next) || isBracket(next))) break;
      if (code === MARKS.hash && isSpace(text.charCodeAt(at - 1))) break;
    }
    while (isSpace(text.charCodeAt(at - 1))) at -= 1;
    return at;
  }
}
