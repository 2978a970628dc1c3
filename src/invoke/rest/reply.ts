import type { RestCallBinding } from '../../binding/call/call.ts';
import { type ReplyFailure, recogniseFailure } from '../../binding/reply/fault.ts';
import { familyOf, type ReplyReader, type RestReplyBinding } from '../../binding/reply/reply.ts';
import { ReplyText } from '../../binding/reply/text.ts';
import { MemoryAttachment, withAttachments } from '../../codec/binary.ts';
import { CodecError } from '../../codec/index.ts';
import type { RestConsumer } from '../../model/consumer.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import { codingsOf, continued } from '../../wire/content-coding.ts';
import { sendableContentType } from '../../wire/content-type.ts';
import { fileNameOf, receivedFileName } from '../../wire/multipart/content-disposition.ts';
import type { ReadReply, ReplyContent, ReplyPorts } from '../callable.ts';
import { InvokeError, mayRetry, ReplyFault } from '../error.ts';
import { begun, collect, inOne } from '../http/body.ts';
import type { RawReply } from '../http/raw-reply.ts';
import { DRAINED, PEEKED } from '../limits.ts';
import {
  badReply,
  beginningOf,
  CREDENTIAL_HINT,
  essenceOf,
  ignoredNote,
  isSuccess,
  replyError,
  replyTypeOf,
  shownFault,
  shownReplyType,
  shownText,
  statusError,
  textOf,
} from '../reply.ts';

/**
 * Reads the reply of a call. If that fails, its connection is closed.
 * @throws ReplyFault; InvokeError HTTP_STATUS, BAD_REPLY, REPLY_TOO_LARGE, TIMEOUT, ABORTED, CUT
 */
export async function readReply(callable: RestCallable, raw: RawReply, ports: ReplyPorts): Promise<ReadReply> {
  try {
    if (!isSuccess(raw.status)) throw await failureOf(callable, raw, ports);
    return await readSuccess(callable, raw, ports);
  } catch (error) {
    raw.discard();
    throw replyError(error, raw.called, raw.status);
  }
}

async function readSuccess(callable: RestCallable, raw: RawReply, ports: ReplyPorts): Promise<ReadReply> {
  const { operation, replies } = callable;
  const bytes = raw.whole === undefined ? await begun(raw.bytes) : inOne(raw.whole);
  // The headers of a reply to HEAD describe content that is not sent (RFC 9110 section 9.3.2).
  if (operation.method === 'HEAD') return passOver(raw, bytes);
  const type = replyTypeOf(raw);
  const form = replies.formOf(type);
  if (bytes === undefined) return readEmpty(callable, raw, form);
  if (form?.kind === 'binary') return readContent(callable, raw, ports, bytes);
  if (form?.open !== undefined) return readForm(raw, form.open, ports, bytes);
  const mayBeFault = replies.faults.marked && dataFormatOf(type?.essence) !== undefined;
  if (!mayBeFault && form === undefined) throw undeclared(callable, raw, (await collect(bytes, PEEKED)).head);
  if (!mayBeFault && form?.kind === 'none') return passOver(raw, bytes);
  const { head, rest } = await collect(bytes, ports.limits.body);
  if (rest !== undefined) throw tooLarge(raw, ports.limits.body);
  const reply = new ReplyText(textOf(raw, head));
  throwMarkedFault(callable, raw, { head, reply });
  if (form === undefined) throw undeclared(callable, raw, head);
  if (form.kind === 'none') return { value: {} };
  const value = readValue(raw, form, { head, reply });
  return { value, body: reply.text, note: ignoredNote(form.ignored?.() ?? 0) };
}

function readValue(raw: RawReply, form: ReplyReader, { head, reply }: ReadBody): DocumentValue {
  try {
    return form.read(reply);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // It may quote the reply, which may repeat the request.
    const [cause, ...others] = [error, ...error.others].map(
      ({ path, reason }) => new CodecError(raw.redactor.text(path), raw.redactor.text(reason)),
    ) as [CodecError, ...CodecError[]];
    for (const other of others) cause.addOthers(other);
    const reason = cause.path === '' ? cause.reason : `does not fit the operation: ${cause.message}`;
    throw badReply(raw, reason, beginningOf(raw, head), cause);
  }
}

function undeclared(callable: RestCallable, raw: RawReply, head: Buffer): InvokeError {
  const { replies } = callable;
  return badReply(raw, `is ${shownReplyType(raw)}, and not ${replies.declared}`, beginningOf(raw, head));
}

/** Drops an unwanted body; a short one is read to keep the connection usable. */
async function passOver(raw: RawReply, bytes: AsyncIterable<Uint8Array> | undefined): Promise<ReadReply> {
  if (bytes !== undefined && (await collect(bytes, DRAINED)).rest !== undefined) raw.discard();
  return { value: {} };
}

/** Statuses without content (RFC 9110 sections 15.3.5 and 15.3.6). */
const EMPTY: ReadonlySet<number> = new Set([204, 205]);

/** An empty body is not valid JSON or XML; only replies with another status than 200 may have one. */
const isData = (form: ReplyReader | undefined): boolean => form?.kind === 'json' || form?.kind === 'xml';

function readEmpty({ replies }: RestCallable, raw: RawReply, form: ReplyReader | undefined): ReadReply {
  // A Content-Type with such a status describes content that is not sent.
  const expected = EMPTY.has(raw.status) ? (form ?? replies.formOf(undefined)) : form;
  if (expected?.kind === 'binary') {
    const contentType = raw.headers['content-type'];
    const content = new MemoryAttachment(Buffer.alloc(0), contentType === undefined ? {} : { contentType });
    return { value: { content } };
  }
  const value = raw.status === 200 && isData(expected) ? undefined : expected?.empty;
  if (value === undefined) throw badReply(raw, 'is empty');
  return { value };
}

/** Content as it comes, unless it is a fault: then it is short, and says so. */
async function readContent(
  callable: RestCallable,
  raw: RawReply,
  ports: ReplyPorts,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReadReply> {
  let whole = bytes;
  if (callable.replies.faults.marked && dataFormatOf(essenceOf(raw)) !== undefined) {
    const { head, rest } = await collect(bytes, PEEKED);
    // Content need not be the text that its type says.
    if (rest === undefined)
      throwMarkedFault(callable, raw, { head, reply: new ReplyText(new TextDecoder().decode(head)) });
    whole = rest === undefined ? inOne(head) : continued(head, rest);
  }
  const content = new ReceivedContent(raw, whole, ports.limits.attachment);
  return { value: { content: content.attachment }, content };
}

/** A form, whose last file may be read as it comes. */
async function readForm(
  raw: RawReply,
  open: NonNullable<ReplyReader['open']>,
  { limits, spool }: ReplyPorts,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ReadReply> {
  const contentType = raw.headers['content-type'] ?? '';
  const { value, form } = await open({ contentType, bytes }, limits, spool);
  const content: ReplyContent = {
    async *segments() {},
    async finish() {
      try {
        await form.finish();
      } catch (error) {
        throw replyError(error, raw.called, raw.status);
      }
    },
    close() {
      form.close();
      raw.discard();
    },
  };
  // What is wrong with a file is an error of the reply, not of a request.
  const read = withAttachments(value, (file) => {
    const { contentType: type, name, rawName, length } = file;
    return {
      contentType: type,
      name,
      ...(rawName === undefined ? {} : { rawName }),
      length,
      stream: () => speaking(file.stream(), raw),
    };
  });
  return { value: read as DocumentValue, content };
}

async function* speaking(bytes: AsyncIterable<Uint8Array>, { called, status }: RawReply): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw replyError(error, called, status);
  }
}

function tooLarge({ called, status }: RawReply, limit: number): InvokeError {
  const reason = `the reply is larger than ${limit} bytes (\`limits.body\`)`;
  return new InvokeError('REPLY_TOO_LARGE', called, reason, { httpResponseCode: status });
}

/** The error for a reply with an error status. @throws what its body throws */
async function failureOf(callable: RestCallable, raw: RawReply, ports: ReplyPorts): Promise<InvokeError> {
  const format = dataFormatOf(essenceOf(raw));
  const most = format === undefined ? PEEKED : Math.max(PEEKED, ports.limits.body);
  const { head, rest } = await collect(raw.whole === undefined ? raw.bytes : inOne(raw.whole), most);
  const body = beginningOf(raw, head);
  const failure = raw.status < 400 || rest !== undefined ? undefined : failureIn(callable, raw, head, format);
  if (failure !== undefined) return faultError(callable, raw, failure, body);
  return statusError(raw, { body, hint: hintFor(callable, raw) });
}

/** Recognises a fault in a reply with a success status, by the fault document. @throws ReplyFault */
function throwMarkedFault(callable: RestCallable, raw: RawReply, { head, reply }: ReadBody): void {
  const { faults } = callable.replies;
  const format = dataFormatOf(essenceOf(raw));
  const failure = faults.marked && format !== undefined ? faults.read(reply, format) : undefined;
  if (failure !== undefined) throw faultError(callable, raw, failure, beginningOf(raw, head));
}

/** The format of content that may contain a fault. Content without a type, or of plain text, may be JSON. */
function dataFormatOf(essence: string | undefined): 'json' | 'xml' | undefined {
  if (essence === undefined || essence === 'text/plain') return 'json';
  const family = familyOf(essence);
  return family === 'json' || family === 'xml' ? family : undefined;
}

function failureIn(
  { replies }: RestCallable,
  raw: RawReply,
  head: Buffer,
  format: 'json' | 'xml' | undefined,
): ReplyFailure | undefined {
  if (format === undefined) return undefined;
  let text: string;
  try {
    text = textOf(raw, head);
  } catch {
    // The error status is more useful than the error about its text.
    return undefined;
  }
  const fault = replies.faults.read(new ReplyText(text), format);
  const known = format === 'json' && (fault === undefined || fault.reason === '') ? recogniseFailure(text) : undefined;
  return known === undefined ? fault : { fault: fault?.fault, ...known };
}

function faultError(
  { operation }: RestCallable,
  raw: RawReply,
  { fault, reason, detail }: ReplyFailure,
  body: string | undefined,
): ReplyFault {
  const { status, called, hint } = raw;
  const content = {
    fault: fault && shownFault(operation.fault, fault, raw.redactor),
    reason: shownText(raw, reason) ?? '',
    detail: shownText(raw, detail) ?? '',
  };
  return new ReplyFault(called, content, { httpResponseCode: status, retry: mayRetry(status), body, hint });
}

/** The node's credential does not matter to an operation with its own Authorization header. */
function hintFor({ operation }: RestCallable, { status }: RawReply): string | undefined {
  const speaks = operation.headers.some(({ name }) => name.toLowerCase() === 'authorization');
  return status === 401 && !speaks ? CREDENTIAL_HINT : undefined;
}

/** An operation over REST, compiled once. */
export interface RestCallable {
  readonly operation: RestConsumer;
  readonly requests: RestCallBinding;
  readonly replies: RestReplyBinding;
  /** Masks what has the name of a sensitive field in front of it, in what is sent and in replies. */
  readonly hide: (text: string) => string;
}

/** A body in memory. */
interface ReadBody {
  readonly head: Buffer;
  readonly reply: ReplyText;
}

/** A reply whose body is binary content; can be read once, as it arrives. */
class ReceivedContent implements ReplyContent {
  readonly attachment: Attachment;
  readonly #raw: RawReply;
  readonly #bytes: AsyncIterable<Uint8Array>;
  /** In bytes. */
  readonly #limit: number;
  #isBegun = false;

  /**
   * @param bytes the body, including the part that was read already
   * @throws InvokeError REPLY_TOO_LARGE if its Content-Length exceeds the limit
   */
  constructor(raw: RawReply, bytes: AsyncIterable<Uint8Array>, limit: number) {
    const length = lengthOf(raw);
    const given = raw.headers['content-type'] ?? 'application/octet-stream';
    const disposition = raw.headers['content-disposition'];
    const name = receivedFileName(disposition === undefined ? undefined : fileNameOf(disposition));
    this.#raw = raw;
    this.#bytes = bytes;
    this.#limit = limit;
    if (length !== undefined && length > limit) throw this.#tooLarge();
    this.attachment = {
      contentType: sendableContentType(given) ?? given,
      ...name,
      length,
      stream: () => this.#stream(),
    };
  }

  async *segments(): AsyncGenerator<Attachment> {}

  /** Reads the content and drops it, unless a reader has begun. */
  async finish(): Promise<void> {
    if (this.#isBegun) return;
    for await (const _ of this.#stream());
  }

  close(): void {
    this.#raw.discard();
  }

  async *#stream(): AsyncGenerator<Uint8Array> {
    if (this.#isBegun) throw new TypeError('the content of a reply can be read once');
    this.#isBegun = true;
    let seen = 0;
    for await (const chunk of this.#bytes) {
      seen += chunk.length;
      if (seen > this.#limit) {
        this.#raw.discard();
        throw this.#tooLarge();
      }
      yield chunk;
    }
  }

  #tooLarge(): InvokeError {
    const { called, status } = this.#raw;
    const reason = `the content of the reply is larger than ${this.#limit} bytes (\`limits.attachment\`)`;
    return new InvokeError('REPLY_TOO_LARGE', called, reason, { httpResponseCode: status });
  }
}

/** The length in bytes, if the head states it. Content-Length of compressed content is that of the compressed bytes. */
function lengthOf({ headers }: RawReply): number | undefined {
  const given = headers['content-length'];
  const isCoded = codingsOf(headers['content-encoding']).length > 0;
  return given === undefined || isCoded ? undefined : Number(given);
}
