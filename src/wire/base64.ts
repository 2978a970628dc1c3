// The base64 content transfer encoding, RFC 2045 section 6.8, in streams; the alphabet of RFC 4648 section 4.

import type { Complain } from './multipart/headers.ts';

/** Decodes piece by piece. White space and line ends are allowed anywhere; padding is required. */
export class Base64Decoder {
  readonly #complain: Complain;
  /** Characters of a group of four that is not complete yet. */
  #group = '';
  #padded = false;
  /** Number of bytes in the pieces before. */
  #before = 0;

  /** @param complain creates the error for text that is not base64 */
  constructor(complain: Complain) {
    this.#complain = complain;
  }

  write(piece: Buffer): Buffer {
    const text = this.#group + piece.toString('latin1').replace(SPACE, '');
    if (this.#padded && text !== '') throw this.#misplacedPadding();
    const whole = text.length - (text.length % 4);
    this.#group = text.slice(whole);
    if (!/^[A-Za-z0-9+/=]*$/.test(this.#group)) throw this.#badCharacter(piece);
    const decoded = this.#groups(text.slice(0, whole), piece);
    if (this.#padded && this.#group !== '') throw this.#misplacedPadding();
    this.#before += piece.length;
    return decoded;
  }

  /** Finishes decoding. @throws the error of `complain` when the last group is incomplete */
  end(): void {
    if (this.#group === '') return;
    throw this.#complain('its base64 ends within a group of four characters: it is cut, or lacks its padding');
  }

  #groups(text: string, piece: Buffer): Buffer {
    const decoded = Buffer.from(text, 'base64');
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    // Buffer ignores characters that are not base64, and accepts the URL alphabet as well.
    if (decoded.length !== (text.length / 4) * 3 - padding || text.includes('-') || text.includes('_')) {
      throw /=[^=]|===/.test(text) ? this.#misplacedPadding() : this.#badCharacter(piece);
    }
    if (padding > 0) {
      this.#padded = true;
      const last = decoded.subarray(padding - 3).toString('base64');
      if (!text.endsWith(last))
        throw this.#complain('the last character of its base64 has bits that stand for nothing');
    }
    return decoded;
  }

  #misplacedPadding(): Error {
    return this.#complain('its base64 has padding that does not end it');
  }

  #badCharacter(piece: Buffer): Error {
    const at = piece.findIndex((byte) => !isBase64.has(byte));
    const byte = (piece[at] ?? 0).toString(16).padStart(2, '0').toUpperCase();
    return this.#complain(`its base64 holds the byte 0x${byte} at offset ${this.#before + at}`);
  }
}

const isBase64 = new Set(
  Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n\t ', 'latin1'),
);

const SPACE = /[\r\n\t ]+/g;

/** Characters decoded at a time: a text is never copied whole. */
const SLICE = 256 * 1024;

/** Decodes a text slice by slice. @throws the error of `complain` when it is not base64 */
export function* decodeBase64(text: string, complain: Complain): Generator<Buffer> {
  const decoder = new Base64Decoder(complain);
  for (let at = 0; at < text.length; at += SLICE) {
    // A character beyond ASCII becomes bytes that are not base64.
    const decoded = decoder.write(Buffer.from(text.slice(at, at + SLICE)));
    if (decoded.length > 0) yield decoded;
  }
  decoder.end();
}

/** RFC 2045: a line has at most 76 characters. */
const LINE = 76;
const LINE_BYTES = (LINE / 4) * 3;

/** Length of that much content in bytes once {@link encodeBase64} has encoded it. */
export function base64Length(length: number): number {
  const characters = Math.ceil(length / 3) * 4;
  const lines = Math.ceil(characters / LINE);
  return characters + Math.max(0, lines - 1) * 2;
}

/** Encodes without line ends (RFC 4648 section 3.1), in pieces of whole groups. */
export async function* encodeBase64Unbroken(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    const bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
}

/** Encodes as lines with CRLF between them, in pieces of whole lines. */
export async function* encodeBase64(content: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let first = true;
  for await (const chunk of content) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % LINE_BYTES);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole === 0) continue;
    yield lines(bytes.subarray(0, whole), first);
    first = false;
  }
  if (rest.length > 0) yield lines(rest, first);
}

function lines(bytes: Uint8Array, first: boolean): Buffer {
  const characters = Buffer.from(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    'latin1',
  );
  const out = Buffer.allocUnsafe(characters.length + Math.ceil(characters.length / LINE) * 2);
  let at = 0;
  for (let from = 0; from < characters.length; from += LINE) {
    if (from > 0 || !first) {
      out[at++] = 0x0d;
      out[at++] = 0x0a;
    }
    at += characters.copy(out, at, from, from + LINE);
  }
  return out.subarray(0, at);
}
