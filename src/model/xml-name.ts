import { type Document, documentName } from './document.ts';
import type { ListType } from './field.ts';

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
