import type { Field } from '../../model/field.ts';
import { primitiveOf } from '../../model/scalar.ts';
import { plainDefault, takenFor } from '../field.ts';
import { lexical } from './types.ts';

// Value constraints of XML Schema (part 1, 2.2.1.2): `default` and `fixed` of elements and attributes.

interface Constraint {
  readonly default?: string;
  readonly fixed?: string;
}

/**
 * The value that an empty element has (3.3.4): what is assumed. A default of ours fills an absent element, for which XML Schema
 * has no word.
 * @param isNillable whether it may be nil, which an element with a fixed value can't be (3.3.4, clause 3.2.2)
 */
export function elementConstraint(field: Field, isNillable: boolean): Constraint {
  const { fixed = isNillable ? undefined : onlyTruth(field), assumed } = field;
  if (fixed !== undefined) return { fixed: lexical(fixed) };
  return assumed === undefined ? {} : { default: lexical(assumed) };
}

/** The value that an absent attribute has (3.2.1). One that is required can't have a default. */
export function attributeConstraint(field: Field): Constraint {
  const { fixed, assumed, enum: values } = field;
  if (fixed !== undefined) return { fixed: lexical(fixed) };
  const value = isThere(field) ? undefined : takenFor(field);
  if (value === undefined) return {};
  const isOnly = values?.length === 1 && values[0] === assumed;
  return isOnly ? { fixed: lexical(value) } : { default: lexical(value) };
}

/** The one value of an optional truth value, whose type has no enumeration (part 2, 3.2.2.3): in a schema it is a fixed one. */
function onlyTruth({ type, enum: values }: Field): boolean | undefined {
  return primitiveOf(type) === 'boolean' && values?.length === 1 ? values[0] === true : undefined;
}

/** The field as its type is declared: a fixed value is the only one, whatever the type is. */
export function besideFixed(field: Field, fixed: string | undefined): Field {
  if (fixed === undefined) return field;
  const { enum: _, ...rest } = field;
  return rest;
}

/** What an absent field has or is taken for, as far as no constraint states it. */
export function unstated(field: Field): { readonly [K in 'default' | 'assumed']?: Field[K] | undefined } {
  if (field.attribute) return isThere(field) ? { default: plainDefault(field), assumed: field.assumed } : {};
  return { default: plainDefault(field), assumed: field.content === true ? field.assumed : undefined };
}

/** Whether the field is always present. A blank that its type does not permit, such as an empty date, is left out. */
export function isThere(field: Field): boolean {
  return field.required && field.absent !== 'blank';
}
