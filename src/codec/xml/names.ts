import type { Document } from '../../model/document.ts';
import type { Field, ListType } from '../../model/field.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';

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

/** An attribute up to its value. One with a namespace declares a prefix of its own; `index` keeps the prefixes apart. */
export function attributeStart(field: Field, index: number): string {
  if (field.namespace === undefined || field.namespace === '') return ` ${field.xmlName}="`;
  return ` xmlns:a${index}="${escapeAttribute(field.namespace)}" a${index}:${field.xmlName}="`;
}
