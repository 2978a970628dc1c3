import type { Document } from '../../model/document.ts';
import type { Field, FieldType } from '../../model/field.ts';
import { blankOf, primitiveOf, traitsOf } from '../../model/scalar.ts';
import type { Value } from '../../model/value.ts';
import { within } from '../error.ts';
import type { plainLength } from '../scalar.ts';

/** A field as {@link staysAsIs} looks at it. */
export interface AsIsField {
  readonly name: string;
  /** {@link plainLength}: a string up to here needs no call of `apply`. */
  readonly plainUpTo: number;
  /** Has to be there, for nothing is to be filled in or missed. */
  readonly needed: boolean;
  /** Checks a value; returns another where it does not stay as it is. */
  readonly apply: (value: Value, depth: number) => unknown;
}

/** What may stay: values with one form, in memory and in JSON. */
function hasOneForm(type: FieldType): boolean {
  const primitive = primitiveOf(type);
  return primitive !== undefined && primitive !== 'json' && primitive !== 'decimal' && primitive !== 'binary';
}

/**
 * Whether objects of a document may be taken as they are: it has single values only, under the same names in JSON. None of
 * any JSON, which is read in place and can't be read again where the object turns out to need a change; no decimal and no
 * binary, whose forms in memory and in JSON differ, so that they would be brought from one to the other twice.
 */
export function mayStayAsIs(fields: readonly Field[]): boolean {
  return fields.every(({ type, name, jsonName, absent }) => hasOneForm(type) && name === jsonName && absent === 'omit');
}

/**
 * Whether an object holds declared fields in declared order, nothing else, and none that needs another form. One pass in
 * the order of the members, which engines read fastest; where it says no, nothing has been changed.
 */
export function staysAsIs(
  source: Readonly<Record<string, unknown>>,
  fields: readonly AsIsField[],
  depth: number,
): boolean {
  if (Object.getPrototypeOf(source) !== Object.prototype) return false;
  let i = 0;
  for (const name in source) {
    let field = fields[i++];
    while (field !== undefined && field.name !== name) {
      if (field.needed) return false;
      field = fields[i++];
    }
    if (field === undefined) return false;
    const value = source[name] as Value;
    if (typeof value === 'string' && value.length <= field.plainUpTo) continue;
    if (value === undefined || value === null || !Object.is(applied(field, value, depth), value)) return false;
  }
  for (; i < fields.length; i++) if (fields[i]!.needed) return false;
  return true;
}

function applied(field: AsIsField, value: Value, depth: number): unknown {
  try {
    return field.apply(value, depth + 1);
  } catch (error) {
    throw within(error, field.name);
  }
}

/** What stands in JSON for a value that is not given: `""`, null, or an object of them. */
type Blank = '' | null | { readonly [jsonName: string]: Blank };

/**
 * The blank of a type: `""` for what is a string in JSON, null for other single values, one object with all fields blank for
 * a document, and for a list the blank of one entry. A document inside itself is null.
 */
export function blank(type: FieldType): Blank {
  return blankWithin(type, []);
}

function blankWithin(type: FieldType, outer: readonly Document[]): Blank {
  if (type.kind === 'list') return blankWithin(type.item, outer);
  if (type.kind !== 'document') return blankOf(traitsOf(type));
  const { document } = type;
  if (outer.includes(document)) return null;
  const inner = [...outer, document];
  return Object.fromEntries(document.fields.map((field) => [field.jsonName, blankWithin(field.type, inner)]));
}

/** Compiles the test whether what JSON.parse returned is the blank of a type. */
export function compileIsBlank(type: FieldType): (raw: unknown) => boolean {
  return compileEquals(blank(type));
}

function compileEquals(expected: Blank): (raw: unknown) => boolean {
  if (typeof expected !== 'object' || expected === null) return (raw) => raw === expected;
  const members = Object.entries(expected).map(([name, value]) => ({ name, equals: compileEquals(value) }));
  return (raw) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return false;
    const object = raw as Readonly<Record<string, unknown>>;
    for (const { name, equals } of members) if (!Object.hasOwn(object, name) || !equals(object[name])) return false;
    return Object.keys(object).length === members.length;
  };
}
