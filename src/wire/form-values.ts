import { type CharsetDecoder, decoderFor, encodingOf } from './charset.ts';
import { WireError } from './error.ts';
import { percentEncode } from './percent.ts';

// application/x-www-form-urlencoded, WHATWG URL section 5.2, but only the unreserved characters of RFC 3986 section 2.3
// are left unencoded: a space becomes %20, which every reader of forms accepts, whereas `+` does not work in a path.

export const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** One field of a form; the value is encoded already. @throws PercentError for a name that UTF-8 can't encode */
export function formField(name: string, encoded: string): string {
  return `${percentEncode(name)}=${encoded}`;
}

/**
 * Encodes each value of a form whose values are not encoded yet. Names are kept unchanged; a value ends at the next
 * `&`, and may contain `=`.
 * @throws PercentError for a value that UTF-8 can't encode
 */
export function encodeFormValues(form: string): string {
  return form
    .split('&')
    .map((piece) => {
      const equals = piece.indexOf('=');
      return equals === -1 ? piece : piece.slice(0, equals + 1) + percentEncode(piece.slice(equals + 1));
    })
    .join('&');
}

/** A name or a value of a form that can't be decoded. */
export class FormFieldError extends WireError {
  override readonly name = 'FormFieldError';
}

/** Whether the names and values of a form can be in a charset: those in which ASCII is what it is in UTF-8. */
export function isFormCharset(charset: string): boolean {
  const encoding = encodingOf(charset);
  return encoding !== undefined && !encoding.startsWith('utf-16');
}

const [AMPERSAND, EQUALS, PLUS, SPACE, PERCENT] = [0x26, 0x3d, 0x2b, 0x20, 0x25];

/** Reads forms (WHATWG URL, section 5.1), but strictly: what is not valid percent-encoding, or not text in the charset, is refused. */
export class FormDecoder {
  readonly #encoding: string;
  readonly #decoder: CharsetDecoder;

  /** @param charset one that {@link isFormCharset} accepts */
  constructor(charset = 'utf-8') {
    this.#encoding = encodingOf(charset) ?? 'utf-8';
    this.#decoder = decoderFor(this.#encoding, { fatal: true, ignoreBOM: true });
  }

  /** The fields of a form as they are encoded, in linear time. One without `=` has the empty value. */
  *fields(bytes: Uint8Array): Generator<{ readonly name: Uint8Array; readonly value: Uint8Array }> {
    for (let from = 0; from < bytes.length; ) {
      const next = bytes.indexOf(AMPERSAND, from);
      const end = next === -1 ? bytes.length : next;
      if (end > from) {
        const piece = bytes.subarray(from, end);
        const equals = piece.indexOf(EQUALS);
        const at = equals === -1 ? piece.length : equals;
        yield { name: piece.subarray(0, at), value: piece.subarray(at + 1) };
      }
      from = end + 1;
    }
  }

  /** @throws FormFieldError */
  text(raw: Uint8Array): string {
    const bytes = Buffer.allocUnsafe(raw.length);
    let length = 0;
    for (let at = 0; at < raw.length; at++) {
      const byte = raw[at] as number;
      if (byte !== PERCENT) {
        bytes[length++] = byte === PLUS ? SPACE : byte;
        continue;
      }
      const [high, low] = [digitOf(raw[at + 1]), digitOf(raw[at + 2])];
      if (high === -1 || low === -1) throw new FormFieldError('has a % without two hexadecimal digits after it');
      bytes[length++] = high * 16 + low;
      at += 2;
    }
    const text = this.#decoded(bytes.subarray(0, length));
    if (text.includes('\0')) throw new FormFieldError('holds the character NUL (%00)');
    return text;
  }
  #decoded(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      throw new FormFieldError(`contains bytes that are not text in ${this.#encoding}`);
    }
  }
}

/** The value of a hexadecimal digit, -1 for another character. */
function digitOf(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
