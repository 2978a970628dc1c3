import { randomUUID } from 'node:crypto';
import { decodedContent, sizeWords } from '../../binding/call/content.ts';
import type { Pieces } from '../../binding/pieces.ts';
import { asReceived } from '../../binding/reply/received.ts';
import { assembleEnvelope, assembleMessage, type OutgoingMessage } from '../../binding/soap/assemble.ts';
import { includedBelow, placeEverySegment, placeSegments } from '../../binding/soap/segments.ts';
import { compileSoap } from '../../binding/soap/soap.ts';
import { attachmentsIn } from '../../codec/binary.ts';
import { CodecError } from '../../codec/index.ts';
import { compileSecrets } from '../../codec/redact/declared.ts';
import { holdsPrimitive } from '../../codec/value.ts';
import type { SoapConsumer } from '../../model/consumer.ts';
import { everyField } from '../../model/derivation.ts';
import type { Message, SoapForm } from '../../model/service.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import { sentMediaType } from '../../wire/file-type.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { ANONYMOUS, requestAddressing } from '../../wire/soap/addressing.ts';
import { readIntent } from '../../wire/soap/intent.ts';
import { readEnvelope, SoapError } from '../../wire/soap/message.ts';
import { SOAP_MEDIA_TYPES, type SoapVersion } from '../../wire/soap/version.ts';
import { hasSecurity, withBlock } from '../../wire/soap/wsse-write.ts';
import { XOP_MEDIA_TYPE } from '../../wire/soap/xop.ts';
import { readXml, XmlError } from '../../wire/xml/read-xml.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { Callable, Segment, WriteOptions } from '../callable.ts';
import { checking } from '../error.ts';
import { ownHeaders } from '../http/headers.ts';
import { hidingOf, type Outgoing } from '../outgoing.ts';
import { readReply, type SoapCallable } from './reply.ts';

/** @param namespace of `gateway.yaml` */
export function compileSoapCall(operation: SoapConsumer, namespace: string): Callable {
  const callable = compile(operation, namespace);
  return {
    operation,
    references: () => [],
    write: (input, options) => writeRequest(callable, input, options),
    read: (raw, ports) => readReply(callable, raw, ports),
  };
}

function compile(operation: SoapConsumer, namespace: string): SoapCallable {
  const declared = new Map(operation.headers.map(({ name, value }) => [name.toLowerCase(), [name, value] as const]));
  const intent = readIntent(declared.get('content-type')?.[1], declared.get('soapaction')?.[1]);
  if ('reason' in intent) throw new TypeError(`${operation.id}: ${intent.header} ${intent.reason}`);
  const { version, action = operation.soap.action } = intent;
  // The message sets both itself.
  declared.delete('content-type');
  declared.delete('soapaction');
  const headers: Record<string, string> = { 'User-Agent': 'signalbox' };
  if (!declared.has('accept')) headers.Accept = acceptOf(operation, version);
  for (const [name, value] of declared.values()) headers[name] = value;
  return {
    operation,
    binding: compileSoap({ ...operation, soap: withReceived(operation.soap) }, namespace),
    version,
    action,
    headers,
    hide: hidingOf(operation),
  };
}

function withReceived(soap: SoapForm): SoapForm {
  const { response } = soap;
  if (response.kind !== 'document') return soap;
  const document = asReceived(response.document);
  return document === response.document ? soap : { ...soap, response: { ...response, document } };
}

/** Names XOP: senders of replies must not use MTOM for callers that name multipart/related alone. */
const MTOM = `multipart/related; type="${XOP_MEDIA_TYPE}"`;

/** Accepts attachments if the reply may contain binary content. */
function acceptOf({ properties, soap }: SoapConsumer, version: SoapVersion): string {
  const xml = SOAP_MEDIA_TYPES[version];
  return properties.mtom || holdsBinary(soap.response) ? `${MTOM}, multipart/related, ${xml}` : xml;
}

function holdsBinary(message: Message): boolean {
  if (message.kind === 'document') return holdsPrimitive(message, 'binary');
  return message.kind === 'raw' && message.raw === 'binary';
}

/**
 * Writes the request of a call.
 * @throws InvokeError BAD_INPUT
 */
function writeRequest(
  callable: SoapCallable,
  input: DocumentValue,
  { segments: given, called, redactor, later, address }: WriteOptions,
): Outgoing {
  const { version, headers, operation, hide } = callable;
  const { upContent, compress } = operation.properties;
  const segments = checking(called, () =>
    given.map((segment, index) => typed(segment, index, operation.properties.segmentContentType)),
  );
  const addressing = upContent ? addressingOf(callable, later, address) : undefined;
  const written = checking(called, () =>
    upContent ? writeMessage(callable, input, segments, addressing) : writeEnvelope(callable, input, segments),
  );
  const { request } = operation.soap;
  const secrets = () => [
    ...(upContent && request.kind === 'document' ? (compileSecrets(everyField(request.document))?.(input) ?? []) : []),
    ...(addressing?.secrets ?? []),
  ];
  const again = () => [...attachmentsIn(input), ...segments].every((each) => each.again === true);
  /** @param text of the message as it is shown, where it is not the text that is sent */
  function outgoingOf(message: OutgoingMessage, text: () => string | undefined): Outgoing {
    const sent = { ...ownHeaders({ ...message.headers, ...headers }, called), ...message.headers, ...headers };
    return {
      method: 'POST',
      uri: undefined,
      headers: sent,
      length: message.length,
      text: message.text,
      bytes: message.bytes,
      again: message.text !== undefined || again(),
      compress,
      soap: {
        version,
        isSecured: written.isSecured,
        messageId: addressing?.messageId,
        withBlock: (block, shown) =>
          checking(called, () => outgoingOf(written.message(block), () => shownText(written, shown))),
      },
      shown: {
        uri: undefined,
        get headers() {
          return redactor.headers(sent);
        },
        get body() {
          const shown = text();
          if (shown === undefined) return sizeWords(message.length);
          const hidden = [...secrets()];
          return hidden.length === 0 ? shown : redactor.knowing({ secrets: () => hidden, hide }).text(shown);
        },
      },
      secrets: { secrets, hide },
    };
  }
  const message = checking(called, () => written.message(''));
  return outgoingOf(message, () => (written.shown === undefined ? message.text : shownText(written, '')));
}

function shownText({ message, shown = message }: Written, block: string): string | undefined {
  return shown(block).text;
}

/** A message whose content is written, to be assembled for each attempt. */
interface Written {
  /** The caller's envelope has a Security header. */
  readonly isSecured: boolean;
  /** @param block XML of a header block in front of the others; empty for none */
  message(block: string): OutgoingMessage;
  /** The same with secrets in its header blocks masked; absent when they hold none. */
  shown?(block: string): OutgoingMessage;
}

/** The header blocks of WS-Addressing of a request. */
interface Addressing {
  /** An IRI to which the reply must relate, if it relates to any. */
  readonly messageId: string;
  readonly blocks: string;
  /** The blocks with values in the query of the address masked; absent when they hold none. */
  readonly shown?: string;
  /** Those values. */
  readonly secrets: readonly string[];
}

/** `undefined` for an operation whose calls have none. */
function addressingOf(
  { operation: { soap }, action: own }: SoapCallable,
  later: WriteOptions['later'],
  address: WriteOptions['address'],
): Addressing | undefined {
  const given = later ?? (soap.addressing && { messageId: `urn:uuid:${randomUUID()}`, replyTo: ANONYMOUS });
  if (given === undefined) return undefined;
  const { sent, shown, secrets } = address();
  const action = own || actionOf(soap);
  const blocksTo = (to: string): string => requestAddressing({ ...given, to, action });
  return {
    ...{ messageId: given.messageId, blocks: blocksTo(sent), secrets },
    ...(shown === sent ? {} : { shown: blocksTo(shown) }),
  };
}

type WrittenSegments = readonly Attachment[];

/** @throws CodecError */
function writeMessage(
  callable: SoapCallable,
  input: DocumentValue,
  segments: WrittenSegments,
  addressing: Addressing | undefined,
): Written {
  const { binding, version, action, operation } = callable;
  const { pieces, rest } = placed(callable, binding.writeRequest(input), segments);
  const declared = binding.writeRequestHeaders(input);
  const attached = binding.writeRequestAttachments(input);
  const { mtom, segmentContentTransfer: transfer } = operation.properties;
  const options = { mtom, action, segments: rest, attached, transfer };
  const messageOf = (headers: string): OutgoingMessage =>
    assembleMessage(version, pieces, { ...options, headers: headers + declared });
  const { blocks = '', shown } = addressing ?? {};
  return {
    isSecured: false,
    message: (block) => messageOf(block + blocks),
    ...(shown === undefined ? {} : { shown: (block) => messageOf(block + shown) }),
  };
}

/** The message of a caller that writes the envelope. @throws CodecError */
function writeEnvelope(callable: SoapCallable, input: DocumentValue, segments: WrittenSegments): Written {
  const { version, action, operation } = callable;
  const { mtom, segmentContentTransfer: transfer } = operation.properties;
  const { text, root } = envelopeOf(input, version);
  return {
    isSecured: hasSecurity(root, version),
    message(block) {
      const { pieces, rest } = placed(callable, [block === '' ? text : withBlock(text, block)], segments);
      return assembleEnvelope(version, pieces, { mtom, action, segments: rest, transfer });
    },
  };
}

/** Segments in the places of their markers, and the rest of them. @throws CodecError */
function placed({ operation }: SoapCallable, xml: Pieces, segments: WrittenSegments) {
  const isOwn = operation.properties.mtom && operation.soap.request.kind === 'raw';
  return isOwn ? { pieces: placeEverySegment(xml, segments), rest: [] } : placeSegments(xml, segments);
}

/** An action of WS-Addressing is never empty. */
function actionOf({ action, name }: SoapForm): string {
  return action || name;
}

function typed(segment: Segment, index: number, otherwise: string | undefined): Attachment {
  const label = `segment ${index + 1}`;
  const { name } = segment;
  const contentType = sentMediaType(segment.contentType, { name, otherwise });
  if (parseMediaType(contentType) === undefined)
    throw new CodecError(label, `has the invalid content type ${JSON.stringify(contentType)}`);
  const { length, again = false, stream } = 'base64' in segment ? decodedContent(label, segment.base64) : segment;
  return { contentType, again, length, name, stream: () => stream.call(segment) };
}

/** A byte order mark and an XML declaration: UTF-8 needs neither. */
const PROLOGUE = /^\ufeff?(?:<\?xml\s[^>]*\?>\s*)?/;

/** The caller's own envelope, as written. */
function envelopeOf(
  { content }: DocumentValue,
  version: SoapVersion,
): { readonly text: string; readonly root: XmlElement } {
  if (content === undefined) throw new CodecError('content', 'is missing; it is the envelope');
  if (typeof content !== 'string') throw new CodecError('content', 'is not a text');
  try {
    const root = readXml(content.replace(/^\ufeff/, ''));
    const found = readEnvelope(root).version;
    if (found !== version)
      throw new CodecError(
        'content',
        `is an envelope of SOAP ${found}, but the call's Content-Type is that of ${version}`,
      );
    // Attachments get their ids when the message is sent: an id in the caller's text can't be one of them.
    const { hrefs } = includedBelow(root);
    if (hrefs.length > 0)
      throw new CodecError(
        'content',
        `includes ${hrefs[0] === undefined ? 'a part without a href' : JSON.stringify(hrefs[0])}, which the message won't have: the first segment is <Include SegmentNumber="1"/>`,
      );
    return { text: content.replace(PROLOGUE, ''), root };
  } catch (error) {
    if (error instanceof XmlError) throw new CodecError('content', `is not well-formed XML: ${error.message}`);
    if (error instanceof SoapError) throw new CodecError('content', `is not a SOAP envelope: ${error.reason}`);
    throw error;
  }
}
