// Percent-encoding, RFC 3986 sections 2.1 and 6.2.2; the octets are UTF-8, RFC 3629, read strictly.

import { WireError } from './error.ts';

/** A text that is not percent-encoded UTF-8, or that can't be encoded. */
export class PercentError extends WireError {
  override readonly name = 'PercentError';
}

/**
 * Decodes one value of a URL.
 * @param plusIsSpace decode `+` as a space, as in a form (application/x-www-form-urlencoded); never in a path
 * @throws PercentError for a `%` without two hexadecimal digits, octets that are not UTF-8 (including overlong forms
 *   and surrogates), and NUL
 */
export function percentDecode(text: string, plusIsSpace: boolean): string {
  const spaced = plusIsSpace && text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return refuseNul(spaced);
  let decoded: string;
  try {
    decoded = decodeURIComponent(spaced);
  } catch {
    throw new PercentError(decodingFault(spaced));
  }
  return refuseNul(decoded);
}

/** Like {@link percentDecode}, without plus signs for spaces; `undefined` if the text can't be decoded. */
export function tryPercentDecode(text: string): string | undefined {
  try {
    return percentDecode(text, false);
  } catch (error) {
    if (error instanceof PercentError) return undefined;
    throw error;
  }
}

function refuseNul(text: string): string {
  if (text.includes('\0')) throw new PercentError('it holds the character NUL (%00)');
  return text;
}

/**
 * Encodes all but RFC 3986's unreserved characters, with capital hexadecimal digits.
 * @throws PercentError for NUL, which {@link percentDecode} rejects, and for an unpaired surrogate, which UTF-8 can't
 *   encode
 */
export function percentEncode(text: string): string {
  if (!text.isWellFormed()) throw new PercentError('it holds half of a surrogate pair, which UTF-8 does not carry');
  let encoded = encodeURIComponent(refuseNul(text));
  for (const [character, octet] of leftByEncodeUriComponent) {
    if (encoded.includes(character)) encoded = encoded.replaceAll(character, octet);
  }
  return encoded;
}

const leftByEncodeUriComponent = [
  ['!', '%21'],
  ["'", '%27'],
  ['(', '%28'],
  [')', '%29'],
  ['*', '%2A'],
] as const;

const PERCENT = 0x25;

/**
 * Normalises percent-encoding (RFC 3986, 6.2.2.1 and 6.2.2.2): unreserved characters are decoded, hexadecimal digits
 * are capitals. A `%` that does not begin an octet is kept, and the decoder rejects it.
 */
export function normalizePercent(text: string): string {
  let at = text.indexOf('%');
  if (at === -1) return text;
  let out = '';
  let from = 0;
  while (at !== -1) {
    const octet = octetAt(text, at);
    if (octet === -1) {
      at = text.indexOf('%', at + 1);
      continue;
    }
    out += text.slice(from, at);
    out += isUnreserved(octet) ? String.fromCharCode(octet) : text.slice(at, at + 3).toUpperCase();
    from = at + 3;
    at = text.indexOf('%', from);
  }
  return out + text.slice(from);
}

/** RFC 3986, 2.3: ALPHA / DIGIT / "-" / "." / "_" / "~". */
function isUnreserved(code: number): boolean {
  return isAlphaNumeric(code) || code === 0x2d || code === 0x2e || code === 0x5f || code === 0x7e;
}

export function isAlphaNumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** The octet of the `%XX` at this index, or -1 if there is no such triplet. */
export function octetAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== PERCENT) return -1;
  const high = hexDigit(text.charCodeAt(at + 1));
  const low = hexDigit(text.charCodeAt(at + 2));
  return high === -1 || low === -1 ? -1 : high * 16 + low;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  if (code >= 0x41 && code <= 0x46) return code - 0x37;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  return -1;
}

/** What is wrong with a text that decodeURIComponent rejected: the first error, with the offending octets. */
function decodingFault(text: string): string {
  let at = text.indexOf('%');
  while (at !== -1) {
    const lead = octetAt(text, at);
    if (lead === -1)
      return `${excerpt(text, at, 3)} is not a percent-encoded octet: % needs two hexadecimal digits after it`;
    const length = sequenceLength(lead);
    const octets = [lead];
    while (octets.length < length) {
      const next = octetAt(text, at + 3 * octets.length);
      if (next < 0x80 || next > 0xbf) break;
      octets.push(next);
    }
    const fault = sequenceFault(octets, length);
    if (fault !== undefined) return `${text.slice(at, at + 3 * octets.length)} ${fault}`;
    at = text.indexOf('%', at + 3 * octets.length);
  }
  return 'it is not percent-encoded UTF-8';
}

/** Length of a UTF-8 sequence by its first octet, RFC 3629 section 3; 0 for an octet that can't be first. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc0 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf8 ? 4 : 0;
}

function sequenceFault(octets: readonly number[], length: number): string | undefined {
  const [lead = 0, second = 0] = octets;
  if (length === 0) return 'starts no UTF-8 sequence';
  if (lead === 0xc0 || lead === 0xc1) return 'is an overlong UTF-8 sequence';
  if (octets.length < length) return 'is an incomplete UTF-8 sequence';
  if ((lead === 0xe0 && second < 0xa0) || (lead === 0xf0 && second < 0x90)) return 'is an overlong UTF-8 sequence';
  if (lead === 0xed && second > 0x9f) return 'encodes a surrogate, which UTF-8 does not carry';
  if (lead > 0xf4 || (lead === 0xf4 && second > 0x8f)) return 'lies beyond the last Unicode character';
  return undefined;
}

function excerpt(text: string, at: number, length: number): string {
  const cut = text.slice(at, at + length);
  return cut.isWellFormed() ? cut : '%';
}
