import { type Document, documentName } from './document.ts';
import type { Field } from './field.ts';

/** How a document comes from another one, in place of which it may stand. */
export interface Derivation {
  readonly base: Document;
  /** An `extension` has the fields of its base, and then its own; a `restriction` has all of its fields itself. */
  readonly by: 'extension' | 'restriction';
}

/** The documents that a value may be, where a document is expected that others derive from. */
export interface Kinds {
  /** The member that names the document that a value is, in JSON and in memory. XML has `xsi:type` instead. */
  readonly by: Field;
  /** The documents that derive from it at any depth, in the order of their definitions. */
  readonly derived: readonly Document[];
}

/** The documents that a value of a document may be: itself, unless it is abstract, and those that derive from it. */
export function kindsOf(document: Document): readonly Document[] {
  const derived = document.kinds?.derived.filter(({ abstract }) => !abstract) ?? [];
  return document.abstract ? derived : [document, ...derived];
}

/**
 * The fields that a value of a document may have: its own, and where others derive from it the member that names the document,
 * and theirs, which are optional then. Several may have one name.
 */
export function everyField({ fields, kinds }: Pick<Document, 'fields' | 'kinds'>): readonly Field[] {
  if (kinds === undefined) return fields;
  const known = new Set(fields);
  const theirs = kinds.derived.flatMap((each) => each.fields.filter((field) => !known.has(field)));
  return [kinds.by, ...fields, ...[...new Set(theirs)].map((field) => ({ ...field, required: false }))];
}

/** Whether the fields of a value depend on what it is, so that a message of it is only sent as a whole. */
export function isOneOfSeveral({ choice, kinds }: Pick<Document, 'choice' | 'kinds'>): boolean {
  return choice !== undefined || kinds !== undefined;
}

/**
 * The member that names the document in JSON, of a document that derives from another. In memory it has no room for the member
 * where only it may stand, but its values may come from places where they have it.
 */
export function kindMember({ derivation }: Document): string | undefined {
  let base = derivation?.base;
  while (base?.derivation !== undefined) base = base.derivation.base;
  return base?.kinds?.by.name;
}

/** How the member that names the document says this one, in JSON and in memory. */
export function kindName(document: Document): string {
  return document.byValue ?? documentName(document);
}

/** The name of a document's type in XML Schema and in `xsi:type`. */
export function typeName(document: Document): string {
  return document.xmlType ?? documentName(document);
}
