import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { codeOf } from './error.ts';

// Content codings, RFC 9110 section 8.4.1, of received bodies: requests and replies.

/** Codings that are decoded. */
export type ReadableCoding = 'gzip' | 'deflate' | 'br';

/** `x-gzip` is `gzip` (section 8.4.1.3). */
const READABLE: ReadonlyMap<string, ReadableCoding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
]);

/** @param name as {@link codingsOf} returns it */
export function readableCoding(name: string): ReadableCoding | undefined {
  return READABLE.get(name);
}

/**
 * The content codings of a body in lower case, in the order in which they were applied. `identity` is none, and neither is the
 * name of a charset: programs that confuse both headers send `Content-Encoding: utf-8`.
 */
export function codingsOf(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const named = header
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  return named.length > MOST_NAMED ? named : named.filter((coding) => !isCharset(coding));
}

/** More are refused by every reader, whatever they are. */
const MOST_NAMED = 10;

function isCharset(name: string): boolean {
  // Nearly every header names a coding, and no label of a charset is as long.
  if (READABLE.has(name) || name.length > 40) return false;
  try {
    return new TextDecoder(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * A body without one of its codings, as a stream. An empty one stays empty: a reply to HEAD names the coding of a body that it
 * omits.
 * @param exact bytes after the end of the compressed data are an error, not ignored
 * @throws what the body throws; an error of zlib, see {@link isCodingError}
 */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  coding: ReadableCoding,
  { exact = false }: { readonly exact?: boolean } = {},
): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  let first = await chunks.next();
  while (first.done !== true && first.value.length === 0) first = await chunks.next();
  if (first.done === true) return;
  yield* through(continued(first.value, chunks), decoderOf(coding, first.value, exact));
}

/** Whether an error says that bytes are not in the coding that they should be in. */
export function isCodingError(error: unknown): error is Error {
  return /^Z_|^ERR_(?:_|BROTLI|TRAILING)/.test(codeOf(error));
}

/** RFC 9110 section 8.4.1.2 requires a zlib frame for deflate; some programs omit it. The first byte tells. */
function decoderOf(coding: ReadableCoding, first: Uint8Array, exact: boolean): NodeJS.ReadWriteStream {
  // Several members of gzip are one content (RFC 1952 section 2.2); zlib refuses anything else that follows.
  if (coding === 'gzip') return createGunzip();
  const options = { rejectGarbageAfterEnd: exact };
  if (coding === 'br') return createBrotliDecompress(options);
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options);
}

/** A body whose first chunk has been read already. */
export async function* continued(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Pipes a body through a transform stream. An error on either side ends both. */
export async function* through(
  bytes: AsyncIterable<Uint8Array>,
  transform: NodeJS.ReadWriteStream,
): AsyncGenerator<Uint8Array> {
  const piped = pipeline(Readable.from(bytes, { objectMode: false }), transform, () => undefined);
  for await (const chunk of piped) yield chunk as Buffer;
}
