import { quote } from '../../wire/words.ts';
import { CodecError } from '../error.ts';
import { soundText } from '../value.ts';

/** A single value of JSON. */
export type JsonScalarValue = string | number | bigint | boolean | null;

/** An open object or list: its kind, its label, and the labels of its members so far. */
interface Open {
  readonly kind: 'object' | 'array';
  readonly label: string;
  readonly labels: Set<string>;
  empty: boolean;
}

/** A number of JSON (RFC 8259 section 6). */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Builds JSON that no document can describe, as a list at the root (specification 2.6):
 *
 * ```ts
 * new JsonBuilder()
 *   .startArray()
 *   .startObject()
 *   .addProperty('number', 'INC1')
 *   .startObject('caller').addProperty('name', 'Ada').endObject('caller')
 *   .endObject()
 *   .endArray()
 *   .toString(); // [{"number":"INC1","caller":{"name":"Ada"}}]
 * ```
 *
 * A value at the root or in a list has no label; a member of an object has one, which is unique in it.
 * Each function throws a {@link CodecError} that names the place, and leaves the builder as it was.
 */
export class JsonBuilder {
  readonly #open: Open[] = [];
  #text = '';
  #done = false;

  /** Begins an object: without a label at the root and in a list, with one in an object. */
  startObject(label = ''): this {
    return this.#start('object', label);
  }

  /** Ends the object that was begun last. @param label checked against the one at its start; may be omitted */
  endObject(label = ''): this {
    return this.#end('object', label);
  }

  /** Begins a list: without a label at the root and in a list, with one in an object. */
  startArray(label = ''): this {
    return this.#start('array', label);
  }

  /** Ends the list that was begun last. @param label checked against the one at its start; may be omitted */
  endArray(label = ''): this {
    return this.#end('array', label);
  }

  /** Adds a property to an object; or, with an empty label, an entry to a list. */
  addProperty(label: string, value: JsonScalarValue): this {
    return this.#add(label, scalarText(this.#at(label), value));
  }

  /** Adds a number whose digits are kept exactly: `1.50`. */
  addNumber(label: string, digits: string): this {
    if (!NUMBER.test(digits)) throw new CodecError(this.#at(label), `is not a JSON number: ${quote(digits)}`);
    return this.#add(label, digits);
  }

  /** The JSON text. @throws CodecError when nothing was built, or something is not ended */
  toString(): string {
    const open = this.#open.at(-1);
    if (open !== undefined) throw new CodecError(this.#path(), `is ${nounOf(open)} that is not ended`);
    if (!this.#done) throw new CodecError('', 'nothing was built: the root is an object or a list');
    return this.#text;
  }

  #start(kind: Open['kind'], label: string): this {
    this.#add(label, kind === 'object' ? '{' : '[');
    this.#done = false;
    this.#open.push({ kind, label, labels: new Set(), empty: true });
    return this;
  }

  #end(kind: Open['kind'], label: string): this {
    const open = this.#open.at(-1);
    if (open?.kind !== kind) {
      const found = open === undefined ? 'nothing' : nounOf(open);
      throw new CodecError(this.#path(), `is ${found}, and ${kind === 'object' ? 'an object' : 'a list'} is ended`);
    }
    if (label !== '' && label !== open.label)
      throw new CodecError(this.#path(), `is ended as ${quote(label)}, and was begun as ${quote(open.label)}`);
    this.#open.pop();
    this.#text += kind === 'object' ? '}' : ']';
    this.#done = this.#open.length === 0;
    return this;
  }

  #add(label: string, text: string): this {
    const open = this.#open.at(-1);
    this.#check(open, label, text);
    const comma = open === undefined || open.empty ? '' : ',';
    this.#text += `${comma}${open?.kind === 'object' ? `${JSON.stringify(label)}:` : ''}${text}`;
    if (open !== undefined) {
      open.empty = false;
      open.labels.add(label);
    }
    return this;
  }

  #check(open: Open | undefined, label: string, text: string): void {
    if (open === undefined) {
      if (this.#done) throw new CodecError('', 'the root is built already');
      if (text !== '{' && text !== '[') throw new CodecError('', 'the root is an object or a list: begin one');
      if (label !== '') throw new CodecError(quote(label), 'is at the root, which has no label');
    } else if (open.kind === 'array') {
      if (label !== '') throw new CodecError(this.#at(label), 'is the entry of a list, which has no label');
    } else {
      if (label === '') throw new CodecError(this.#path(), 'is an object, whose members need labels');
      if (open.labels.has(label)) throw new CodecError(this.#at(label), 'is in its object already');
      sound(this.#at(label), label);
    }
  }

  /** Labels on the path to the open object or list. */
  #path(): string {
    return this.#open
      .map(({ label }) => label)
      .filter((label) => label !== '')
      .join('.');
  }

  #at(label: string): string {
    return [this.#path(), label].filter((step) => step !== '').join('.');
  }
}

function nounOf({ kind }: Open): string {
  return kind === 'object' ? 'an object' : 'a list';
}

function scalarText(path: string, value: JsonScalarValue): string {
  if (typeof value === 'string') return JSON.stringify(sound(path, value));
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new CodecError(path, `is ${value}, which JSON can't hold`);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  throw new CodecError(path, 'is not a single value: begin an object or a list');
}

function sound(path: string, text: string): string {
  try {
    return soundText(text);
  } catch (error) {
    throw error instanceof CodecError ? new CodecError(path, error.reason) : error;
  }
}
