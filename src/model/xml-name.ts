import type { Document } from './document.ts';
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
  return document.inPlace && document.xmlName === document.id ? 'item' : document.xmlName;
}

/**
 * What generators of code keep of a name. JAXB drops `_`, `-`, `.` and other punctuation and capitalises what follows
 * (Jakarta XML Binding 4.0, appendix D.2), and the files of two classes need names that differ by more than letter case on
 * Windows and macOS. So two names are safe next to each other in every language if their folded forms differ.
 */
export function foldedName(name: string): string {
  return name.replace(/[^\p{L}\p{M}\p{N}]/gu, '').toLowerCase();
}
