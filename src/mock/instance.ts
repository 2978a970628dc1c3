import { createHash } from 'node:crypto';
import { CodecError, compileDocument, compileText } from '../codec/index.ts';
import { exampleJson } from '../describe/example/text.ts';
import {
  type ExampleDocument,
  type ExampleValue,
  emptyExample,
  exampleEntry,
  exampleField,
} from '../describe/example/value.ts';
import { exampleKey, takenFor } from '../describe/field.ts';
import { type Kinds, kindName, kindsOf } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import { type Field, filledByFault, isCollection, type ScalarType } from '../model/field.ts';
import { isNumeric, primitiveOf, traitsOf } from '../model/scalar.ts';
import type { DocumentValue } from '../model/value.ts';

/** Picks a whole number from 0 to below `count`. */
export type Pick = (count: number) => number;

/** Numbers that depend on nothing but a text: the same text gives the same sequence (mulberry32). */
export function seeded(text: string): Pick {
  let state = createHash('sha256').update(text).digest().readUInt32LE();
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

/**
 * A value of a document, with every field that a value can be made for. A field has its `fixed` value, else its `example`, else
 * one of its `enum`, else its default, else a value of its type within its bounds. A document inside itself ends where it is
 * optional.
 * @throws CodecError naming the field that no value can be made for
 */
export function instanceOf(document: Document, pick: Pick): DocumentValue {
  const example = documentInstance(document, pick, []);
  const codec = compileDocument(document, { namespace: '' });
  return codec.fromJson(JSON.stringify(exampleJson(document, example)));
}

type Open = readonly Document[];

function documentInstance(document: Document, pick: Pick, open: Open): ExampleDocument {
  const inside = [...open, document];
  if (document.choice !== undefined) return choiceInstance(document, pick, inside);
  if (document.kinds !== undefined) return kindInstance(document, document.kinds, pick, inside);
  return itselfInstance(document, pick, inside);
}

/** One of the documents that may stand for another one, of which a value can be made. */
function kindInstance(document: Document, { by }: Kinds, pick: Pick, inside: Open): ExampleDocument {
  const kinds = kindsOf(document).filter((kind) => kind === document || !inside.includes(kind));
  const first = pick(Math.max(1, kinds.length));
  let reason: unknown = new CodecError(document.id, 'contains itself in each of the documents that derive from it');
  for (const kind of [...kinds.slice(first), ...kinds.slice(0, first)]) {
    try {
      const value = itselfInstance(kind, pick, [...inside, kind]);
      return Object.assign(emptyExample(), { [by.name]: kindName(kind) }, value);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      reason = error;
    }
  }
  throw reason;
}

/** A value of the document itself, not of one that derives from it. */
function itselfInstance(document: Document, pick: Pick, inside: Open): ExampleDocument {
  const values = emptyExample();
  for (const field of document.fields) {
    const value = fieldInstance(field, pick, inside);
    if (value !== undefined) values[field.name] = value;
    else if (field.required)
      throw new CodecError(field.name, `needs an example in ${document.id}: no value can be made from its definition`);
  }
  return values;
}

/** A branch that does not contain the document again, if there is one. */
function choiceInstance({ id, fields }: Document, pick: Pick, inside: Open): ExampleDocument {
  const first = pick(fields.length);
  let reason: unknown = new CodecError(id, 'contains itself in each of its branches');
  for (const field of [...fields.slice(first), ...fields.slice(0, first)]) {
    try {
      const value = fieldInstance(field, pick, inside);
      if (value !== undefined) return Object.assign(emptyExample(), { [field.name]: value });
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      reason = error;
    }
  }
  throw reason;
}

/** Entries of a list or a map that has no bounds. */
const ENTRIES = 3;

function fieldInstance(field: Field, pick: Pick, open: Open): ExampleValue | undefined {
  const { type } = field;
  if (type.kind === 'document') return compoundInstance(type.document, pick, open);
  if (!isCollection(type)) return scalarInstance(field, type, pick);
  const least = field.minimum ?? 1;
  const count = Math.min(least + pick(ENTRIES), field.maximum ?? Number.POSITIVE_INFINITY);
  const { item } = type;
  const entry = exampleEntry(field);
  const entries = Array.from({ length: count }, () =>
    item.kind === 'document'
      ? compoundInstance(item.document, pick, open)
      : scalarInstance({ ...entry, type: item }, item, pick),
  );
  const found = entries.filter((each) => each !== undefined);
  return type.kind === 'list'
    ? found
    : Object.fromEntries(found.map((each, index) => [exampleKey(field, index), each]));
}

function compoundInstance(document: Document, pick: Pick, open: Open): ExampleValue | undefined {
  return open.includes(document) ? undefined : documentInstance(document, pick, open);
}

function scalarInstance(field: Field, type: ScalarType, pick: Pick): ExampleValue | undefined {
  const given = field.fixed ?? field.example ?? chosen(field.enum, pick) ?? takenFor(field);
  if (given !== undefined || filledByFault(field)) return exampleField(withExample(field, given));
  const read = compileText(field);
  const fits = (text: string): boolean => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof CodecError) return false;
      throw error;
    }
  };
  const plain = exampleField(field);
  const varied = variant(field, type, pick);
  const unspaced = typeof varied === 'string' ? varied.replaceAll(' ', '_') : varied;
  return [varied, unspaced].find((each) => each !== undefined && fits(String(each))) ?? plain;
}

/** The field with a value to show, in the form that `example:` has. */
function withExample(field: Field, given: string | number | boolean | undefined): Field {
  const { enum: _, ...rest } = field;
  return given === undefined ? rest : { ...rest, example: given };
}

function chosen<T>(values: readonly T[] | undefined, pick: Pick): T | undefined {
  return values === undefined || values.length === 0 ? undefined : values[pick(values.length)];
}

/** A value of a type that differs from seed to seed; it may not fit the field, whose bounds and pattern are checked then. */
function variant(field: Field, type: ScalarType, pick: Pick): string | number | boolean | undefined {
  const { anyText, example, values } = traitsOf(type);
  if (primitiveOf(type) === 'boolean') return pick(2) === 1;
  if (values !== undefined) return chosen(values, pick);
  if (isNumeric(type)) return number(field, type, pick);
  if (anyText) return words(field, type, pick);
  const text = String(example);
  if (/^\d{4}-\d\d-\d\d|^\d\d:\d\d/.test(text)) return moment(text, pick);
  return isOpaque(type) ? undefined : text.replace(/\d/g, () => String(pick(10)));
}

/** Content, whose digits are not numbers. */
function isOpaque(type: ScalarType): boolean {
  const { body } = traitsOf(type);
  return body !== 'text';
}

function number(
  { range = {}, digits = 15, fraction = 0 }: Field,
  { scale = fraction }: ScalarType,
  pick: Pick,
): number {
  const { minimum, above = Number(minimum ?? 1) - 1, maximum, below } = range;
  const low = minimum === undefined ? Math.floor(Number(above)) + 1 : Math.ceil(Number(minimum));
  const most = Math.max(low, 0) + Math.min(999, 10 ** (digits - scale) - 1);
  const high = Math.floor(Number(maximum ?? (below === undefined ? most : Number(below) - 1)));
  const whole = low + pick(Math.max(1, Math.min(high - low + 1, 1_000_000)));
  return scale === 0 || whole === high ? whole : Number(`${whole}.${pick(10 ** Math.min(scale, 2))}`);
}

/** The name of the field in words, and a number: `Serial number 17`. */
function words({ name, maximum }: Field, { length }: ScalarType, pick: Pick): string {
  const most = Math.min(length ?? 60, maximum ?? 60);
  const digits = String(1 + pick(99));
  const label = name.toLowerCase().replace(/_+/g, ' ').trim();
  const text = `${label.charAt(0).toUpperCase()}${label.slice(1)}`.slice(0, Math.max(0, most - digits.length - 1));
  return text === '' ? digits.slice(0, most) : `${text.trimEnd()} ${digits}`;
}

/** A date and a time of day in place of those of an example: any day up to the 28th, any minute. */
function moment(example: string, pick: Pick): string {
  const two = (count: number, from = 0): string => String(from + pick(count)).padStart(2, '0');
  return example
    .replace(/^(\d{4})-\d\d-\d\d/, (_, year: string) => `${year}-${two(12, 1)}-${two(28, 1)}`)
    .replace(/\d\d:\d\d/, () => `${two(24)}:${two(60)}`);
}
