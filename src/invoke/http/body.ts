import { continued, decode, isCodingError, type ReadableCoding, readableCoding } from '../../wire/content-coding.ts';
import { readContentType } from '../../wire/content-type.ts';
import { type Called, InvokeError } from '../error.ts';

/**
 * Reads the first bytes of a body. `undefined` for an empty one: the headers of a reply do not always reveal that.
 * @throws what the body throws
 */
export async function begun(bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const chunks = bytes[Symbol.asyncIterator]();
  for (;;) {
    const first = await chunks.next();
    if (first.done === true) return undefined;
    if (first.value.length > 0) return continued(first.value, chunks);
  }
}

/** A body, read up to a limit. */
export interface Collected {
  readonly head: Buffer;
  /** The remaining chunks, when the body is longer than the limit. */
  readonly rest: AsyncIterator<Uint8Array> | undefined;
}

/** Reads a body until its end, or until it is longer than `most` bytes. @throws what the body throws */
export async function collect(bytes: AsyncIterable<Uint8Array>, most: number): Promise<Collected> {
  if (bytes instanceof InOne) return { head: bytes.whole, rest: bytes.whole.length > most ? inNone() : undefined };
  const iterator = bytes[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    chunks.push(next.value);
    length += next.value.length;
    if (length > most) return { head: Buffer.concat(chunks), rest: iterator };
  }
  return { head: Buffer.concat(chunks), rest: undefined };
}

/** A body in memory, as one chunk. */
class InOne implements AsyncIterable<Uint8Array> {
  readonly whole: Buffer;

  constructor(whole: Buffer) {
    this.whole = whole;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield this.whole;
  }
}

export function inOne(whole: Buffer): AsyncIterable<Uint8Array> {
  return new InOne(whole);
}

async function* inNone(): AsyncGenerator<Uint8Array> {}

/** Media types whose content a person can read. */
const READABLE = /^text\/|[/+](?:json|xml)$/;

/** Whether content of this type can be quoted in a message. Content without a type can. */
export function isReadable(contentType: string | undefined): boolean {
  const type = contentType === undefined ? undefined : readContentType(contentType);
  return type === undefined || READABLE.test(type.essence);
}

/** Replaces invisible characters, and those that control a terminal, with a space. `undefined` when nothing is left. */
export function oneLine(text: string): string | undefined {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return line === '' ? undefined : line;
}

/** Accept-Encoding of a call that accepts a compressed reply. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

/** Codings of one reply: each costs a decoder, and more than two do not occur in practice. */
const MOST_CODINGS = 5;

/**
 * Why a reply's codings can't be decoded; `undefined` when they can, whether or not they were requested: without Accept-Encoding
 * servers may choose (RFC 9110 section 12.5.3).
 */
export function codingFault(codings: readonly string[]): string | undefined {
  if (codings.length > MOST_CODINGS)
    return `the reply has ${codings.length} content codings; at most ${MOST_CODINGS} are decoded`;
  const wrong = codings.find((coding) => readableCoding(coding) === undefined);
  if (wrong === undefined) return undefined;
  return `the reply's Content-Encoding ${wrong.slice(0, 40)} can't be decoded; supported: ${ACCEPT_ENCODING}`;
}

/**
 * A body without its content codings.
 * @throws what the body throws; InvokeError BAD_REPLY for a body that is not in that coding
 */
export function decoded(
  bytes: AsyncIterable<Uint8Array>,
  codings: readonly string[],
  called: Called,
  httpResponseCode: number,
): AsyncIterable<Uint8Array> {
  return codings.reduceRight((from, coding) => undone(from, coding, called, httpResponseCode), bytes);
}

async function* undone(
  bytes: AsyncIterable<Uint8Array>,
  coding: string,
  called: Called,
  httpResponseCode: number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* decode(bytes, readableCoding(coding) as ReadableCoding);
  } catch (error) {
    if (!isCodingError(error)) throw error;
    const reason = `the reply is not valid ${coding}: ${error.message}`;
    throw new InvokeError('BAD_REPLY', called, reason, { httpResponseCode, cause: error });
  }
}
