import { type MediaType, parseMediaType } from './media-type.ts';
import { quote } from './words.ts';

// Content-Type as it is received, RFC 9110 section 8.3. What we send and what definitions declare is parsed to the letter by
// `parseMediaType`; what other programs send is read wherever it has one clear meaning.

/**
 * Reads a received Content-Type, of a request, a reply or a part. Beyond the grammar it accepts what deployed clients send:
 * an unquoted value with any character but blanks, quotes, commas and semicolons (`action=urn:x/Op`), single quotes around a
 * value (`charset='utf-8'`; not around a boundary, where they are characters of it), an empty charset, which counts as
 * absent, and a header that was sent more than once with values that do not contradict each other (`text/xml; charset=utf-8, text/xml`).
 * @returns `undefined` when the meaning is not clear; {@link contentTypeFault} says why
 */
export function readContentType(text: string): MediaType | undefined {
  const found = readClear(text);
  return typeof found === 'string' ? undefined : found;
}

/** What is wrong with a received Content-Type, as a clause that names the parameter; `undefined` for a clear one. */
export function contentTypeFault(text: string): string | undefined {
  const found = readClear(text);
  return typeof found === 'string' ? found : undefined;
}

/** Whether a received Content-Type has several values that differ. */
export function isAmbiguous(text: string): boolean {
  return contentTypeFault(text)?.startsWith(TWO_VALUES) === true;
}

const TWO_VALUES = 'it has two different values';

/** A received Content-Type for an error message: its beginning, and what is wrong with it. */
export function shownContentType(text: string): string {
  const fault = contentTypeFault(text);
  const shown = `Content-Type ${text.slice(0, 100)}`;
  return fault === undefined ? shown : `${shown} (${fault})`;
}

/** A received Content-Type in a form that can be sent on; `undefined` when its meaning is not clear. */
export function sendableContentType(text: string): string | undefined {
  if (parseMediaType(text) !== undefined) return text;
  const type = readContentType(text);
  if (type === undefined) return undefined;
  const parameters = [...type.parameters].map(([name, value]) => `; ${name}="${value.replace(/["\\]/g, '\\$&')}"`);
  return `${type.essence}${parameters.join('')}`;
}

/** @returns the type, or the fault as a clause */
function readClear(text: string): MediaType | string {
  const strict = parseMediaType(text);
  return strict === undefined ? new LenientReader(text).read() : cleared(strict);
}

/** Without single quotes around values, and without an empty charset. Nearly every type has neither, and is returned as it is. */
function cleared(type: MediaType): MediaType {
  let parameters: Map<string, string> | undefined;
  for (const [name, value] of type.parameters) {
    const clear = withoutQuotes(name, value);
    if (clear === value && (name !== 'charset' || value !== '')) continue;
    parameters ??= new Map(type.parameters);
    if (name === 'charset' && clear === '') parameters.delete(name);
    else parameters.set(name, clear);
  }
  return parameters === undefined ? type : { ...type, parameters };
}

/** RFC 2046 section 5.1.1: a boundary may contain single quotes. */
function withoutQuotes(name: string, value: string): string {
  const isQuoted = value.length >= 2 && value.startsWith("'") && value.endsWith("'") && name !== 'boundary';
  return isQuoted ? value.slice(1, -1) : value;
}

const BLANKS = ' \t';

/** Reads from left to right, without backtracking. */
class LenientReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): MediaType | string {
    if (hasControls(this.#text)) return 'it contains a control character';
    let known: MediaType | undefined;
    let first: string | undefined;
    for (;;) {
      const from = this.#at;
      const type = this.#entry();
      if (typeof type === 'string') return type;
      const text = this.#text.slice(from, this.#at).trim();
      first ??= text;
      known = known === undefined ? type : merged(known, type);
      if (known === undefined) return `${TWO_VALUES}, ${quote(first)} and ${quote(text)}`;
      if (!this.#take(',')) return known;
    }
  }

  /** One value, up to a comma or the end. */
  #entry(): MediaType | string {
    const name = this.#until('/;,');
    if (!this.#take('/')) return 'it is not in the form type/subtype';
    const essence = `${name}/${this.#until(';,')}`.toLowerCase();
    // Only what is around it is read leniently.
    const found = parseMediaType(essence);
    if (found === undefined) return 'it is not in the form type/subtype';
    const parameters = new Map<string, string>();
    while (this.#take(';')) {
      const fault = this.#parameter(parameters);
      if (fault !== undefined) return fault;
    }
    return cleared({ ...found, parameters });
  }

  /** @returns the fault */
  #parameter(parameters: Map<string, string>): string | undefined {
    const name = this.#until('=;,').toLowerCase();
    if (name === '' && this.#text[this.#at] !== '=') return undefined;
    const shown = quote(name);
    if (!this.#take('=')) return `its parameter ${shown} has no value`;
    this.#blanks();
    const value = this.#text[this.#at] === '"' ? this.#quoted() : this.#unquoted();
    if (value === undefined) return `its parameter ${shown} has no closing quote`;
    this.#blanks();
    if (!this.#isAtOneOf(';,'))
      return `its parameter ${shown} has a value that contains a blank or a quote and is not in quotes`;
    if (value === '' && name !== 'charset' && this.#text[this.#at - 1] !== '"')
      return `its parameter ${shown} has no value`;
    if (!parameters.has(name)) parameters.set(name, value);
    return undefined;
  }

  #blanks(): void {
    while (this.#at < this.#text.length && BLANKS.includes(this.#text[this.#at] as string)) this.#at += 1;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #isAtOneOf(ends: string): boolean {
    return this.#at >= this.#text.length || ends.includes(this.#text[this.#at] as string);
  }

  /** The text before the first of these characters, without blanks around it. */
  #until(ends: string): string {
    const from = this.#at;
    while (!this.#isAtOneOf(ends)) this.#at += 1;
    return this.#text.slice(from, this.#at).trim();
  }

  #unquoted(): string {
    const from = this.#at;
    while (!this.#isAtOneOf(' \t",;')) this.#at += 1;
    return this.#text.slice(from, this.#at);
  }

  /** quoted-string of RFC 9110 section 5.6.4; `undefined` when it is not closed. */
  #quoted(): string | undefined {
    let value = '';
    for (this.#at += 1; this.#at < this.#text.length; this.#at++) {
      const c = this.#text[this.#at];
      if (c === '"') {
        this.#at += 1;
        return value;
      }
      if (c === '\\') this.#at += 1;
      value += this.#text[this.#at] ?? '';
    }
    return undefined;
  }
}

/** One type with the parameters of both; `undefined` when they contradict each other. */
function merged(one: MediaType, other: MediaType): MediaType | undefined {
  if (one.essence !== other.essence) return undefined;
  for (const [name, value] of other.parameters) {
    const first = one.parameters.get(name);
    // RFC 9110 section 8.3.2: names of charsets have no case.
    const isSame = first === value || (name === 'charset' && first?.toLowerCase() === value.toLowerCase());
    if (first !== undefined && !isSame) return undefined;
  }
  return { ...one, parameters: new Map([...other.parameters, ...one.parameters]) };
}

/** Not in a header's value, not even in a quoted string (RFC 9110 section 5.6.4). */
function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}
