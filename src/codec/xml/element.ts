import { contentField, type Document, itemName, namespaceOf } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { inlineDocument, mayBeWithoutElements, takesEmpty } from '../../model/particles.ts';
import { isWhite } from '../../wire/white-space.ts';
import { XML_NAMESPACE, XSI } from '../../wire/xml/namespaces.ts';
import { readXml } from '../../wire/xml/read-xml.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import { isCommon } from './content.ts';
import { isIn } from './read-members.ts';

/** The fixed parts of an element: `<name xmlns="..."` and `</name>`. */
export interface Tag {
  readonly start: string;
  readonly end: string;
}

/**
 * Prepares an element without a prefix.
 * @param namespace empty for none
 * @param scope the default namespace around the element; the element declares its own if that differs
 */
export function tagOf(name: string, namespace: string, scope: string): Tag {
  const declared = namespace === scope ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
  return { start: `<${name}${declared}`, end: `</${name}>` };
}

/** The element's text; `attributes` and `content` are XML already. */
export function element(tag: Tag, attributes: string, content: string): string {
  return content === '' ? `${tag.start}${attributes}/>` : `${tag.start}${attributes}>${content}${tag.end}`;
}

/** The declaration of the type of an element's content. */
interface TypeTag {
  /** No default namespace is in scope for the content. */
  readonly isUnqualified: boolean;
  of(tag: Tag): Tag;
}

/**
 * Prepares an `xsi:type`.
 * @param namespace of the type; empty for none
 * @param own namespace of the element
 */
export function typeTag(type: string, namespace: string, own: string): TypeTag {
  const declared = ` xmlns:xsi="${XSI}"`;
  if (namespace !== '') {
    const attributes = `${declared} xmlns:t="${escapeAttribute(namespace)}" xsi:type="t:${type}"`;
    return { isUnqualified: false, of: ({ start, end }) => ({ start: start + attributes, end }) };
  }
  const attributes = `${declared} xsi:type="${type}"`;
  if (own === '') return { isUnqualified: false, of: ({ start, end }) => ({ start: start + attributes, end }) };
  // A name without a prefix is in the default namespace, so the element gets the prefix instead.
  const unqualified = ` xmlns:e="${escapeAttribute(own)}" xmlns=""${attributes}`;
  return {
    isUnqualified: true,
    of({ start, end }) {
      const name = end.slice(2, -1);
      const others = start.slice(name.length + 1).replace(/^ xmlns="[^"]*"/, '');
      return { start: `<e:${name}${unqualified}${others}`, end: `</e:${name}>` };
    },
  };
}

/**
 * An attribute up to its value. One with a namespace declares a prefix of its own; `index` keeps the prefixes apart. The
 * namespace of XML (`xml:lang`) has a prefix, and no other may be bound to it (Namespaces in XML 1.0, section 3).
 */
export function attributeStart(field: Field, index: number): string {
  if (field.namespace === undefined || field.namespace === '') return ` ${field.xmlName}="`;
  if (field.namespace === XML_NAMESPACE) return ` xml:${field.xmlName}="`;
  return ` xmlns:a${index}="${escapeAttribute(field.namespace)}" a${index}:${field.xmlName}="`;
}

/** The namespaces at an element. */
export interface XmlPlace {
  /** Namespace of the document that declares the field. */
  readonly namespace: string;
  /** The default namespace in scope at the element. */
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
 * What is written in XML for an absent field with `absent: blank`, provided that its XML Schema type permits it: an empty
 * element if the empty string is a valid value; a compound of blanks; the element of a list with one entry of blanks, or
 * without an entry if a required field of the entry has no blank.
 * @param index the field's position in its document, which keeps the prefixes of its attributes apart
 * @returns `undefined` when the field has no blank in XML and is left out
 */
export function blankXml(field: Field, index: number, place: XmlPlace): string | undefined {
  return field.attribute ? blankAttribute(field, index) : blankElement(field, place, []);
}

function blankAttribute(field: Field, index: number): string | undefined {
  return takesEmpty(field, field.type) ? `${attributeStart(field, index)}"` : undefined;
}

function blankElement(field: Field, place: XmlPlace, outer: readonly Document[]): string | undefined {
  const namespace = field.namespace ?? place.namespace;
  const tag = tagOf(field.xmlName, namespace, place.scope);
  const { type } = field;
  // A map without entries.
  if (type.kind === 'map') return element(tag, '', '');
  const single = singleType(type);
  const content =
    single.kind === 'document'
      ? blankContent(single.document, { ...place, scope: namespace }, outer)
      : single !== type || takesEmpty(field, single)
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
  if (outer.includes(document) || document.choice !== undefined || document.abstract) return undefined;
  // The text of the document's own element is empty then.
  const content = contentField(document);
  if (content !== undefined && !takesEmpty(content, content.type)) return undefined;
  const inside = { ...place, namespace: namespaceOf(document, place.namespace, place.service) };
  let attributes = '';
  let elements = '';
  for (const [index, field] of document.fields.entries()) {
    if (field.content || (field.any !== undefined && (field.attribute || mayBeWithoutElements(field)))) continue;
    if (field.any !== undefined) return undefined;
    const inner = inlineDocument(field);
    if (inner !== undefined) {
      if (mayBeWithoutElements(field)) continue;
      const blank = field.type.kind === 'list' ? undefined : blankContent(inner, inside, [...outer, document]);
      if (blank === undefined) return undefined;
      elements += blank.elements;
      continue;
    }
    const blank = field.attribute ? blankAttribute(field, index) : blankElement(field, inside, [...outer, document]);
    if (blank === undefined && field.required) return undefined;
    if (field.attribute) attributes += blank ?? '';
    else elements += blank ?? '';
  }
  return { attributes, elements };
}

/**
 * Compiles the test whether an element is the blank of an absent compound or list with `absent: blank`.
 * @param namespace of the document that declares the field
 * @param service namespace of the service
 * @returns `undefined` when no blank is written; also when the blank of a required field is an empty element, which is read as
 *   an object or a list without content
 */
export function compileIsBlankXml(
  field: Field,
  namespace: string,
  service: string,
): ((element: XmlElement) => boolean) | undefined {
  const written = blankXml(field, 0, { namespace, scope: '', service });
  if (written === undefined) return undefined;
  const blank = readXml(written);
  if (field.required && isEmpty(blank)) return undefined;
  return (element) => isSame(element, blank);
}

function isEmpty({ attributes, content }: XmlElement): boolean {
  return attributes.length === 0 && content.length === 0;
}

/** Whether an element has the same elements and empty attributes as a blank, in any order. */
function isSame(element: XmlElement, blank: XmlElement): boolean {
  if (element.local !== blank.local || !isIn(blank.namespace, element)) return false;
  const attributes = element.attributes.filter(
    (each) =>
      !isCommon(each) && (each.namespace === '' || blank.attributes.some((own) => own.namespace === each.namespace)),
  );
  if (attributes.length !== blank.attributes.length) return false;
  if (!blank.attributes.every((each) => attributeOf(element, each.local, each.namespace) === '')) return false;
  const expected = childrenOf(blank);
  if (expected.length === 0) return element.content.length === 0;
  if (element.content.some((each) => typeof each === 'string' && !isWhite(each))) return false;
  const children = childrenOf(element);
  return children.length === expected.length && expected.every((each) => children.some((child) => isSame(child, each)));
}
