import type { Document } from '../../model/document.ts';
import { type FieldType, isCollection, type ScalarType } from '../../model/field.ts';
import { isAnyText, isNumeric, isString, primitiveOf, traitsOf } from '../../model/scalar.ts';
import { digitsOf, MAX_DIGITS, toDecimal } from '../../wire/decimal.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import type { Pattern } from '../../wire/pattern.ts';

/** Whether values of a single type fit a field: the same type, or text for a field that takes any text. */
export function fitsSingle(from: FieldType, to: FieldType): boolean {
  if (from.kind === to.kind) return primitiveOf(from) !== undefined;
  if (isAnyText(to)) return isString(from);
  if (isAnyText(from)) return traitsOf(to)?.takesText === true;
  return primitiveOf(to) === 'decimal' && primitiveOf(from) === 'integer';
}

/**
 * Whether values of one field can fill another, in a call or its reply. Documents and lists must match; text accepts any single
 * value with a text form.
 */
export function fills(from: FieldType, to: FieldType): boolean {
  const primitive = primitiveOf(from);
  return (isAnyText(to) && (primitive === 'integer' || primitive === 'boolean')) || compare(from, to, new Map());
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
  readonly enum?: readonly (string | number)[];
  readonly anyCase: boolean;
  readonly pattern?: Pattern;
  readonly minimum?: number;
  readonly maximum?: number;
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
      if (typeof value !== 'number' || !Number.isInteger(value)) return misfit('it is not a whole number');
      return Number.isSafeInteger(value) ? fitting(value) : misfit('it is greater than 2^53 - 1');
    case 'decimal':
      return fitDecimal(text, type);
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

/** The value in its spelling in `enum`, when letter case is ignored. */
export function spelled<T extends string | number | boolean>(value: T, by: Restriction): T | string | number {
  if (!by.anyCase) return value;
  return by.enum?.find((each) => String(each).toLowerCase() === String(value).toLowerCase()) ?? value;
}

/** Why a value of the right form and spelling is not allowed. */
export function restrictionBroken(
  value: string | number | boolean,
  type: ScalarType,
  by: Restriction,
): string | undefined {
  const text = String(value);
  if (by.enum !== undefined && !by.enum.some((each) => String(each) === text)) {
    return `it is not one of ${by.enum.join(', ')}`;
  }
  if (by.pattern !== undefined && !by.pattern.test(text)) return `it does not match ${by.pattern.source}`;
  const isNumber = isNumeric(type);
  const size = isNumber ? Number(value) : [...text].length;
  const unit = isNumber ? '' : ' characters';
  if (by.minimum !== undefined && size < by.minimum) return `it is less than ${by.minimum}${unit}`;
  if (by.maximum !== undefined && size > by.maximum) return `it is more than ${by.maximum}${unit}`;
  return undefined;
}
