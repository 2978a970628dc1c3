import { bareField, type Document, itemName } from '../../model/document.ts';
import { type Field, MAP_ENTRY, singleType } from '../../model/field.ts';
import { inlineDocument } from '../../model/particles.ts';
import { primitiveOf, traitsOf } from '../../model/scalar.ts';
import { namePartsOf } from '../../model/wildcard.ts';
import { buildXmlFragment, element, type XmlElement, type XmlNode } from '../../wire/xml/build.ts';
import { readXml } from '../../wire/xml/read.ts';
import type { XmlElement as ReadElement } from '../../wire/xml/tree.ts';
import { blankJson, type Json, type JsonObject } from '../json.ts';
import type { DocumentSet } from '../scope.ts';
import type { ExampleDocument, ExampleValue } from './value.ts';

/**
 * An example of a reply in JSON: under the document's id if that is the root label, with the blank of each field that is
 * written as a blank when absent.
 */
export function exampleJson(document: Document, value: ExampleDocument): Json {
  return messageJson(document, document.fields, value, ({ absent, type }) =>
    absent === 'blank' ? blankJson(type) : undefined,
  );
}

/** An example of some fields of a document in its JSON form. */
export function messageJson(
  document: Document,
  fields: readonly Field[],
  value: ExampleDocument,
  absent: Absent = leftOut,
): Json {
  const whole = bareField(document);
  if (whole !== undefined) return fieldJson(whole, value[whole.name] as ExampleValue, absent);
  const inner = membersJson({ ...document, fields }, value, absent);
  return document.root ? { [document.id]: inner } : inner;
}

/** The JSON of a field without a value; `undefined` if it is left out. */
type Absent = (field: Field) => Json | undefined;

const leftOut: Absent = () => undefined;

/** The fields of an example by their JSON names. */
function membersJson(document: Document, value: ExampleDocument, absent: Absent = leftOut): Json {
  const { choice, fields } = document;
  if (choice !== undefined) {
    const branch = fields.find(({ name }) => value[name] !== undefined) as Field;
    const inner = fieldJson(branch, value[branch.name] as ExampleValue, absent);
    if (choice.named) return { [branch.jsonName]: inner };
    return choice.tag === undefined ? inner : { [choice.tag]: branch.name, ...(inner as JsonObject) };
  }
  const members = fields.flatMap((field): [string, Json][] => {
    const each = value[field.name];
    const json = each === undefined ? absent(field) : fieldJson(field, each, absent);
    return json === undefined ? [] : [[field.jsonName, json]];
  });
  return Object.fromEntries(members);
}

/** The example of a field in JSON. */
export function fieldJson(field: Field, value: ExampleValue, absent: Absent = leftOut): Json {
  const item = singleType(field.type);
  const one = (each: ExampleValue): Json => {
    if (item.kind === 'document') return membersJson(item.document, each as ExampleDocument, absent);
    return primitiveOf(item) === 'json' ? (JSON.parse(String(each)) as Json) : (each as string | number | boolean);
  };
  if (field.type.kind === 'map')
    return Object.fromEntries(Object.entries(value as ExampleDocument).map(([key, each]) => [key, one(each)]));
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** An example as a message's XML, without an XML declaration. */
export function exampleXml(document: Document, value: ExampleDocument, documents: DocumentSet): string {
  const root = { name: document.xmlName, namespace: documents.namespaceOf(document) };
  return buildXmlFragment(exampleElement(document, value, documents, root));
}

/** An example as an element other than the document's own. */
export function exampleElement(
  document: Document,
  value: ExampleDocument,
  documents: DocumentSet,
  root: { readonly name: string; readonly namespace: string },
): XmlElement {
  return documentXml(document, root.name, value, { documents, own: root.namespace, around: '' });
}

/** The namespace of an element, and the default namespace around it. */
interface Place {
  readonly documents: DocumentSet;
  readonly own: string;
  readonly around: string;
}

/** An element of a document in the namespace of its place; its content is in the namespace of the document. */
function documentXml(document: Document, name: string, value: ExampleDocument, place: Place): XmlElement {
  const { attributes, children } = insideXml(document, value, place);
  return placed(name, place, children, attributes);
}

/** The attributes of a document and what is inside its element. */
function insideXml(document: Document, value: ExampleDocument, place: Place) {
  const attributes: Record<string, string> = {};
  const children: XmlNode[] = [];
  for (const field of document.fields) {
    const each = value[field.name];
    if (each === undefined) continue;
    const own = field.namespace ?? (field.attribute ? '' : place.documents.namespaceOf(document));
    const inner = inlineDocument(field);
    if (inner !== undefined)
      for (const entry of entriesOf(each)) children.push(...insideXml(inner, entry as ExampleDocument, place).children);
    else if (field.any !== undefined) addAny(field, each, place.own, attributes, children);
    else if (field.content) children.push(...contentXml(field, each, place.own));
    else if (!field.attribute)
      children.push(...fieldXml(field, each, { documents: place.documents, own, around: place.own }));
    else if (own === '') attributes[field.xmlName] = spacedText(each);
    else
      Object.assign(attributes, {
        [`xmlns:${field.xmlName}`]: own,
        [`${field.xmlName}:${field.xmlName}`]: spacedText(each),
      });
  }
  return { attributes, children };
}

/** Adds elements, or attributes, of any name. */
function addAny(
  field: Field,
  value: ExampleValue,
  around: string,
  attributes: Record<string, string>,
  children: XmlNode[],
): void {
  if (!field.attribute) {
    for (const each of entriesOf(value)) children.push(markupXml(readXml(String(each)), around));
    return;
  }
  for (const [index, [key, each]] of Object.entries(value as ExampleDocument).entries()) {
    const { namespace, local } = namePartsOf(key);
    if (namespace !== '') attributes[`xmlns:b${index}`] = namespace;
    attributes[namespace === '' ? local : `b${index}:${local}`] = String(each);
  }
}

function entriesOf(value: ExampleValue): readonly ExampleValue[] {
  return Array.isArray(value) ? value : [value];
}

/** The text of a document's element, which may be markup. */
function contentXml({ type }: Field, value: ExampleValue, around: string): readonly XmlNode[] {
  if (traitsOf(type)?.xml.markup !== true) return [String(value)];
  return readXml(`<x>${String(value)}</x>`).content.map((each) =>
    typeof each === 'string' ? each : markupXml(each, around),
  );
}

/** Markup that was read, in the namespace around it. */
function markupXml(read: ReadElement, around: string): XmlElement {
  const { local, namespace } = read;
  const attributes: Record<string, string> = namespace === around ? {} : { xmlns: namespace };
  for (const [index, each] of read.attributes.entries()) {
    if (each.namespace !== '') attributes[`xmlns:a${index}`] = each.namespace;
    attributes[each.namespace === '' ? each.local : `a${index}:${each.local}`] = each.value;
  }
  return element(
    local,
    attributes,
    read.content.map((each) => (typeof each === 'string' ? each : markupXml(each, namespace))),
  );
}

function fieldXml(field: Field, value: ExampleValue, place: Place): XmlElement[] {
  const { type } = field;
  const one = (name: string, each: ExampleValue, at: Place): XmlElement => {
    const item = singleType(field.type);
    if (item.kind === 'document') return documentXml(item.document, name, each as ExampleDocument, at);
    return placed(name, at, [String(each)]);
  };
  if (type.kind === 'map') {
    const inside = { ...place, around: place.own };
    const entries = Object.entries(value as ExampleDocument).map(([key, each]) => {
      const { name, attributes, children } = one(MAP_ENTRY.element, each, inside);
      return element(name, { [MAP_ENTRY.key]: key, ...attributes }, children);
    });
    return [placed(field.xmlName, place, entries)];
  }
  if (type.kind !== 'list') return [one(field.xmlName, value, place)];
  if (type.spaced) return [one(field.xmlName, spacedText(value), place)];
  const entries = value as readonly ExampleValue[];
  if (type.flat) return entries.map((entry) => one(field.xmlName, entry, place));
  const inside = { ...place, around: place.own };
  return [
    placed(
      field.xmlName,
      place,
      entries.map((entry) => one(itemName(type), entry, inside)),
    ),
  ];
}

/** A value as one text; the entries of a list have spaces between them. */
function spacedText(value: ExampleValue): string {
  return Array.isArray(value) ? value.join(' ') : String(value);
}

/** An element that declares the default namespace if that changes. */
function placed(name: string, { own, around }: Place, children: readonly XmlNode[], attributes = {}): XmlElement {
  return element(name, own === around ? attributes : { xmlns: own, ...attributes }, children);
}
