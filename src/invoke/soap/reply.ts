import { type Attached, type MessageSource, type OpenedMessage, openMessage } from '../../binding/soap/message.ts';
import type { SoapBinding } from '../../binding/soap/soap.ts';
import type { Resolve } from '../../codec/index.ts';
import type { SoapConsumer } from '../../model/consumer.ts';
import type { SoapForm } from '../../model/service.ts';
import { isVoid } from '../../model/soap.ts';
import type { Attachment } from '../../model/value.ts';
import { continued } from '../../wire/content-coding.ts';
import { readContentType } from '../../wire/content-type.ts';
import { boundaryOfText } from '../../wire/multipart/boundary.ts';
import { isAddressing, repliedTo } from '../../wire/soap/addressing.ts';
import { readFault } from '../../wire/soap/fault.ts';
import { checkUnderstood, isForUs, readEnvelope, type SoapMessage } from '../../wire/soap/message.ts';
import { timestampFault } from '../../wire/soap/timestamp.ts';
import { clarkName, SOAP_NAMESPACES, type SoapVersion } from '../../wire/soap/version.ts';
import { relatedContentType, XOP_MEDIA_TYPE } from '../../wire/soap/xop.ts';
import { textOf, type XmlElement } from '../../wire/xml/tree.ts';
import { writeXml } from '../../wire/xml/write-xml.ts';
import type { ReadReply, ReplyPorts } from '../callable.ts';
import { InvokeError, mayRetry, SoapFault } from '../error.ts';
import { begun, type Collected, collect, inOne, oneLine } from '../http/body.ts';
import type { RawReply } from '../http/raw-reply.ts';
import { PEEKED } from '../limits.ts';
import {
  badReply,
  beginningOf,
  CREDENTIAL_HINT,
  ignoredNote,
  isSuccess,
  replyError,
  shownFault,
  shownReplyType,
  shownText,
  statusError,
} from '../reply.ts';
import { hasSignature, isReadableSecurity, verified } from './reply-security.ts';

/**
 * Reads the reply of a call. If that fails, its connection is closed.
 * @throws SoapFault; InvokeError HTTP_STATUS, BAD_REPLY, REPLY_TOO_LARGE, TIMEOUT, ABORTED, CUT
 */
export async function readReply(callable: SoapCallable, raw: RawReply, ports: ReplyPorts): Promise<ReadReply> {
  try {
    const { status, headers } = raw;
    const body = await bodyOf(raw);
    if (body === undefined) return readEmpty(callable, raw);
    const contentType = headers['content-type'];
    if (!isMessageType(contentType, status)) return await readOther(callable, raw, body.bytes);
    const message = await openReply({ contentType, ...body }, raw, ports);
    try {
      return { ...(await readMessage(callable, raw, message, ports)), content: message };
    } catch (error) {
      message.close();
      throw error;
    }
  } catch (error) {
    raw.discard();
    throw replyError(error, raw.called, raw.status);
  }
}

type Body = Omit<MessageSource, 'contentType'>;

/** `undefined` for an empty body. */
async function bodyOf({ whole, bytes }: RawReply): Promise<Body | undefined> {
  if (whole !== undefined) return { bytes, whole };
  const rest = await begun(bytes);
  return rest === undefined ? undefined : { bytes: rest };
}

/** Whether nothing is read of a reply. Partners send an empty Body then, or nothing at all. */
export function hasNoReply({ style, response }: SoapForm): boolean {
  return response.kind === 'none' || (style === 'bare' && response.kind === 'document' && isVoid(response.document));
}

function readEmpty({ operation }: SoapCallable, raw: RawReply): ReadReply {
  if (!isSuccess(raw.status)) throw failed(raw, undefined);
  if (hasNoReply(operation.soap)) return { value: {} };
  const reason = raw.status === 202 ? 'is empty and has the status 202 of a one-way operation' : 'is empty';
  throw badReply(raw, reason);
}

/** Whether a body is read as a message. One without a type is, if the status is a success. */
function isMessageType(contentType: string | undefined, status: number): boolean {
  if (contentType === undefined) return isSuccess(status);
  const essence = readContentType(contentType)?.essence;
  return (
    essence === 'multipart/related' ||
    (essence !== undefined && /^(?:text|application)\/(?:[^/]+\+)?xml$/.test(essence))
  );
}

/** A body that is not a message: an error of a proxy, or an HTML page. */
async function readOther(
  { operation }: SoapCallable,
  raw: RawReply,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReadReply> {
  if (isSuccess(raw.status) && hasNoReply(operation.soap)) {
    raw.discard();
    return { value: {} };
  }
  const { head } = await collect(bytes, PEEKED);
  const body = beginningOf(raw, head);
  if (!isSuccess(raw.status)) throw failed(raw, body);
  throw badReply(raw, `is ${shownReplyType(raw)}, not a SOAP message`, body);
}

async function openReply(
  source: MessageSource,
  raw: RawReply,
  { limits, spool }: ReplyPorts,
): Promise<ReceivedMessage> {
  const { body: envelope, attachment, attachments } = limits;
  const most = { envelope, attachment, attachments };
  // With an error status, plain text is often declared as XML.
  const peeked = isSuccess(raw.status) ? undefined : await collect(source.bytes, PEEKED);
  try {
    const outer = await openMessage(peeked === undefined ? source : again(source, peeked), most, spool);
    const inner = embeddedMessage(outer.root);
    if (inner === undefined) return new ReceivedMessage(outer, raw);
    outer.close();
    return new ReceivedMessage(await openMessage(inner, most, spool), raw);
  } catch (error) {
    // The error status is more useful than the error about its message.
    const failure = replyError(error, raw.called, raw.status);
    if (peeked === undefined || !(failure instanceof InvokeError) || failure.code !== 'BAD_REPLY') throw failure;
    throw failed(raw, beginningOf(raw, peeked.head), failure);
  }
}

/** The same message, whose beginning was read. */
function again({ contentType }: MessageSource, { head, rest }: Collected): MessageSource {
  return { contentType, bytes: rest === undefined ? inOne(head) : continued(head, rest) };
}

async function readMessage(
  callable: SoapCallable,
  raw: RawReply,
  message: ReceivedMessage,
  { repliesTo, trust }: ReplyPorts,
): Promise<Pick<ReadReply, 'value' | 'note'>> {
  const { operation, binding } = callable;
  const received = envelopeOf(raw, message.root);
  if (repliesTo !== undefined) checkRelation(raw, received, repliesTo);
  const unfit = timestampFault(received, Date.now());
  if (unfit !== undefined) throw badReply(raw, unfit);
  const root = trust === undefined ? message.root : await verified(raw, message, received, trust);
  const envelope = root === message.root ? received : readEnvelope(root);
  const note = trust === undefined && hasSignature(received) ? UNVERIFIED : undefined;
  throwFault(callable, raw, envelope);
  if (!isSuccess(raw.status)) throw failed(raw, shownText(raw, writeXml(message.root)));
  const { response } = operation.soap;
  if (hasNoReply(operation.soap)) return { value: {}, note };
  // A caller that writes whole envelopes gets whole envelopes, with their header blocks.
  if (
    !operation.properties.upContent &&
    response.kind === 'raw' &&
    response.raw !== 'json' &&
    response.raw !== 'binary'
  )
    return { value: { content: writeXml(root) }, note };
  checkUnderstood(
    received,
    (header) =>
      isReadableSecurity(header) ||
      (isAddressing(header) && (repliesTo !== undefined || operation.soap.addressing === true)) ||
      binding.understandsReply(header),
  );
  if (envelope.payload !== undefined) checkElement(callable, raw, envelope.payload);
  else if (binding.hasReplyElement) throw badReply(raw, 'has nothing in its Body');
  if (response.kind === 'raw' && response.raw !== 'binary') return { value: binding.readReply(envelope.payload), note };
  await message.include(binding.replyParts);
  const blocks = envelope.headers.filter((each) => isForUs(each, envelope.version));
  const value = binding.readReply(envelope.payload, message.resolve, { blocks, attached: message.attached });
  // Before another reply is read.
  const notes = [note, ignoredNote(binding.ignored())].filter((each) => each !== undefined);
  return { value, note: notes.length === 0 ? undefined : notes.join('; ') };
}

const UNVERIFIED = 'the signature of the reply was not verified: reply-signature of the node is not set';

/** The reply to another message is refused; one that names none is not. */
function checkRelation(raw: RawReply, envelope: SoapMessage, repliesTo: string): void {
  const ids = repliedTo(envelope);
  if (ids.length === 0 || ids.includes(repliesTo)) return;
  const found = oneLine(raw.redactor.text(ids.join(', ')).slice(0, SHOWN_NAME));
  throw badReply(raw, `relates to the message ${found}, not to ${repliesTo}`);
}

/**
 * The reply's element must be that of the operation, or the root element of its document. In rpc/literal its name has no meaning
 * (WSDL 1.1, section 3.5).
 */
function checkElement({ binding }: SoapCallable, raw: RawReply, payload: XmlElement): void {
  const { form, namespace, replyRoot } = binding;
  const is = (local: string, inNamespace: string): boolean =>
    payload.local === local && payload.namespace === inNamespace;
  if (form.style === 'rpc' || is(replyRoot.name, replyRoot.namespace)) return;
  const { response } = form;
  const document = response.kind === 'document' ? response.document : undefined;
  if (document !== undefined && is(document.xmlName, document.namespace ?? namespace)) return;
  const found = oneLine(raw.redactor.text(clarkName(payload)).slice(0, SHOWN_NAME));
  throw badReply(raw, `has ${found} in its Body, not ${clarkName({ ...replyRoot, local: replyRoot.name })}`);
}

/** Characters of a target's name in an error message. */
const SHOWN_NAME = 200;

function envelopeOf(raw: RawReply, root: XmlElement): SoapMessage {
  if (isSuccess(raw.status) || root.local === 'Envelope') return readEnvelope(root);
  throw failed(raw, shownText(raw, writeXml(root)));
}

function throwFault({ binding }: SoapCallable, raw: RawReply, envelope: SoapMessage): void {
  const fault = readFault(envelope);
  if (fault === undefined) return;
  const { code, subcodes, reason, detail } = fault;
  const { redactor } = raw;
  const document = faultDocument(() => binding.readFaultDetail(detail));
  throw new SoapFault(
    raw.called,
    {
      code,
      subcodes,
      reason: redactor.text(reason),
      faultName: document?.name,
      detail: document && shownFault(document.document, document.value, redactor),
      detailXml: redactor.text(detail.map((each) => writeXml(each)).join('')),
    },
    { httpResponseCode: raw.status, retry: mayRetry(raw.status) },
  );
}

/** `undefined` for a detail that does not match the fault document: callers have its XML. */
function faultDocument<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function failed(raw: RawReply, body: string | undefined, cause?: unknown): InvokeError {
  return statusError(raw, { body, cause, hint: raw.status === 401 ? CREDENTIAL_HINT : undefined });
}

/** An operation over SOAP, compiled once. */
export interface SoapCallable {
  readonly operation: SoapConsumer;
  readonly binding: SoapBinding;
  readonly version: SoapVersion;
  /** Without quotes; empty for none. */
  readonly action: string;
  /** Headers of each request, which override those of the message. */
  readonly headers: Readonly<Record<string, string>>;
  /** Masks what has the name of a sensitive field in front of it, in what is sent and in replies. */
  readonly hide: (text: string) => string;
}

/** The message of a reply. Its errors become errors of the call, also when attachments are read later. */
class ReceivedMessage {
  readonly root: XmlElement;
  readonly #message: OpenedMessage;
  readonly #raw: RawReply;

  constructor(message: OpenedMessage, raw: RawReply) {
    this.root = message.root;
    this.#message = message;
    this.#raw = raw;
  }

  include(parts: readonly string[]): void | Promise<void> {
    return this.#message.include(parts);
  }

  get attached(): Attached | undefined {
    const { attached } = this.#message;
    return attached === undefined
      ? undefined
      : (part) => {
          const found = attached(part);
          return found === undefined ? undefined : this.#attachment(found);
        };
  }

  get resolve(): Resolve | undefined {
    const { resolve } = this.#message;
    return resolve === undefined ? undefined : (href) => this.#attachment(resolve(href));
  }

  async *segments(): AsyncGenerator<Attachment> {
    for await (const each of this.#reporting(this.#message.segments())) yield this.#attachment(each);
  }

  async finish(): Promise<void> {
    try {
      await this.#message.finish();
    } catch (error) {
      throw this.#error(error);
    }
  }

  /** Frees stored content, and closes the connection if the reply is not read completely. */
  close(): void {
    this.#message.close();
    this.#raw.discard();
  }

  #attachment(attachment: Attachment): Attachment {
    const { contentType, name, length } = attachment;
    return {
      contentType,
      name,
      length,
      stream: () => this.#reporting(attachment.stream()),
    };
  }

  async *#reporting<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      for await (const each of source) yield each;
    } catch (error) {
      throw this.#error(error);
    }
  }

  #error(error: unknown): unknown {
    return replyError(error, this.#raw.called, this.#raw.status);
  }
}

/**
 * The message inside a reply (specification 4.4, Receiving): if a `data` element contains a multipart text, that is the
 * reply; its first part is the envelope, and the others are attachments. The element is the root itself, or is in the
 * envelope's payload, at most {@link DEPTH} levels deep.
 */
function embeddedMessage(root: XmlElement): MessageSource | undefined {
  const data = dataIn(root, isEnvelope(root) ? DEPTH + ENVELOPE : DEPTH);
  if (data === undefined) return undefined;
  const { text, boundary } = data;
  return { contentType: relatedContentType({ boundary, type: XOP_MEDIA_TYPE }), bytes: bytesOf(text) };
}

const DEPTH = 2;

/** Levels from an envelope to its payload. */
const ENVELOPE = 2;

/** The prefix of boundaries in such a text; other texts that begin with two hyphens are plain text. */
const BOUNDARY = '----=_Part_';

const isEnvelope = ({ local, namespace }: XmlElement): boolean =>
  local === 'Envelope' && Object.values(SOAP_NAMESPACES).includes(namespace);

interface MultipartText {
  readonly text: string;
  readonly boundary: string;
}

function dataIn(element: XmlElement, depth: number): MultipartText | undefined {
  if (element.local === 'data') {
    const text = textOf(element);
    const boundary = boundaryOfText(text);
    if (boundary?.startsWith(BOUNDARY) === true) return { text, boundary };
  }
  if (depth === 0) return undefined;
  for (const each of element.content) {
    const found = typeof each === 'string' ? undefined : dataIn(each, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Characters that are encoded at once. */
const SLICE = 64 * 1024;

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < text.length; ) {
    let to = from + SLICE;
    // Not between the halves of a surrogate pair.
    if ((text.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1;
    yield Buffer.from(text.slice(from, to));
    from = to;
  }
}
