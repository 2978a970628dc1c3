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
