import { type Field, filledByFault, type ScalarType } from '../model/field.ts';
import { type PatternNode, readPattern } from '../wire/pattern-syntax.ts';

/** Whether a caller has to give the field a value. */
export function mustBeGiven(field: Field): boolean {
  return field.required && field.default === undefined;
}

/** The default that a caller may count on; undefined where there is none, or one that only a fault fills. */
export function plainDefault(field: Field): Field['default'] {
  return filledByFault(field) ? undefined : field.default;
}

/** The field as one entry of its list has it: the bounds of a list are those of the number of its entries. */
export function entryField(field: Field): Field {
  if (field.type.kind !== 'list') return field;
  const { minimum: _, maximum: __, ...rest } = field;
  return rest;
}

/** Most characters of a string: the type's length or the field's maximum, whichever is less. */
export function longest(field: Field, type: ScalarType): number | undefined {
  if (type.length === undefined) return field.maximum;
  return field.maximum === undefined ? type.length : Math.min(type.length, field.maximum);
}

/** Reads a pattern that the whole value must match. */
export function readWholePattern(source: string): PatternNode {
  return readPattern(unanchored(source));
}

/** A first `^` and a last `$` say nothing where the whole value must match. */
function unanchored(source: string): string {
  const start = source.startsWith('^') ? 1 : 0;
  const end = /(?<!\\)(?:\\\\)*\$$/.test(source) ? source.length - 1 : source.length;
  return source.slice(start, end);
}
