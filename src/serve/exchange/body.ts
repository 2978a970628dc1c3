import type { IncomingMessage } from 'node:http';
import type { RequestBody } from '../../binding/rest/body.ts';
import { Fault } from '../../model/fault.ts';
import type { Limits } from '../../model/gateway.ts';
import type { Attachment } from '../../model/value.ts';
import { passing } from '../../store/file/young.ts';
import { codingsOf, decode, isCodingError, type ReadableCoding, readableCoding } from '../../wire/content-coding.ts';
import { afterSilence, withinSilence } from '../../wire/waiting.ts';

/** The source of a request's bytes, readable once: Node's request, or a web stream in tests. */
export interface ByteSource {
  chunks(): AsyncIterable<Uint8Array>;
  /** Reads the whole body within the limits, faster than in chunks. */
  all?(limits: BodyLimits): Promise<Uint8Array>;
}

export interface ReceivedBody extends RequestBody {
  /** The whole body. @throws Fault BODY_TOO_LARGE, REQUEST_TIMEOUT */
  bytes(): Promise<Uint8Array>;
}

interface BodyHead {
  readonly contentType: string | undefined;
  readonly contentLength: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly transferEncoding: string | undefined;
}

/** Sees the bytes of a body as they are read. */
export interface BodyDigest {
  update(bytes: Uint8Array): void;
  /** All of the body was read. */
  end(): void;
}

export interface BodyLimits {
  /** In bytes, of the content without its coding. */
  readonly size: number;
  /** The key of the definitions that sets it, in words; absent when it is fixed. */
  readonly key?: string | undefined;
  /** The content codings that are accepted (`request-encodings:`); none when absent. */
  readonly codings?: readonly ReadableCoding[] | undefined;
  /** The slowest accepted transfer. */
  readonly pace: Pace;
  /** Called for every chunk that is read, with its size in bytes. */
  readonly onRead?: (bytes: number) => void;
  readonly digest?: BodyDigest | undefined;
}

/** The limit of a message together with all its attachments, each of which its reader bounds. */
export function wholeLimit({ body, attachment, attachments }: Limits): Pick<BodyLimits, 'size' | 'key'> {
  return { size: body + attachments * attachment, key: '`limits.body + limits.attachments * limits.attachment`' };
}

/** The slowest accepted transfer of a body. The total time is not limited, as bodies may be large. */
export interface Pace {
  /** Milliseconds to wait for the next bytes. */
  readonly idle: number;
  /** Bytes per second that must arrive on average. */
  readonly slowest: number;
  /** Milliseconds during which fewer bytes may arrive. */
  readonly grace: number;
}

/** Milliseconds without a byte after which a transfer is given up. */
export const IDLE_TIMEOUT = 30_000;

/** Milliseconds before the minimum rate of a body applies: connections need a moment to gather speed. */
export const GRACE = 5_000;

/** Milliseconds to wait for the next bytes of a body, given the bytes seen and the time waited so far. */
function patience({ idle, slowest, grace }: Pace, seen: number, waited: number): number {
  return Math.max(Math.min(idle, Math.max(grace, (seen * 1000) / slowest) - waited), 0);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Most requests have no body (RFC 9112 section 6.3, case 7). */
export const NO_BODY: ReceivedBody = readBody(
  { contentType: undefined, contentLength: undefined, contentEncoding: undefined, transferEncoding: undefined },
  undefined,
  { size: 0, pace: { idle: IDLE_TIMEOUT, slowest: 1, grace: GRACE } },
);

/**
 * A request's body, read at most once and never beyond the limits: readers get BODY_TOO_LARGE at the first byte too many,
 * and REQUEST_TIMEOUT when no more bytes arrive. Of a body with a content coding, the decoded bytes count.
 * @throws Fault BODY_TOO_LARGE when the declared length exceeds the limit, UNSUPPORTED_MEDIA_TYPE for a coding
 */
export function readBody(head: BodyHead, source: ByteSource | undefined, limits: BodyLimits): ReceivedBody {
  const declared = head.contentLength === undefined ? undefined : Number(head.contentLength);
  const present = head.transferEncoding !== undefined || (declared !== undefined && declared > 0);
  const coding = present && head.contentEncoding !== undefined ? codingOf(head.contentEncoding, limits) : undefined;
  const room = coding === undefined ? limits.size : codedRoom(limits.size);
  if (declared !== undefined && declared > room) throw tooLarge(limits);
  const { digest } = limits;
  if (!present) digest?.end();
  const stream = (): AsyncGenerator<Uint8Array> =>
    coding === undefined ? counted(source, limits) : uncoded(source, coding, limits);
  const bytes = (): Promise<Uint8Array> => {
    if (coding !== undefined) return gather(stream());
    const all = source?.all?.(limits);
    if (all === undefined) return gather(counted(source, limits));
    return digest === undefined ? all : all.then((whole) => digested(whole, digest));
  };
  return {
    contentType: head.contentType,
    length: coding === undefined ? declared : undefined,
    present,
    bytes,
    async text() {
      const all = await bytes();
      try {
        return utf8.decode(all);
      } catch {
        throw Fault.of('BAD_BODY', { reason: 'it is not UTF-8' }, { at: { pointer: '#' } });
      }
    },
    attachment(contentType): Attachment {
      const base = { contentType, stream };
      return declared === undefined || coding !== undefined ? base : { ...base, length: declared };
    },
  };
}

function tooLarge({ size: limit, key }: Pick<BodyLimits, 'size' | 'key'>): Fault {
  return Fault.of('BODY_TOO_LARGE', { limit, key });
}

/**
 * The coding of a body; `undefined` for none.
 * @throws Fault UNSUPPORTED_MEDIA_TYPE with the accepted ones in Accept-Encoding (RFC 7694)
 */
function codingOf(header: string, { codings = [] }: BodyLimits): ReadableCoding | undefined {
  const [name, ...others] = codingsOf(header);
  if (name === undefined) return undefined;
  const coding = readableCoding(name);
  // Each further one multiplies the work that a small request can cause.
  if (coding !== undefined && others.length === 0 && codings.includes(coding)) return coding;
  const given = `Content-Encoding ${header.slice(0, 40)}`;
  const supported = codings.length === 0 ? 'identity' : codings.join(', ');
  const reason = others.length === 0 ? '' : ' (more than one coding)';
  throw Fault.of(
    'UNSUPPORTED_MEDIA_TYPE',
    { given: given + reason, supported },
    { headers: { 'Accept-Encoding': supported } },
  );
}

/** Bytes that content of this size may take in a coding: what can't be compressed becomes a little larger. */
function codedRoom(size: number): number {
  return size + Math.ceil(size / 256) + 1024;
}

/** A body without its coding. The pace is that of the bytes as they arrive, size and digest are of what they stand for. */
async function* uncoded(
  source: ByteSource | undefined,
  coding: ReadableCoding,
  { digest, ...limits }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const arriving = counted(source, limits, codedRoom(limits.size));
  let seen = 0;
  try {
    for await (const chunk of decode(arriving, coding, { exact: true })) {
      seen += chunk.length;
      if (seen > limits.size) throw tooLarge(limits);
      digest?.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!isCodingError(error)) throw error;
    throw Fault.of('BAD_BODY', { reason: `it is not valid ${coding}: ${error.message}` }, { at: { pointer: '#' } });
  }
  digest?.end();
}

function digested(whole: Uint8Array, digest: BodyDigest): Uint8Array {
  digest.update(whole);
  digest.end();
  return whole;
}

async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

/** The bytes as they arrive, within the limits. @param room largest number of bytes */
async function* counted(
  source: ByteSource | undefined,
  limits: BodyLimits,
  room = limits.size,
): AsyncGenerator<Uint8Array> {
  if (source === undefined) return;
  const { pace, onRead, digest } = limits;
  const chunks = source.chunks()[Symbol.asyncIterator]();
  let seen = 0;
  // Time that the reader spends on bytes it received must not count as the caller's slowness.
  let waited = 0;
  try {
    while (true) {
      const since = performance.now();
      const { done, value } = await withinSilence(chunks.next(), patience(pace, seen, waited), stalled);
      if (done) {
        digest?.end();
        return;
      }
      waited += performance.now() - since;
      seen += value.length;
      if (seen > room) throw tooLarge(limits);
      onRead?.(value.length);
      digest?.update(value);
      yield value;
      passing(value.length);
    }
  } finally {
    // Not awaited: if the caller has stalled, it would only end with the connection.
    void chunks.return?.();
  }
}

/** RFC 9110 section 15.5.9: the connection must not be used again. */
function stalled(): Fault {
  return Fault.of('REQUEST_TIMEOUT', {}, { headers: { Connection: 'close' } });
}

/**
 * The body of Node's request. Stopping early leaves the socket open, because the reply that gives the reason still has to
 * be sent on it.
 * @param begin called before the first byte is read, and possibly again
 */
export function incomingSource(incoming: IncomingMessage, begin: () => void): ByteSource {
  return {
    chunks() {
      begin();
      return incoming.iterator({ destroyOnReturn: false });
    },
    all(limits) {
      begin();
      return readAll(incoming, limits);
    },
  };
}

/**
 * Milliseconds in which a caller has to send the rest of a request that was already answered, and the longest pause within
 * it.
 */
const LINGER = { whole: 30_000, pause: 1_000 };

/** Reads and discards the rest of a request, for a limited time (RFC 9112 section 9.6). */
export function drain(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(whole);
      clearTimeout(pause);
      incoming.off('data', onData);
      resolve();
    };
    const whole = setTimeout(over, LINGER.whole);
    const pause = setTimeout(over, LINGER.pause);
    const onData = (): void => {
      pause.refresh();
    };
    incoming.once('close', over).once('end', over).once('error', over).on('data', onData);
  });
}

/**
 * Reads a whole body. A small one comes with its headers, and the parser hands it over right after them: it costs neither
 * a timer nor events, which take ten microseconds.
 */
async function readAll(incoming: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  if (!incoming.complete) await undefined;
  return isHere(incoming) ? takeAll(incoming, limits) : listen(incoming, limits);
}

/** Whether a body can be taken as a whole. The parser tells of its end later than of its last bytes. */
function isHere(incoming: IncomingMessage): boolean {
  const { complete, destroyed, headers, readableLength } = incoming;
  return !destroyed && readableLength > 0 && (complete || readableLength === Number(headers['content-length']));
}

function takeAll(incoming: IncomingMessage, { size, key, onRead }: BodyLimits): Uint8Array {
  if (incoming.readableLength > size) throw tooLarge({ size, key });
  const bytes: Buffer = incoming.read();
  onRead?.(bytes.length);
  return bytes;
}

/** Listening to events costs a body a third of the time that an iterator takes. */
function listen(incoming: IncomingMessage, { size, key, pace, onRead }: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let seen = 0;
    const since = performance.now();
    const late = (): void => stop(stalled());
    let unbound = afterSilence(patience(pace, 0, 0), late);
    const take = (chunk: Uint8Array): void => {
      seen += chunk.length;
      if (seen > size) {
        stop(tooLarge({ size, key }));
        return;
      }
      chunks.push(chunk);
      unbound();
      unbound = afterSilence(patience(pace, seen, performance.now() - since), late);
      onRead?.(chunk.length);
    };
    const end = (): void => {
      release();
      resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks));
    };
    const stop = (error: Error): void => {
      release();
      incoming.pause();
      reject(error);
    };
    const release = (): void => {
      unbound();
      incoming.off('data', take).off('end', end).off('error', stop);
    };
    incoming.on('data', take).on('end', end).on('error', stop);
  });
}

interface WithinTimeOptions<T> {
  /** Receives a result that arrives too late. */
  readonly unwanted?: (result: T) => void;
  /** The moment (`performance.now()`) from which the time counts, if later than the start; called when the time is up. */
  readonly since?: () => number;
}

/**
 * Waits for a result for at most `ms` milliseconds.
 * @param late creates the error thrown instead; what still runs has to react to its own abort signal
 */
export function withinTime<T>(
  work: Promise<T>,
  ms: number,
  late: () => Error,
  { unwanted, since }: WithinTimeOptions<T> = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const expire = (): void => {
      const left = since === undefined ? 0 : since() + ms - performance.now();
      if (left >= 1) {
        timer = setTimeout(expire, left);
        return;
      }
      isLate = true;
      reject(late());
    };
    let timer = setTimeout(expire, ms);
    work.then(
      (value) => {
        clearTimeout(timer);
        if (isLate) unwanted?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
