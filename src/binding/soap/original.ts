import { isAttachment } from '../../codec/binary.ts';
import { CodecError, compileCheck, compileList, compileText } from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import type { OriginalElement, OriginalEntry, OriginalRequest, OriginalShape } from '../../model/original-shape.ts';
import type { Message, Operation } from '../../model/service.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { readContentType } from '../../wire/content-type.ts';
import { isXmlType } from '../../wire/media-type.ts';
import { once } from '../../wire/waiting.ts';
import { readXml } from '../../wire/xml/read-xml.ts';
import { escapeAttribute, escapeText } from '../../wire/xml/text.ts';
import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';
import { guard, RequestErrors, reading, speaking } from '../message.ts';
import type { Pieces } from '../pieces.ts';
import type { RequestBody } from '../rest/body.ts';
import type { RestBinding } from '../rest/rest.ts';
import { brokerDetail, type SoapProvider } from './soap.ts';

/** Reads the request that an element in the original's shape holds. @throws Fault BAD_BODY, BAD_PARAMETER, MISSING_PARAMETER */
type OriginalReader = (payload: XmlElement) => DocumentValue;

/**
 * An operation as its callers of the original know it: the same input and the same value of a reply, in the
 * original's shape. Its faults have an IBResponse in their detail, which those clients look for.
 * @param version that the caller's action names
 */
export function compileOriginal(soap: SoapProvider, shape: OriginalShape, version: number): SoapProvider {
  const { root, rows } = shape.reply(version);
  const { name, namespace = '' } = root;
  const request = once(() => compileOriginalRequest(shape.request, soap.form.request));
  const reply = once(() => compileOriginalReply(root));
  return {
    form: soap.form,
    namespace: soap.namespace,
    request: soap.request,
    replyRoot: { name, namespace, ...rows },
    readRequest: (payload) => request()(payload as XmlElement),
    understands: () => false,
    writeReply: (value) => reply()(value),
    writeReplyHeaders: () => '',
    writeReplyAttachments: () => [],
    requestParts: [],
    hasAttachments: false,
    takesParts: false,
    writeFaultDetail: brokerDetail,
  };
}

/** The values read from a request so far, by the names of our fields. */
interface Given {
  readonly texts: Map<string, string>;
  readonly lists: Map<string, string[]>;
  readonly documents: Map<string, DocumentValue[]>;
  /** The names that the caller uses, for error messages. */
  readonly labels: Map<string, string>;
  readonly errors: RequestErrors;
  /** Fields about which there is an error: they are not missing as well. */
  readonly wrong: Set<string>;
}

/** Goes on after an error, so that all of a request are reported. @param names the fields that it is about */
function attempt({ errors, wrong }: Given, names: readonly string[], read: () => void): void {
  try {
    read();
  } catch (error) {
    errors.add(error);
    for (const name of names) wrong.add(name);
  }
}

/** An error that has no place but the name in its message: the original's elements have no pointers. */
function refused(name: string, reason: string): Fault {
  return Fault.of('BAD_PARAMETER', { name, reason }, { at: {} });
}

/** Compiles the reading of requests in the original's shape. @param message the operation's own request */
function compileOriginalRequest(shape: OriginalRequest, message: Message): OriginalReader {
  const instead = shape.instead ?? {};
  const fields = [
    ...(message.kind === 'document' ? message.document.fields : []),
    ...Object.keys(instead).map(compileNumber),
  ];
  const byName = new Map(fields.map((field) => [field.name, field]));
  const fieldOf = (name: string): Field => {
    const found = byName.get(name);
    if (found === undefined) throw new TypeError(`an original shape fills ${name}, which the request does not have`);
    return found;
  };
  const singles = inLowerCase(shape.fields);
  for (const name of singles.values()) fieldOf(name);
  const entries = new Map(
    Object.entries(shape.entries ?? {}).map(([name, entry]) => {
      const { list, fields: filled } = entry;
      const names = list === undefined ? Object.values(filled) : [list];
      return [name.toLowerCase(), { names, read: compileEntry(entry, fieldOf) }];
    }),
  );
  const without = inLowerCase(shape.without ?? {});
  const around = new Set(shape.around.map((name) => name.toLowerCase()));
  const defaults = Object.entries(shape.defaults ?? {});
  const usual = new Map(
    Object.entries(shape.fields)
      .toReversed()
      .map(([element, name]) => [name, element]),
  );
  const readers = new Map(fields.map((field) => [field.name, compileField(field)]));
  const complete = compileCheck(fields);
  const replaced = new Set(Object.values(instead));
  const completeInstead = compileCheck(
    fields.map((field) => (replaced.has(field.name) ? { ...field, required: false } : field)),
  );
  const known = [...Object.keys(shape.fields), ...Object.keys(shape.entries ?? {})].join(', ');

  function take(element: XmlElement, given: Given): void {
    const key = element.local.toLowerCase();
    const entry = entries.get(key);
    const name = singles.get(key);
    const left = without.get(key);
    if (entry !== undefined) attempt(given, entry.names, () => entry.read(element, given));
    else if (name !== undefined)
      attempt(given, [name], () => note(given, name, element, fieldOf(name).type.kind === 'list'));
    else if (left !== undefined) attempt(given, [], () => checkLeftOut(element, left));
    else if (around.has(key) || childrenOf(element).length > 0) walk(element, given);
    else {
      given.errors.add(refused(nameOf(element), `is not an element of this request, which has: ${known}`));
    }
  }

  function walk(element: XmlElement, given: Given): void {
    if (textOf(element).trim() !== '') {
      const reason = `there is text right inside ${nameOf(element)}, which holds elements`;
      given.errors.add(Fault.of('BAD_BODY', { reason }, { at: {} }));
    }
    for (const child of childrenOf(element)) take(child, given);
  }

  return (payload) => {
    const errors = new RequestErrors();
    const wrong = new Set<string>();
    const given: Given = { texts: new Map(), lists: new Map(), documents: new Map(), labels: new Map(), errors, wrong };
    walk(payload, given);
    for (const [name, text] of defaults) if (!given.texts.has(name)) given.texts.set(name, text);
    const values: Record<string, Value> = {};
    const label = (name: string): string => given.labels.get(name) ?? usual.get(name) ?? name;
    const read = (name: string, texts: readonly string[]): void =>
      attempt(given, [name], () => {
        values[name] = guard(label(name), readers.get(name)!, texts);
      });
    for (const [name, text] of given.texts) read(name, [text]);
    for (const [name, texts] of given.lists) read(name, texts);
    for (const [name, documents] of given.documents) values[name] = documents;
    const isInstead = Object.keys(instead).some((name) => values[name] !== undefined || wrong.has(name));
    let whole: DocumentValue = values;
    try {
      whole = (isInstead ? completeInstead : complete)(values);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      for (const { path } of [error, ...error.others])
        if (!wrong.has(path)) errors.add(Fault.of('MISSING_PARAMETER', { name: label(path) }, { at: {} }));
    }
    errors.throwIfAny();
    return whole;
  };
}

/** The name of a caller's element in a message, bounded. */
function nameOf({ local }: XmlElement): string {
  return local.length > 60 ? `${local.slice(0, 60).toWellFormed()}...` : local;
}

function inLowerCase<T>(given: Readonly<Record<string, T>>): Map<string, T> {
  return new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A number that the request's document does not have. */
function compileNumber(name: string): Field {
  return {
    name,
    jsonName: name,
    xmlName: name,
    type: { kind: 'integer' },
    required: false,
    anyCase: false,
    sensitive: false,
    attribute: false,
    absent: 'omit',
    url: 'segment',
    at: { file: '', line: 0, column: 0 },
  };
}

/** Single values arrive as lists of one. */
function compileField(field: Field): (texts: readonly string[]) => Value {
  const { type } = field;
  if (type.kind === 'document' || (type.kind === 'list' && type.item.kind === 'document'))
    return () => {
      throw new TypeError(`${field.name} is filled by entries`);
    };
  return compileList(field);
}

/** Records a value; an empty one counts as absent, except in a list, where it keeps its position. */
function note(given: Given, name: string, element: XmlElement, isList: boolean): void {
  const text = textIn(element);
  given.labels.set(name, element.local);
  if (isList) {
    const list = given.lists.get(name) ?? [];
    list.push(text);
    given.lists.set(name, list);
    return;
  }
  if (text === '') return;
  if (given.texts.has(name)) throw refused(element.local, 'is given more than once');
  given.texts.set(name, text);
}

function textIn(element: XmlElement): string {
  const [inside] = childrenOf(element);
  if (inside === undefined) return textOf(element).trim();
  throw refused(element.local, `holds the element ${nameOf(inside)}, and is a single value`);
}

function checkLeftOut(
  element: XmlElement,
  { values, reason }: { readonly values: readonly string[] | 'any'; readonly reason: string },
): void {
  const isEmpty = childrenOf(element).length === 0;
  if (values === 'any' || (isEmpty && values.includes(textOf(element).trim().toUpperCase()))) return;
  throw refused(element.local, reason);
}

/** Compiles the reading of an element that repeats. */
function compileEntry(
  { list, fields }: OriginalEntry,
  fieldOf: (name: string) => Field,
): (element: XmlElement, given: Given) => void {
  const names = inLowerCase(fields);
  const read = list === undefined ? undefined : compileItem(itemOf(fieldOf(list)), fields);
  return (element, given) => {
    const texts = new Map<string, string>();
    for (const child of childrenOf(element)) {
      const name = names.get(child.local.toLowerCase());
      const place = `${element.local}.${nameOf(child)}`;
      if (name === undefined) {
        throw refused(place, `is not an element of ${element.local}, which has: ${Object.keys(fields).join(', ')}`);
      }
      if (texts.has(name)) throw refused(place, 'is given more than once');
      texts.set(name, textIn(child));
    }
    // Request templates contain an entry that is not filled in.
    if ([...texts.values()].every((text) => text === '')) return;
    if (read !== undefined) {
      const found = given.documents.get(list!) ?? [];
      found.push(read(texts));
      given.documents.set(list!, found);
      return;
    }
    for (const [label, name] of Object.entries(fields)) {
      const found = given.lists.get(name) ?? [];
      found.push(texts.get(name) ?? '');
      given.lists.set(name, found);
      given.labels.set(name, label);
    }
  };
}

function itemOf({ type, name }: Field): Document {
  if (type.kind === 'list' && type.item.kind === 'document') return type.item.document;
  throw new TypeError(`${name} is no list of documents`);
}

function compileItem(
  { fields }: Document,
  names: Readonly<Record<string, string>>,
): (texts: ReadonlyMap<string, string>) => DocumentValue {
  const label = new Map(Object.entries(names).map(([element, name]) => [name, element]));
  const readers = fields.map((field) => ({ name: field.name, read: compileText(field) }));
  const complete = compileCheck(fields);
  return (texts) => {
    const values: Record<string, Value> = {};
    for (const { name, read } of readers) {
      const text = texts.get(name);
      if (text !== undefined) values[name] = guard(label.get(name) ?? name, read, text);
    }
    return reading(() => complete(values));
  };
}

/** The output of a writer: a growing text, split at each attachment. */
class Written {
  readonly pieces: (string | Attachment)[] = [];
  text = '';

  attach(attachment: Attachment): void {
    this.pieces.push(this.text, attachment);
    this.text = '';
  }
}

type Write = (value: DocumentValue, to: Written) => void;

/**
 * Compiles the writing of a reply's value as an element of the original, with default namespaces and, unless the element's
 * own name has one, without prefixes. The writer throws a CodecError for what is no document, or no list where one repeats.
 */
function compileOriginalReply(root: OriginalElement): (value: DocumentValue) => Pieces {
  const write = compileElement(root, '');
  return (value) => {
    const to = new Written();
    write(value, to);
    return [...to.pieces, to.text];
  };
}

/** @param around the default namespace in scope at the element */
function compileElement(element: OriginalElement, around: string): Write {
  const { name, attributes = '', namespace = around, each, given } = element;
  const declared = namespace === around ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
  const tag = `<${name}${declared}${attributes}`;
  const content = compileContent(element, namespace);
  const write: Write = (value, to) => {
    to.text += `${tag}>`;
    const { length } = to.text;
    const pieces = to.pieces.length;
    content(value, to);
    const isEmpty = to.text.length === length && to.pieces.length === pieces;
    if (isEmpty) to.text = `${to.text.slice(0, -1)}/>`;
    else to.text += `</${name}>`;
  };
  if (given !== undefined) return (value, to) => (isThere(value[given]) ? write(value, to) : undefined);
  if (each === undefined) return write;
  return (value, to) => {
    const entries = value[each] ?? [];
    if (!Array.isArray(entries)) throw new CodecError(each, 'is no list');
    // An entry that is a single value is the field of that name.
    for (const entry of entries as Value[]) write(isRecord(entry) ? entry : { [each]: entry }, to);
  };
}

function compileContent({ field, text, children = [] }: OriginalElement, namespace: string): Write {
  if (text !== undefined) {
    const escaped = escapeText(text);
    return (_, to) => {
      to.text += escaped;
    };
  }
  if (field !== undefined)
    return (value, to) => {
      const found = value[field];
      if (isAttachment(found)) to.attach(found);
      else if (isThere(found)) to.text += escapeText(String(found));
    };
  const writers = children.map((child) => compileElement(child, namespace));
  return (value, to) => {
    for (const write of writers) write(value, to);
  };
}

function isThere(value: Value): boolean {
  return value !== undefined && value !== null;
}

function isRecord(value: Value): value is DocumentValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An operation's REST form that reads XML bodies in the original's shape too, known by their root; others are read as ever. */
export function withOriginalBody(binding: RestBinding, operation: Operation, shape: OriginalRequest): RestBinding {
  const readOriginal = compileOriginalRequest(shape, operation.request);
  return {
    ...binding,
    readRequest(uri, raw, header, body) {
      const type = body.present && body.contentType !== undefined ? readContentType(body.contentType) : undefined;
      if (type === undefined || !isXmlType(type.essence)) return binding.readRequest(uri, raw, header, body);
      return body.text().then((text) => {
        const root = speaking(() => readXml(text));
        if (shape.roots.includes(root.local)) return readOriginal(root);
        const again: RequestBody = { ...body, text: () => Promise.resolve(text) };
        return binding.readRequest(uri, raw, header, again);
      });
    },
  };
}
