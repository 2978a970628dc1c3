import type { Document } from '../../model/document.ts';
import { type FieldType, isCollection, type ScalarType } from '../../model/field.ts';
import { isAnyText, isString, primitiveOf, traitsOf } from '../../model/scalar.ts';
import { digitsOf, MAX_DIGITS, toDecimal } from '../../wire/decimal.ts';
import { doubleJson, readDouble } from '../../wire/double.ts';
import { LEXICAL } from '../../wire/lexical.ts';

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

type Fitted =
  | { readonly fits: true; readonly value: string | number | boolean }
  | { readonly fits: false; readonly reason: string };

/** Converts a default, example, enum or fixed value to the form of its type, or explains why it does not fit. */
export function fitValue({ value, written }: WrittenValue, type: ScalarType): Fitted {
  const text = typeof value === 'string' ? value : written;
  if (!isSound(text)) return misfit('it holds a NUL character or half of a surrogate pair');
  const { primitive, lexical, values, beyondNumbers } = traitsOf(type);
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
      if (number === undefined) return misfit('it is not a number');
      if (!Number.isFinite(number) && !beyondNumbers) return misfit(`a ${type.kind} is never infinite`);
      return fitting(doubleJson(number));
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
