import { isOneOfSeveral } from '../../model/derivation.ts';
import { bareField, type Document, foldedName, itemName, type Patch } from '../../model/document.ts';
import { type Field, type FieldType, type ListType, type ScalarType, singleType } from '../../model/field.ts';
import { isFormType } from '../../model/form.ts';
import type { RowFormat } from '../../model/query.ts';
import { RAW_MEDIA_TYPES } from '../../model/request-form.ts';
import { SCALAR_KINDS } from '../../model/scalar.ts';
import {
  type HeaderBinding,
  type MediaMessage,
  type Message,
  type OperationUri,
  RAW_KINDS,
  type RawKind,
} from '../../model/service.ts';
import { restrictionsOf } from '../../model/simple-type.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { type Place, placeOf, positionOf } from '../diagnostic/diagnostic.ts';
import { nearest } from '../diagnostic/suggest.ts';
import { CONTENT, checkXmlNames, contentOf, type Documents, documentOf, messageWords } from '../document/documents.ts';
import { hasOwnValue, madeField } from '../document/field.ts';
import { type DerivedName, derivedName, parseTypeWord } from '../document/field-type.ts';
import type { Linking } from '../linking.ts';
import { given } from '../object.ts';
import type { InPlaceDeclared } from '../schema/document.ts';
import type { MessageDeclared } from '../schema/operation.ts';
import type { OperationSpot } from './spot.ts';

const isRaw = (word: string): word is RawKind => RAW_KINDS.includes(word as RawKind);

/** The message of an operation without a request or response. */
export const noMessage = (): Message => ({ kind: 'none' });

/** The `request` of an operation. A document that was rejected is a stand-in, in doubt. */
export function linkRequest(documents: Documents, spot: OperationSpot): Message {
  const found = spot.inherited('request');
  const own = derivedName(spot, 'REQUEST');
  const message = found === undefined ? noMessage() : linkOneMessage(documents, found.value, own, found.at);
  return spot.lacks('request') ? inDoubt(documents, message, spot.at) : message;
}

/** A request, which is one message whatever its media types are. */
function linkOneMessage(
  documents: Documents,
  value: MessageDeclared | Readonly<Record<string, MessageDeclared>>,
  own: DerivedName,
  at: Place,
): Message {
  if (!isMediaMap(value)) return linkMessage(documents, value as MessageDeclared, own, at);
  const { report, places } = documents.linking;
  const [[first, one] = ['', 'none'], ...others] = Object.entries(value);
  for (const [mediaType, other] of others) {
    if (typeof one === 'string' && other === one) continue;
    const reason = `A request is the same message in each of its media types, but ${mediaType} differs from ${first}: write the id of one document at both`;
    report.raise('bad-body', { reason }, places.value(value, mediaType));
  }
  return linkMessage(documents, one, own, places.value(value, first));
}

/** A media type that `request` names, and its place. */
export interface RequestType {
  readonly mediaType: string;
  readonly at: Place;
}

/** The media types that `request` names; `undefined` where it names none. */
export function requestTypesIn({ places }: Linking, spot: OperationSpot): readonly RequestType[] | undefined {
  const value = spot.inherited('request')?.value;
  if (!isMediaMap(value)) return undefined;
  return Object.keys(value).map((mediaType) => ({ mediaType, at: places.key(value, mediaType) }));
}

/** Refuses media types of a request that is sent over SOAP only, where the version of SOAP has its own. */
export function refuseRequestTypes({ report, places }: Linking, { id, declared }: OperationSpot): void {
  const { request } = declared;
  if (!isMediaMap(request)) return;
  const reason = `Over SOAP, the media type of a request is that of the envelope, so ${id} can't have another one`;
  report.raise('bad-body', { reason }, places.key(declared, 'request'));
}

/** The `response` of an operation by media types, the default first. A document that was rejected is a stand-in, in doubt. */
export function linkResponses(documents: Documents, spot: OperationSpot): MediaMessage[] {
  const responses = linkMediaTypes(documents, spot);
  if (!spot.lacks('response')) return responses;
  return responses.map(({ mediaType, message }) => ({ mediaType, message: inDoubt(documents, message, spot.at) }));
}

/** A message that a rejected key may have replaced by another. */
export function inDoubt(documents: Documents, message: Message, at: Place): Message {
  return { kind: 'document', document: documents.inDoubt(documentOf(message), at) };
}

function linkMediaTypes(documents: Documents, spot: OperationSpot): MediaMessage[] {
  const found = spot.inherited('response');
  const own = derivedName(spot, 'RESPONSE');
  if (found === undefined) return forms(noMessage());
  const { value, at } = found;
  if (isFormats(value)) {
    const reason = `${spot.id} is not answered by the rows of one query, so its response can't be a list of their forms: add \`query: NAME\`, or name a document`;
    documents.linking.report.raise('bad-query-answer', { reason }, at);
    return forms(inDoubt(documents, noMessage(), at));
  }
  if (typeof value === 'string' || isInPlace(value))
    return forms(linkMessage(documents, value as MessageDeclared, own, at));
  const given = value as Readonly<Record<string, MessageDeclared>>;
  const above = spot.above('response');
  const all = isMediaMap(above) ? { ...above, ...given } : given;
  // Lists and single values by their words: of one type they are one message.
  const bare = new Map<MessageDeclared, Message>();
  return Object.entries(all).map(([mediaType, each]) => {
    const known = bare.get(each);
    if (known !== undefined) return { mediaType, message: known };
    const holder = mediaType in given ? given : (above as object);
    const place = documents.linking.places.value(holder, mediaType);
    const name = derivedName(own, mediaType.replace(/[^A-Za-z0-9]+/g, '_'));
    const message = linkMessage(documents, each, typeof each === 'string' && bare.size === 0 ? own : name, place);
    checkParts(documents.linking, mediaType, message, place);
    if (documentOf(message)?.bare) bare.set(each, message);
    return { mediaType, message };
  });
}

/** Media types of tables, which no document is written in. */
const TABLES: ReadonlySet<string> = new Set(['text/csv', 'text/tab-separated-values']);

/** Refuses a reply with a part for each field that has no fields, and a document in a form that documents don't have. */
function checkParts({ report, doubt }: Linking, mediaType: string, message: Message, at: Place): void {
  const document = documentOf(message);
  if (document === undefined || doubt.about(document)) return;
  if (TABLES.has(parseMediaType(mediaType)?.essence ?? '')) {
    const reason = `A reply as ${mediaType} can't be ${messageWords(message)}, which is written as JSON or XML: use text, or \`response: [json, csv]\` with \`query: NAME\`, which has CSV of its rows`;
    report.raise('bad-body', { reason }, at);
    return;
  }
  if (!isFormType(mediaType.toLowerCase())) return;
  if (bareField(document) === undefined && document.choice === undefined) return;
  const reason = `A reply as ${mediaType} has a part for each field, but ${messageWords(message)} has none of its own`;
  report.raise('bad-body', { reason }, at);
}

function isMediaMap(value: unknown): value is Readonly<Record<string, MessageDeclared>> {
  return typeof value === 'object' && value !== null && !isFormats(value) && !isInPlace(value);
}

/** `[json, csv]`: the forms of the rows of a query. */
export const isFormats = (value: unknown): value is readonly RowFormat[] => Array.isArray(value);

const isInPlace = (value: object): boolean => 'fields' in value || 'one-of' in value;

/** The default media types of a reply: a document has a JSON and an XML form. */
export function forms(message: Message): MediaMessage[] {
  if (message.kind === 'raw') return [{ mediaType: RAW_MEDIA_TYPES[message.raw], message }];
  return [
    { mediaType: 'application/json', message },
    { mediaType: 'application/xml', message },
  ];
}

/** The document of `fault:` or `variables:`; `undefined` without one. */
export function linkDocument(
  documents: Documents,
  spot: OperationSpot,
  key: 'fault' | 'variables',
): Document | undefined {
  const found = spot.inherited(key);
  if (found === undefined) return undefined;
  const { value, at } = isMediaMap(found.value) ? faultByTypes(documents.linking, found.value) : found;
  if (value === 'none') return undefined;
  if (typeof value === 'string') {
    if (!/^list\s+of\s/.test(value)) return documents.resolve(value, at);
    documents.linking.report.raise('root-list', { what: `the ${key}` }, at);
    return documents.inDoubt(undefined, at);
  }
  return documents.inPlace(derivedName(spot, key.toUpperCase()), value as InPlaceDeclared, at);
}

/** What `fault` is in each of its media types: one document, or content that is read as it comes. */
function faultByTypes(
  { report, places }: Linking,
  types: Readonly<Record<string, MessageDeclared>>,
): { readonly value: MessageDeclared; readonly at: Place } {
  const documents = Object.entries(types).filter(([, value]) => typeof value !== 'string' || !isRaw(value));
  const [[first, value] = ['', 'none'], ...others] = documents;
  for (const [mediaType, other] of others) {
    if (typeof value === 'string' && other === value) continue;
    const reason = `A fault is one document, but that as ${mediaType} differs from that as ${first}: write the id of one document at both, or json, xml or text where its content does not matter`;
    report.raise('bad-body', { reason }, places.value(types, mediaType));
  }
  return { value, at: places.value(types, first) };
}

/** The media types that `fault` names; `undefined` where it names none. Those that are not valid are reported. */
export function linkFaultTypes({ report, places }: Linking, spot: OperationSpot): readonly string[] | undefined {
  const value = spot.inherited('fault')?.value;
  if (!isMediaMap(value)) return undefined;
  return Object.keys(value).filter((mediaType) => {
    const isValid = parseMediaType(mediaType) !== undefined;
    const reason = `A fault can't be ${mediaType}: it is not a valid media type`;
    if (!isValid) report.raise('bad-body', { reason }, places.key(value, mediaType));
    return isValid;
  });
}

/** The document that `variables:` names for variables of URIs and headers. */
export function linkVariablesDocument(documents: Documents, spot: OperationSpot): Document | undefined {
  const document = linkDocument(documents, spot, 'variables');
  return spot.lacks('variables') ? documents.inDoubt(document, spot.at) : document;
}

function linkMessage(documents: Documents, value: MessageDeclared, derived: DerivedName, at: Place): Message {
  if (typeof value === 'object') return { kind: 'document', document: documents.inPlace(derived, value, at) };
  if (value === 'none') return noMessage();
  if (isRaw(value)) return { kind: 'raw', raw: value };
  const word = parseTypeWord(value);
  if (word.kind === 'bad') {
    documents.linking.report.raise('bad-type', { type: value, reason: word.reason }, at);
    return inDoubt(documents, noMessage(), at);
  }
  const collected = (item: ListType['item']): FieldType | undefined =>
    word.map ? { kind: 'map', item } : word.list ? { kind: 'list', item, flat: true } : undefined;
  const bare = (item: ScalarType, restrictions?: Partial<Field>): Message =>
    bareMessage(documents, collected(item) ?? item, derived, at, restrictions);
  if (word.kind === 'scalar') return bare(word.type);
  const named = documents.linking.types.get(word.id)?.type;
  if (named !== undefined) return bare(named.base, restrictionsOf(named, collected(named.base) !== undefined));
  const isWhole = !word.list && !word.map;
  const others = [...otherWords(word.id, isWhole), ...documents.linking.types.keys()];
  const document = documents.find(word.id) ?? documents.resolve(word.id, at, others);
  const type = collected({ kind: 'document', document });
  return type === undefined ? { kind: 'document', document } : bareMessage(documents, type, derived, at);
}

/** The words that the id of an unknown document may have been meant for. */
function otherWords(id: string, isWhole: boolean): readonly string[] {
  const types = nearest(id, SCALAR_KINDS) === undefined ? [] : SCALAR_KINDS;
  return [...(isWhole ? ['none', ...RAW_KINDS] : []), ...types];
}

/** A message that is a list, a map or a single value. A list has no element of its own (`response: list of PET`). */
function bareMessage(
  documents: Documents,
  type: FieldType,
  derived: DerivedName,
  at: Place,
  restrictions: Partial<Field> = {},
): Message {
  const xmlName = type.kind === 'list' ? itemName(type) : CONTENT;
  const content = madeField(CONTENT, type, positionOf(at), { ...restrictions, xmlName, required: true });
  const document = documents.synthesize(derived, [content], at, { bare: true });
  const { doubt } = documents.linking;
  const single = singleType(type);
  if (single.kind === 'document' && doubt.about(single.document)) doubt.mark(document);
  return { kind: 'document', document };
}

/** The request of an operation over REST. */
export interface RestInput {
  readonly request: Message;
  readonly requestHeaders: readonly HeaderBinding[];
  readonly uris: readonly OperationUri[];
}

/**
 * The request over SOAP, where all input is in the body: the request document together with the other fields of URIs and
 * headers. Fields that every URI requires are required, so that handlers get the same guarantees as over REST.
 */
export function soapRequest(documents: Documents, twin: DerivedName, rest: RestInput, spot: OperationSpot): Message {
  const { request, uris, requestHeaders } = rest;
  const own = documentOf(request)?.fields ?? contentOf(request, spot);
  const byName = new Map(own.map((field) => [field.name, field]));
  for (const { field } of [...uris.flatMap((uri) => uri.variables), ...requestHeaders])
    if (!byName.has(field.name)) byName.set(field.name, field);
  const fields = [...byName.values()].map((field) =>
    field.required || hasOwnValue(field) || !everyUriRequires(uris, field.name) ? field : { ...field, required: true },
  );
  const same = fields.length === own.length && fields.every((field, index) => field === own[index]);
  const patch = patchOf(documents.linking, documentOf(request), fields, spot);
  if (same && patch === undefined) return request;
  const document = documentOf(request);
  if (document !== undefined && isOneOfSeveral(document)) {
    const others = fields.filter((field) => !own.includes(field)).map(({ name }) => name);
    const reason = `The request ${document.id} is one of several things, and over SOAP it has no room for ${others.join(', ')}`;
    documents.linking.report.raise('bad-body', { reason }, spot.at);
  }
  // Fields of two documents are combined here.
  checkXmlNames(documents.linking, fields, (field) => placeOf(field.at));
  const { namespace, open = false } = documentOf(request) ?? {};
  const options = { open, ...given({ namespace, patch }) };
  const all = patch === undefined ? fields : [...fields, patch.clear];
  return {
    kind: 'document',
    document: documents.synthesize(derivedName(twin, 'SOAP_REQUEST'), all, spot.at, options),
  };
}

/** The XML element that lists the fields to empty. */
const CLEAR = 'clear';

/**
 * How a change over SOAP empties fields. Generated clients write `xsi:nil` for every field that was not set, so it can't mean
 * that. `undefined` when the operation is not a change, or when no field can be emptied.
 */
function patchOf(
  { report }: Linking,
  request: Document | undefined,
  fields: readonly Field[],
  { id, at }: OperationSpot,
): (Patch & { readonly clear: Field }) | undefined {
  const names = request?.patch?.clearable.map(({ name }) => name) ?? [];
  const clearable = fields.filter(({ name, required }) => names.includes(name) && !required);
  if (clearable.length === 0) return undefined;
  for (const [index, field] of fields.entries()) {
    const { xmlName } = field;
    const isTaken = foldedName(xmlName) === CLEAR;
    const isAmbiguous = clearable.includes(field) && fields.findIndex((each) => each.xmlName === xmlName) < index;
    if (isTaken || isAmbiguous)
      report.raise('clear-name', { operation: id, field: field.name, xmlName }, placeOf(field.at));
  }
  let name = CLEAR;
  while (fields.some((field) => field.name === name)) name += '_';
  const clear = madeField(name, { kind: 'list', item: { kind: 'string' }, flat: true }, positionOf(at), {
    xmlName: CLEAR,
    description: 'A field to empty: its name. One that is neither given nor named here stays as it is.',
    enum: clearable.map(({ xmlName }) => xmlName),
  });
  return { clearable, clear };
}

/** Whether a field is required by every URI. */
export function everyUriRequires(uris: readonly OperationUri[], name: string): boolean {
  return (
    uris.length > 0 &&
    uris.every(({ variables }) => variables.some((each) => each.required && each.field.name === name))
  );
}

/**
 * Whether an operation without a REST form is one-way, so that its fault would never be sent. Its own fault is refused; that of
 * its service is ignored.
 */
export function isFaultless(
  { report, places }: Linking,
  { id, declared }: OperationSpot,
  responses: readonly MediaMessage[],
): boolean {
  if (responses.some(({ message }) => message.kind !== 'none')) return false;
  if (declared.fault !== undefined && declared.fault !== 'none')
    report.raise('one-way-fault', { operation: id }, places.key(declared, 'fault'));
  return true;
}
