import type { CompoundType, Field, ScalarType } from '../model/field.ts';

/** The type of one value: a list's entry, or the field's own. */
export function entryType(field: Field): ScalarType | CompoundType {
  return field.type.kind === 'list' ? field.type.item : field.type;
}

/** Whether a caller has to give the field a value. */
export function mustBeGiven(field: Field): boolean {
  return field.required && field.default === undefined;
}

/** The default that a caller may count on; undefined where there is none, or one that only a fault fills. */
export function plainDefault(field: Field): Field['default'] {
  return filledByFault(field) ? undefined : field.default;
}

/** Whether a fault fills the field: its default holds `{fault.message}` or its like. */
export function filledByFault({ default: text }: Field): boolean {
  return typeof text === 'string' && text.includes('{fault.');
}

/** The field as one entry of its list has it: the bounds of a list are those of the number of its entries. */
export function entryField(field: Field): Field {
  if (field.type.kind !== 'list') return field;
  const { minimum: _, maximum: __, ...rest } = field;
  return rest;
}
