import type { ReplyType } from '../binding/reply/reply.ts';
import { isAttachment } from '../codec/binary.ts';
import { CodecError } from '../codec/index.ts';
import { compileMasked } from '../codec/redact/declared.ts';
import { SpoolLimitError } from '../model/blob.ts';
import { everyField } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import { Fault, faults } from '../model/fault.ts';
import type { Redactor } from '../model/redactor.ts';
import type { DocumentValue } from '../model/value.ts';
import { CharsetError, decodeBeginning, decodeText } from '../wire/charset.ts';
import { contentTypeFault, readContentType } from '../wire/content-type.ts';
import { isXmlType } from '../wire/media-type.ts';
import { SoapError } from '../wire/soap/message.ts';
import { counted } from '../wire/words.ts';
import { type Called, InvokeError, mayRetry } from './error.ts';
import { isReadable, oneLine } from './http/body.ts';
import type { RawReply } from './http/raw-reply.ts';
import { PEEKED, SHOWN_BODY } from './limits.ts';

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

interface StatusFacts {
  /** Beginning of the body. */
  readonly body?: string | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** The error for an error status without a fault. */
export function statusError(raw: RawReply, { body, hint, cause }: StatusFacts): InvokeError {
  const { status, called } = raw;
  return new InvokeError('HTTP_STATUS', called, `the target answered with the status ${status}`, {
    httpResponseCode: status,
    retry: mayRetry(status),
    body,
    hint: raw.hint ?? redirectHint(raw) ?? hint,
    cause,
  });
}

function redirectHint({ status, headers: { location }, redactor }: RawReply): string | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  return `Redirects are not followed; it leads to ${oneLine(redactor.text(location).slice(0, SHOWN_BODY))}.`;
}

export const CREDENTIAL_HINT = 'Set the credential of the call with credential: of its node.';

/** The error for a reply that does not match the operation. `reason` completes the sentence `the reply ${reason}`. */
export function badReply(raw: RawReply, reason: string, body?: string, cause?: unknown): InvokeError {
  const options = { httpResponseCode: raw.status, body, cause };
  return new InvokeError('BAD_REPLY', raw.called, `the reply ${reason}`, options);
}

/** The media type of a reply; of a malformed Content-Type `type/subtype` alone. */
export function replyTypeOf({ headers }: RawReply): ReplyType | undefined {
  const given = headers['content-type'];
  if (given === undefined) return undefined;
  return readContentType(given) ?? { essence: given.replace(/;.*/s, '').trim().toLowerCase() };
}

/** `type/subtype` of a reply in lower case, also of a malformed Content-Type. */
export const essenceOf = (raw: RawReply): string | undefined => replyTypeOf(raw)?.essence;

/** The Content-Type of a reply for a message, and what is wrong with it. */
export function shownReplyType({ headers }: RawReply): string {
  const given = headers['content-type'];
  const fault = given === undefined ? undefined : contentTypeFault(given);
  const shown = JSON.stringify(given?.slice(0, 100));
  return fault === undefined ? shown : `${shown} (${fault})`;
}

/** @throws InvokeError BAD_REPLY for bytes that are not text */
export function textOf(raw: RawReply, bytes: Uint8Array): string {
  const { charset, isXml } = encodingOf(raw);
  try {
    return decodeText(bytes, charset, isXml);
  } catch (error) {
    if (!(error instanceof CharsetError)) throw error;
    throw badReply(raw, error.reason, undefined, error);
  }
}

function encodingOf({ headers }: RawReply): { readonly charset: string | undefined; readonly isXml: boolean } {
  const type = readContentType(headers['content-type'] ?? '');
  return { charset: type?.parameters.get('charset'), isXml: isXmlType(type?.essence ?? '') };
}

/** The beginning of a body on one line, without what is secret; undefined where it is not for people. */
export function beginningOf(raw: RawReply, head: Uint8Array): string | undefined {
  if (!isReadable(raw.headers['content-type'])) return undefined;
  const { charset, isXml } = encodingOf(raw);
  const text = decodeBeginning(head.subarray(0, PEEKED), charset, isXml);
  return quoted(raw, text, head.length > PEEKED);
}

/** The beginning of a text of a reply in the same form; undefined where nothing is left. */
export function shownText(raw: RawReply, text: string): string | undefined {
  return quoted(raw, text.slice(0, PEEKED), text.length > PEEKED);
}

/** A secret at the end may be cut, and is not to be seen then. */
function quoted({ redactor }: RawReply, text: string, isCut: boolean): string | undefined {
  const masked = redactor.text(text);
  return oneLine(masked.slice(0, isCut ? Math.min(SHOWN_BODY, masked.length / 2) : SHOWN_BODY));
}

/** A fault document without its sensitive fields, and secrets that other fields repeat. */
export function shownFault(document: Document | undefined, value: DocumentValue, redactor: Redactor): DocumentValue {
  return compileMasked(document === undefined ? [] : everyField(document))(value, {
    room: () => true,
    single: (each) => (isAttachment(each) ? each : redactor.value(each)),
  }) as DocumentValue;
}

/** How much of a reply was ignored, for its record; `undefined` for nothing. */
export function ignoredNote(count: number): string | undefined {
  if (count === 0) return undefined;
  return `ignored ${counted(count, 'part')} of the reply that its document does not declare`;
}

/** What was wrong with a reply, as the error of the call. */
export function replyError(error: unknown, called: Called, httpResponseCode: number): unknown {
  if (error instanceof InvokeError) return error;
  // A fault among the causes would be about the caller's own request, which this is not.
  const options = { httpResponseCode, cause: error instanceof Fault ? new Error(error.message) : error };
  const bad = (reason: string): InvokeError => new InvokeError('BAD_REPLY', called, `the reply ${reason}`, options);
  const large = (reason: string): InvokeError => new InvokeError('REPLY_TOO_LARGE', called, reason, options);
  if (error instanceof CodecError) return bad(`does not fit the operation: ${error.message}`);
  if (error instanceof SoapError) return bad(`is no SOAP message to be read: ${error.reason}`);
  if (error instanceof SpoolLimitError)
    return large(`an attachment of the reply is larger than ${error.limit} bytes (\`limits.attachment\`)`);
  if (error instanceof Fault) {
    const reason = reasonOf(error);
    return LARGE.has(error.code) ? large(reason) : bad(`can't be read: ${reason}`);
  }
  return error;
}

const LARGE: ReadonlySet<string> = new Set([
  'BODY_TOO_LARGE',
  'ATTACHMENT_TOO_LARGE',
  'TOO_MANY_ATTACHMENTS',
  'TOO_MANY_PARAMETERS',
]);

/** A reader of messages speaks of requests. What it says of this one stands behind what it says of all. */
function reasonOf({ code, message }: Fault): string {
  if (code === 'BODY_TOO_LARGE') return message.replace('request body', 'reply').replace(/^T/, 't').replace(/\.$/, '');
  const [before = '', after = ''] = faults.BAD_BODY.message({ reason: '\n' }).split('\n');
  if (code === 'BAD_BODY' && message.startsWith(before) && message.endsWith(after))
    return message.slice(before.length, message.length - after.length);
  return message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '');
}
