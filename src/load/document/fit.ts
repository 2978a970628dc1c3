import type { Document } from '../../model/document.ts';
import { type Field, type FieldType, isCollection, type ScalarType } from '../../model/field.ts';
import { isAnyText, isNumeric, isString, primitiveOf, rangeOf, traitsOf } from '../../model/scalar.ts';
import { digitsOf, MAX_DIGITS, toDecimal } from '../../wire/decimal.ts';
import { doubleJson, readDouble } from '../../wire/double.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import { brokenBound, ORDERS, type Range } from '../../wire/order.ts';
import { compilePattern, type Pattern } from '../../wire/pattern.ts';
import { NORMALISED, type Spacing } from '../../wire/white-space.ts';
import { given } from '../object.ts';

/** Whether values of a single type fit a field: the same type, or text for a field that takes any text. */
export function fitsSingle(from: FieldType, to: FieldType): boolean {
  if (from.kind === to.kind) return primitiveOf(from) !== undefined;
  if (isAnyText(to)) return isString(from);
  if (isAnyText(from)) return traitsOf(to)?.takesText === true;
  const [is, wanted] = [primitiveOf(from), primitiveOf(to)];
  if (wanted === 'integer' && is === 'integer') return true;
  return (wanted === 'decimal' && is === 'integer') || (wanted === 'double' && (is === 'integer' || is === 'decimal'));
}

/**
 * Whether values of one field can fill another, in a call or its reply. Documents and lists must match; text accepts any single
 * value with a text form.
 */
export function fills(from: FieldType, to: FieldType): boolean {
  const primitive = primitiveOf(from);
  return (
    (isAnyText(to) && (primitive === 'integer' || primitive === 'double' || primitive === 'boolean')) ||
    compare(from, to, new Map())
  );
}

/** `compared`: pairs of documents under comparison, because documents may contain themselves. */
function compare(from: FieldType, to: FieldType, compared: Map<Document, Set<Document>>): boolean {
  if (isCollection(from)) return to.kind === from.kind && compare(from.item, to.item, compared);
  if (from.kind === 'document') return to.kind === 'document' && embeds(from.document, to.document, compared);
  return fitsSingle(from, to);
}

/**
 * Whether values of one document are valid for another. Inner documents are passed unchanged, so the target must have all of
 * their fields and require no others.
 */
function embeds(from: Document, to: Document, compared: Map<Document, Set<Document>>): boolean {
  const known = compared.get(from) ?? new Set();
  if (from === to || known.has(to)) return true;
  compared.set(from, known.add(to));
  // What derives from one document is known by its name, which values of another have not.
  if (from.kinds !== undefined || to.kinds !== undefined || to.abstract) return false;
  if (from.open && !to.open) return false;
  if (to.choice !== undefined && from.choice === undefined) return false;
  const targets = new Map(to.fields.map((field) => [field.name, field]));
  const sources = new Set(from.fields.map((field) => field.name));
  const held = from.fields.every((field) => {
    const target = targets.get(field.name);
    if (target?.required && field.nullable && !target.nullable) return false;
    if (target !== undefined && field.entry?.nullable && !target.entry?.nullable) return false;
    return target === undefined ? to.open : compare(field.type, target.type, compared);
  });
  return held && to.fields.every(({ name, required, fixed }) => !required || fixed !== undefined || sources.has(name));
}

/** A value of a definition with its source text: a decimal keeps its digits, a code its zeros. */
interface WrittenValue {
  readonly value: string | number | boolean;
  readonly written: string;
}

/** The restrictions on a value in addition to its type. */
export interface Restriction {
  readonly enum?: readonly (string | number | boolean)[];
  readonly anyCase: boolean;
  readonly patterns?: readonly Pattern[];
  readonly space?: Spacing;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly range?: Range;
  readonly digits?: number;
  readonly fraction?: number;
}

/** The restrictions of a linked field, whose patterns are valid. */
export function restrictionOf(field: Field): Restriction {
  const { anyCase, enum: listed, patterns = [], space, minimum, maximum, range, digits, fraction } = field;
  const facets = given({ enum: listed, space, minimum, maximum, range, digits, fraction });
  return { anyCase, patterns: patterns.map(compilePattern), ...facets };
}

type Fitted =
  | { readonly fits: true; readonly value: string | number | boolean }
  | { readonly fits: false; readonly reason: string };

/** Converts a default, example, enum or fixed value to the form of its type, or explains why it does not fit. */
export function fitValue({ value, written }: WrittenValue, type: ScalarType): Fitted {
  const text = typeof value === 'string' ? value : written;
  if (!isSound(text)) return misfit('it holds a NUL character or half of a surrogate pair');
  const { primitive, lexical, values } = traitsOf(type);
  if (values !== undefined)
    return values.includes(text) ? fitting(text) : misfit(`a ${type.kind} must be ${values.join(' or ')}`);
  if (lexical !== undefined) {
    const { read, noun } = LEXICAL[lexical];
    const found = read(text);
    return found === undefined ? misfit(`it is not ${noun}`) : fitting(found);
  }
  switch (primitive) {
    case 'integer':
      return fitInteger(value, text);
    case 'decimal':
      return fitDecimal(text, type);
    case 'double': {
      const number = typeof value === 'number' ? value : readDouble(text);
      return number === undefined ? misfit('it is not a number') : fitting(doubleJson(number));
    }
    case 'boolean':
      return typeof value === 'boolean' ? fitting(value) : misfit('it is neither true nor false');
    case 'json':
      return isJson(text) ? fitting(text) : misfit('it is not valid JSON');
    case 'binary':
      return misfit("binary content can't be written in a definition");
    default:
      return type.length !== undefined && [...text].length > type.length
        ? misfit(`it is longer than ${type.length} character${type.length === 1 ? '' : 's'}`)
        : fitting(text);
  }
}

const fitting = (value: string | number | boolean): Fitted => ({ fits: true, value });
const misfit = (reason: string): Fitted => ({ fits: false, reason });

/** A number where it keeps all digits, or the digits. */
function fitInteger(value: string | number | boolean, text: string): Fitted {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return fitting(value);
  const [whole, fraction = ''] = (typeof value === 'boolean' ? undefined : toDecimal(text, true))?.split('.') ?? [];
  if (whole === undefined || /[1-9]/.test(fraction)) return misfit('it is not a whole number');
  // A text is how the digits of a long one are written in JSON and by an import; quotes around others are a slip.
  if (Number.isSafeInteger(Number(whole))) return misfit('it is not a whole number');
  return fitting(whole);
}

function fitDecimal(text: string, { length, scale = 0 }: ScalarType): Fitted {
  const decimal = toDecimal(text, false);
  if (decimal === undefined) {
    return misfit(text.length > MAX_DIGITS ? `it has more than ${MAX_DIGITS} digits` : 'it is not a decimal number');
  }
  const { total, fraction } = digitsOf(decimal);
  if (length !== undefined && fraction > scale) return misfit(`it has more than ${scale} digits after the point`);
  if (length !== undefined && total > length) return misfit(`it has more than ${length} digits`);
  return fitting(decimal);
}

/** Whether a text can be sent in every message. */
function isSound(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Whether a text is JSON without values that no message can carry: malformed Unicode, numbers out of range. */
function isJson(text: string): boolean {
  let sound = true;
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (!isSound(key) || (typeof value === 'string' && !isSound(value))) sound = false;
      if (typeof value === 'number' && !Number.isFinite(value)) sound = false;
      return value;
    });
    return sound;
  } catch {
    return false;
  }
}

/** The value with its white space normalised, and in its spelling in `enum` when letter case is ignored. */
export function spelled(value: string | number | boolean, by: Restriction): string | number | boolean {
  const text = by.space === undefined || typeof value !== 'string' ? value : NORMALISED[by.space](value);
  if (!by.anyCase) return text;
  return by.enum?.find((each) => String(each).toLowerCase() === String(text).toLowerCase()) ?? text;
}

/** Why a value of the right form and spelling is not allowed. */
export function restrictionBroken(
  value: string | number | boolean,
  type: ScalarType,
  by: Restriction,
): string | undefined {
  const text = String(value);
  const { order } = traitsOf(type);
  const same = order === undefined ? (each: string) => each : ORDERS[order].same;
  if (by.enum !== undefined && !by.enum.some((each) => same(String(each)) === same(text))) {
    return `it is not one of ${by.enum.join(', ')}`;
  }
  const unmatched = by.patterns?.find((pattern) => !pattern.test(text));
  if (unmatched !== undefined) return `it does not match ${unmatched.source}`;
  const { bounds } = traitsOf(type).takes;
  if (bounds === 'value') return boundBroken(text, type, by);
  const size = bounds === 'bytes' ? text.length / 2 : [...text].length;
  const unit = bounds === 'bytes' ? ' bytes' : ' characters';
  if (by.minimum !== undefined && size < by.minimum) return `it is less than ${by.minimum}${unit}`;
  if (by.maximum !== undefined && size > by.maximum) return `it is more than ${by.maximum}${unit}`;
  return undefined;
}

const BROKEN = {
  number: { minimum: 'less than', above: 'not more than', maximum: 'more than', below: 'not less than' },
  moment: { minimum: 'before', above: 'not after', maximum: 'after', below: 'not before' },
} as const;

function boundBroken(text: string, type: ScalarType, { digits, fraction, ...of }: Restriction): string | undefined {
  const { order } = traitsOf(type);
  const range = rangeOf({ type, ...of });
  const broken = range && order && brokenBound(text, range, order);
  if (broken !== undefined) return `it is ${BROKEN[isNumeric(type) ? 'number' : 'moment'][broken]} ${range?.[broken]}`;
  if (digits === undefined && fraction === undefined) return undefined;
  const found = digitsOf(text);
  if (found.fraction > (fraction ?? found.fraction)) return `it has more than ${fraction} digits after the point`;
  return found.total > (digits ?? found.total) ? `it has more than ${digits} digits` : undefined;
}
