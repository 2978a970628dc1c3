import { MOST_LEVELS } from './json.ts';
import type { Tree, TreeBuilder, TreeMap, TreeValue } from './tree.ts';
import { Aliases, type Merged, mergedMaps, mergeInto } from './yaml.ts';
import {
  anchorName,
  beginsPlain,
  FlowReader,
  isBlank,
  isQuote,
  isSpace,
  MARKS,
  quotedText,
  quoteEnd,
} from './yaml-flow.ts';
import { blockHeader, blockText, foldedFlow, plainValue, UNUSUAL } from './yaml-scalar.ts';

/**
 * Reads YAML without building its nodes first: the package `yaml` takes ten times as long and four times the memory. Tags,
 * keys that are not texts, and whatever else contracts hardly have, is left to the package, which also words all errors.
 *
 * @param text without carriage returns
 * @returns `undefined` for a text that the package has to read
 */
export function readLeanYaml(text: string, builder: TreeBuilder): Tree | undefined {
  try {
    return new LeanReader(text, builder).all();
  } catch (error) {
    if (error === UNUSUAL) return undefined;
    throw error;
  }
}

/** A method leaves the offset after what it read in `#to`, or the next line in `#at` and `#indent`. */
class LeanReader {
  readonly #text: string;
  readonly #builder: TreeBuilder;
  readonly #aliases: Aliases;
  readonly #flow: FlowReader;
  /** The first character of the line that is read next. */
  #at = 0;
  /** Its column from 0; -1 after the last line. */
  #indent = -1;
  /** Where the value that was read begins. */
  #from = 0;
  #to = 0;

  constructor(text: string, builder: TreeBuilder) {
    this.#text = text;
    this.#builder = builder;
    this.#aliases = new Aliases(builder);
    this.#flow = new FlowReader(text, builder, this.#aliases);
  }

  all(): Tree {
    this.#nextLine(0);
    if (this.#isMark('---')) this.#endLine(this.#at + 3);
    if (this.#indent < 0 || this.#isMark('...')) throw UNUSUAL;
    const start = this.#at;
    const value = this.#block(this.#indent, 0);
    if (this.#isMark('...')) this.#endLine(this.#at + 3);
    if (this.#indent >= 0) throw UNUSUAL;
    return this.#builder.done(value, start);
  }

  /** Whether the line begins with a mark of the beginning or end of a document. */
  #isMark(mark: string): boolean {
    if (this.#indent !== 0 || !this.#text.startsWith(mark, this.#at)) return false;
    return isBlank(this.#text.charCodeAt(this.#at + 3));
  }

  /** Goes to the first line from an offset, the beginning of a line, that is neither blank nor a comment. */
  #nextLine(offset: number): void {
    const text = this.#text;
    for (let at = offset; at < text.length; ) {
      const start = at;
      while (text.charCodeAt(at) === MARKS.space) at += 1;
      const code = text.charCodeAt(at);
      if (code === MARKS.hash) at = this.#lineEnd(at);
      else if (code === MARKS.tab) {
        while (isSpace(text.charCodeAt(at))) at += 1;
        // A tab is no indentation.
        if (at < text.length && text.charCodeAt(at) !== MARKS.newline) throw UNUSUAL;
      } else if (code !== MARKS.newline && at < text.length) {
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
    while (isSpace(this.#text.charCodeAt(at))) at += 1;
    return at;
  }

  /** Goes to the next line, where only blanks and a comment follow in this one. */
  #endLine(offset: number): void {
    const at = this.#skipSpaces(offset);
    const isComment = at > offset && this.#text.charCodeAt(at) === MARKS.hash;
    if (at < this.#text.length && this.#text.charCodeAt(at) !== MARKS.newline && !isComment) throw UNUSUAL;
    this.#nextLine(isComment ? this.#lineEnd(at) + 1 : at + 1);
  }

  /** The map or list whose first entry begins at `#at`, in a column; or a value over several lines. */
  #block(column: number, level: number): TreeValue {
    if (level > MOST_LEVELS) throw UNUSUAL;
    if (this.#isMark('---') || this.#isMark('...')) throw UNUSUAL;
    this.#from = this.#at;
    if (this.#isEntry()) return this.#list(column, level);
    if (this.#key(this.#at) !== undefined) return this.#map(column, level);
    const first = this.#text.charCodeAt(this.#at);
    if (level === 0 && first !== MARKS.map && first !== MARKS.list) throw UNUSUAL;
    return this.#scalar(this.#at, column - 1, level);
  }

  #isEntry(): boolean {
    return this.#text.charCodeAt(this.#at) === MARKS.dash && isBlank(this.#text.charCodeAt(this.#at + 1));
  }

  #map(column: number, level: number): TreeMap {
    const map = this.#builder.map(this.#at);
    const merged: Merged[] = [];
    do {
      const at = this.#at;
      if (this.#isMark('---') || this.#isMark('...')) break;
      const key = this.#key(at);
      if (key === undefined) throw UNUSUAL;
      const value = this.#value(this.#to, at, column, level);
      if (key === '<<') for (const from of mergedMaps(value)) merged.push({ from, at });
      else map.set(key, value, at, this.#from);
    } while (this.#indent === column);
    if (this.#indent > column) throw UNUSUAL;
    mergeInto(map, merged);
    return map.done();
  }

  #list(column: number, level: number): readonly TreeValue[] {
    const list = this.#builder.list(this.#at);
    do {
      const dash = this.#at;
      const at = this.#skipSpaces(dash + 1);
      const code = this.#text.charCodeAt(at);
      const isNested = code === MARKS.dash && isBlank(this.#text.charCodeAt(at + 1));
      if (isNested || (!this.#endsHere(at) && this.#key(at) !== undefined)) {
        if (this.#text.slice(dash + 1, at).includes('\t')) throw UNUSUAL;
        this.#at = at;
        this.#indent = column + at - dash;
        const value = this.#block(this.#indent, level + 1);
        list.add(value, at);
      } else {
        list.add(this.#value(dash, dash, column, level, true), this.#from);
      }
    } while (this.#indent === column && this.#isEntry());
    if (this.#indent > column) throw UNUSUAL;
    return list.done();
  }

  #endsHere(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return code === MARKS.newline || code === MARKS.hash || Number.isNaN(code);
  }

  /** A key that begins at an offset and that a colon follows; sets `#to` to the colon. */
  #key(from: number): string | undefined {
    const text = this.#text;
    if (isQuote(text.charCodeAt(from))) {
      const end = quoteEnd(text, from);
      const colon = this.#skipSpaces(end);
      if (text.charCodeAt(colon) !== MARKS.colon || !isBlank(text.charCodeAt(colon + 1))) return undefined;
      const key = text.slice(from, end).includes('\n') ? undefined : quotedText(text, from, end);
      if (key === undefined) throw UNUSUAL;
      this.#to = colon;
      return key;
    }
    const colon = this.#keyEnd(from);
    if (colon === undefined) return undefined;
    // A key that is complex, or has an anchor or a tag.
    if (!beginsPlain(text, from, false)) throw UNUSUAL;
    this.#to = colon;
    let end = colon;
    while (isSpace(text.charCodeAt(end - 1))) end -= 1;
    return text.slice(from, end);
  }

  /** The colon behind a key without quotes; `undefined` for what begins otherwise, or without a colon in the line. */
  #keyEnd(from: number): number | undefined {
    const text = this.#text;
    const first = text.charCodeAt(from);
    // What is in braces is a value, however many colons are in it.
    if (first === MARKS.map || first === MARKS.list || first === MARKS.bar || first === MARKS.greater) return undefined;
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === MARKS.newline) return undefined;
      if (code === MARKS.colon && isBlank(text.charCodeAt(at + 1))) return at;
      if (code === MARKS.hash && at > from && isSpace(text.charCodeAt(at - 1))) return undefined;
    }
    return undefined;
  }

  /** The value after the colon of a key or the dash of an entry, beginning at `#from`; goes to the next line. */
  #value(mark: number, around: number, column: number, level: number, isEntry = false): TreeValue {
    let at = this.#skipSpaces(mark + 1);
    let anchor: string | undefined;
    if (this.#text.charCodeAt(at) === MARKS.ampersand) {
      anchor = anchorName(this.#text, at);
      at = this.#skipSpaces(at + anchor.length + 1);
      // An anchor of a key is rare.
      if (isEntry && !this.#endsHere(at) && this.#key(at) !== undefined) throw UNUSUAL;
    }
    this.#aliases.count();
    const read = (): TreeValue => this.#bareValue(at, around, column, level, isEntry);
    return anchor === undefined ? read() : this.#aliases.anchored(anchor, read);
  }

  #bareValue(at: number, around: number, column: number, level: number, isEntry: boolean): TreeValue {
    if (!this.#endsHere(at)) return this.#scalar(at, column, level);
    this.#nextLine(this.#lineEnd(at) + 1);
    if (this.#indent > column || (!isEntry && this.#indent === column && this.#isEntry())) {
      const from = this.#at;
      const value = this.#block(this.#indent, level + 1);
      if (typeof value === 'object') this.#from = from;
      return value;
    }
    this.#from = isEntry ? at : around;
    return null;
  }

  /** A value that begins at an offset; goes to the next line. @param column that its further lines are right of */
  #scalar(from: number, column: number, level: number): TreeValue {
    const first = this.#text.charCodeAt(from);
    if (first === MARKS.bar || first === MARKS.greater) return this.#blockScalar(from, column);
    let value: TreeValue;
    if (isQuote(first)) {
      this.#to = quoteEnd(this.#text, from);
      value = quotedText(this.#text, from, this.#to);
    } else if (first === MARKS.asterisk) {
      const name = anchorName(this.#text, from);
      if (!this.#aliases.has(name)) throw UNUSUAL;
      value = this.#aliases.value(name, from);
      this.#to = from + name.length + 1;
    } else if (first === MARKS.map || first === MARKS.list) {
      value = this.#flow.read(from, level + 1);
      this.#to = this.#flow.to;
    } else return this.#plain(from, column);
    this.#checkLines(from, this.#to, column);
    this.#from = from;
    this.#endLine(this.#to);
    return value;
  }

  /** A text without quotes, over as many lines as are further in. */
  #plain(from: number, column: number): TreeValue {
    const text = this.#text;
    if (!beginsPlain(text, from, false)) throw UNUSUAL;
    let end = this.#plainEnd(from);
    this.#from = from;
    const isCommented = text.charCodeAt(this.#to) === MARKS.hash;
    this.#nextLine(this.#lineEnd(this.#to) + 1);
    if (this.#indent <= column) return plainValue(text.slice(from, end));
    // A comment ends a text.
    if (isCommented) throw UNUSUAL;
    while (this.#indent > column) {
      if (text.slice(end, this.#at).includes('#')) throw UNUSUAL;
      end = this.#plainEnd(this.#at);
      const wasCommented = text.charCodeAt(this.#to) === MARKS.hash;
      this.#nextLine(this.#lineEnd(this.#to) + 1);
      if (wasCommented && this.#indent > column) throw UNUSUAL;
    }
    return plainValue(foldedFlow(text.slice(from, end)));
  }

  /** The end of a text without quotes in its line; sets `#to` to what follows it. */
  #plainEnd(from: number): number {
    const text = this.#text;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === MARKS.newline) break;
      if (code === MARKS.colon && isBlank(text.charCodeAt(at + 1))) throw UNUSUAL;
      if (code === MARKS.hash && at > from && isSpace(text.charCodeAt(at - 1))) break;
    }
    this.#to = at;
    while (isSpace(text.charCodeAt(at - 1))) at -= 1;
    return at;
  }

  /** Refuses lines between two offsets that are not right of a column: they end a value. */
  #checkLines(from: number, to: number, column: number): void {
    for (let at = this.#lineEnd(from) + 1; at < to; at = this.#lineEnd(at) + 1) {
      let begin = at;
      while (this.#text.charCodeAt(begin) === MARKS.space) begin += 1;
      if (begin - at <= column && this.#text.charCodeAt(begin) !== MARKS.newline) throw UNUSUAL;
    }
  }

  /** The lines of a block after its header; goes to the next line. */
  #blockScalar(from: number, column: number): string {
    const text = this.#text;
    const header = blockHeader(text, from);
    const lines: string[] = [];
    let indent = header.indent === undefined ? undefined : Math.max(0, column) + header.indent;
    let at = Math.min(text.length, this.#lineEnd(from) + 1);
    while (at < text.length) {
      const end = this.#lineEnd(at);
      let begin = at;
      while (text.charCodeAt(begin) === MARKS.space && (indent === undefined || begin - at < indent)) begin += 1;
      const isEmpty = begin === end;
      if (text.charCodeAt(begin) === MARKS.tab && begin - at !== indent) throw UNUSUAL;
      if (!isEmpty && indent === undefined) {
        if (begin - at <= column) break;
        // Blank lines that are further in than the first line are an error.
        indent = begin - at;
      } else if (!isEmpty && begin - at < (indent as number)) break;
      // Blanks alone may be part of the text or not.
      if (isEmpty && indent === undefined && end > at + column + 1) throw UNUSUAL;
      lines.push(isEmpty ? '' : text.slice(begin, end));
      at = end + 1;
    }
    this.#from = from;
    this.#nextLine(Math.min(at, text.length));
    if (this.#indent > column && this.#indent >= 0) throw UNUSUAL;
    // Blanks alone at the end: the standard and its readers differ.
    const last = lines.findLastIndex((line) => line.trim() !== '');
    if (lines.slice(last + 1).some((line) => line !== '')) throw UNUSUAL;
    return blockText(lines, header);
  }
}
