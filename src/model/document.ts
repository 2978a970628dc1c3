import type { Position } from './definition.ts';
import type { Field, ListType } from './field.ts';

/** How a change of a record (RFC 7396) empties fields. */
export interface Patch {
  /** The fields that a record can be without. */
  readonly clearable: readonly Field[];
  /**
   * The list field that names, by their XML names, those to empty: in a request over SOAP, where `xsi:nil` is refused.
   * Undefined in other requests, where null and `xsi:nil` empty a field.
   */
  readonly clear?: Field;
}

/** The shape of data, with a JSON and an XML form. */
export interface Document {
  readonly id: string;
  /**
   * Its name in contracts, where that is not the id: of a document written in place at an operation with a qualified id,
   * without the service.
   */
  readonly name?: string;
  readonly description?: string;
  /** Name of the root element in XML (`xml:`); its name unless said otherwise. */
  readonly xmlName: string;
  /** XML namespace of its elements; the service's (`<namespace>:<Service>.<version>`) where undefined, none where empty. */
  readonly namespace?: string;
  /** The document's name is the JSON root label: `{"LOC_RESPONSE": {...}}`. */
  readonly root: boolean;
  /** May hold fields that are not declared; they are kept as they come. */
  readonly open: boolean;
  /** Set for a change of a record: a field that is null in it is emptied, one that is absent stays. No other document holds null. */
  readonly patch?: Patch;
  /** In declared order, which is the order in which they are written. */
  readonly fields: readonly Field[];
  /** Written in place at a field or an operation rather than under an id of its own; its id is derived from there. */
  readonly inPlace: boolean;
  readonly at: Position;
}

/** The name of a document in contracts. */
export function documentName({ id, name = id }: Pick<Document, 'id' | 'name'>): string {
  return name;
}

/**
 * The namespace of a document's elements: its own, else for a document written in place that of the document around it,
 * else the service's. Empty for none.
 */
export function namespaceOf(document: Document, around: string, service: string): string {
  return document.namespace ?? (document.inPlace ? around : service);
}

/**
 * The element of one entry inside a list's element: the item document's root element; `item` for a list of single values,
 * and for a document written in place without a name of its own.
 */
export function itemName(type: ListType): string {
  if (type.item.kind !== 'document') return 'item';
  const { document } = type.item;
  return document.inPlace && document.xmlName === documentName(document) ? 'item' : document.xmlName;
}

/**
 * The name of the class or property that JAXB makes of a name (Jakarta XML Binding 4.0, appendix D.2): `_`, `-`, `.` and other
 * punctuation is dropped, and each word begins with a capital letter. Generators for other languages drop less.
 */
export function classNameOf(name: string): string {
  return name
    .replace(/(?:^|[^\p{L}\p{M}\p{N}]+|(?<=\p{N}))(\p{L})/gu, (_, letter: string) => letter.toUpperCase())
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/**
 * What two names must differ in so that they are apart in every language. The files of two classes, and the variables that
 * JAXB makes of `LAT` and `Lat`, need names that differ by more than letter case.
 */
export function foldedName(name: string): string {
  return classNameOf(name).toLowerCase();
}

/** The name of an element; `namespace` is empty for none. */
export interface ElementName {
  readonly name: string;
  readonly namespace: string;
}

/** The element around a reply, as whoever writes rows of a query into it needs to know it. */
export interface ReplyRoot extends ElementName {
  /** It stands in no envelope, and has an XML declaration in front. */
  readonly alone?: true;
  /** The namespace of the rows as XMLP; they have none where undefined. */
  readonly rows?: string;
  /** Holds the status of a block, right before the root ends; where undefined the element `status` stands there alone. */
  readonly status?: ElementName;
}
