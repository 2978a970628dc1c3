// The text of a body: RFC 8259 section 8.1 (JSON), RFC 7303 section 3 (XML), and the labels of the WHATWG Encoding Standard.

import { WireError } from './error.ts';

/** Bytes that can't be decoded as text. */
export class CharsetError extends WireError {
  override readonly name = 'CharsetError';
}

/**
 * Decodes a text strictly and removes its byte order mark. The byte order mark determines the encoding; without one the
 * charset does, then the XML declaration; the default is UTF-8.
 * @param charset of the Content-Type, in any letter case
 * @throws CharsetError for an unknown charset, and for bytes that are invalid in it
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined, isXml: boolean): string {
  const label = labelOf(bytes, charset, isXml);
  try {
    return decoderOf(label).decode(bytes);
  } catch (error) {
    if (error instanceof CharsetError) throw error;
    throw new CharsetError(`contains bytes that are not text in ${label.slice(0, SHOWN)}`);
  }
}

/**
 * Decodes the beginning of a text that may be damaged: invalid bytes become U+FFFD, and an unknown charset is read as
 * UTF-8.
 */
export function decodeBeginning(bytes: Uint8Array, charset: string | undefined, isXml: boolean): string {
  const label = labelOf(bytes, charset, isXml);
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function labelOf(bytes: Uint8Array, charset: string | undefined, isXml: boolean): string {
  return marked(bytes) ?? charset ?? (isXml ? declared(bytes) : undefined) ?? 'utf-8';
}

/** Longest part of a label that a message quotes, in characters. */
const SHOWN = 40;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  if (label === 'utf-8') return UTF_8;
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new CharsetError(`is in the charset ${JSON.stringify(label.slice(0, SHOWN))}, which is not known`);
  }
}

function marked(bytes: Uint8Array): string | undefined {
  const [first, second, third] = [bytes[0], bytes[1], bytes[2]];
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** An XML declaration fits into this many bytes. */
const DECLARATION = 256;

/** The encoding that an XML declaration names (XML 1.0 section 4.3.3). */
function declared(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, DECLARATION)).toString('latin1');
  return /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(head)?.[1];
}
