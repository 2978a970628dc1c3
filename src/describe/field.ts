import { type Field, filledByFault, type ScalarType } from '../model/field.ts';
import { ANY_NAMESPACE, exampleNamespace, expandedName, takesNamespace } from '../model/wildcard.ts';
import { compilePattern } from '../wire/pattern.ts';
import { type PatternNode, readPattern } from '../wire/pattern-syntax.ts';

/** Whether a caller has to send the field. */
export function mustBeGiven(field: Field): boolean {
  return field.required && field.default === undefined;
}

/** The default that a caller can rely on; `undefined` if there is none, or only one that a fault fills. */
export function plainDefault(field: Field): Field['default'] {
  return filledByFault(field) ? undefined : field.default;
}

/** What an absent field is taken for, by us or by the other side: the `default` of contracts in all languages. */
export function takenFor(field: Field): Field['default'] {
  return plainDefault(field) ?? field.assumed;
}

/** The key of an entry in the example of a map, counted from 0. */
export function exampleKey({ attribute, any = ANY_NAMESPACE }: Field, index: number): string {
  const name = `key${index + 1}`;
  return attribute && !takesNamespace(any, '', '') ? expandedName(exampleNamespace(any) ?? '', name) : name;
}

/** The maximum number of characters of a string: the type's length or the field's maximum, whichever is less. */
export function longest(field: Field, type: ScalarType): number | undefined {
  if (type.length === undefined) return field.maximum;
  return field.maximum === undefined ? type.length : Math.min(type.length, field.maximum);
}

/** Whether a text matches all patterns of a field. */
export function matchesPatterns({ patterns = [] }: Pick<Field, 'patterns'>, text: string): boolean {
  return patterns.every((pattern) => compilePattern(pattern).test(text));
}

/** Reads a pattern that the whole value must match. */
export function readWholePattern(source: string): PatternNode {
  return readPattern(unanchored(source));
}

/** A leading `^` and a trailing `$` are redundant when the whole value must match. */
function unanchored(source: string): string {
  const start = source.startsWith('^') ? 1 : 0;
  const end = /(?<!\\)(?:\\\\)*\$$/.test(source) ? source.length - 1 : source.length;
  return source.slice(start, end);
}
