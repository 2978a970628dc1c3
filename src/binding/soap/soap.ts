import { addError, CodecError, compileDocument, compileFault, type Resolve } from '../../codec/index.ts';
import { countIgnored, type Foreign } from '../../codec/value.ts';
import type { Document, ElementName, ReplyRoot } from '../../model/document.ts';
import type { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import {
  type Message,
  type NamedFault,
  type RawKind,
  type Service,
  type SoapForm,
  serviceNamespace,
} from '../../model/service.ts';
import {
  accessorsOf,
  attachmentFields,
  bodyMessage,
  headerFields,
  replyName,
  soapElements,
  takesParts,
} from '../../model/soap.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { once } from '../../wire/waiting.ts';
import { readXml, XmlError } from '../../wire/xml/read-xml.ts';
import { escapeAttribute } from '../../wire/xml/text.ts';
import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import { writeXml } from '../../wire/xml/write-xml.ts';
import { CONTENT, reading } from '../message.ts';
import type { Pieces } from '../pieces.ts';
import { type AttachmentCodec, compileAttachments, type NamedAttachment, partsOf } from './attachments.ts';
import { compileHeaders, type HeaderCodec, NO_HEADERS } from './header-blocks.ts';
import { writeIbResponse } from './ib-message.ts';
import type { Attached } from './message.ts';
import { refuseIncludes } from './parts.ts';

/** What a message has beside its Body. */
export interface Beside {
  /** The header blocks that are addressed to this receiver. */
  readonly blocks?: readonly XmlElement[];
  readonly attached?: Attached | undefined;
}

/** The operations of a SOAP form that a provider needs. */
export interface SoapProvider {
  readonly form: SoapForm;
  /** The namespace of the service. */
  readonly namespace: string;
  /** The element of a request in the Body; `undefined` when the Body is empty. */
  readonly request: ElementName | undefined;
  /** The element around a reply. */
  readonly replyRoot: ReplyRoot;
  /**
   * @param payload the element in the envelope's Body; `undefined` for an empty one
   * @param resolve finds the attachment of a `cid:`; a message without attachments has none
   * @param beside what else the message has
   * @throws Fault MISSING_PARAMETER, BAD_PARAMETER, BAD_BODY
   */
  readRequest(payload: XmlElement | undefined, resolve?: Resolve, beside?: Beside): DocumentValue;
  /** The parts in WSDL of the fields of a request that are attachments, in their order. */
  readonly requestParts: readonly string[];
  /** Whether the messages have attachments beside the envelope, by the contract. */
  readonly hasAttachments: boolean;
  /** Whether the messages may have parts beside the envelope, by the contract: attachments, or what the Body refers to. */
  readonly takesParts: boolean;
  /** Whether a header block of a request is a field. */
  understands(block: XmlElement): boolean;
  /** The content of the Body. @throws CodecError */
  writeReply(value: DocumentValue): Pieces;
  /** The header blocks of a reply, as XML. @throws CodecError */
  writeReplyHeaders(value: DocumentValue): string;
  /** The attachments of a reply beside the envelope. @throws CodecError */
  writeReplyAttachments(value: DocumentValue): readonly NamedAttachment[];
  /**
   * The content of a fault's `detail`: the document of the fault that its code names, else the operation's fault document, or
   * the broker's own form. @throws CodecError for a document that is not valid
   */
  writeFaultDetail(fault: Fault): string;
}

/**
 * One operation's SOAP form, compiled once, in both directions: a provider reads requests and writes replies, a consumer
 * writes requests and reads replies. A message without a document (`xml`, `text`, `json`, `binary`) is a value whose
 * `content` it is; the wrapper holds that in an element of this name, but for `xml`, which stands there itself.
 */
export interface SoapBinding extends SoapProvider {
  /** The content of the Body. @throws CodecError */
  writeRequest(value: DocumentValue): Pieces;
  /** The header blocks of a request, as XML. @throws CodecError */
  writeRequestHeaders(value: DocumentValue): string;
  /** The attachments of a request beside the envelope. @throws CodecError */
  writeRequestAttachments(value: DocumentValue): readonly NamedAttachment[];
  /** @throws CodecError */
  readReply(payload: XmlElement | undefined, resolve?: Resolve, beside?: Beside): DocumentValue;
  /** How many elements and attributes of the reply or detail that was read last were ignored (`lenient`). */
  ignored(): number;
  /** Whether the Body of a reply has an element. */
  readonly hasReplyElement: boolean;
  /** The parts in WSDL of the fields of a reply that are attachments, in their order. */
  readonly replyParts: readonly string[];
  /** Whether a header block of a reply is a field. */
  understandsReply(block: XmlElement): boolean;
  /** The fault document of a `detail`, and the name of the fault if it has one; `undefined` when it holds something else. */
  readFaultDetail(detail: readonly XmlElement[]): DetailDocument | undefined;
}

/** A fault document as it was read. */
interface DetailDocument {
  readonly document: Document;
  readonly value: DocumentValue;
  /** Of one of the operation's `faults:`. */
  readonly name?: string;
}

/** The SOAP form of an operation; its messages are compiled when they are first used. `namespace`: of `gateway.yaml`. */
export function compileSoap(
  operation: {
    readonly service: Service;
    readonly soap: SoapForm;
    readonly fault?: Document;
    readonly lenient?: boolean;
  },
  namespace: string,
): SoapBinding {
  const { soap, service, fault } = operation;
  const own = serviceNamespace(service, namespace);
  const elements = soapElements(operation, namespace);
  const replyRoot = elements.reply ?? { name: replyName(soap), namespace: soap.namespace ?? own };
  const request = once(() => compileMessage(soap, soap.request, elements.request, own));
  // A reply with all that it has beside the Body is no element.
  const answer = soap.response.kind === 'document' ? elements.reply : replyRoot;
  const ignored = operation.lenient === true ? { count: 0, anyNamespace: false } : undefined;
  const reply = once(() => compileMessage(soap, soap.response, answer, own, ignored));
  const detail = once(() =>
    compileDetail(soap.response.kind === 'none' ? undefined : fault, soap.faults ?? [], own, ignored),
  );
  return {
    form: soap,
    namespace: own,
    request: elements.request,
    replyRoot,
    hasReplyElement: answer !== undefined,
    requestParts: partsOf(soap.request),
    replyParts: partsOf(soap.response),
    hasAttachments: partsOf(soap.request).length + partsOf(soap.response).length > 0,
    takesParts: takesParts(soap),
    readRequest(payload, resolve, beside) {
      const value = reading(() => request().read(payload, resolve, beside), request().document);
      // A field with an Include of its own reports the missing attachment itself.
      if (resolve === undefined && payload !== undefined) refuseIncludes(payload);
      return value;
    },
    understands: (block) => request().understands(block),
    writeRequest: (value) => request().write(value),
    writeRequestHeaders: (value) => request().writeHeaders(value),
    writeRequestAttachments: (value) => request().writeAttachments(value),
    readReply(payload, resolve, beside) {
      if (ignored !== undefined) ignored.count = 0;
      return reply().read(payload, resolve, beside);
    },
    ignored: () => ignored?.count ?? 0,
    understandsReply: (block) => reply().understands(block),
    writeReply: (value) => reply().write(value),
    writeReplyHeaders: (value) => reply().writeHeaders(value),
    writeReplyAttachments: (value) => reply().writeAttachments(value),
    writeFaultDetail: (thrown) => detail().writeFaultDetail(thrown),
    readFaultDetail(elements) {
      if (ignored !== undefined) ignored.count = 0;
      return detail().readFaultDetail(elements);
    },
  };
}

/** One message. All but `understands` throw a CodecError. */
interface MessageCodec extends Omit<BodyCodec, 'read'>, HeaderCodec, Pick<AttachmentCodec, 'writeAttachments'> {
  read(payload: XmlElement | undefined, resolve: Resolve | undefined, beside: Beside | undefined): DocumentValue;
}

/** The Body of a message: its element. Both throw a CodecError. */
interface BodyCodec {
  /** Of a message that has one. */
  readonly document?: Document;
  read(payload: XmlElement, resolve?: Resolve): DocumentValue;
  write(value: DocumentValue): Pieces;
}

/** @param form of the operation */
function compileMessage(
  form: SoapForm,
  message: Message,
  root: ElementName | undefined,
  namespace: string,
  foreign?: Foreign,
): MessageCodec {
  const body = compileBody(form, bodyMessage(message), root, namespace, foreign);
  const blocks = headerFields(message);
  const attachments = attachmentFields(message);
  const readBody = (payload: XmlElement | undefined, resolve: Resolve | undefined): DocumentValue =>
    payload === undefined ? {} : body.read(payload, resolve);
  if (message.kind !== 'document' || blocks.length + attachments.length === 0)
    return { ...body, ...NO_HEADERS, writeAttachments: () => [], read: readBody };
  const { document } = message;
  const headers =
    blocks.length === 0 ? undefined : compileHeaders({ ...document, fields: blocks, open: false }, namespace, foreign);
  const { readAttachments, writeAttachments } = compileAttachments(attachments);
  const names = new Set([...blocks, ...attachments].map(({ name }) => name));
  return {
    ...(headers ?? NO_HEADERS),
    document,
    read: (payload, resolve, beside = {}) =>
      together([
        () => headers?.read(beside.blocks ?? []) ?? {},
        () => readBody(payload, resolve),
        () => readAttachments(beside.attached),
      ]),
    write: (value) => body.write(Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)))),
    writeAttachments,
  };
}

/** The values of the parts of a message. @throws CodecError with the errors of all */
function together(parts: readonly (() => DocumentValue)[]): DocumentValue {
  let whole: DocumentValue = {};
  let errors: CodecError | undefined;
  for (const read of parts) {
    try {
      whole = { ...whole, ...read() };
    } catch (error) {
      errors = addError(errors, error);
    }
  }
  if (errors !== undefined) throw errors;
  return whole;
}

/**
 * @param root the element of the message; `undefined` for none
 * @param namespace of documents that declare none
 */
function compileBody(
  { style }: SoapForm,
  message: Message,
  root: ElementName | undefined,
  namespace: string,
  foreign: Foreign | undefined,
): BodyCodec {
  if (root === undefined) return { read: () => ({}), write: () => [] };
  if (message.kind === 'none') return emptyMessage(root, foreign);
  const compiled = (document: Document): BodyCodec =>
    compileDocumentMessage(style === 'rpc' ? accessorsOf(document) : document, root, namespace, foreign);
  if (message.kind === 'document') return compiled(message.document);
  return message.raw === 'xml' ? xmlMessage(root) : compiled(contentDocument(root, message.raw));
}

function compileDocumentMessage(
  document: Document,
  root: ElementName,
  namespace: string,
  foreign: Foreign | undefined,
): BodyCodec {
  const { fromXml, toXmlPieces } = compileDocument(document, { namespace, root, ...(foreign && { foreign }) });
  const { patch } = document;
  const clear = patch?.clear;
  if (patch === undefined || clear === undefined) return { document, read: fromXml, write: toXmlPieces };
  return {
    document,
    read: (payload, resolve) => emptied(fromXml(payload, resolve), patch.clearable, clear),
    write: (value) => toXmlPieces(clearing(value, patch.clearable, clear)),
  };
}

/** A change with null for each field that its list names. @throws CodecError for one that it gives as well */
function emptied(value: DocumentValue, clearable: readonly Field[], clear: Field): DocumentValue {
  const { [clear.name]: named, ...rest } = value;
  if (named === undefined) return value;
  const change: Record<string, Value> = rest;
  for (const { name, xmlName } of clearable) {
    if (!(named as readonly string[]).includes(xmlName)) continue;
    if (change[name] !== undefined)
      throw new CodecError(name, `has a value, and <${clear.xmlName}> empties it: a change says one of the two`);
    change[name] = null;
  }
  return change;
}

/** The mirror of {@link emptied}: fields that are null are added to the list that the caller gave. */
function clearing(value: DocumentValue, clearable: readonly Field[], clear: Field): DocumentValue {
  const nulls = clearable.filter(({ name }) => value[name] === null).map(({ xmlName }) => xmlName);
  if (nulls.length === 0) return value;
  const named = (value[clear.name] ?? []) as readonly string[];
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return { ...Object.fromEntries(given), [clear.name]: [...new Set([...named, ...nulls])] };
}

/** A message without a document as one with a single field: clients unwrap nothing but a sequence of elements. */
function contentDocument({ name: id, namespace }: ElementName, kind: Exclude<RawKind, 'xml'>): Document {
  const at = { file: '', line: 0, column: 0 };
  const content: Field = {
    name: CONTENT,
    jsonName: CONTENT,
    xmlName: CONTENT,
    type: { kind },
    required: true,
    anyCase: false,
    sensitive: false,
    attribute: false,
    absent: 'omit',
    url: 'segment',
    at,
  };
  return { id, xmlName: id, namespace, root: false, open: false, inPlace: true, fields: [content], at };
}

function wrapperTags({ name, namespace }: ElementName): { readonly start: string; readonly end: string } {
  return { start: `<m:${name} xmlns:m="${escapeAttribute(namespace)}">`, end: `</m:${name}>` };
}

function emptyMessage(root: ElementName, foreign: Foreign = 'refuse'): BodyCodec {
  const { start, end } = wrapperTags(root);
  return {
    read(payload) {
      if (foreign !== 'refuse') countIgnored(foreign, childrenOf(payload).length);
      else if (payload.content.some((each) => typeof each !== 'string' || each.trim() !== ''))
        throw new CodecError('', `holds something, and ${root.name} takes nothing`);
      return {};
    },
    write: () => [start + end],
  };
}

/** An XML declaration has no place inside an envelope. */
const DECLARATION = /^\s*<\?xml[^>]*\?>/;

/** XML is in its wrapper unchanged: the wrapper uses a prefix, so the default namespace is left to the content. */
function xmlMessage(root: ElementName): BodyCodec {
  const { start, end } = wrapperTags(root);
  return {
    read: (payload) => ({
      [CONTENT]: childrenOf(payload)
        .map((each) => writeXml(each))
        .join(''),
    }),
    write: ({ [CONTENT]: content }) => [start, wellFormed(content).replace(DECLARATION, ''), end],
  };
}

/** Malformed content would break the envelope around it. */
function wellFormed(content: Value): string {
  if (typeof content !== 'string') throw new CodecError(CONTENT, 'is no text');
  try {
    readXml(`<m>${content.replace(DECLARATION, '')}</m>`);
    return content;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new CodecError(CONTENT, `is not well-formed XML: ${error.reason}`);
  }
}

function compileDetail(
  fault: Document | undefined,
  faults: readonly NamedFault[],
  namespace: string,
  foreign: Foreign | undefined,
): Pick<SoapBinding, 'writeFaultDetail' | 'readFaultDetail'> {
  const write = fault === undefined ? brokerDetail : compileFault(fault, { namespace }).toXml;
  const named = new Map(faults.map(({ name, document }) => [name, compileDocument(document, { namespace })]));
  const readers = [...faults, ...(fault === undefined ? [] : [{ document: fault }])].map((each) => {
    const { document } = each;
    const { fromXml } = compileDocument(document, { namespace, ...(foreign && { foreign }) });
    const known = { document, ...('name' in each ? { name: each.name } : {}) };
    return { local: document.xmlName, namespace: document.namespace ?? namespace, fromXml, known };
  });
  return {
    writeFaultDetail(thrown) {
      const codec = thrown.document === undefined ? undefined : named.get(thrown.code);
      return codec === undefined ? write(thrown) : codec.toXml(thrown.document ?? {});
    },
    readFaultDetail(detail) {
      for (const element of detail) {
        const reader = readers.find((each) => each.local === element.local && each.namespace === element.namespace);
        if (reader !== undefined) return { ...reader.known, value: reader.fromXml(element) };
      }
      return undefined;
    },
  };
}

/** The `detail` of a fault of an operation without a fault document (`IBResponse type="error"`), which has all errors. */
export function brokerDetail({ code, status, message, text, errors }: Fault): string {
  return writeIbResponse({ type: 'error', id: code, message: errors.length > 1 ? text : message, status });
}
