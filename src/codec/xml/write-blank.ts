import { type Document, itemName, namespaceOf } from '../../model/document.ts';
import { type Field, type FieldType, type ScalarKind, singleType } from '../../model/field.ts';
import { attributeStart, element, tagOf } from './element.ts';

/** Kinds whose values in XML Schema include the empty string. */
const EMPTY: ReadonlySet<ScalarKind> = new Set(['string', 'text', 'binary', 'json', 'xml']);

/** Where an element stands. */
export interface XmlPlace {
  /** Namespace of the document that declares the field. */
  readonly namespace: string;
  /** The default namespace that the element finds. */
  readonly scope: string;
  /** Namespace of the service. */
  readonly service: string;
}

/** The attributes and the content of an element. */
interface Content {
  readonly attributes: string;
  readonly elements: string;
}

/**
 * What is written in XML for an absent field with `absent: blank`. Nothing is written that its XML Schema type would refuse:
 * an empty element where the empty string is a value of the type; a compound of blanks; a list's element with one entry of
 * blanks, or without one where a required field of the entry has no blank.
 * @param index the field's place in its document, which keeps the prefixes of its attributes apart
 * @returns undefined where the field has no blank in XML, and is left out
 */
export function blankXml(field: Field, index: number, place: XmlPlace): string | undefined {
  return field.attribute ? blankAttribute(field, index) : blankElement(field, place, []);
}

function blankAttribute(field: Field, index: number): string | undefined {
  return mayBeEmpty(field, field.type) ? `${attributeStart(field, index)}"` : undefined;
}

function blankElement(field: Field, place: XmlPlace, outer: readonly Document[]): string | undefined {
  const namespace = field.namespace ?? place.namespace;
  const tag = tagOf(field.xmlName, namespace, place.scope);
  const { type } = field;
  const single = singleType(type);
  const content =
    single.kind === 'document'
      ? blankContent(single.document, { ...place, scope: namespace }, outer)
      : single !== type || mayBeEmpty(field, single)
        ? { attributes: '', elements: '' }
        : undefined;
  if (type.kind !== 'list' || (type.flat && single.kind === 'document')) {
    return content && element(tag, content.attributes, content.elements);
  }
  if (type.flat) return undefined;
  if (single.kind !== 'document' || content === undefined) return element(tag, '', '');
  return element(tag, '', element(tagOf(itemName(type), namespace, namespace), content.attributes, content.elements));
}

function blankContent(document: Document, place: XmlPlace, outer: readonly Document[]): Content | undefined {
  if (outer.includes(document)) return undefined;
  const inner = { ...place, namespace: namespaceOf(document, place.namespace, place.service) };
  let attributes = '';
  let elements = '';
  for (const [index, field] of document.fields.entries()) {
    const blank = field.attribute ? blankAttribute(field, index) : blankElement(field, inner, [...outer, document]);
    if (blank === undefined && field.required) return undefined;
    if (field.attribute) attributes += blank ?? '';
    else elements += blank ?? '';
  }
  return { attributes, elements };
}

function mayBeEmpty(field: Field, type: FieldType): boolean {
  if (type.kind === 'list' || type.kind === 'document' || !EMPTY.has(type.kind)) return false;
  const free = field.enum === undefined && field.pattern === undefined && field.fixed === undefined;
  return free && !(field.minimum !== undefined && field.minimum > 0);
}
