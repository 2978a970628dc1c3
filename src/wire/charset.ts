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
    return decoderOf(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function labelOf(bytes: Uint8Array, charset: string | undefined, isXml: boolean): string {
  return marked(bytes) ?? charset ?? (isXml ? declaredEncoding(bytes) : undefined) ?? 'utf-8';
}

/** Longest part of a label that a message quotes, in characters. */
const SHOWN = 40;

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function decoderOf(label: string): ReturnType<typeof decoderFor> {
  const encoding = encodingOf(label);
  if (encoding === undefined)
    throw new CharsetError(`is in the charset ${JSON.stringify(label.slice(0, SHOWN))}, which is not known`);
  return encoding === 'utf-8' ? UTF_8 : decoderFor(encoding, { fatal: true });
}

/** Names whose meaning here is not that of the WHATWG standard, where they are windows-1252, and those that nearly every message has. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['ascii', 'utf-8'],
]);

/**
 * The encoding of a label, by its name in the WHATWG standard; `undefined` for an unknown one. ISO-8859-1 is read as
 * windows-1252, which has printable characters where it has unused control codes, and US-ASCII as UTF-8.
 */
export function encodingOf(label: string): string | undefined {
  const name = label.toLowerCase();
  const own = OWN_NAMES.get(name);
  if (own !== undefined) return own;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/** Decodes text in pieces, as TextDecoder does. */
export type CharsetDecoder = Pick<InstanceType<typeof TextDecoder>, 'decode'>;

/** @param encoding as {@link encodingOf} returns it */
export function decoderFor(
  encoding: string,
  options: { readonly fatal: true; readonly ignoreBOM?: true },
): CharsetDecoder {
  return encoding === 'windows-1252' ? WINDOWS_1252 : new TextDecoder(encoding, options);
}

/** The characters of the bytes 0x80 to 0x9f. The five bytes that have none stay control codes. */
const UPPER = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** TextDecoder of Node before version 24 reads these bytes as ISO-8859-1. */
const WINDOWS_1252: CharsetDecoder = {
  decode: (bytes) =>
    bytes === undefined
      ? ''
      : Buffer.from(bytes as Uint8Array)
          .toString('latin1')
          .replace(/[\x80-\x9f]/g, (each) => UPPER.charAt(each.charCodeAt(0) - 0x80)),
};

function marked(bytes: Uint8Array): string | undefined {
  const [first, second, third] = [bytes[0], bytes[1], bytes[2]];
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** An XML declaration fits into this many bytes. */
export const DECLARATION = 256;

/** The encoding that an XML declaration at the beginning of a document names (XML 1.0 section 4.3.3). */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, DECLARATION)).toString('latin1');
  return /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(head)?.[1];
}
