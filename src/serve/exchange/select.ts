import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  type CompressCallback,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib';
import { readTags } from '../../event/index.ts';
import type { ByteRange, StoredBlob } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import { acceptedCodings, CODINGS, type Coding } from '../../wire/accept-encoding.ts';
import { contentRange, parseRange } from '../../wire/byte-range.ts';
import { codedTag, matches, matchesNone, uncodedTags } from '../../wire/entity-tag.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import type { Exchange, ReplyHeaders } from './exchange.ts';

// Selects what a reply carries of a representation: its coding, whether the caller has it already, and which of its bytes
// are requested (RFC 9110, sections 12.5.3, 13 and 14).

/** The content that a reply could carry. */
interface Content {
  readonly contentType: string;
  /** In bytes, if known. */
  readonly length: number | undefined;
  readonly stored?: StoredBlob | undefined;
}

/** The selected content of a reply. */
interface Selected {
  readonly status: number;
  readonly coding: Coding | undefined;
  /** `undefined` for all bytes. */
  readonly range: ByteRange | undefined;
}

/** Rejects a caller that accepts neither a supported coding nor the uncompressed bytes. @throws Fault */
export function checkCodings(exchange: Exchange, compresses: boolean): void {
  const header = exchange.header('accept-encoding');
  // Nearly every caller accepts something.
  if (header === undefined || !/q=0/i.test(header)) return;
  const { coding, identity } = acceptedCodings(header);
  if (identity || (compresses && coding !== undefined)) return;
  const offered = [...(compresses ? CODINGS : []), 'identity'].join(', ');
  throw Fault.of('CODING_NOT_ACCEPTABLE', { offered });
}

/**
 * The coding of a reply, set in its headers. `undefined` when it is sent unchanged: it is too small, the caller does not
 * accept a coding, or code has encoded it itself or forbidden it (`no-transform`, RFC 9111 section 5.2.2.6).
 */
export function selectCoding(
  exchange: Exchange,
  headers: ReplyHeaders,
  { contentType, length }: Content,
): Coding | undefined {
  if (headers['Content-Encoding'] !== undefined) return undefined;
  if (NO_TRANSFORM.test(headers['Cache-Control'] ?? '')) return undefined;
  addVary(headers, 'Accept-Encoding');
  const { coding, identity } = acceptedCodings(exchange.header('accept-encoding'));
  if (coding === undefined || NO_TRANSFORM.test(exchange.header('cache-control') ?? '')) return undefined;
  if (identity && !isWorthwhile(contentType, length)) return undefined;
  headers['Content-Encoding'] = coding;
  if (headers.ETag !== undefined) headers.ETag = codedTag(headers.ETag, coding);
  return coding;
}

const NO_TRANSFORM = /(?:^|[\s,])no-transform(?:$|[\s,])/i;

/**
 * Selects the part of a REST reply that is sent, and sets its headers.
 * @param compresses whether the gateway compresses REST replies
 * @throws Fault PRECONDITION_FAILED, RANGE_NOT_SATISFIABLE; BAD_PARAMETER for a condition that is not valid
 */
export function select(
  exchange: Exchange,
  status: number,
  headers: ReplyHeaders,
  content: Content,
  compresses: boolean,
): Selected {
  const { stored } = content;
  const isRead = status === 200 && (exchange.method === 'GET' || exchange.method === 'HEAD');
  const ranged = isRead && stored !== undefined ? rangeAskedFor(exchange) : undefined;
  if (stored !== undefined) describeStored(headers, stored);
  const coding =
    compresses && ranged === undefined && !UNCODED.has(status) ? selectCoding(exchange, headers, content) : undefined;
  if (compresses && ranged !== undefined) addVary(headers, 'Accept-Encoding');
  if (stored !== undefined && coding === undefined) headers['Accept-Ranges'] = 'bytes';
  const whole = { status, coding, range: undefined };
  if (!isRead) return whole;
  const etag = headers.ETag;
  const modified = headers['Last-Modified'];
  if (isKnown(exchange, etag, modified)) {
    delete headers['Content-Encoding'];
    return { ...whole, status: 304 };
  }
  if (stored === undefined || ranged === undefined || !holds(exchange.header('if-range'), etag, modified)) return whole;
  const { length } = stored;
  const range = parseRange(ranged, length);
  if (range === undefined) return whole;
  if (range === 'unsatisfiable') {
    const said = { 'Content-Range': `bytes */${length}`, 'Accept-Ranges': 'bytes' };
    throw Fault.of('RANGE_NOT_SATISFIABLE', { length }, { headers: said });
  }
  headers['Content-Range'] = contentRange(range, length);
  return { status: 206, coding, range };
}

/** Statuses of replies without content of their own, or with only a part of it. */
const UNCODED: ReadonlySet<number> = new Set([204, 205, 206, 304]);

/**
 * `Range` of a GET (section 14.2). Ranges apply to the uncompressed bytes; a caller that does not accept these gets all of
 * them in a coding.
 */
function rangeAskedFor(exchange: Exchange): string | undefined {
  if (exchange.method !== 'GET') return undefined;
  const range = exchange.header('range');
  return range === undefined || !acceptedCodings(exchange.header('accept-encoding')).identity ? undefined : range;
}

/** Adds the headers that describe stored content. */
function describeStored(headers: ReplyHeaders, { sha256, stored }: StoredBlob): void {
  headers.ETag ??= `"${sha256}"`;
  const since = Date.parse(stored);
  // It could change again within the same second: only a date before the current second is a strong validator (section
  // 8.8.2.2).
  if (Math.floor(since / 1000) < Math.floor(Date.now() / 1000))
    headers['Last-Modified'] ??= new Date(since).toUTCString();
}

/** Whether the caller already has the content, in the order of section 13.2.2. @throws Fault PRECONDITION_FAILED */
function isKnown(exchange: Exchange, etag: string | undefined, modified: string | undefined): boolean {
  const present = etag?.replace(/^W\//, '').slice(1, -1);
  const isWeak = etag?.startsWith('W/') === true;
  const ifMatch = exchange.header('if-match');
  const since = dateOf(modified);
  if (ifMatch !== undefined && etag !== undefined) {
    const own = isWeak ? undefined : uncodedTags(etag).slice(1, -1);
    const expected = readTags('If-Match', uncodedTags(ifMatch));
    if (expected !== '*' && !matches(expected, own)) throw Fault.of('PRECONDITION_FAILED', { what: 'The resource' });
  } else if (ifMatch === undefined && since !== undefined) {
    const limit = dateOf(exchange.header('if-unmodified-since'));
    if (limit !== undefined && since > limit) throw Fault.of('PRECONDITION_FAILED', { what: 'The resource' });
  }
  const ifNoneMatch = exchange.header('if-none-match');
  if (ifNoneMatch !== undefined && present !== undefined)
    return !matchesNone(readTags('If-None-Match', ifNoneMatch), present);
  const limit = since === undefined ? undefined : dateOf(exchange.header('if-modified-since'));
  return ifNoneMatch === undefined && limit !== undefined && (since as number) <= limit;
}

/** Whether `If-Range` permits a range: when it is absent, or matches the current content (section 13.1.5). */
function holds(ifRange: string | undefined, etag: string | undefined, modified: string | undefined): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) return ifRange === etag;
  const date = dateOf(ifRange);
  return date !== undefined && date === dateOf(modified);
}

/** An HTTP date, as milliseconds. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/ GMT$/.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}

function addVary(headers: ReplyHeaders, name: string): void {
  headers.Vary = headers.Vary === undefined ? name : `${headers.Vary}, ${name}`;
}

/**
 * The smallest content, in bytes, that is worth compressing. A reply of 1 KiB and its head fit into one packet of 1,460 bytes either way, and compressing
 * it takes some 25 µs of processor time, which is a third of what the whole call takes.
 */
const WORTHWHILE = 1024;

/**
 * Largest size in bytes that is compressed synchronously. That takes 0.1 ms at most, about as much as passing it to
 * another thread.
 */
const AT_ONCE = 16 * 1024;

/**
 * Milliseconds for which bytes are buffered before they are sent, so that the output of a slow source is visible as it
 * arrives.
 */
const PATIENCE = 50;

/** Types whose content is already compressed, or can be anything. All others are compressed. */
const COMPRESSED: ReadonlySet<string> = new Set([
  'application/epub+zip',
  'application/gzip',
  'application/java-archive',
  'application/octet-stream',
  'application/pdf',
  'application/vnd.ms-cab-compressed',
  'application/vnd.rar',
  'application/x-7z-compressed',
  'application/x-brotli',
  'application/x-bzip',
  'application/x-bzip2',
  'application/x-compress',
  'application/x-gzip',
  'application/x-rar-compressed',
  'application/x-xz',
  'application/x-zip-compressed',
  'application/zip',
  'application/zlib',
  'application/zstd',
  'font/woff',
  'font/woff2',
]);

/** The same by common parts of type names: Office documents are archives, and so are types that end in `+zip`. */
const COMPRESSED_KINDS =
  /^(?:image\/(?!svg\+xml$|bmp$|x-ms-bmp$|tiff$)|audio\/|video\/|multipart\/|application\/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.)|\+(?:zip|gzip|zstd)$/;

/** Whether compression saves more than it costs. @param length in bytes, if known */
function isWorthwhile(contentType: string, length: number | undefined): boolean {
  if (length !== undefined && length < WORTHWHILE) return false;
  const essence = parseMediaType(contentType)?.essence ?? 'application/octet-stream';
  return !COMPRESSED.has(essence) && !COMPRESSED_KINDS.test(essence);
}

/** The encoder of a coding. The levels: of 1 MiB of JSON each makes 0.13 MiB, zstd and br in 5 ms, gzip in 12. */
interface Encoder {
  readonly all: (bytes: Uint8Array) => Promise<Buffer>;
  readonly atOnce: (bytes: Uint8Array) => Buffer;
  readonly stream: () => Transform & { flush(kind: number, done: () => void): void };
  readonly flush: number;
}

const GZIP = { level: 4 };
const BR = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

type Compress<O> = (bytes: Uint8Array, options: O, done: CompressCallback) => void;

const inPool = <O>(compress: Compress<O>, options: O): Encoder['all'] => {
  const promised = promisify(compress) as (bytes: Uint8Array, options: O) => Promise<Buffer>;
  return (bytes) => promised(bytes, options);
};

const ENCODERS: Readonly<Record<Coding, Encoder>> = {
  gzip: {
    all: inPool(gzip as Compress<typeof GZIP>, GZIP),
    atOnce: (bytes) => gzipSync(bytes, GZIP),
    stream: () => createGzip(GZIP),
    flush: constants.Z_SYNC_FLUSH,
  },
  br: {
    all: inPool(brotliCompress as Compress<typeof BR>, BR),
    atOnce: (bytes) => brotliCompressSync(bytes, BR),
    stream: () => createBrotliCompress(BR),
    flush: constants.BROTLI_OPERATION_FLUSH,
  },
  zstd: {
    all: inPool(zstdCompress as Compress<typeof ZSTD>, ZSTD),
    atOnce: (bytes) => zstdCompressSync(bytes, ZSTD),
    stream: () => createZstdCompress(ZSTD),
    flush: constants.ZSTD_e_flush,
  },
};

/** Compresses content in memory; larger content outside the main thread. */
export function compress(content: string | Uint8Array, coding: Coding): Uint8Array | Promise<Uint8Array> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const { atOnce, all } = ENCODERS[coding];
  return bytes.length <= AT_ONCE ? atOnce(bytes) : all(bytes);
}

/**
 * Compresses a stream as it is read, no faster than the reader consumes it; it is closed when the reader stops.
 * @throws the errors of the source
 */
export async function* compressed(
  source: AsyncIterable<Uint8Array>,
  coding: Coding,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { stream, flush } = ENCODERS[coding];
  const encoder = stream();
  const sendNow = setTimeout(() => encoder.flush(flush, () => {}), PATIENCE).unref();
  const seen = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      yield chunk;
      sendNow.refresh();
    }
  };
  // An error of the source reaches the encoder too, and is thrown by the loop below.
  pipeline(seen, encoder).catch(() => {});
  try {
    for await (const chunk of encoder) yield chunk as Uint8Array;
  } finally {
    clearTimeout(sendNow);
    encoder.destroy();
  }
}
