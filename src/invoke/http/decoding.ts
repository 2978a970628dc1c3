import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type Called, InvokeError } from '../error.ts';
import { continued } from './body.ts';

/** What replies may be compressed with where that is not asked for (RFC 9110 section 8.4.1.3). */
const ALWAYS: ReadonlySet<string> = new Set(['gzip', 'x-gzip']);

/** Accept-Encoding of a call whose reply may be compressed. */
export const ACCEPT_ENCODING = 'gzip, deflate, br';

const ASKED: ReadonlySet<string> = new Set([...ALWAYS, 'deflate', 'br']);

/** A reply's content codings in the order in which they were applied; none where it is as it is. */
export function codingsOf(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const named = header.split(',').map((coding) => coding.trim().toLowerCase());
  return named.filter((coding) => coding !== '' && coding !== 'identity');
}

/** Codings of one reply: each of them costs a decoder, and nobody has more than two. */
const MOST_CODINGS = 5;

/** What is wrong with a reply's codings; undefined where all can be undone. */
export function codingFault(codings: readonly string[], accepted: boolean): string | undefined {
  if (codings.length > MOST_CODINGS)
    return `the reply has ${codings.length} content codings, and not more than ${MOST_CODINGS} are undone`;
  const known = accepted ? ASKED : ALWAYS;
  const wrong = codings.find((coding) => !known.has(coding));
  return wrong === undefined ? undefined : `the reply's Content-Encoding ${wrong.slice(0, SHOWN)} was not asked for`;
}

/** Most characters of a coding that a message repeats. */
const SHOWN = 40;

/**
 * A body without its content codings. One that is empty stays so: a reply to HEAD names the coding of what it leaves out.
 * @throws what the body throws; InvokeError BAD_REPLY for one that is not in that coding
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
  const chunks = bytes[Symbol.asyncIterator]();
  let first = await chunks.next();
  while (first.done !== true && first.value.length === 0) first = await chunks.next();
  if (first.done === true) return;
  try {
    yield* through(continued(first.value, chunks), decoderOf(coding, first.value));
  } catch (error) {
    if (!isCoding(error)) throw error;
    const reason = `the reply is no ${coding}: ${error.message}`;
    throw new InvokeError('BAD_REPLY', called, reason, { httpResponseCode, cause: error });
  }
}

/** Its first byte says whether deflate has the zlib frame that RFC 9110 section 8.4.1.2 asks for; some leave it out. */
function decoderOf(coding: string, first: Uint8Array): NodeJS.ReadWriteStream {
  if (coding === 'br') return createBrotliDecompress();
  if (coding !== 'deflate') return createGunzip();
  return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}

function isCoding(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^Z_|^ERR_(?:_|BROTLI)/.test(String(error.code));
}

/** A stream's output for an input; what goes wrong on either side ends both. */
export async function* through(
  bytes: AsyncIterable<Uint8Array>,
  transform: NodeJS.ReadWriteStream,
): AsyncGenerator<Uint8Array> {
  const piped = pipeline(Readable.from(bytes, { objectMode: false }), transform, () => undefined);
  for await (const chunk of piped) yield chunk as Buffer;
}
