// JSON (RFC 8259), read with the order of members and the digits of numbers preserved.

import { CodecError } from '../error.ts';
import { soundText } from '../value.ts';
import { JsonArray, type JsonNode, JsonObject, JsonScalar, memberPath } from './node.ts';
import { scanJson } from './scan.ts';

/**
 * Walks JSON that others wrote: objects, lists and single values, with properties in their order and numbers as they are
 * written (specification 2.5).
 *
 * ```ts
 * const root = JsonParser.parse(reply.body).asObject();
 * for (const row of root.array('result')) console.log(row.asObject().text('status'));
 * ```
 */
export class JsonParser {
  readonly #text: string;
  #at = 0;

  private constructor(text: string) {
    this.#text = text;
  }

  /**
   * @throws CodecError when the text is not JSON (with the position), when it exceeds a limit of `JSON_LIMITS`, such as
   *   100 levels of depth, or when a string in it contains a NUL or an unpaired surrogate
   */
  static parse(text: string): JsonNode {
    scanJson(text, 'pass');
    const parser = new JsonParser(text);
    const root = parser.#value('');
    parser.#blanks();
    if (parser.#at < text.length) parser.#fail('something follows its end');
    return root;
  }

  #value(path: string): JsonNode {
    this.#blanks();
    const first = this.#text[this.#at];
    if (first === '{' || first === '[') {
      this.#at++;
      return first === '{' ? this.#object(path) : this.#array(path);
    }
    if (first === '"') return new JsonScalar(path, 'string', this.#string(path));
    return this.#plain(path);
  }

  #object(path: string): JsonObject {
    const properties: [string, JsonNode][] = [];
    if (this.#takes('}')) return new JsonObject(path, properties);
    do {
      this.#blanks();
      const name = this.#string(path);
      if (!this.#takes(':')) this.#fail('a colon is missing');
      properties.push([name, this.#value(memberPath(path, name))]);
    } while (this.#takes(','));
    if (!this.#takes('}')) this.#fail('a comma or } is missing');
    return new JsonObject(path, properties);
  }

  #array(path: string): JsonArray {
    const entries: JsonNode[] = [];
    if (this.#takes(']')) return new JsonArray(path, entries);
    do entries.push(this.#value(memberPath(path, entries.length)));
    while (this.#takes(','));
    if (!this.#takes(']')) this.#fail('a comma or ] is missing');
    return new JsonArray(path, entries);
  }

  #string(path: string): string {
    if (this.#text[this.#at] !== '"') return this.#fail('a text is missing');
    const start = this.#at;
    let escaped = false;
    for (let at = start + 1; at < this.#text.length; at++) {
      const unit = this.#text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#at = at + 1;
        const text = escaped ? this.#unescaped(start) : this.#text.slice(start + 1, at);
        return checked(path, () => soundText(text));
      }
      if (unit < BLANK) break;
      if (unit !== BACKSLASH) continue;
      escaped = true;
      at++;
    }
    return this.#fail('a text is not sound');
  }

  /** The text that began at `start` and ended just before. */
  #unescaped(start: number): string {
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      return this.#fail('a text is not sound');
    }
  }

  #plain(path: string): JsonScalar {
    PLAIN.lastIndex = this.#at;
    const found = PLAIN.exec(this.#text)?.[0];
    if (found === undefined)
      return this.#fail(this.#at === this.#text.length ? 'it ends too early' : 'a value is missing');
    this.#at += found.length;
    const type = found === 'null' ? 'null' : found === 'true' || found === 'false' ? 'boolean' : 'number';
    return new JsonScalar(path, type, found);
  }

  /** Consumes a character, and blanks before it. */
  #takes(character: string): boolean {
    this.#blanks();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #blanks(): void {
    BLANKS.lastIndex = this.#at;
    BLANKS.test(this.#text);
    this.#at = BLANKS.lastIndex;
  }

  #fail(reason: string): never {
    const lines = this.#text.slice(0, this.#at).split('\n');
    const place = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    throw new CodecError('', `is not JSON: ${reason} at ${place}`);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Control characters stand before it. */
const BLANK = 0x20;

/** Sections 2, and 3 with 6; what follows a plain value ends it. */
const BLANKS = /[ \t\r\n]*/y;
const PLAIN = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![\w.+-])/y;

function checked<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof CodecError && error.path === '' ? new CodecError(path, error.reason) : error;
  }
}
