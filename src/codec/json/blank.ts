import type { Document } from '../../model/document.ts';
import type { FieldType, ScalarKind } from '../../model/field.ts';

/** Kinds whose values are no strings in JSON, so that their blank is null. */
const NO_STRINGS: ReadonlySet<ScalarKind> = new Set(['integer', 'decimal', 'boolean', 'json']);

/** What stands in JSON for a value that is not given: `""`, null, or an object of them. */
export type Blank = '' | null | { readonly [jsonName: string]: Blank };

/**
 * The blank of a type: `""` for what is a string in JSON, null for other single values, one object with all fields blank for
 * a document, and for a list the blank of one entry. A document inside itself is null.
 */
export function blank(type: FieldType): Blank {
  return blankOf(type, []);
}

function blankOf(type: FieldType, outer: readonly Document[]): Blank {
  if (type.kind === 'list') return blankOf(type.item, outer);
  if (type.kind !== 'document') return NO_STRINGS.has(type.kind) ? null : '';
  const { document } = type;
  if (outer.includes(document)) return null;
  const inner = [...outer, document];
  return Object.fromEntries(document.fields.map((field) => [field.jsonName, blankOf(field.type, inner)]));
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
