import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { REPLY_HEAD } from '../../limits.ts';
import { oneLine } from '../body.ts';

/**
 * Interim replies before the final one. None, one or two are usual; a target that works for long may send `102 Processing`
 * every few seconds (RFC 2518 section 10.1).
 */
const MOST_INTERIM = 100;

/** Why the head of a reply can't be read. `message` completes the sentence `the reply is not valid HTTP: ${message}`. */
export class InvalidHead extends Error {
  override readonly name = 'InvalidHead';
}

/** A target that sends more interim replies, or larger heads, than a call reads. `message` is a whole sentence. */
export class LargeHead extends Error {
  override readonly name = 'LargeHead';
}

/**
 * Reads the heads of replies before undici does, whose parser closes the connection when it sees `100 Continue`, and refuses what
 * RFC 9110 and RFC 9112 let a client repair. The rest of a reply is passed on as it arrives.
 *
 * - An interim reply that was not asked for is parsed and dropped (RFC 9110 section 15.2). undici reads those from 102 itself, and
 *   waits anew after them.
 * - A folded line is joined to the one before with a space (RFC 9112 section 5.2).
 * - A line may end with a line feed alone (RFC 9112 section 2.2).
 * - White space before a colon is removed (RFC 9112 section 5.1); a control character in a value becomes a space (RFC 9110
 *   section 5.5).
 * - Equal values of Content-Length count once (RFC 9112 section 6.3). Different ones, and one beside Transfer-Encoding, are refused.
 */
export function readHeads(socket: Socket): void {
  observe();
  const reader = new HeadReader((error) => socket.destroy(error));
  readers.set(socket, reader);
  const push = socket.push;
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (!reader.isWaiting) return push.call(socket, chunk, encoding);
    // An end inside a head is the parser's to report.
    const bytes = chunk === null ? reader.rest() : reader.take(chunk);
    if (chunk !== null) return bytes === undefined || push.call(socket, bytes);
    if (bytes !== undefined) push.call(socket, bytes);
    return push.call(socket, null);
  };
}

const readers = new WeakMap<object, HeadReader>();

let isObserving = false;

/**
 * undici states on a diagnostics channel which connection a request is written to. One connection has one request at a time, so
 * that the next bytes on it are the head of the reply to that.
 */
function observe(): void {
  if (isObserving) return;
  isObserving = true;
  subscribe('undici:client:sendHeaders', (message) => {
    readers.get((message as { readonly socket: object }).socket)?.begin();
  });
}

const [HT, LF, CR, SP, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x3a] as const;

/** The head of the replies to one request after the other. */
class HeadReader {
  /** The head of a reply is expected. */
  isWaiting = false;
  readonly #fail: (error: Error) => void;
  #held: Buffer | undefined;
  #interim = 0;
  #interimBytes = 0;

  constructor(fail: (error: Error) => void) {
    this.#fail = fail;
  }

  begin(): void {
    this.isWaiting = true;
    this.#interim = 0;
    this.#interimBytes = 0;
  }

  /** What was held back. */
  rest(): Buffer | undefined {
    const held = this.#held;
    this.#held = undefined;
    this.isWaiting = false;
    return held;
  }

  /** The bytes for the parser; `undefined` for none. */
  take(chunk: Buffer): Buffer | undefined {
    try {
      return this.#taken(chunk);
    } catch (error) {
      this.rest();
      this.#fail(error as Error);
      return undefined;
    }
  }

  #taken(chunk: Buffer): Buffer | undefined {
    let bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = undefined;
    const parsed: Buffer[] = [];
    for (;;) {
      const from = startOf(bytes);
      const head = headAt(bytes, from);
      if (head === undefined) {
        if (bytes.length - from > REPLY_HEAD)
          throw new LargeHead(`the head of the reply is larger than ${REPLY_HEAD} bytes (a fixed limit)`);
        this.#held = bytes.length === 0 ? undefined : bytes;
        break;
      }
      const status = statusOf(bytes, from);
      if (status < 100 || status > 199 || status === 101) {
        this.isWaiting = false;
        parsed.push(...(head.isPlain ? [bytes] : [repaired(bytes, from, head.end), bytes.subarray(head.end)]));
        break;
      }
      this.#countInterim(head.end - from);
      if (status !== 100) parsed.push(repaired(bytes, from, head.end));
      bytes = bytes.subarray(head.end);
    }
    return parsed.length > 1 ? Buffer.concat(parsed) : parsed[0];
  }

  #countInterim(length: number): void {
    this.#interim++;
    this.#interimBytes += length;
    if (this.#interim > MOST_INTERIM)
      throw new LargeHead(`the target sent more than ${MOST_INTERIM} interim replies (1xx) before its reply`);
    if (this.#interimBytes > REPLY_HEAD)
      throw new LargeHead(
        `the interim replies (1xx) of the target are larger than ${REPLY_HEAD} bytes (a fixed limit)`,
      );
  }
}

const VERSION = Buffer.from('HTTP/');

/** Where the head begins: blank lines before it are ignored. @throws InvalidHead when it can't be one any more */
function startOf(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === CR || bytes[at] === LF) at++;
  const seen = Math.min(VERSION.length, bytes.length - at);
  if (bytes.compare(VERSION, 0, seen, at, at + seen) === 0) return at;
  // Alert and handshake records (RFC 8446 section 5.1).
  if ((bytes[at] === 0x15 || bytes[at] === 0x16) && bytes[at + 1] === 0x03)
    throw new InvalidHead('the target speaks TLS at this port; its address begins with https:');
  const line = bytes.toString('latin1', at, Math.min(bytes.length, at + SHOWN));
  throw new InvalidHead(`it begins with ${JSON.stringify(oneLine(line.split(/[\r\n]/, 1)[0] ?? '') ?? '')}`);
}

/** Characters of a line that a message quotes. */
const SHOWN = 60;

/** Where a head ends, and whether the parser takes it as it is; `undefined` while it has not arrived. */
function headAt(bytes: Buffer, from: number): { readonly end: number; readonly isPlain: boolean } | undefined {
  let isPlain = true;
  let lengths = 0;
  let hasEncoding = false;
  let start = from;
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, start)) {
    const isBare = bytes[at - 1] !== CR || at === start;
    const stop = isBare ? at : at - 1;
    if (isBare) isPlain = false;
    if (stop === start) return { end: at + 1, isPlain: isPlain && lengths < 2 && !(hasEncoding && lengths > 0) };
    const colon = nameEnd(bytes, start, stop);
    if (isNamed(bytes, start, colon, CONTENT_LENGTH)) {
      lengths++;
      if (bytes.subarray(colon, stop).includes(COMMA)) isPlain = false;
    } else if (isNamed(bytes, start, colon, TRANSFER_ENCODING)) hasEncoding = true;
    if (isPlain && start !== from) isPlain = isPlainLine(bytes, start, colon, stop);
    start = at + 1;
  }
  return undefined;
}

const CONTENT_LENGTH = 'content-length';
const TRANSFER_ENCODING = 'transfer-encoding';
const COMMA = 0x2c;

/** The end of the name of a field, without white space before the colon; -1 for a line without a colon. */
function nameEnd(bytes: Buffer, start: number, stop: number): number {
  for (let at = start; at < stop; at++) if (bytes[at] === COLON) return at;
  return -1;
}

function isNamed(bytes: Buffer, start: number, colon: number, name: string): boolean {
  // Only a line of this length can be it: the others cost no text.
  if (colon - start < name.length || colon - start > name.length + 8) return false;
  return bytes.toString('latin1', start, colon).trimEnd().toLowerCase() === name;
}

function isPlainLine(bytes: Buffer, start: number, colon: number, stop: number): boolean {
  if (colon <= start) return false;
  for (let at = start; at < colon; at++) if (!isTokenByte(bytes[at] as number)) return false;
  for (let at = colon + 1; at < stop; at++) if (isControl(bytes[at] as number)) return false;
  return true;
}

/** Characters of a field's name (RFC 9110 section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const TOKEN_BYTES: readonly boolean[] = Array.from({ length: 256 }, (_, byte) => TOKEN.test(String.fromCharCode(byte)));

function isTokenByte(byte: number): boolean {
  return TOKEN_BYTES[byte] === true;
}

const isControl = (byte: number): boolean => (byte < SP && byte !== HT) || byte === 0x7f;

/** The status of a head; -1 when its first line has none, which the parser reports. */
function statusOf(bytes: Buffer, from: number): number {
  const [, status] = /^HTTP\/\d\.\d (\d{3})(?:[ \r\n]|$)/.exec(bytes.toString('latin1', from, from + 13)) ?? [];
  return status === undefined ? -1 : Number(status);
}

/** A head as the parser takes it. @throws InvalidHead */
function repaired(bytes: Buffer, from: number, end: number): Buffer {
  const [first = '', ...rest] = bytes.toString('latin1', from, end).split(/\r?\n/);
  const lines: string[] = [];
  for (const line of rest) {
    if (line === '') continue;
    const isFolded = /^[ \t]/.test(line);
    if (!isFolded) lines.push(line);
    else if (lines.length === 0)
      throw new InvalidHead('white space stands before its first header (RFC 9112 section 2.2)');
    else lines.push(`${(lines.pop() as string).trimEnd()} ${line.trim()}`);
  }
  const fields = lines.map(field);
  const named = (name: string) => fields.filter((each) => each.name.toLowerCase() === name);
  const isChunked = named(TRANSFER_ENCODING).length > 0;
  const lengths = new Set(named(CONTENT_LENGTH).flatMap(({ value }) => value.split(',').map((each) => each.trim())));
  if (isChunked && lengths.size > 0)
    throw new InvalidHead('it has Transfer-Encoding and Content-Length, which exclude each other');
  if (lengths.size > 1)
    throw new InvalidHead(`its Content-Length has different values: ${[...lengths].map(quoted).join(', ')}`);
  const others = fields.filter(({ name }) => name.toLowerCase() !== CONTENT_LENGTH);
  const [length] = lengths;
  if (length !== undefined) others.push({ name: 'Content-Length', value: length });
  const text = others.map(({ name, value }) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${blanked(first)}\r\n${text}\r\n`, 'latin1');
}

interface Field {
  readonly name: string;
  readonly value: string;
}

function field(line: string): Field {
  const colon = line.indexOf(':');
  if (colon === -1) throw new InvalidHead(`the line ${quoted(line)} of its head has no colon`);
  const name = line.slice(0, colon).trimEnd();
  if (!TOKEN.test(name)) throw new InvalidHead(`${quoted(name)} is not a valid name of a header`);
  return { name, value: blanked(line.slice(colon + 1)).trim() };
}

/** A text with a space for each control character. */
function blanked(text: string): string {
  return text.replace(/[^\t\x20-\x7e\x80-\xff]/g, ' ');
}

/** A value may be secret: only what its place shows to be no value is quoted. */
function quoted(text: string): string {
  return JSON.stringify(oneLine(text.slice(0, SHOWN)) ?? '');
}
