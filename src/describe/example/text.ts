import { kindName, kindsOf, typeName } from '../../model/derivation.ts';
import { bareField, type Document, itemName } from '../../model/document.ts';
import { type Field, MAP_ENTRY, singleType } from '../../model/field.ts';
import { inlineDocument } from '../../model/particles.ts';
import { isNumeric, primitiveOf, traitsOf } from '../../model/scalar.ts';
import { namePartsOf } from '../../model/wildcard.ts';
import { buildXmlFragment, element, type XmlElement, type XmlNode } from '../../wire/xml/build.ts';
import { XSI } from '../../wire/xml/namespaces.ts';
import { readXml } from '../../wire/xml/read-xml.ts';
import type { XmlElement as ReadElement } from '../../wire/xml/tree.ts';
import { blankJson, type Json, type JsonObject, numberJson } from '../json.ts';
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
    return choice.tag === undefined ? inner : { [choice.tag]: branch.jsonName, ...(inner as JsonObject) };
  }
  const kind = kindIn(document, value);
  if (kind !== undefined) return { [kind.by]: kind.name, ...(membersJson(kind.itself, value, absent) as JsonObject) };
  const members = fields.flatMap((field): [string, Json][] => {
    const each = value[field.name];
    const json = each === undefined ? absent(field) : fieldJson(field, each, absent);
    return json === undefined ? [] : [[field.jsonName, json]];
  });
  return Object.fromEntries(members);
}

/** Which of the documents that may stand for another one an example is; `undefined` where none may. */
function kindIn(document: Document, value: ExampleDocument) {
  const { kinds, ...own } = document;
  if (kinds === undefined) return undefined;
  const { name: by } = kinds.by;
  const kind = kindsOf(document).find((each) => kindName(each) === value[by]) ?? document;
  const { kinds: _, ...other } = kind;
  return { by, name: kindName(kind), kind, itself: kind.id === own.id ? own : other };
}

/** The example of a field in JSON. */
export function fieldJson(field: Field, value: ExampleValue, absent: Absent = leftOut): Json {
  if (value === null) return null;
  const item = singleType(field.type);
  const one = (each: ExampleValue): Json => {
    if (item.kind === 'document') return membersJson(item.document, each as ExampleDocument, absent);
    if (primitiveOf(item) === 'json') return JSON.parse(String(each)) as Json;
    const isDigits = isNumeric(item) && typeof each === 'string' && Number.isFinite(Number(each));
    return isDigits ? numberJson(each) : (each as string | number | boolean);
  };
  if (field.type.kind === 'map')
    return Object.fromEntries(Object.entries(value as ExampleDocument).map(([key, each]) => [key, one(each)]));
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** An example as a message's XML, without an XML declaration. */
export function exampleXml(document: Document, value: ExampleDocument, documents: DocumentSet): string {
  const own = documents.namespaceOf(document);
  return buildXmlFragment(documentXml(document, document.xmlName, value, { documents, own, around: '', home: '' }));
}

/** An example as an element other than the document's own. */
export function exampleElement(
  document: Document,
  value: ExampleDocument,
  documents: DocumentSet,
  root: { readonly name: string; readonly namespace: string },
): XmlElement {
  return documentXml(document, root.name, value, { documents, own: root.namespace, around: '', home: root.namespace });
}

/** The namespace of an element, and the default namespace around it. */
interface Place {
  readonly documents: DocumentSet;
  readonly own: string;
  readonly around: string;
  /** The namespace of the schema with the types of documents without one. */
  readonly home: string;
}

/** An element of a document in the namespace of its place; its content is in the namespace of the document. */
function documentXml(expected: Document, name: string, value: ExampleDocument, place: Place): XmlElement {
  const kind = kindIn(expected, value)?.kind;
  const type = kind === undefined || kind.id === expected.id ? undefined : typeIn(kind, place);
  const isUnqualified = type?.isUnqualified === true;
  const inner = insideXml(kind ?? expected, value, isUnqualified ? { ...place, own: '' } : place);
  const attributes = { ...type?.attributes, ...inner.attributes };
  return isUnqualified
    ? element(`e:${name}`, attributes, inner.children)
    : placed(name, place, inner.children, attributes);
}

/** The `xsi:type` of a document. Without a namespace it needs an element that is not in the default namespace. */
function typeIn(document: Document, { documents, own, home }: Place) {
  const namespace = documents.namespaceOf(document) || home;
  const name = typeName(document);
  const isUnqualified = namespace === '' && own !== '';
  const around = isUnqualified ? { 'xmlns:e': own, xmlns: '' } : {};
  const type = namespace === '' ? { 'xsi:type': name } : { 'xmlns:t': namespace, 'xsi:type': `t:${name}` };
  return { isUnqualified, attributes: { ...around, 'xmlns:xsi': XSI, ...type } };
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
    else if (!field.attribute) children.push(...fieldXml(field, each, { ...place, own, around: place.own }));
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
export function markupXml(read: ReadElement, around: string): XmlElement {
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
  if (value === null) return [placed(field.xmlName, place, [], { 'xmlns:xsi': XSI, 'xsi:nil': 'true' })];
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
