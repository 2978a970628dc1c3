// Multipart messages, RFC 2046 section 5.1, written as a stream.

import { randomBytes } from 'node:crypto';
import { base64Length, encodeBase64 } from '../base64.ts';
import { measured, type StreamedContent } from '../measured.ts';
import { boundaryFault } from './boundary.ts';

export interface PartToWrite {
  /** Written unchanged. A Content-Transfer-Encoding among them must match `encoding`. */
  readonly headers: Readonly<Record<string, string>>;
  /** A text is written in UTF-8. */
  readonly content: string | StreamedContent;
  /** The default is `binary`, which leaves the bytes unchanged. */
  readonly encoding?: 'binary' | 'base64';
}

export interface MultipartToWrite {
  readonly boundary: string;
  readonly parts: readonly PartToWrite[];
}

export interface WrittenMultipart {
  /** Exact, in bytes; `undefined` when the length of a content is unknown. */
  readonly length: number | undefined;
  /**
   * @throws RangeError when the length of a content differs from its declared one, before it yields a byte beyond that
   */
  bytes(): AsyncIterable<Uint8Array>;
}

/**
 * A boundary that content can contain only by guessing 128 random bits. It begins like those of Java, which receivers
 * know.
 */
export function freshBoundary(): string {
  return `----=_Part_${randomBytes(16).toString('hex')}`;
}

/**
 * Combines parts into a message. The caller guarantees that no content contains the boundary; {@link freshBoundary}
 * does.
 * @throws TypeError for a boundary or a header that can't be written, and for a message without parts
 */
export function writeMultipart({ boundary, parts }: MultipartToWrite): WrittenMultipart {
  const fault = boundaryFault(boundary);
  if (fault !== undefined) throw new TypeError(`a message can't be written: ${fault}`);
  if (parts.length === 0) throw new TypeError('a multipart message has at least one part');
  const heads = parts.map((part, index) => `${index === 0 ? '' : '\r\n'}--${boundary}\r\n${headerOf(part)}\r\n`);
  const end = `\r\n--${boundary}--\r\n`;
  return { length: totalLength(heads, parts, end), bytes: () => bytesOf(heads, parts, end) };
}

function headerOf({ headers, encoding = 'binary' }: PartToWrite): string {
  let text = '';
  let said = '7bit';
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name))
      throw new TypeError(`${JSON.stringify(name)} is no name of a header field`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: CR and LF would begin another field
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) throw new TypeError(`the value of ${name} holds a control character`);
    if (name.toLowerCase() === 'content-transfer-encoding') said = value.trim().toLowerCase();
    text += `${name}: ${value}\r\n`;
  }
  if ((said === 'base64') !== (encoding === 'base64')) {
    throw new TypeError(`a header says the content is ${said}, and it is written as ${encoding}`);
  }
  return text;
}

function totalLength(heads: readonly string[], parts: readonly PartToWrite[], end: string): number | undefined {
  let total = Buffer.byteLength(end);
  for (const head of heads) total += Buffer.byteLength(head);
  for (const { content, encoding } of parts) {
    const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
    if (length === undefined) return undefined;
    total += encoding === 'base64' ? base64Length(length) : length;
  }
  return total;
}

async function* bytesOf(
  heads: readonly string[],
  parts: readonly PartToWrite[],
  end: string,
): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const [index, { content, encoding }] of parts.entries()) {
    text += heads[index];
    if (typeof content === 'string' && encoding !== 'base64') {
      text += content;
      continue;
    }
    yield Buffer.from(text);
    text = '';
    const bytes = typeof content === 'string' ? one(Buffer.from(content)) : measured(content);
    yield* encoding === 'base64' ? encodeBase64(bytes) : bytes;
  }
  yield Buffer.from(text + end);
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
