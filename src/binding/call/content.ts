import { CodecError } from '../../codec/index.ts';
import type { Attachment } from '../../model/value.ts';
import { decodeBase64 } from '../../wire/base64.ts';
import { OCTETS } from '../../wire/file-type.ts';
import { measured } from '../../wire/measured.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { counted } from '../../wire/words.ts';

/** The body of a request. */
export interface CallContent {
  /** The content type, unless a header sets it. */
  readonly contentType: string;
  /** In bytes; `undefined` when it is not known. */
  readonly length: number | undefined;
  /** The whole content if it is in memory. */
  readonly text: string | undefined;
  /** To be called once, unless {@link CallContent.again} is set. Throws a CodecError if the content is invalid. */
  bytes(): AsyncIterable<Uint8Array>;
  readonly again: boolean;
  /** The text for display, with secrets masked. */
  shown(): string;
  /** Secret values in it. */
  secrets(): Iterable<string>;
}

/** @param shown the text for people, if it differs */
export function textContent(text: string, contentType: string, shown?: string): CallContent {
  return {
    contentType,
    length: Buffer.byteLength(text),
    text,
    async *bytes() {
      yield Buffer.from(text);
    },
    again: true,
    shown: () => shown ?? text,
    secrets: () => [],
  };
}

/** A body with a part that is still pending; it is never sent. */
export function pendingContent(contentType: string, shown: string): CallContent {
  return { ...textContent('', contentType, shown), length: undefined };
}

/**
 * Characters that a header can't carry (RFC 9110 section 5.5): controls except the tab, and characters beyond Latin-1.
 */
export const UNSENDABLE = /[^\t\x20-\x7e\xa0-\xff]/;

/** The unchanged content of a field. @throws CodecError for an invalid content type or length */
export function streamContent(name: string, attachment: Attachment, shown?: string): CallContent {
  const { contentType, length, again = false } = attachment;
  if (typeof contentType !== 'string' || parseMediaType(contentType) === undefined || UNSENDABLE.test(contentType))
    throw new CodecError(name, `has the content type ${JSON.stringify(contentType)}, which is not valid`);
  checkLength(name, length);
  return {
    contentType,
    length,
    text: undefined,
    bytes: () => exactBytes(name, attachment),
    again,
    shown: () => shown ?? sizeWords(length),
    secrets: () => [],
  };
}

/** The text for people in place of content. */
export function sizeWords(length: number | undefined): string {
  return length === undefined ? '(an unknown number of bytes)' : `(${counted(length, 'byte')})`;
}

/**
 * The bytes that a base64 text encodes, decoded slice by slice as they are read. Blanks and line ends are allowed
 * anywhere in it.
 * @throws CodecError naming the field, when it is not base64
 */
export function decodedContent(name: string, text: string): Attachment {
  const complain = (reason: string): CodecError => new CodecError(name, `can't be decoded: ${reason}`);
  let length = 0;
  for (const piece of decodeBase64(text, complain)) length += piece.length;
  return {
    contentType: OCTETS,
    length,
    again: true,
    async *stream() {
      yield* decodeBase64(text, complain);
    },
  };
}

/** @throws CodecError for a value that is not a number of bytes */
export function checkLength(name: string, length: number | undefined): void {
  if (length === undefined || (Number.isSafeInteger(length) && length >= 0)) return;
  throw new CodecError(name, `has the length ${length}, which is not a number of bytes`);
}

/**
 * The bytes of content with a declared length.
 * @throws CodecError when the actual length differs, as for a file that is being written
 */
export function exactBytes(name: string, attachment: Attachment): AsyncIterable<Uint8Array> {
  return measured(attachment, (length, seen) => {
    const held = seen === undefined ? `more than its ${length} bytes` : `${seen} of its ${length} bytes`;
    return new CodecError(name, `changed while it was read: it holds ${held}`);
  });
}
