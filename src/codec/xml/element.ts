import type { Field } from '../../model/field.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';

/** The fixed parts of an element: `<name xmlns="..."` and `</name>`. */
export interface Tag {
  readonly start: string;
  readonly end: string;
}

/**
 * Prepares an element without a prefix.
 * @param namespace empty for none
 * @param scope the default namespace where the element stands; declared anew where the element's differs
 */
export function tagOf(name: string, namespace: string, scope: string): Tag {
  const declared = namespace === scope ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
  return { start: `<${name}${declared}`, end: `</${name}>` };
}

/** The element's text; `attributes` and `content` are XML already. */
export function element(tag: Tag, attributes: string, content: string): string {
  return content === '' ? `${tag.start}${attributes}/>` : `${tag.start}${attributes}>${content}${tag.end}`;
}

/** An attribute up to its value. One with a namespace declares a prefix of its own; `index` keeps the prefixes apart. */
export function attributeStart(field: Field, index: number): string {
  if (field.namespace === undefined || field.namespace === '') return ` ${field.xmlName}="`;
  return ` xmlns:a${index}="${escapeAttribute(field.namespace)}" a${index}:${field.xmlName}="`;
}
