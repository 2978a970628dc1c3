import type { Position } from './definition.ts';
import type { Derivation, Kinds } from './derivation.ts';
import type { Field, ListType } from './field.ts';

/** How a change of a record (RFC 7396) clears fields. */
export interface Patch {
  /** The optional fields of the record. */
  readonly clearable: readonly Field[];
  /**
   * The list field with the XML names of the fields to clear, in a request over SOAP, where `xsi:nil` is refused. Absent in
   * other requests, where null and `xsi:nil` clear a field.
   */
  readonly clear?: Field;
}

/**
 * A document that is one of several things. Its fields are the branches, and exactly one has a value: in memory and in XML
 * `{ card: ... }`. In JSON it is the same if it is `named`, else the object of the branch, which is then a document.
 */
export interface Choice {
  /** The member of the JSON object that names the branch. Without one the branches differ in their members (`model/choice.ts`). */
  readonly tag?: string;
  /** In JSON it is an object whose only member is the branch. There is no tag then. */
  readonly named?: true;
}

/** The shape of data, with a JSON and an XML form. */
export interface Document {
  readonly id: string;
  /** Its name in contracts if that is not the id, as for a document declared inside an operation with a qualified id. */
  readonly name?: string;
  readonly description?: string;
  /** Name of the root element in XML (`xml:`); the document's name by default. */
  readonly xmlName: string;
  /** Name of its type in XML Schema and in `xsi:type` (`xml-type:`); derived from the document's name by default. */
  readonly xmlType?: string;
  /** XML namespace of its elements; the service's (`<namespace>:<Service>.<version>`) by default; empty for none. */
  readonly namespace?: string;
  /** The document's name is the JSON root label: `{"LOC_RESPONSE": {...}}`. */
  readonly root: boolean;
  /** Undeclared fields are allowed, and kept unchanged. */
  readonly open: boolean;
  /**
   * A message that is a list or a single value: it has one field, `content`. In JSON, and in what handlers reply, the value of
   * that field is the whole message; in XML it is inside the document's element, like any field.
   */
  readonly bare?: boolean;
  /** Set for a document that is one of its fields. */
  readonly choice?: Choice;
  /** Set for a document that extends or restricts another one. */
  readonly derivation?: Derivation;
  /** Set for a document that others derive from: a value may be one of these. */
  readonly kinds?: Kinds;
  /** What the member that names the document says for it (`by-value:`), where others of its kind may stand; its name by default. */
  readonly byValue?: string;
  /** No value is this document itself, only one that derives from it. */
  readonly abstract?: true;
  /** Set for a change of a record: null clears a field, an absent field stays. No other document contains null. */
  readonly patch?: Patch;
  /** In declared order, which is also the order of output. */
  readonly fields: readonly Field[];
  /** Declared inside a field or an operation, from which its id is derived. */
  readonly inPlace: boolean;
  readonly at: Position;
}

/** The name of a document in contracts. */
export function documentName({ id, name = id }: Pick<Document, 'id' | 'name'>): string {
  return name;
}

/** The field whose value is the whole message; `undefined` for a document with members. */
export function bareField({ bare, fields }: Pick<Document, 'bare' | 'fields'>): Field | undefined {
  return bare === true ? fields[0] : undefined;
}

/** The field that is the text of the document's own element (`content: true`); `undefined` for a document with elements. */
export function contentField({ fields }: Pick<Document, 'fields'>): Field | undefined {
  return fields.find(({ content }) => content);
}

/**
 * The namespace of a document's elements: its own, else that of the document that declares it in place, else the service's.
 * Empty for none.
 */
export function namespaceOf(document: Document, around: string, service: string): string {
  return document.namespace ?? (document.inPlace ? around : service);
}

/**
 * The name of a list entry's element: the one that the list declares, else the item document's root element; `item` for single
 * values and for a document that is declared in place without an XML name.
 */
export function itemName(type: ListType): string {
  if (type.entryName !== undefined) return type.entryName;
  if (type.item.kind !== 'document') return 'item';
  const { document } = type.item;
  return document.inPlace && document.xmlName === documentName(document) ? 'item' : document.xmlName;
}

/**
 * The class or property name that JAXB derives from a name (Jakarta XML Binding 4.0, appendix D.2): `_`, `-`, `.` and other
 * punctuation is dropped, and each word begins with a capital letter. Generators for other languages drop less.
 */
export function classNameOf(name: string): string {
  // Most names are capital letters, which stay as they are.
  if (/^[A-Z]+$/.test(name)) return name;
  // The same without the general expressions, which take ten times as long.
  if (/^[\w.-]*$/.test(name))
    return name
      .replace(/(?:^|[_.-]+|(?<=\d))([A-Za-z])/g, (_, letter: string) => letter.toUpperCase())
      .replace(/[_.-]+/g, '');
  return name
    .replace(/(?:^|[^\p{L}\p{M}\p{N}]+|(?<=\p{N}))(\p{L})/gu, (_, letter: string) => letter.toUpperCase())
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/**
 * Two names are distinct in generated code of every language if this differs. Letter case alone does not count: the files of
 * two classes, and JAXB's variables for `LAT` and `Lat`, would collide.
 */
export function foldedName(name: string): string {
  // The same without the general expressions, which take ten times as long.
  if (/^[\w.-]*$/.test(name)) return name.replace(/[_.-]+/g, '').toLowerCase();
  return classNameOf(name).toLowerCase();
}

/** The name of an element; `namespace` is empty for none. */
export interface ElementName {
  readonly name: string;
  readonly namespace: string;
}

/** The element around a reply that consists of a query's rows. */
export interface ReplyRoot extends ElementName {
  /** There is no envelope: an XML declaration comes first. */
  readonly alone?: true;
  /** The namespace of the rows as XMLP; none by default. */
  readonly rows?: string;
  /** The element around the final `status` element; none by default. */
  readonly status?: ElementName;
}
