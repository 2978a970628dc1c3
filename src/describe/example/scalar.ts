import type { Field, ScalarType } from '../../model/field.ts';
import { isNumeric, primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { RawKind } from '../../model/service.ts';
import { exampleNamespace } from '../../model/wildcard.ts';
import { decimalOf } from '../../wire/decimal.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import { brokenBound, integersWithin } from '../../wire/order.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';
import { longest, matchesPatterns } from '../field.ts';
import { isExact } from '../json.ts';
import { samplesOf } from './pattern.ts';

/** Contracts show no text with more characters than this, and no list with more entries. */
export const MOST_SHOWN = 1000;

/** The content of a message without a document: a text, or base64. */
export function exampleContent(kind: RawKind): string {
  return String(traitsOf({ kind }).example);
}

/** A value of the definitions in the form of examples. */
export function asExample(type: ScalarType, given: string | number | boolean): string | number | boolean {
  if (isNumeric(type)) return numberOr(given);
  if (primitiveOf(type) === 'boolean') return given === true || given === 'true';
  return String(given);
}

/** A number; its text if JSON does not have it, or a JavaScript number does not keep its digits. */
function numberOr(given: string | number | boolean): string | number {
  return isExact(String(given)) ? Number(given) : String(given);
}

/** An example of a type, within the bounds and the patterns of a field; `undefined` if none can be derived. */
export function madeUp(field: Field, type: ScalarType): string | number | boolean | undefined {
  const { primitive, anyText, example, takes } = traitsOf(type);
  if (takes.bounds === 'bytes') return bytesExample(field, String(example));
  if (field.any !== undefined && !anyText) return markupExample(field.any);
  if (anyText) return textExample(field, type, String(example));
  if (primitive === 'integer') return wholeExample(field, BigInt(example));
  if (primitive === 'double') return within(field, type, Number(example), 0.5);
  if (takes.bounds === 'value' && primitive !== 'decimal') return momentExample(field, type, String(example));
  if (primitive !== 'decimal') return spelledExample(field, type, example);
  const { length = field.digits ?? 15, scale = field.fraction ?? Math.min(2, length) } = type;
  return within(field, type, scale === 0 ? 1 : length > scale ? Number(example) : 0.5, 10 ** -scale);
}

/** The wanted integer, or the bound that it violates. */
function wholeExample(field: Field, wanted: bigint): string | number | undefined {
  const { least, most } = integersWithin(field.range ?? {});
  const raised = least !== undefined && wanted < least ? least : wanted;
  const nearest = most !== undefined && raised > most ? most : raised;
  return least !== undefined && nearest < least ? undefined : numberOr(String(nearest));
}

/** An element of any name. */
function markupExample(any: string): string | undefined {
  const namespace = exampleNamespace(any);
  if (namespace === undefined || namespace === '') return namespace === '' ? '<value/>' : undefined;
  return `<value xmlns="${escapeAttribute(namespace)}"/>`;
}

/** Hexadecimal digits, filled up with zeros or cut. */
function bytesExample(field: Field, digits: string): string | undefined {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = field;
  if (minimum > MOST_SHOWN) return undefined;
  const text = digits.padEnd(2 * minimum, '0').slice(0, 2 * maximum);
  return matchesPatterns(field, text) ? text : undefined;
}

/** The example of a type whose values have a form, or a text that matches the patterns. */
function spelledExample(
  field: Field,
  type: ScalarType,
  example: string | number | boolean,
): string | number | boolean | undefined {
  if (field.patterns === undefined) return isAllowed(field, String(example)) ? example : undefined;
  const { lexical } = traitsOf(type);
  const isValid = (text: string): boolean => lexical === undefined || LEXICAL[lexical].read(text) !== undefined;
  return [String(example), ...samplesOf(field.patterns, 1)].find((text) => isValid(text) && isAllowed(field, text));
}

/** Whether a text fits the bounds and the patterns of a field. */
function isAllowed(field: Field, text: string): boolean {
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = field;
  return text.length >= minimum && text.length <= maximum && matchesPatterns(field, text);
}

/** The example of a date or a time, or a bound, if it is within the bounds. */
function momentExample({ range = {} }: Field, type: ScalarType, example: string): string | undefined {
  const { order } = traitsOf(type);
  const candidates = [example, range.minimum, range.maximum].filter((each) => each !== undefined);
  return candidates.find((each) => order !== undefined && brokenBound(each, range, order) === undefined);
}

/** The wanted number, or one next to the bound that it violates, rounded to a multiple of `step`. */
function within({ range = {} }: Field, type: ScalarType, wanted: number, step: number): number | undefined {
  const { order } = traitsOf(type);
  const next = (bound: string, offset: number, round: (value: number) => number): number =>
    Number(((round(Number(bound) / step) + offset) * step).toFixed(10));
  const { minimum, above, maximum, below } = range;
  const candidates = [
    wanted,
    ...(minimum === undefined ? [] : [next(minimum, 0, Math.ceil)]),
    ...(above === undefined ? [] : [next(above, 1, Math.floor)]),
    ...(maximum === undefined ? [] : [next(maximum, 0, Math.floor)]),
    ...(below === undefined ? [] : [next(below, -1, Math.ceil)]),
  ];
  return candidates.find((each) => order !== undefined && brokenBound(decimalOf(each), range, order) === undefined);
}

function textExample(field: Field, type: ScalarType, word: string): string | undefined {
  const least = field.minimum ?? 0;
  if (least > MOST_SHOWN) return undefined;
  const most = longest(field, type) ?? Number.POSITIVE_INFINITY;
  if (field.patterns === undefined) {
    const text = word.padEnd(least, ` ${word}`).trimEnd();
    return [...text.padEnd(least, '.')].slice(0, most).join('');
  }
  // Not empty if the pattern permits it: an empty value in a URI counts as absent.
  return samplesOf(field.patterns, Math.max(least, 1)).find((sample) => {
    const { length } = [...sample];
    return length >= least && length <= most && matchesPatterns(field, sample);
  });
}
