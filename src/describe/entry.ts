import type { CompoundType, Field, ScalarType } from '../model/field.ts';

/** The type of one value: a list's entry, or the field's own. */
export function entryType(field: Field): ScalarType | CompoundType {
  return field.type.kind === 'list' ? field.type.item : field.type;
}

/** The field as one entry of its list has it: the bounds of a list are those of the number of its entries. */
export function entryField(field: Field): Field {
  if (field.type.kind !== 'list') return field;
  const { minimum: _, maximum: __, ...rest } = field;
  return rest;
}
