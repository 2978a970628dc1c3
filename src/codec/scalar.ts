import { type Field, filledByFault, type ScalarType } from '../model/field.ts';
import type { Value } from '../model/value.ts';
import { compileConstraints, typed } from './constraints.ts';
import { readJsonText } from './json/text.ts';
import { kinds } from './kinds.ts';
import type { Foreign } from './names.ts';

/** One single value of a field, checked in every direction. Each function throws a {@link CodecError} without a path. */
export interface Scalar {
  fromText(text: string): Value;
  fromJson(raw: unknown, depth: number): Value;
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
  const fromText = type.kind === 'json' ? (text: string) => readJsonText(text, foreign) : kind.fromText;
  const check = compileConstraints(field, type);
  const taken = check === undefined ? accept : (value: unknown): Value => check(accept(value));
  return {
    fromText: check === undefined ? fromText : (text) => check(fromText(text)),
    fromJson: check === undefined ? fromJson : (raw, depth) => check(fromJson(raw, depth)),
    toJson: toJson === undefined ? taken : (value, depth) => toJson(taken(value), depth),
    toText: (value) => toText(taken(value)),
  };
}

/** A string of at most so many UTF-16 units is right as it stands, read and written in JSON; -1 where each is looked at. */
export function plainLength(field: Field): number {
  const { type, maximum = Number.POSITIVE_INFINITY, minimum = 0 } = field;
  if (type.kind !== 'string' && type.kind !== 'text' && type.kind !== 'xml') return -1;
  if (minimum > 0 || field.enum !== undefined || field.pattern !== undefined || field.fixed !== undefined) return -1;
  return Math.min(type.length ?? Number.POSITIVE_INFINITY, maximum);
}

/** What a field holds where it is not given: its `fixed` value or else its `default`, in the form in memory. */
export function initialValue(field: Field): Value {
  if (field.type.kind === 'list' || field.type.kind === 'document') return undefined;
  if (field.fixed !== undefined) return typed(field.fixed, field.type);
  if (field.default === undefined || filledByFault(field)) return undefined;
  return typed(field.default, field.type);
}
