import { type IncomingMessage, type ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../../model/handler.ts';
import type { Operation } from '../../model/service.ts';
import { passing } from '../../store/file/young.ts';
import { inContext } from '../../trace/trace.ts';
import type { Coding } from '../../wire/accept-encoding.ts';
import { drain } from './body.ts';
import type { Exchange, ReplyHeaders } from './exchange.ts';
import { compress, compressed } from './select.ts';

/** Stands for a reply that was written to Node's response. A `new Response` here would load Node's fetch at the start. */
const WRITTEN = Object.freeze({}) as Response;

/** Called once a reply was sent, abandoned, or returned as a text, with its size in bytes and whether all of it was sent. */
export type Sent = (bytes: number, complete: boolean) => void;

/**
 * A body in bytes: a whole, or a stream that is opened at most once. `length` is `undefined` when it is only known at the
 * end.
 */
interface ReplyBytes extends Pick<Bytes, 'body' | 'dispose'> {
  readonly length: number | undefined;
  /** The coding that compresses a stream while it is sent. */
  readonly coding?: Coding | undefined;
}

/** Sends a reply that is in memory. */
export function respondText(
  exchange: Exchange,
  status: number,
  headers: ReplyHeaders,
  text: string | Uint8Array,
  sent: Sent,
): Response {
  addOwn(exchange, headers);
  const bodiless = isBodiless(exchange, status);
  const length = typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
  setLength(headers, status, length);
  sent(bodiless ? 0 : length, true);
  return send(exchange, status, headers, bodiless ? null : text, length);
}

/** Sends a reply whose content is in memory. @param length of the content in bytes */
function send(
  exchange: Exchange,
  status: number,
  headers: ReplyHeaders,
  content: string | Uint8Array | null,
  length = 0,
): Response {
  const { unsent, outgoing } = exchange;
  if (outgoing === undefined) {
    exchange.settle?.();
    // A Response of an empty text would get a media type.
    const body = content === '' ? null : (content as string | Uint8Array<ArrayBuffer> | null);
    if (body === null && unsent !== undefined)
      exchange.underlying?.once('finish', () => void drain(unsent).then(() => closeUnlessRead(unsent)));
    const whole = body === null || unsent === undefined ? body : ReadableStream.from(held(body, unsent));
    return new Response(whole as ReadableStream<Uint8Array> | null, { status, headers });
  }
  outgoing.writeHead(status, headers);
  // A text of ASCII alone needs no encoding.
  const encoding = typeof content === 'string' && content.length === length ? 'latin1' : 'utf8';
  if (unsent === undefined) {
    endSoon({ outgoing, content, encoding, settle: exchange.settle });
    return WRITTEN;
  }
  exchange.settle?.();
  if (headers.Connection === 'close') {
    // Not later: what was reading the request may end its connection in this turn.
    end({ outgoing, content, encoding, settle: undefined });
    return WRITTEN;
  }
  // If the connection were closed while the caller still sends, the reset would destroy the reply.
  if (content === null) outgoing.flushHeaders();
  else outgoing.write(content, encoding);
  void drain(unsent).then(() => outgoing.end(() => closeUnlessRead(unsent)));
  return WRITTEN;
}

/** A reply that ends when the rest of its request has come: if its connection were closed while the caller still sends, the reset would destroy it. */
async function* held(content: string | Uint8Array, unsent: IncomingMessage): AsyncGenerator<Uint8Array> {
  yield typeof content === 'string' ? Buffer.from(content) : content;
  // It is no longer asked for.
  unsent.removeAllListeners('newListener');
  await drain(unsent);
  if (!unsent.complete) setImmediate(() => closeUnlessRead(unsent));
}

/** Closes the connection of an answered request whose rest was not sent (RFC 9112 section 9.6): no other can follow on it. */
function closeUnlessRead({ complete, socket }: IncomingMessage): void {
  if (!complete) socket.destroySoon();
}

/** A reply whose head is written, with all of its content. */
interface Ended {
  readonly outgoing: ServerResponse;
  readonly content: string | Uint8Array | null;
  readonly encoding: 'latin1' | 'utf8';
  /** Of its exchange. */
  readonly settle: (() => void) | undefined;
}

/** Milliseconds that a reply waits for others of its turn. */
const LONGEST_WAIT = 1;

let ended: Ended[] = [];
let endedSince = 0;

/**
 * Sends a reply at the end of the turn of the event loop, with the others that become ready in it. Each send wakes a caller
 * that waits, which takes this process ten to forty microseconds; of several in a row only the first one does. With 32
 * connections a small request takes a third less processor time than if every reply were sent at once; one connection alone
 * sees no difference. Their lines of the audit log are written before the first of them is sent, at once.
 */
function endSoon(reply: Ended): void {
  if (ended.length > 0 && performance.now() - endedSince > LONGEST_WAIT) endAll();
  if (ended.length === 0) {
    endedSince = performance.now();
    setImmediate(endAll);
  }
  ended.push(reply);
}

function endAll(): void {
  const replies = ended;
  ended = [];
  // What follows belongs to none of the calls.
  inContext({}, () => {
    for (const reply of replies) reply.settle?.();
    for (const reply of replies) end(reply);
  });
}

function end({ outgoing, content, encoding }: Ended): void {
  if (content === null) outgoing.end();
  else outgoing.end(content, encoding);
}

/**
 * Sends a text in a coding, or uncompressed when `coding` is `undefined`. Content that is not
 * sent is not compressed only to find out its length.
 * @param write compresses the text
 */
export function respondCoded(
  exchange: Exchange,
  status: number,
  headers: ReplyHeaders,
  text: string | Uint8Array,
  sent: Sent,
  coding: Coding | undefined,
  write: typeof compress = compress,
): Response | Promise<Response> {
  if (coding === undefined) return respondText(exchange, status, headers, text, sent);
  if (isBodiless(exchange, status)) {
    addOwn(exchange, headers);
    sent(0, true);
    return send(exchange, status, headers, null);
  }
  const whole = write(text, coding);
  const respond = (bytes: Uint8Array): Response => respondText(exchange, status, headers, bytes, sent);
  return whole instanceof Promise ? whole.then(respond) : respond(whole);
}

/**
 * Sends a reply in bytes: with a known length, or in chunks. If the caller disconnects or an error occurs, the connection
 * is closed, so a truncated reply never looks complete.
 * @param failed gets the error of a stream that ended early or did not match its declared length
 */
export function respondBytes(
  exchange: Exchange,
  status: number,
  headers: ReplyHeaders,
  bytes: ReplyBytes,
  sent: Sent,
  failed: (error: unknown) => void,
): Response {
  addOwn(exchange, headers);
  if (bytes.length !== undefined && bytes.coding === undefined) setLength(headers, status, bytes.length);
  if (isBodiless(exchange, status)) {
    bytes.dispose?.();
    sent(0, true);
    return send(exchange, status, headers, null);
  }
  if (bytes.body instanceof Uint8Array) {
    bytes.dispose?.();
    sent(bytes.body.byteLength, true);
    return send(exchange, status, headers, bytes.body);
  }
  const { outgoing } = exchange;
  const settled: Sent = (count, complete) => {
    sent(count, complete);
    exchange.settle?.();
  };
  if (outgoing === undefined) {
    const body = ReadableStream.from(cutting(exchange, bodyOf(bytes, settled), failed));
    return new Response(body as ReadableStream<Uint8Array>, { status, headers });
  }
  // Piped from the source directly to Node's response: a web stream in between would cost a quarter of the speed. A piece
  // beyond the response's high-water mark is written completely before the next is asked for, so buffers can be reused:
  // new ones cost a collection of the whole heap every 24 MB, half of the time of a large result.
  outgoing.writeHead(status, headers);
  pipeline(bodyOf(bytes, settled, 'reused'), outgoing).then(
    () => {
      const { unsent } = exchange;
      if (unsent !== undefined) void drain(unsent).then(() => closeUnlessRead(unsent));
    },
    (error: NodeJS.ErrnoException) => {
      // A disconnected caller is not a failure here.
      if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') failed(error);
      outgoing.destroy();
    },
  );
  return WRITTEN;
}

/** The content of a Response. An adapter would write the message of an error behind what was sent, and end the reply. */
async function* cutting(
  exchange: Exchange,
  content: AsyncIterable<Uint8Array>,
  failed: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    failed(error);
    if (exchange.underlying === undefined) throw error;
    exchange.underlying.destroy();
  }
}

/** Whether a reply never has content (RFC 9110, sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5). */
export function isBodiless({ method }: Exchange, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}

/** HEAD and 304 state the length of the content that they do not send; 204 must not (RFC 9110 section 8.6). */
function setLength(headers: ReplyHeaders, status: number, length: number): void {
  if (status !== 204) headers['Content-Length'] = status === 205 ? '0' : String(length);
}

/** Adds the headers that every reply carries. */
function addOwn({ requestId, cors, limits }: Exchange, headers: ReplyHeaders): void {
  headers['X-Content-Type-Options'] ??= 'nosniff';
  headers['X-Request-Id'] = requestId;
  if (limits !== undefined) Object.assign(headers, limits);
  if (cors === undefined) return;
  Object.assign(headers, cors);
  headers.Vary = headers.Vary === undefined ? 'Origin' : `${headers.Vary}, Origin`;
}

/** The content of a streamed reply as it is sent. */
function bodyOf(bytes: ReplyBytes, sent: Sent, buffers?: 'reused'): AsyncGenerator<Uint8Array> {
  return bytes.coding === undefined ? disposing(bytes, sent, buffers) : coded(bytes, bytes.coding, sent);
}

async function* coded(bytes: ReplyBytes, coding: Coding, sent: Sent): AsyncGenerator<Uint8Array> {
  let count = 0;
  let complete = false;
  try {
    for await (const chunk of compressed(
      disposing(bytes, () => {}),
      coding,
    )) {
      count += chunk.length;
      yield chunk;
    }
    complete = true;
  } finally {
    sent(count, complete);
  }
}

/**
 * The bytes of a stream. Exactly the declared number is sent, otherwise the next reply would be read as a part of this
 * one.
 */
async function* disposing(bytes: ReplyBytes, sent: Sent, buffers?: 'reused'): AsyncGenerator<Uint8Array> {
  let count = 0;
  const { length = Number.POSITIVE_INFINITY } = bytes;
  let isSent = false;
  let isWhole = false;
  try {
    for await (const chunk of (bytes.body as Exclude<ReplyBytes['body'], Uint8Array>)(buffers)) {
      if (count + chunk.length > length) throw new RangeError(`a reply of ${length} bytes holds more`);
      count += chunk.length;
      // For its caller, the reply is complete with this piece.
      if (count === length && !isSent) {
        isSent = true;
        sent(count, true);
      }
      yield chunk;
      passing(chunk.length);
    }
    if (bytes.length !== undefined && count < length)
      throw new RangeError(`a reply of ${length} bytes ended after ${count}`);
    isWhole = true;
  } finally {
    bytes.dispose?.();
    if (!isSent) sent(count, isWhole || count === bytes.length);
  }
}

/** Headers that every reply of an operation carries. */
export function operationHeaders(operation: Operation): ReplyHeaders {
  const headers: ReplyHeaders = { 'X-Content-Type-Options': 'nosniff' };
  // A reply that needs a grant is for its caller only (RFC 9111 section 5.2.2.5).
  if (!operation.public) headers['Cache-Control'] = 'no-store';
  if (operation.responses.length > 1 || operation.wrapper !== undefined) headers.Vary = 'Accept';
  const { deprecated } = operation.service;
  if (deprecated !== undefined) {
    // RFC 9745 section 2.1: a date as an Item of Structured Fields, `@` and seconds. There is no form for an unknown date.
    if (deprecated.since !== undefined) headers.Deprecation = `@${Date.parse(`${deprecated.since}T00:00:00Z`) / 1000}`;
    // RFC 8594 section 3: an HTTP date.
    if (deprecated.sunset !== undefined) headers.Sunset = new Date(`${deprecated.sunset}T00:00:00Z`).toUTCString();
  }
  return headers;
}

/** Headers that code may set and the gateway reads itself, by lower-case name, mapped to their usual spelling. */
const READ: ReadonlyMap<string, string> = new Map(
  ['Cache-Control', 'Content-Encoding', 'ETag', 'Last-Modified', 'Vary'].map((name) => [name.toLowerCase(), name]),
);

/** Merges headers set by code: they replace headers of the same name in any case, except that Vary is extended. */
export function withHeaders(headers: ReplyHeaders, given: Readonly<Record<string, string>> | undefined): ReplyHeaders {
  const merged = { ...headers };
  if (given === undefined) return merged;
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const known = Object.keys(merged).find((each) => each.toLowerCase() === lower);
    merged[known ?? READ.get(lower) ?? name] = known === 'Vary' ? `${merged.Vary}, ${value}` : value;
  }
  return merged;
}

/** Headers that frame the message on the connection, or that the gateway sets itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'transfer-encoding',
  'x-request-id',
]);

/** Checks headers that code sets on a reply or fault. @throws TypeError for a header that is invalid or reserved */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`the gateway sets the header ${name} itself`);
  }
}
