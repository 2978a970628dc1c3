import {
  CodecError,
  compileDocument,
  compileFault,
  type Resolve,
  readBinary,
  readJsonText,
  writeJsonText,
} from '../codec/index.ts';
import type { Document } from '../model/document.ts';
import type { Fault } from '../model/fault.ts';
import type { Message, RawKind, Service, SoapForm } from '../model/service.ts';
import type { Attachment, DocumentValue, Value } from '../model/value.ts';
import { readXml, XmlError } from '../wire/xml-read.ts';
import { escapeAttribute, escapeText } from '../wire/xml-text.ts';
import { childrenOf, textOf, type XmlElement } from '../wire/xml-tree.ts';
import { writeXml } from '../wire/xml-write.ts';
import { reading } from './guard.ts';
import { writeIbResponse } from './ib-response.ts';
import { CONTENT } from './request-body.ts';

/** XML in pieces: text, XML that is in bytes already, and the attachments whose content stands between. */
export type Pieces = readonly (string | XmlBytes | Attachment)[];

/** XML in UTF-8, of a known length in bytes. */
export class XmlBytes {
  readonly length: number;
  readonly stream: () => AsyncIterable<Uint8Array>;

  constructor(length: number, stream: () => AsyncIterable<Uint8Array>) {
    this.length = length;
    this.stream = stream;
  }
}

/**
 * One operation's SOAP form, compiled once, in both directions: a provider reads requests and writes replies, a consumer
 * writes requests and reads replies. A message without a document (`xml`, `text`, `json`, `binary`) is a value whose
 * `content` it is.
 */
export interface SoapBinding {
  readonly form: SoapForm;
  /** Of the service, in which the request's and the reply's elements are. */
  readonly namespace: string;
  /**
   * @param payload the element in the envelope's Body
   * @param resolve finds the attachment of a `cid:`; a message without attachments has none
   * @throws Fault MISSING_PARAMETER, BAD_PARAMETER, BAD_BODY
   */
  readRequest(payload: XmlElement, resolve?: Resolve): DocumentValue;
  /** @throws CodecError */
  writeRequest(value: DocumentValue): Pieces;
  /** @throws CodecError */
  readReply(payload: XmlElement, resolve?: Resolve): DocumentValue;
  /** @throws CodecError */
  writeReply(value: DocumentValue | string): Pieces;
  /** What stands in a fault's `detail`: the operation's fault document, else the broker's own words. */
  writeFaultDetail(fault: Fault): string;
  /** The fault document of a `detail`; undefined where it holds something else. */
  readFaultDetail(detail: readonly XmlElement[]): DocumentValue | undefined;
}

/** Compiles the SOAP form of an operation. `namespace`: of `gateway.yaml`. */
export function compileSoap(
  operation: { readonly service: Service; readonly soap: SoapForm; readonly fault?: Document },
  namespace: string,
): SoapBinding {
  const { soap, service, fault } = operation;
  const own = `${namespace}:${service.id}`;
  const request = compileMessage(soap.request, soap.name, own);
  const reply = compileMessage(soap.response, `${soap.name}Response`, own);
  return {
    form: soap,
    namespace: own,
    readRequest: (payload, resolve) => reading(() => request.read(payload, resolve), request.whole),
    writeRequest: request.write,
    readReply: reply.read,
    writeReply: reply.write,
    ...compileDetail(soap.response.kind === 'none' ? undefined : fault, own),
  };
}

/** One message inside its wrapper element. Both throw a CodecError. */
interface MessageCodec {
  /** What the codec calls the message as a whole. */
  readonly whole: string;
  read(payload: XmlElement, resolve?: Resolve): DocumentValue;
  write(value: DocumentValue | string): Pieces;
}

function compileMessage(message: Message, name: string, namespace: string): MessageCodec {
  if (message.kind === 'document') return compileDocumentMessage(message.document, name, namespace);
  const start = `<m:${name} xmlns:m="${escapeAttribute(namespace)}">`;
  const end = `</m:${name}>`;
  if (message.kind === 'raw') {
    const { read, write } = RAW[message.raw];
    return {
      whole: '',
      read: (payload, resolve) => ({ [CONTENT]: read(payload, resolve) }),
      write: (value) => [start, write(typeof value === 'string' ? value : value[CONTENT]), end],
    };
  }
  return {
    whole: '',
    read(payload) {
      if (payload.content.some((each) => typeof each !== 'string' || each.trim() !== ''))
        throw new CodecError('', `holds something, and ${name} takes nothing`);
      return {};
    },
    write: () => [start + end],
  };
}

function compileDocumentMessage(document: Document, name: string, namespace: string): MessageCodec {
  const codec = compileDocument(document, { namespace, root: { name, namespace } });
  return {
    whole: document.id,
    read: codec.fromXml,
    write(value) {
      if (typeof value === 'string') throw new CodecError('', 'is a text, where a document is declared');
      return codec.toXmlPieces(value);
    },
  };
}

/** A message without a document: what stands in its wrapper. */
interface RawForm {
  read(payload: XmlElement, resolve?: Resolve): Value;
  write(content: Value): string | Attachment;
}

/** An XML declaration has no place inside an envelope. */
const DECLARATION = /^\s*<\?xml[^>]*\?>/;

const RAW: Readonly<Record<RawKind, RawForm>> = {
  xml: {
    read: (payload) => childrenOf(payload).map(writeXml).join(''),
    write: (content) => wellFormed(textual(content).replace(DECLARATION, '')),
  },
  text: {
    read: (payload) => textOnly(payload),
    write: (content) => escapeText(textual(content)),
  },
  json: {
    read: (payload) => readJsonText(textOnly(payload)),
    write: (content) => escapeText(writeJsonText(content)),
  },
  binary: {
    read: readBinary,
    write(content) {
      if (typeof content === 'object' && content !== null && 'stream' in content) return content as Attachment;
      throw new CodecError(CONTENT, 'is no attachment');
    },
  },
};

function textual(content: Value): string {
  if (typeof content !== 'string') throw new CodecError(CONTENT, 'is no text');
  return content;
}

/** What is not would break the envelope around it. */
function wellFormed(text: string): string {
  try {
    readXml(`<m>${text}</m>`);
    return text;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new CodecError(CONTENT, `is not well-formed XML: ${error.reason}`);
  }
}

function textOnly(payload: XmlElement): string {
  if (childrenOf(payload).length > 0) throw new CodecError('', 'holds elements, where a text is wanted');
  return textOf(payload);
}

function compileDetail(
  fault: Document | undefined,
  namespace: string,
): Pick<SoapBinding, 'writeFaultDetail' | 'readFaultDetail'> {
  if (fault === undefined) return { writeFaultDetail: brokerDetail, readFaultDetail: () => undefined };
  const { toXml } = compileFault(fault, { namespace });
  const { fromXml } = compileDocument(fault, { namespace });
  const faultNamespace = fault.namespace ?? namespace;
  return {
    writeFaultDetail: toXml,
    readFaultDetail(detail) {
      const found = detail.find((each) => each.local === fault.xmlName && each.namespace === faultNamespace);
      return found === undefined ? undefined : fromXml(found);
    },
  };
}

/** The `detail` of a fault that no operation has a document for (`IBResponse type="error"`). */
export function brokerDetail({ code, message, status }: Fault): string {
  return writeIbResponse({ type: 'error', id: code, message, status });
}
