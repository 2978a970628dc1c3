import { compileDocument, compileJsonField, compileText, initialValue, readJsonMember } from '../../codec/index.ts';
import { carryDigits } from '../../codec/json/digits.ts';
import type { Spool } from '../../model/blob.ts';
import { type Document, namespaceOf } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import type { BodyForm } from '../../model/form.ts';
import { ACCEPT_HEADERS, acceptedTypes, bodyKind } from '../../model/request-form.ts';
import { traitsOf } from '../../model/scalar.ts';
import {
  hasXmlBody,
  type Message,
  type Operation,
  type OperationUri,
  type RawKind,
  takesBody,
} from '../../model/service.ts';
import type { Attachment, DocumentValue, Value } from '../../model/value.ts';
import { isAmbiguous, readContentType, sendableContentType, shownContentType } from '../../wire/content-type.ts';
import { OCTETS } from '../../wire/file-type.ts';
import { isFormCharset } from '../../wire/form-values.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';
import { isJsonType, isXmlType, type MediaType, parseMediaType } from '../../wire/media-type.ts';
import { quote } from '../../wire/words.ts';
import { XmlDecoder } from '../../wire/xml/encoding.ts';
import { XmlError, XmlReader } from '../../wire/xml/read-xml.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { compileFormReader, type FormLimits, type OpenedForm } from '../form/read-form.ts';
import { compileUrlencodedReader } from '../form/urlencoded.ts';
import { badBody, CONTENT, guard, type RequestErrors, reading, speaking } from '../message.ts';

/** The parts of a request other than its URI. */
export interface RequestBody {
  readonly contentType: string | undefined;
  /** The whole body, read when asked for. @throws Fault BODY_TOO_LARGE */
  bytes(): Promise<Uint8Array>;
  /** The same as text (UTF-8, checked). @throws Fault BODY_TOO_LARGE, BAD_BODY */
  text(): Promise<string>;
  /** The body as a stream; the limit is enforced while it is read. */
  attachment(contentType: string): Attachment;
  /** Whether there is a body of at least one byte, or one whose length shows at its end. */
  readonly present: boolean;
  /** The announced length in bytes; `undefined` when none is announced. */
  readonly length: number | undefined;
  /** How a body with a part for each field is read. */
  readonly form?: FormSource | undefined;
}

/** What a form needs in addition to its bytes. */
interface FormSource {
  readonly limits: FormLimits;
  readonly spool: Spool;
  /** Gets the form once its values are read: its files must be read, and freed afterwards. */
  readonly opened: (form: OpenedForm) => void;
}

/** Reads a body: fields into `given`, or returns what has no document. */
export type BodyReader = (
  body: RequestBody,
  given: Record<string, Value>,
) => undefined | Promise<DocumentValue | undefined>;

/** What a request to one URI may carry, compiled. `namespace`: of the service. */
export function compileBody(operation: Operation, uri: OperationUri, namespace: string): BodyReader {
  if (!takesBody(operation, uri)) {
    return (body) => {
      if (!body.present) return undefined;
      throw badBody(`${operation.method} ${operation.id} takes none`);
    };
  }
  if (operation.form !== undefined) return compileFormBody(operation, uri, operation.form);
  if (operation.body === 'document') return compileDocumentBody(operation, uri, namespace);
  const [field] = uri.body;
  const kind = bodyKind(operation, field);
  if (kind === 'document') throw new TypeError(`the body of ${operation.id} is not of a kind`);
  const type = bodyType(operation, uri, kind);
  return field === undefined ? compileRawBody(kind, type) : compileFieldBody(field, type);
}

/** A body of fields, as JSON or XML. */
function compileDocumentBody(operation: Operation, uri: OperationUri, namespace: string): BodyReader {
  const document = (operation.request as Extract<Message, { kind: 'document' }>).document;
  // Without its content there is no list in XML, and no value. What several documents may be is only sent as a whole.
  const part =
    document.bare || document.kinds !== undefined
      ? document
      : { ...document, fields: [...uri.body.map(withoutDefault), ...uri.repeats.map(optional)] };
  const { fromJson, fromXml } = compileDocument(part, { namespace });
  const accepted = bodyType(operation, uri, 'document');
  const element = { local: document.xmlName, namespace: namespaceOf(document, namespace, namespace) };
  const elsewhere = namesElsewhere(document, operation, uri);
  const read = async (body: RequestBody, isXml: boolean): Promise<DocumentValue> => {
    if (!isXml) {
      const text = await body.text();
      return reading(() => fromJson(text), document);
    }
    const root = await readXmlBody(body);
    checkElement(root, element);
    return reading(() => fromXml(root), document);
  };
  return async (body, given) => {
    if (!body.present) return undefined;
    const type = requireType(body, accepted);
    const value = await read(body, type !== undefined && isXmlType(type.essence));
    // An open document takes any name, and those of values that travel elsewhere are not for the body to say.
    for (const name of elsewhere) {
      if (Object.hasOwn(value, name))
        throw Fault.of(
          'BAD_PARAMETER',
          { name, reason: 'does not belong into the body' },
          { at: { pointer: jsonPointer([name]) } },
        );
    }
    // One that is wrong in the URI has been reported.
    for (const field of uri.repeats)
      if (given[field.name] !== undefined) checkRepeated(field, value[field.name], given[field.name]);
    carryDigits(value, Object.assign(given, value));
    return undefined;
  };
}

/** A form, and the errors of the fields that could not be read. */
type ReadForm = Pick<OpenedForm, 'values' | 'errors'>;

/** A body with a part or a field of a form for each field. */
function compileFormBody(operation: Operation, uri: OperationUri, form: BodyForm): BodyReader {
  const { document } = operation.request as Extract<Message, { kind: 'document' }>;
  const fields = {
    ...{ id: document.id, open: document.open },
    fields: [...uri.body.map(withoutDefault), ...uri.repeats.map(optional)],
  };
  const accepted = bodyType(operation, uri, 'document');
  const read =
    form === 'multipart' ? compileParts(operation, fields, accepted) : compileUrlencoded(operation, fields, accepted);
  const elsewhere = namesElsewhere(document, operation, uri);
  return async (body, given) => {
    if (!body.present) return undefined;
    const { values, errors } = await read(body);
    for (const name of elsewhere)
      if (Object.hasOwn(values, name))
        throw Fault.of(
          'BAD_PARAMETER',
          { name, reason: 'does not belong into the body' },
          { at: { pointer: jsonPointer([name]) } },
        );
    for (const field of uri.repeats)
      if (given[field.name] !== undefined) checkRepeated(field, values[field.name], given[field.name]);
    Object.assign(given, values);
    if (errors !== undefined) throw withMissing(errors, uri.body, values);
    return undefined;
  };
}

type FormFields = Pick<Document, 'id' | 'fields' | 'open'>;

function compileParts(
  { id }: Operation,
  fields: FormFields,
  accepted: BodyType,
): (body: RequestBody) => Promise<ReadForm> {
  const read = compileFormReader(fields);
  return async (body) => {
    const { contentType = '', form } = body;
    if (form === undefined) throw new TypeError(`the body of ${id} is a form, and nothing keeps its files`);
    requireType({ ...body, contentType }, accepted);
    const bytes = body.attachment(contentType).stream();
    const opened = await read({ contentType, bytes }, form.limits, form.spool);
    form.opened(opened);
    return opened;
  };
}

/** Fields of a form have the charset of its type. One without a type is read as UTF-8, as other bodies are. */
function compileUrlencoded(
  { id, formStyles }: Operation,
  fields: FormFields,
  accepted: BodyType,
): (body: RequestBody) => Promise<ReadForm> {
  const read = compileUrlencodedReader(fields, formStyles);
  const takes: BodyType = { ...accepted, decodes: isFormCharset, supported: accepted.usual };
  return async (body) => {
    if (body.form === undefined) throw new TypeError(`the body of ${id} is a form, and its fields have no limit`);
    const type = requireType(body, takes);
    return read(await body.bytes(), type?.parameters.get('charset'), body.form.limits.parameters);
  };
}

/** Errors of a form with those of fields that it lacks. */
function withMissing(errors: RequestErrors, fields: readonly Field[], values: Readonly<Record<string, Value>>): Fault {
  for (const field of fields) {
    const at = { pointer: jsonPointer([field.jsonName]) };
    const isMissing = field.required && initialValue(field) === undefined && values[field.name] === undefined;
    if (isMissing && !errors.has(at))
      errors.add(Fault.of('BAD_PARAMETER', { name: field.name, reason: 'is missing' }, { at }));
  }
  return errors.fault();
}

/** The root of an XML body, read like an envelope: in the encoding of its charset or declaration, without a document type, within its limits. */
async function readXmlBody(body: RequestBody): Promise<XmlElement> {
  const charset = charsetOf(body);
  const decoder = decoderFor(charset);
  const bytes = await body.bytes();
  return speaking(() => {
    const reader = new XmlReader();
    reader.write(decoder.write(bytes));
    reader.write(decoder.end());
    return reader.end();
  });
}

function charsetOf({ contentType = '' }: RequestBody): string | undefined {
  return readContentType(contentType)?.parameters.get('charset');
}

/** @throws Fault UNSUPPORTED_MEDIA_TYPE for a charset that is not supported for XML */
function decoderFor(charset: string | undefined): XmlDecoder {
  try {
    return new XmlDecoder(charset);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const given = `Content-Type with charset ${quote(charset ?? '')}`;
    throw Fault.of('UNSUPPORTED_MEDIA_TYPE', {
      given,
      supported: 'XML in UTF-8, UTF-16, ISO-8859-1, windows-1252 or another encoding of the WHATWG standard',
    });
  }
}

/** @throws Fault BAD_BODY for an element that is not the document's */
function checkElement({ local, namespace }: XmlElement, wanted: Pick<XmlElement, 'local' | 'namespace'>): void {
  if (local === wanted.local && namespace === wanted.namespace) return;
  const given = quote(`{${namespace}}${local}`, SHOWN_NAME);
  throw badBody(`its element is ${given}, not {${wanted.namespace}}${wanted.local}`);
}

/** Longest part of an element's name that a message quotes, in characters. */
const SHOWN_NAME = 200;

/** The body may repeat a value from the URI, but must not contradict it. Each key value has exactly one text form. */
function checkRepeated({ name, jsonName, sensitive }: Field, again: Value | undefined, given: Value | undefined): void {
  if (again === undefined || String(again) === String(given)) return;
  const [one, other] = sensitive
    ? ['one value', 'another']
    : [given, again].map((value) => String(value).slice(0, 100));
  const reason = `is ${one} in the URI and ${other} in the body`;
  throw Fault.of('BAD_PARAMETER', { name, reason }, { at: { pointer: jsonPointer([jsonName]) } });
}

/** Names that an open document could take for undeclared ones, and that are declared all the same. */
function namesElsewhere(document: Document, { requestHeaders }: Operation, uri: OperationUri): string[] {
  if (!document.open) return [];
  const fields = [...document.fields, ...[...requestHeaders, ...uri.variables].map(({ field }) => field)];
  return fields.filter((field) => !uri.body.includes(field)).map(({ name }) => name);
}

/** Defaults are filled in once, over URI, headers and body together. */
function withoutDefault(field: Field): Field {
  const { default: _, ...rest } = field;
  return { ...rest, required: field.required && initialValue(field) === undefined };
}

function optional(field: Field): Field {
  return { ...withoutDefault(field), required: false };
}

/** The whole request without a document. */
function compileRawBody(raw: RawKind, type: BodyType): BodyReader {
  return async (body) => (carries(raw, body) ? readRaw(CONTENT, raw, body, type) : undefined);
}

/** Whether a request carries a value: `Content-Length: 0` is an empty file, but not a text, JSON or XML. */
function carries(raw: RawKind | undefined, { present, length }: RequestBody): boolean {
  return present || (raw === 'binary' && length === 0);
}

/** A body that is one field (`body: FIELD`). */
function compileFieldBody(field: Field, type: BodyType): BodyReader {
  const read = compileFieldContent(field, type);
  return async (body, given) => {
    if (!carries(traitsOf(field.type)?.body, body)) return undefined;
    const content = await read(body);
    carryDigits(content, Object.assign(given, content));
    return undefined;
  };
}

/** Compiles the reading of an object with the field alone. */
function compileFieldContent(field: Field, type: BodyType): (body: RequestBody) => Promise<Record<string, Value>> {
  const traits = traitsOf(field.type);
  if (traits === undefined) {
    const read = compileJsonField(field);
    return async (body) => {
      requireType(body, type);
      const text = await body.text();
      return { [field.name]: reading(() => read(text)) };
    };
  }
  const { body: raw } = traits;
  const { name } = field;
  if (raw === 'binary' || raw === 'json') return (body) => readRaw(name, raw, body, type);
  const read = compileText(field);
  return async (body) => {
    const { [name]: text } = await readRaw(name, raw, body, type);
    return { [name]: guard(name, read, text as string, { pointer: '#' }) };
  };
}

/** Reads a body without a document as the member of this name. */
async function readRaw(
  name: string,
  raw: RawKind,
  body: RequestBody,
  accepted: BodyType,
): Promise<Record<string, Value>> {
  requireType(body, accepted);
  if (raw === 'binary') return { [name]: body.attachment(typeOfContent(body, accepted.usual)) };
  const text = await body.text();
  return raw === 'json' ? reading(() => readJsonMember(name, text)) : { [name]: text };
}

/**
 * The type of content that is passed on as it is. One whose parameters are malformed is left to its reader.
 * @throws Fault UNSUPPORTED_MEDIA_TYPE for a header with two different values
 */
function typeOfContent({ contentType }: RequestBody, usual: string): string {
  if (contentType === undefined) return usual;
  const clear = sendableContentType(contentType);
  if (clear === undefined && isAmbiguous(contentType))
    throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: shownContentType(contentType), supported: 'one type' });
  return clear ?? contentType;
}

/** The content types that are accepted for a body. */
interface BodyType {
  readonly kind: 'document' | RawKind;
  /** The type of a body that does not state its own. */
  readonly usual: string;
  /** The accepted media types, in words. */
  readonly supported: string;
  /** Headers of a rejection, which name them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly accepts: (type: MediaType) => boolean;
  /** The charsets that are accepted, if others than UTF-8. */
  readonly decodes?: (charset: string) => boolean;
}

function bodyType(operation: Operation, uri: OperationUri, kind: BodyType['kind']): BodyType {
  const types = acceptedTypes(operation, uri);
  const { method = 'POST', requestTypes, form } = operation;
  const named = ACCEPT_HEADERS[method];
  const list = types.join(', ');
  return {
    kind,
    usual: types[0] as string,
    supported: kind === 'binary' ? list : `${list} in UTF-8`,
    headers: { Accept: list, ...(named === undefined ? {} : { [named]: list }) },
    accepts: requestTypes === undefined && form === undefined ? undeclared(operation, kind) : declaredIn(types),
  };
}

/** Which types a body of a kind may have where none is declared. */
const BY_KIND: Readonly<Record<RawKind, (essence: string) => boolean>> = {
  json: isJsonType,
  xml: isXmlType,
  text: (essence) => essence.startsWith('text/'),
  binary: () => true,
};

function undeclared({ request }: Operation, kind: BodyType['kind']): BodyType['accepts'] {
  if (kind !== 'document') return ({ essence }) => BY_KIND[kind](essence);
  const isXml = request.kind === 'document' && hasXmlBody(request.document);
  return ({ essence }) => isJsonType(essence) || (isXml && isXmlType(essence));
}

/** One of a list. `text/xml` is another name of `application/xml` (RFC 7303, section 9.2). */
function declaredIn(types: readonly string[]): BodyType['accepts'] {
  const all = types.flatMap((text) => parseMediaType(text) ?? []);
  const names = new Set(all.map(({ essence }) => essence));
  return ({ essence, parameters }) => {
    const name = essence === 'text/xml' && !names.has(essence) ? 'application/xml' : essence;
    // A declared parameter may be left out, but is never another one: `version=1` is not `version=2`.
    const fits = ([key, value]: [string, string]): boolean =>
      key === 'charset' || (parameters.get(key) ?? value).toLowerCase() === value.toLowerCase();
    return all.some((each) => each.essence === name && [...each.parameters].every(fits));
  };
}

/**
 * Checks the Content-Type of a body. A body without one is read as the expected type. Every text is UTF-8; documents in XML
 * declare their own encoding.
 * @throws Fault UNSUPPORTED_MEDIA_TYPE, with the accepted media types in `Accept` (RFC 9110, section 15.5.16)
 */
function requireType({ contentType }: RequestBody, taken: BodyType): MediaType | undefined {
  if (contentType === undefined) return undefined;
  const type = readContentType(contentType);
  if (
    type === undefined ? taken.kind === 'binary' && taken.usual === OCTETS : taken.accepts(type) && decodes(type, taken)
  )
    return type;
  const given = shownContentType(contentType);
  throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given, supported: taken.supported }, { headers: taken.headers });
}

function decodes({ essence, parameters }: MediaType, { kind, decodes: takes }: BodyType): boolean {
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (takes !== undefined) return takes(charset);
  return (
    kind === 'binary' || (kind === 'document' && isXmlType(essence)) || charset === 'utf-8' || charset === 'us-ascii'
  );
}
