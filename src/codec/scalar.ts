import type { Document } from '../model/document.ts';
import {
  entryField,
  type Field,
  filledByFault,
  isCollection,
  isSpaced,
  type ScalarType,
  singleType,
} from '../model/field.ts';
import { isFreeText, isNumeric, primitiveOf, rangeOf, traitsOf } from '../model/scalar.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { digitsOf } from '../wire/decimal.ts';
import { brokenBound, integersWithin, ORDERS, type OrderName, type Range } from '../wire/order.ts';
import { compilePattern } from '../wire/pattern.ts';
import { NORMALISED, type Spacing } from '../wire/white-space.ts';
import { counted, quote } from '../wire/words.ts';
import { addError, CodecError, kindOf, refuse, within } from './error.ts';
import { carryDigits } from './json/digits.ts';
import { type Digits, readJsonText } from './json/plain.ts';
import { kinds } from './kinds.ts';
import { checkChosen, compileEntryCount, type Foreign, nearest, setMember } from './value.ts';
import { compileMarkupCheck } from './xml/markup.ts';

/** One single value of a field, checked in every direction. Each function throws a {@link CodecError} without a path. */
interface Scalar {
  fromText(text: string): Value;
  fromJson(raw: unknown, depth: number, digits: Digits): Value;
  /** A handler's value, checked, as JSON.stringify takes it. */
  toJson(value: Value, depth: number): unknown;
  /** A handler's value, checked, as XML and text have it. */
  toText(value: Value): string;
}

/**
 * Compiles the value of a field, or one entry of a list of scalars.
 * @param foreign `pass` for the text of a partner: JSON in it may repeat names
 */
export function compileScalar(field: Field, type: ScalarType, foreign: Foreign = 'refuse'): Scalar {
  const { fromJson, accept, toJson, toText, ...kind } = kinds[type.kind];
  const fromText = primitiveOf(type) === 'json' ? (text: string) => readJsonText(text, foreign) : kind.fromText;
  const check = compileConstraints(field, type);
  const taken = check === undefined || field.asFound ? accept : (value: unknown): Value => check(accept(value));
  return {
    fromText: check === undefined ? fromText : (text) => check(fromText(text)),
    fromJson: check === undefined ? fromJson : (raw, depth, digits) => check(fromJson(raw, depth, digits)),
    toJson: toJson === undefined ? taken : (value, depth) => toJson(taken(value), depth),
    toText: (value) => toText(taken(value)),
  };
}

/** A string of at most so many UTF-16 units is right as it stands, read and written in JSON; -1 where each is looked at. */
export function plainLength(field: Field): number {
  const { type, maximum = Number.POSITIVE_INFINITY, minimum = 0 } = field;
  if (isCollection(type) || type.kind === 'document' || !isFreeText(type)) return -1;
  if (
    compileMarkupCheck(field, type) !== undefined ||
    minimum > 0 ||
    field.enum !== undefined ||
    field.fixed !== undefined
  )
    return -1;
  if (field.patterns !== undefined || field.space !== undefined) return -1;
  return Math.min(type.length ?? Number.POSITIVE_INFINITY, maximum);
}

/** What a field holds where it is not given: its `fixed` value or else its `default`, in the form in memory. */
export function initialValue(field: Field): Value {
  if (isCollection(field.type) || field.type.kind === 'document') return undefined;
  if (field.fixed !== undefined) return typed(field.fixed, field.type);
  if (field.default === undefined || filledByFault(field)) return undefined;
  return typed(field.default, field.type);
}

/**
 * The value of an empty XML element (XML Schema, part 1, 3.3.4): the only one of a field that has one, or else the one that is
 * assumed. `undefined` when an empty element has no value of its own.
 */
export function valueWhenEmpty({ fixed, enum: values, assumed }: Field, type: ScalarType): Value {
  const value = fixed ?? (values?.length === 1 ? values[0] : undefined) ?? assumed;
  return value === undefined ? undefined : typed(value, type);
}

/**
 * Compiles the reading of one field's value from a text: a URL variable, a header, a prompt. A list field gets a list of
 * one entry. The function throws a {@link CodecError} with the field's name for its path.
 */
export function compileText(field: Field): (text: string) => Value {
  const { type, name } = field;
  if (type.kind === 'document' || type.kind === 'map')
    throw new TypeError(`${name} is a ${type.kind}, which has no form as text`);
  if (type.kind === 'list') {
    const read = compileList(field);
    return (text) => read([text]);
  }
  const { fromText } = compileScalar(field, type);
  return (text) => {
    try {
      return fromText(text);
    } catch (error) {
      throw within(error, name);
    }
  };
}

/** Compiles the reading of a list field's value from its entries' texts. */
export function compileList(field: Field): (texts: readonly string[]) => Value {
  const { type, name } = field;
  if (type.kind !== 'list') {
    const read = compileText(field);
    return (texts) => {
      if (texts.length !== 1) throw new CodecError(name, texts.length === 0 ? 'is missing' : 'is given more than once');
      return read(texts[0]!);
    };
  }
  if (type.item.kind === 'document') throw new TypeError(`${name} is a list of documents, which has no form as text`);
  const { fromText } = compileScalar(field, type.item);
  const checkCount = compileEntryCount(field);
  return (texts) => {
    const values: Value[] = [];
    let place = name;
    try {
      checkCount(texts.length);
      for (const text of texts) {
        place = `${name}[${values.length}]`;
        values.push(fromText(text));
      }
    } catch (error) {
      throw within(error, place);
    }
    return values;
  };
}

/**
 * Compiles the reading of a list from the texts of a URI, a header or a form. Some clients percent-encode the commas between
 * entries too, so where no entry can contain a comma, every comma separates. Entries of free text keep theirs.
 */
export function compileSeparated(field: Field): (texts: readonly string[]) => Value {
  const read = compileList(field);
  if (!isCommaSeparated(field)) return read;
  return (texts) => read(texts.some((text) => text.includes(',')) ? texts.flatMap((text) => text.split(',')) : texts);
}

/** Whether every comma in the texts of a field is between two entries of its list. */
export function isCommaSeparated(field: Field): boolean {
  const { type } = field;
  return type.kind === 'list' && type.item.kind !== 'document' && !mayHoldComma(field, type.item);
}

function mayHoldComma(field: Field, type: ScalarType): boolean {
  const { primitive, lexical, values } = traitsOf(type);
  const known = field.enum ?? values;
  if (known !== undefined) return known.some((value) => String(value).includes(','));
  return primitive === 'json' || lexical === 'uri' || isFreeText(type);
}

/**
 * Compiles the writing of a field's value as text, checked: one text, or for a list one of each entry. The function throws a
 * {@link CodecError} with the field's name for its path.
 */
export function compileTextWriter(field: Field): (value: Value) => readonly string[] {
  const { type, name } = field;
  const single = singleType(type);
  if (single.kind === 'document' || type.kind === 'map')
    throw new TypeError(`${name} holds a ${type.kind === 'map' ? 'map' : 'document'}, which has no form as text`);
  const { toText } = compileScalar(field, single);
  const checkCount = compileEntryCount(field);
  return (value) => {
    let place = name;
    try {
      if (type.kind !== 'list') return [toText(value)];
      if (!Array.isArray(value)) return refuse(`is ${kindOf(value)}, not a list`);
      checkCount(value.length);
      return value.map((entry: Value, index) => {
        place = `${name}[${index}]`;
        return toText(entry);
      });
    } catch (error) {
      throw within(error, place);
    }
  };
}

/**
 * Compiles what is done once all parts of a request are read: a required field that is missing is refused, and what is not
 * given gets its fixed value or its default. The values themselves are taken to be checked already.
 * @param document the document that the fields are of, which may be a choice
 */
export function compileCheck(
  fields: readonly Field[],
  document?: Pick<Document, 'fields' | 'choice' | 'kinds' | 'abstract'>,
): (given: Readonly<Record<string, Value>>) => DocumentValue {
  const initials = fields.flatMap((field) => {
    const value = initialValue(field);
    return value === undefined ? [] : [{ name: field.name, value }];
  });
  const required = fields.filter((field) => field.required && initialValue(field) === undefined);
  const names = required.map((field) => field.name);
  const by = document?.kinds?.by.name;
  return (given) => {
    // The reader of a body has checked and filled in what the document that it is has.
    if (by !== undefined && Object.hasOwn(given, by)) return given;
    if (by !== undefined && document?.abstract) throw new CodecError(by, 'is missing');
    let errors: CodecError | undefined;
    for (const name of names) {
      if (!Object.hasOwn(given, name) || given[name] === undefined)
        errors = addError(errors, new CodecError(name, 'is missing'));
    }
    if (errors !== undefined) throw errors;
    if (document?.choice !== undefined) checkChosen(document, namesOf(document, given));
    const complete: Record<string, Value> = carryDigits(given, { ...given });
    for (const { name, value } of initials) {
      if (!Object.hasOwn(given, name) || given[name] === undefined) setMember(complete, name, value);
    }
    return complete;
  };
}

const namesOf = ({ fields }: Pick<Document, 'fields'>, given: Readonly<Record<string, Value>>): string[] =>
  fields.map(({ name }) => name).filter((name) => Object.hasOwn(given, name) && given[name] !== undefined);

/** Returns a value of the right type as it is taken over, or throws. */
type Check = (value: Value) => Value;

/**
 * The checks of a field beyond its type, after white space was normalised: length, digits, `enum`, `pattern`, `minimum`, `maximum`, `fixed`.
 * @param field may be a list or a map of such values
 * @returns `undefined` when there is nothing to check
 */
function compileConstraints(field: Field, type: ScalarType): Check | undefined {
  const { takes } = traitsOf(type);
  const range = rangeOf(field);
  const checks = [
    ...(field.space === undefined ? [] : [spaceCheck(field.space)]),
    ...(takes.bounds === 'length' ? [lengthCheck(field, type)] : []),
    ...(takes.bounds === 'bytes' ? [bytesCheck(field)] : []),
    digitsCheck(field, type),
    enumCheck(field, type),
    ...(field.patterns ?? []).map(patternCheck),
    ...(range === undefined ? [] : [rangeCheck(range, type)]),
    fixedCheck(field, type),
    compileMarkupCheck(field, type),
    isSpaced(field.type) && primitiveOf(type) === 'text' ? wordCheck : undefined,
  ].filter((check) => check !== undefined);
  return checks.reduce<Check | undefined>(
    (all, check) => (all === undefined ? check : (value) => check(all(value))),
    undefined,
  );
}

/** A value of the definitions (`default`, `enum`, `fixed`, `example`) in the form in memory. */
function typed(value: string | number | boolean, type: ScalarType): Value {
  return typeof value === 'boolean' && primitiveOf(type) === 'boolean'
    ? value
    : kinds[type.kind].fromText(String(value));
}

/** Compiles what all forms of one value share: `1.5` and `1.50` are one decimal. */
function compileSame(type: ScalarType): (value: Value) => Value {
  const { order, primitive } = traitsOf(type);
  const isExact = order === undefined || primitive === 'integer' || primitive === 'double';
  return isExact ? (value) => value : (value) => ORDERS[order].same(value as string);
}

/** Characters (Unicode code points) of a text, counted no further than needed to see that they are more than `limit`. */
function characters(text: string, limit: number): number {
  let counted = 0;
  for (let i = 0; i < text.length && counted <= limit; i++) {
    if (text.codePointAt(i)! > 0xffff) i++;
    counted++;
  }
  return counted;
}

function spaceCheck(space: Spacing): Check {
  const normalise = NORMALISED[space];
  return (value) => normalise(value as string);
}

/** An entry of a list that is one text in XML. */
const wordCheck: Check = (value) => {
  if (value === '') refuse('is empty, which no entry of a list with spaces between them can be');
  if (/[ \t\n\r]/.test(value as string)) refuse('holds white space, which separates the entries of its list');
  return value;
};

function lengthCheck(field: Field, type: ScalarType): Check | undefined {
  const { minimum = 0, maximum: most = Infinity } = entryField(field);
  const maximum = Math.min(type.length ?? Infinity, most);
  if (maximum === Infinity && minimum <= 0) return undefined;
  const tooLong = `is longer than ${counted(maximum, 'character')}`;
  const tooShort = `is shorter than ${counted(minimum, 'character')}`;
  return (value) => {
    const text = value as string;
    // UTF-16 has one or two units a character, so that most lengths need no counting.
    if (text.length > maximum && characters(text, maximum) > maximum) refuse(tooLong);
    if (text.length < 2 * minimum && characters(text, minimum) < minimum) refuse(tooShort);
    return value;
  };
}

function bytesCheck(field: Field): Check | undefined {
  const { minimum = 0, maximum = Infinity } = entryField(field);
  if (minimum <= 0 && maximum === Infinity) return undefined;
  const tooLong = `is longer than ${counted(maximum, 'byte')}`;
  const tooShort = `is shorter than ${counted(minimum, 'byte')}`;
  return (value) => {
    const { length } = value as string;
    if (length > 2 * maximum) refuse(tooLong);
    if (length < 2 * minimum) refuse(tooShort);
    return value;
  };
}

function digitsCheck({ digits = Infinity, fraction = Infinity }: Field, type: ScalarType): Check | undefined {
  const { length, scale = length === undefined || traitsOf(type).size !== 'digits' ? fraction : 0 } = type;
  const total = traitsOf(type).size === 'digits' ? (length ?? digits) : digits;
  if (total === Infinity && scale === Infinity) return undefined;
  return (value) => {
    const found = digitsOf(String(value));
    if (found.fraction > scale) refuse(`has more than ${counted(scale, 'digit')} after the point`);
    if (found.total > total) refuse(`has more than ${counted(total, 'digit')}`);
    return value;
  };
}

function enumCheck(field: Field, type: ScalarType): Check | undefined {
  if (field.enum === undefined) return undefined;
  const values = field.enum.map((value) => typed(value, type));
  const names = field.enum.map(String);
  const same = compileSame(type);
  const key = field.anyCase ? (value: Value): Value => (value as string).toLowerCase() : same;
  const allowed = new Map(values.map((value) => [key(value), value]));
  return (value) => {
    const found = allowed.get(key(value));
    if (found !== undefined) return found;
    if (field.sensitive) return refuse('is not one of its values');
    const meant = typeof value === 'string' ? nearest(value, names) : undefined;
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
    return refuse(`is ${quote(String(value))}, not one of ${names.join(', ')}${hint}`);
  };
}

function patternCheck(source: string): Check {
  const pattern = compilePattern(source);
  const mismatch = `does not match the pattern ${source}`;
  const tooLong = `is longer than ${pattern.longest} characters, too long for the pattern ${source}`;
  return (value) => {
    const text = String(value);
    if (text.length > pattern.longest) refuse(tooLong);
    return pattern.test(text) ? value : refuse(mismatch);
  };
}

/** What is wrong with a value that does not hold a bound. */
const BEYOND = {
  number: {
    minimum: 'is less than',
    above: 'is not greater than',
    maximum: 'is greater than',
    below: 'is not less than',
  },
  moment: { minimum: 'is before', above: 'is not after', maximum: 'is after', below: 'is not before' },
} as const;

function rangeCheck(range: Range, type: ScalarType): Check | undefined {
  const { primitive, order } = traitsOf(type);
  const words = BEYOND[isNumeric(type) ? 'number' : 'moment'];
  if (primitive === 'integer') return integerRangeCheck(range, type);
  const text = primitive === 'double' ? kinds[type.kind].toText : String;
  return (value) => {
    const broken = brokenBound(text(value), range, order as OrderName);
    return broken === undefined ? value : refuse(`${words[broken]} ${range[broken]}`);
  };
}

function integerRangeCheck(range: Range, type: ScalarType): Check | undefined {
  const { least, most } = integersWithin(range);
  const own = integersWithin(traitsOf(type).range ?? {});
  // The bounds of 64 bits have been checked with the type. Most others are compared faster as numbers.
  const comparable = (bound: bigint | undefined, ofType: bigint | undefined, none: number): number | bigint => {
    if (bound === undefined) return none;
    if (Number.isSafeInteger(Number(bound))) return Number(bound);
    return bound === ofType ? none : bound;
  };
  const low = comparable(least, own.least, Number.NEGATIVE_INFINITY);
  const high = comparable(most, own.most, Number.POSITIVE_INFINITY);
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return undefined;
  const reason = (name: keyof Range): string => `${BEYOND.number[name]} ${range[name]}`;
  const less = reason(range.minimum === undefined ? 'above' : 'minimum');
  const greater = reason(range.maximum === undefined ? 'below' : 'maximum');
  return (value) => {
    if ((value as number | bigint) < low) refuse(less);
    if ((value as number | bigint) > high) refuse(greater);
    return value;
  };
}

function fixedCheck(field: Field, type: ScalarType): Check | undefined {
  if (field.fixed === undefined) return undefined;
  const fixed = typed(field.fixed, type);
  const reason = `is not ${typeof fixed === 'string' ? quote(fixed) : String(fixed)}, its only value`;
  const same = compileSame(type);
  const only = same(fixed);
  return (value) => (Object.is(same(value), only) ? fixed : refuse(field.sensitive ? 'is not its only value' : reason));
}
