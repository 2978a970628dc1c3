import { createHash } from 'node:crypto';
import { CodecError, compileDocument, compileText } from '../codec/index.ts';
import { exampleJson } from '../describe/example/text.ts';
import { type Choices, makeDocument } from '../describe/example/value.ts';
import { takenFor } from '../describe/field.ts';
import type { Document } from '../model/document.ts';
import type { Field, ScalarType } from '../model/field.ts';
import type { Query } from '../model/query.ts';
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
 * A value of a document, with every field that a value can be made for. The same seed gives the same value: one of each `enum`,
 * branch and document that derives from another, and varied values of types within their bounds.
 * @throws CodecError naming the field that no value can be made for
 */
export function instanceOf(document: Document, pick: Pick): DocumentValue {
  const made = makeDocument(document, variedBy(pick));
  if ('unmade' in made) throw new CodecError(made.unmade.name, made.unmade.reason);
  return compileDocument(document, { namespace: '' }).fromJson(JSON.stringify(exampleJson(document, made.value)));
}

/** A row of a query, likewise. */
export function rowOf({ id, columns, at }: Query, pick: Pick): DocumentValue {
  return instanceOf({ id, xmlName: 'row', root: false, open: false, fields: columns, inPlace: true, at }, pick);
}

/** Entries of a list or a map that has no bounds. */
const ENTRIES = 3;

function variedBy(pick: Pick): Choices {
  const rotated = <T>(alternatives: readonly T[]): readonly T[] => {
    const first = pick(Math.max(1, alternatives.length));
    return [...alternatives.slice(first), ...alternatives.slice(0, first)];
  };
  return {
    fields: (fields) => fields,
    branches: rotated,
    kinds: rotated,
    entries({ minimum = 1, maximum = Number.POSITIVE_INFINITY }, make) {
      const length = Math.min(minimum + pick(ENTRIES), maximum);
      return Array.from({ length }, make).filter((each) => each !== undefined);
    },
    showsEmpty: true,
    given: (field) => chosen(field.enum, pick) ?? takenFor(field),
    variant(field, type) {
      const varied = variant(field, type, pick);
      const unspaced = typeof varied === 'string' ? varied.replaceAll(' ', '_') : varied;
      const fits = checkOf(field);
      return [varied, unspaced].find((each) => each !== undefined && fits(String(each)));
    },
  };
}

/** Whether a text is a value of a field. */
function checkOf(field: Field): (text: string) => boolean {
  const read = compileText(field);
  return (text) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof CodecError) return false;
      throw error;
    }
  };
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
