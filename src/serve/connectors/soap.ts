import { CONTENT } from '../../binding/message.ts';
import { type Pieces, XmlBytes } from '../../binding/pieces.ts';
import { assembleMessage } from '../../binding/soap/assemble.ts';
import type { OpenedMessage } from '../../binding/soap/message.ts';
import { placeSegments } from '../../binding/soap/segments.ts';
import { brokerDetail, type SoapProvider } from '../../binding/soap/soap.ts';
import { ReferredAttachment } from '../../codec/binary.ts';
import { CodecError } from '../../codec/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome, PassedBytes } from '../../model/handler.ts';
import type { Registry } from '../../model/registry.ts';
import { isMessageScheme } from '../../model/security.ts';
import { finalAnswer } from '../../model/service.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import { readContentType } from '../../wire/content-type.ts';
import { streamOf } from '../../wire/measured.ts';
import { parseAccept, parseMediaType } from '../../wire/media-type.ts';
import {
  type Addressed,
  addressedAction,
  addressedAs,
  isAddressingError,
  isDiscarded,
  isKnownAddressing,
  messageIdOf,
  type ReplyAddressing,
  readAddressed,
  replyAddressing,
} from '../../wire/soap/addressing.ts';
import { type SoapFaultContent, writeFault } from '../../wire/soap/fault.ts';
import {
  checkUnderstood,
  isForUs,
  readEnvelope,
  SoapError,
  type SoapMessage,
  soapAction,
} from '../../wire/soap/message.ts';
import { isTimestampAlone, timestampFault } from '../../wire/soap/timestamp.ts';
import { SOAP_CONTENT_TYPES, type SoapVersion } from '../../wire/soap/version.ts';
import { WSSE, WSU } from '../../wire/soap/wsse-names.ts';
import { XOP_MEDIA_TYPE } from '../../wire/soap/xop.ts';
import { quote } from '../../wire/words.ts';
import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import { isSecurityHeader } from '../../wsse/header.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { WrittenFault } from '../exchange/refuse.ts';
import type { Compiled } from '../operations.ts';
import type { Asked, Entrance, MessageProgress, OutgoingReply, ReplyForm, SecuredMessage } from './connector-port.ts';
import { addressedFault, addressedReply, checkAddressed, takesReplyTo } from './soap-addressing.ts';
import { namesOf, type SoapRoutes } from './soap-routes.ts';

/** The SOAP services connector: an envelope with the operation named by the element in its Body. */
export function soapEntrance({ gateway }: Registry, routes: SoapRoutes): Entrance {
  const entrance: Entrance = {
    mtom: gateway.mtom.services,
    parts: routes.all.some(({ soap }) => soap?.takesParts === true),
    firstForm: (exchange) => soapForm(versionByType(exchange), 'alone'),
    ask(exchange, progress, messages) {
      const opening = messages.open(exchange, entrance, progress);
      if (opening === undefined) throw Fault.of('BAD_BODY', { reason: 'it is missing' });
      return opening.then((opened) => {
        progress.opened = opened;
        return askEnvelope(exchange, opened, opened.root, progress, routes, entrance.mtom);
      });
    },
  };
  return entrance;
}

/**
 * Finds the call that an envelope requests.
 * @param envelope the root of the message, or the element inside it
 * @param mtom whether a reply may be MTOM
 * @param named the operation's name outside the message, used if there is no action
 * @throws Fault VERSION_MISMATCH, NOT_UNDERSTOOD, BAD_BODY, BAD_REQUEST, NOT_FOUND
 */
export function askEnvelope(
  exchange: Exchange,
  opened: OpenedMessage | undefined,
  envelope: XmlElement,
  progress: MessageProgress,
  routes: SoapRoutes,
  mtom: boolean,
  named?: string,
): Asked {
  let message: SoapMessage;
  let called: Compiled | undefined;
  let action: string | undefined;
  let about: Addressed | undefined;
  try {
    message = readEnvelope(envelope);
    about = message.headers.length === 0 ? undefined : addressedAs(message);
    const type = readContentType(exchange.header('content-type') ?? 'text/xml');
    action = soapAction(message.version, exchange.header('soapaction'), type);
    const packaging = mtom ? packagingOf(exchange, opened) : 'alone';
    progress.form = soapForm(message.version, packaging, about);
    if (about !== undefined) {
      about = readAddressed(message, about);
      progress.form = soapForm(message.version, packaging, about);
    }
    called = routes.called(message.payload, action ?? named, about && addressedAction(message));
    checkUnderstood(
      message,
      (header) =>
        (isSecurityHeader(header) && (takesSecurity(called) || isTimestampAlone(header))) ||
        isKnownAddressing(header) ||
        called?.soap?.understands(header) === true,
    );
    if (called !== undefined) checkAddressed(message, { about, action, called, routes });
  } catch (error) {
    if (error instanceof SoapError) progress.form = soapForm(error.version, 'alone', about);
    throw faultOfEnvelope(error);
  }
  const { payload } = message;
  const compiled = called;
  if (compiled === undefined) {
    if (payload === undefined) throw Fault.of('BAD_BODY', { reason: 'the Body of its envelope is empty' });
    throw routes.unknownElement(payload, action);
  }
  progress.compiled = compiled;
  if (opened?.mtom && !mtom && !compiled.soap!.takesParts) throw withoutMtom();
  checkAction(action, compiled, payload, routes);
  let meant = payload;
  const secured = securedOf(message, envelope, opened?.mtom === true, (signed) => {
    meant = signed;
  });
  const blocks = message.headers.filter((each) => isForUs(each, message.version));
  const read = (): DocumentValue => {
    checkTime(message);
    return compiled.soap!.readRequest(meant, opened?.resolve, { blocks, attached: opened?.attached });
  };
  const messageId = (): string | undefined => messageIdOf(message);
  const replyTo = (): ReplyAddressing | undefined => {
    try {
      return takesReplyTo(compiled) ? replyAddressing(message) : undefined;
    } catch (error) {
      throw faultOfEnvelope(error);
    }
  };
  return { compiled, read, messageId, replyTo, ...(secured === undefined ? {} : { secured }) };
}

/**
 * The action of a message from the operation's own WSDL must name the same operation. For one that declares an empty action,
 * clients send one of their own over SOAP 1.2: zeep sends `None`. @throws Fault BAD_REQUEST
 */
function checkAction(
  action: string | undefined,
  compiled: Compiled,
  payload: XmlElement | undefined,
  routes: SoapRoutes,
): void {
  if (action === undefined || compiled.original || namesOf(compiled).includes(action)) return;
  if (compiled.soap!.form.action === '' && !routes.isKnown(action)) return;
  const reason = `its action is ${quote(action)}, but the action of ${payload?.local ?? 'an empty Body'} is ${compiled.soap!.form.action}`;
  throw Fault.of('BAD_REQUEST', { reason });
}

/**
 * A message that states its end is not taken after it, whoever may call. Callers are authenticated first: a Timestamp beside
 * credentials in the message is a matter of those. @throws Fault BAD_BODY with `wsu:MessageExpired` (WSS 1.1.1, section 12)
 */
function checkTime(message: SoapMessage): void {
  const reason = timestampFault(message, Date.now());
  if (reason === undefined) return;
  const subcodes = [{ local: 'MessageExpired', namespace: WSU }];
  throw faultOfEnvelope(new SoapError(message.version, 'Client', `it ${reason}`, { subcodes }));
}

/** The fault for a message in parts where MTOM is switched off. */
export function withoutMtom(): Fault {
  const supported = 'XML alone; MTOM is switched off at this connector';
  return Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: 'Content-Type multipart/related', supported });
}

/** Whether the called operation reads its Security header. */
function takesSecurity(called: Compiled | undefined): boolean {
  const operation = called?.operation;
  return operation !== undefined && !operation.public && operation.requires.some(isMessageScheme);
}

/** The credentials in a message; `undefined` if it has none. */
function securedOf(
  { version, headers }: SoapMessage,
  envelope: XmlElement,
  attachments: boolean,
  goOnWith: (payload: XmlElement | undefined) => void,
): SecuredMessage | undefined {
  const security = headers.filter((each) => isSecurityHeader(each) && isForUs(each, version));
  if (security.length === 0) return undefined;
  return { security, envelope, attachments, goOnWith: (body) => goOnWith(childrenOf(body)[0]) };
}

/** SOAP 1.2 if the content type is that of 1.2, else 1.1: before the envelope is read, nothing else is known. */
export function versionByType(exchange: Exchange): SoapVersion {
  return /application\/soap\+xml/i.test(exchange.header('content-type') ?? '') ? '1.2' : '1.1';
}

/** What a reply may be: XML alone, with the parts that only fit beside it, or MTOM. */
type Packaging = 'alone' | 'parts' | 'mtom';

/**
 * MTOM is for callers that read XOP: those whose request is a XOP package, and those that name XOP in Accept. A plain
 * `multipart/related` there does not: Axis 1.4 sends it with every call, and reads SOAP with Attachments only.
 */
function packagingOf(exchange: Exchange, opened: OpenedMessage | undefined): Packaging {
  if (opened?.xop === true) return 'mtom';
  const accept = exchange.header('accept');
  const ranges = accept === undefined ? [] : parseAccept(accept).filter(({ quality }) => quality > 0);
  if (ranges.some(({ essence, parameters }) => essence === XOP_MEDIA_TYPE || isXopPackage(essence, parameters)))
    return 'mtom';
  return opened?.mtom === true || ranges.some(({ essence }) => essence === RELATED) ? 'parts' : 'alone';
}

const RELATED = 'multipart/related';

function isXopPackage(essence: string, parameters: ReadonlyMap<string, string>): boolean {
  return essence === RELATED && parseMediaType(parameters.get('type') ?? '')?.essence === XOP_MEDIA_TYPE;
}

/** Replies in an envelope. */
export function soapForm(version: SoapVersion, packaging: Packaging, about?: Addressed): ReplyForm {
  return {
    format: 'soap',
    write: (compiled, outcome) => writeReply(compiled, outcome, { version, packaging, about }),
    fault: (fault, compiled) => writeSoapFault(fault, version, { compiled, about }),
  };
}

/** How a reply is written. */
interface ReplyWriting {
  readonly version: SoapVersion;
  readonly packaging: Packaging;
  readonly about: Addressed | undefined;
}

function writeReply(compiled: Compiled, outcome: Outcome, { version, packaging, about }: ReplyWriting): OutgoingReply {
  const soap = compiled.soap!;
  if (
    soap.form.response.kind === 'none' ||
    finalAnswer(compiled.operation).kind === 'queue' ||
    (about !== undefined && isDiscarded(about.reply))
  ) {
    return { status: 202, headers: {}, text: '' };
  }
  const { pieces, segments } = contentOf(compiled, outcome);
  if (segments.length > 0 && packaging === 'alone') throw Fault.of('NOT_ACCEPTABLE', { offered: 'multipart/related' });
  const value = outcome.kind === 'value' && typeof outcome.value === 'object' ? outcome.value : undefined;
  const headers = addressedReply(about, soap) + (value === undefined ? '' : soap.writeReplyHeaders(value));
  const attached = value === undefined ? [] : soap.writeReplyAttachments(value);
  const wantsMtom = packaging === 'mtom' || segments.length > 0;
  const isMtom = wantsMtom && !soap.hasAttachments && !pieces.some((each) => each instanceof ReferredAttachment);
  return { status: 200, ...assembleMessage(version, pieces, { mtom: isMtom, segments, attached, headers }) };
}

/** The content of a reply's Body, and its segments. */
export function contentOf(
  { soap, operation }: Compiled,
  outcome: Outcome,
): { readonly pieces: Pieces; readonly segments: readonly Attachment[] } {
  const binding = soap!;
  const { response } = binding.form;
  if (outcome.kind === 'bytes') {
    const { bytes } = outcome;
    const { body, length } = bytes;
    if (finalAnswer(operation).kind === 'query' && length !== undefined)
      return { pieces: [xmlOf(body, length)], segments: [] };
    if (response.kind === 'raw' && response.raw === 'binary') {
      return { pieces: binding.writeReply({ [CONTENT]: attachmentOf(bytes) }), segments: [] };
    }
    if (operation.answer.kind === 'delivered') return { pieces: deliveredPieces(binding, bytes), segments: [] };
    throw new TypeError(`${operation.id} answers in bytes, where SOAP needs its document`);
  }
  const pieces = binding.writeReply(response.kind === 'raw' ? { [CONTENT]: outcome.value } : documentOf(outcome.value));
  const { segments = [] } = outcome;
  if (segments.length === 0 || response.kind !== 'raw') return { pieces, segments };
  const placed = placeSegments(pieces, segments);
  return { pieces: placed.pieces, segments: placed.rest };
}

/** A delivered service writes either the reply's element itself, or the content of that element. */
function deliveredPieces(binding: SoapProvider, bytes: PassedBytes): Pieces {
  const { body, length, contentType } = bytes;
  if (contentType === 'application/xml' && length !== undefined) return [xmlOf(body, length)];
  return binding.writeReply({ [CONTENT]: attachmentOf(bytes) });
}

function documentOf(value: DocumentValue | string): DocumentValue {
  if (typeof value === 'string') throw new CodecError('', 'is a text, where a document is declared');
  return value;
}

/** Rows that a reader has already written inside the reply's element. */
function xmlOf(body: PassedBytes['body'], length: number): string | XmlBytes {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return new XmlBytes(length, body);
}

function attachmentOf({ body, length, contentType }: PassedBytes): Attachment {
  return { contentType, stream: streamOf(body), ...(length === undefined ? {} : { length }) };
}

/** WSS: SOAP Message Security 1.1.1 section 12. The same code for every problem with credentials in a message. */
const FAILED_AUTHENTICATION = { local: 'FailedAuthentication', namespace: WSSE };

/** Statuses that clients act on before they read a body: credentials, method, size, media type, when to retry. */
const KEPT: ReadonlySet<number> = new Set([401, 405, 413, 415, 429, 503]);

/**
 * A fault in an envelope, with the operation's fault document or the broker's own detail. The HTTP status is 500 in SOAP
 * 1.1 (section 6.2; WS-I Basic Profile 1.1, R1126: strict clients drop a fault with another status). In SOAP 1.2 it is 400
 * for an error of the sender, else 500 (part 2, table 20). Transport statuses are kept.
 */
function writeSoapFault(
  fault: Fault,
  version: SoapVersion,
  { compiled, about }: { readonly compiled: Compiled | undefined; readonly about: Addressed | undefined },
): WrittenFault {
  const content = faultContentOf(fault, version, compiled);
  const { code } = content;
  const status = KEPT.has(fault.status) ? fault.status : version === '1.2' && code === 'Client' ? 400 : 500;
  const isWritten = about === undefined || !isDiscarded(about.fault);
  const text = isWritten ? writeFault(version, content, addressedFault(about, version, fault.cause)) : '';
  return { contentType: SOAP_CONTENT_TYPES[version], text, status };
}

function faultContentOf(fault: Fault, version: SoapVersion, compiled: Compiled | undefined): SoapFaultContent {
  const { cause, message: reason } = fault;
  // The detail must not describe errors in headers or in the envelope (SOAP 1.1 section 4.4).
  if (cause instanceof SoapError && (cause.code !== 'Client' || cause.subcodes.length > 0)) {
    const { code, subcodes, notUnderstood, detail } = cause;
    const faultcode = isAddressingError(cause) ? subcodes.at(-1) : undefined;
    const told = version === '1.1' || detail === undefined ? {} : { detail };
    return { code, subcodes, faultcode, reason, notUnderstood, ...told };
  }
  const detail = compiled?.soap?.writeFaultDetail(fault) ?? brokerDetail(fault);
  const isInside = fault.code === 'UNAUTHENTICATED' && compiled?.operation.requires.some(isMessageScheme);
  const subcodes = isInside ? { subcodes: [FAILED_AUTHENTICATION] } : {};
  return { code: isOfSender(fault) ? 'Client' : 'Server', ...subcodes, reason, detail };
}

/** Whether the message is wrong, and sent again would be refused again (SOAP 1.1, section 4.4.1), as one of a circle would. */
function isOfSender({ status, code }: Fault): boolean {
  return status < 500 || code === 'LOOP_DETECTED';
}

/** The fault for an invalid envelope. */
function faultOfEnvelope(error: unknown): unknown {
  if (!(error instanceof SoapError)) return error;
  const { code, reason, notUnderstood } = error;
  if (code === 'VersionMismatch') return Fault.of('VERSION_MISMATCH', { reason }, { cause: error });
  if (code === 'MustUnderstand') {
    const headers = notUnderstood.map(({ namespace, local }) => `{${namespace}}${local}`).join(', ');
    return Fault.of('NOT_UNDERSTOOD', { headers }, { cause: error });
  }
  return Fault.of('BAD_BODY', { reason: `its envelope is not valid: ${reason}` }, { cause: error });
}
