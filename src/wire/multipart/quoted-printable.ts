import type { Complain } from './headers.ts';

// The quoted-printable content transfer encoding, RFC 2045 section 6.7.

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const EQUALS = 0x3d;

/** Most blanks at the end of a line; RFC 5322 section 2.1.1 allows a whole line no more. */
const BLANKS = 998;

/** State of the decoder: in text, after its CR, after `=`, in the blanks after `=`, after their CR, after `=X`. */
type State = 'text' | 'return' | 'equals' | 'soft' | 'soft-return' | 'digit';

/**
 * Decodes piece by piece. Line ends are kept; blanks before them were added in transport and are removed. Lines longer
 * than 76 characters and lower-case hexadecimal digits are accepted.
 */
export class QuotedPrintableDecoder {
  readonly #complain: Complain;
  #state: State = 'text';
  #high = 0;
  /** Blanks that are content only if the line continues after them. */
  #blanks: number[] = [];
  #offset = 0;
  #out = Buffer.alloc(0);
  #at = 0;

  /** @param complain creates the error for content that is not quoted-printable */
  constructor(complain: Complain) {
    this.#complain = complain;
  }

  write(piece: Buffer): Buffer {
    this.#out = Buffer.allocUnsafe(piece.length + this.#blanks.length + 1);
    this.#at = 0;
    for (const byte of piece) {
      this.#take(byte);
      this.#offset++;
    }
    return this.#out.subarray(0, this.#at);
  }

  /** Finishes decoding. @throws the error of `complain` when the content ends within an escape */
  end(): void {
    if (this.#state !== 'text') throw this.#complain('its quoted-printable text ends within an escape or a line end');
  }

  #take(byte: number): void {
    switch (this.#state) {
      case 'text':
        this.#text(byte);
        return;
      case 'return':
        if (byte !== LF) throw this.#bad('a CR without LF');
        this.#put(CR);
        this.#put(LF);
        this.#state = 'text';
        return;
      case 'digit':
        this.#put(this.#high * 16 + this.#hex(byte));
        this.#state = 'text';
        return;
      default:
        this.#behindEquals(byte);
    }
  }

  #text(byte: number): void {
    if (byte === SPACE || byte === TAB) {
      if (this.#blanks.push(byte) > BLANKS) throw this.#bad(`more than ${BLANKS} blanks in a row`);
    } else if (byte === CR || byte === LF) {
      this.#blanks = [];
      if (byte === LF) this.#put(LF);
      else this.#state = 'return';
    } else {
      if (byte < SPACE || byte > 0x7e)
        throw this.#bad(`the byte 0x${byte.toString(16).padStart(2, '0').toUpperCase()}`);
      for (const blank of this.#blanks) this.#put(blank);
      if (this.#blanks.length > 0) this.#blanks = [];
      if (byte === EQUALS) this.#state = 'equals';
      else this.#put(byte);
    }
  }

  /** A soft line break, or the first digit of an escape. */
  #behindEquals(byte: number): void {
    if (byte === LF) this.#state = 'text';
    else if (this.#state === 'soft-return') throw this.#bad('a CR without LF');
    else if (byte === CR) this.#state = 'soft-return';
    else if (byte === SPACE || byte === TAB) this.#state = 'soft';
    else if (this.#state === 'soft') throw this.#bad('a = that is not an escape');
    else {
      this.#high = this.#hex(byte);
      this.#state = 'digit';
    }
  }

  #hex(byte: number): number {
    const digit = '0123456789ABCDEF'.indexOf(String.fromCharCode(byte).toUpperCase());
    if (digit === -1) throw this.#bad('a = that is not an escape');
    return digit;
  }

  #put(byte: number): void {
    this.#out[this.#at++] = byte;
  }

  #bad(what: string): Error {
    return this.#complain(`its quoted-printable text holds ${what} at offset ${this.#offset}`);
  }
}
