// Multipart messages, RFC 2046 section 5.1, read part by part as they stream.

import { boundaryFault } from './boundary.ts';
import { type Complain, parseMimeHeaders } from './headers.ts';
import { MultipartError, MultipartScanner } from './scan.ts';
import { decodeTransfer } from './transfer-encoding.ts';

export { MultipartError } from './scan.ts';

export interface MultipartLimits {
  /** Parts of the message. */
  readonly parts: number;
  /** Bytes of one part's header. */
  readonly headers: number;
}

/** Most bytes before the first boundary, and most after the last. */
export const SURROUNDINGS = 64 * 1024;

/** One part of a message. */
export interface Part {
  /** Values, unfolded, by names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * The content without its transfer encoding; can be read once. It is read from the source on demand, and no longer
   * available once the next part is requested. Pieces may be views of the source's chunks.
   * @throws MultipartError, immediately if the encoding is unknown
   */
  body(): AsyncIterable<Uint8Array>;
}

/**
 * Reads the parts of a message one after the other. The source is read only as far as the requested chunk, and errors
 * of the source are passed on.
 */
export class MultipartReader {
  readonly #scanner: MultipartScanner;
  readonly #limits: MultipartLimits;
  /** Whether content of the current part, or of the preamble, is still unread. */
  #open = true;
  #begun = false;
  #over = false;

  /** @throws MultipartError for an invalid boundary */
  constructor(source: AsyncIterable<Uint8Array>, boundary: string, limits: MultipartLimits) {
    const fault = boundaryFault(boundary);
    if (fault !== undefined) throw new MultipartError('syntax', fault);
    this.#scanner = new MultipartScanner(source, boundary);
    this.#limits = limits;
  }

  /**
   * The next part, skipping the rest of the current one; `undefined` after the last. The source is then read to its
   * end, so its connection can be reused.
   * @throws MultipartError
   */
  async next(): Promise<Part | undefined> {
    if (this.#over) return undefined;
    await this.#skip();
    if (this.#scanner.last) {
      await bounded(() => this.#scanner.epilogue(), 'behind its last boundary');
      this.#over = true;
      return undefined;
    }
    const { parts, headers: limit } = this.#limits;
    if (this.#scanner.part >= parts) throw new MultipartError('limit', `it has more than ${parts} parts`);
    const block = await this.#scanner.header(limit);
    const number = this.#scanner.part;
    const complain: Complain = (reason) => new MultipartError('syntax', `part ${number}: ${reason}`);
    const headers = parseMimeHeaders(block, complain);
    this.#open = true;
    this.#begun = false;
    const encoding = headers.get('content-transfer-encoding');
    return { headers, body: () => decodeTransfer(encoding, this.#content(number), complain) };
  }

  /** Closes the source, whether it was read or not. Nothing can be read afterwards. */
  close(): void {
    this.#over = true;
    this.#scanner.close();
  }

  /** Skips the rest of the current part, or the preamble. */
  async #skip(): Promise<void> {
    if (this.#open && this.#scanner.part === 0) {
      await bounded(() => this.#scanner.piece(), 'before its first boundary');
    }
    while (this.#open && this.#scanner.part > 0) this.#open = (await this.#scanner.piece()) !== undefined;
    this.#open = false;
  }

  async *#content(number: number): AsyncGenerator<Buffer> {
    if (this.#begun) throw new Error('the body of a part can be read once');
    this.#checkCurrent(number);
    this.#begun = true;
    for (;;) {
      const piece = await this.#scanner.piece();
      if (piece === undefined) break;
      yield piece;
      this.#checkCurrent(number);
    }
    this.#open = false;
  }

  #checkCurrent(number: number): void {
    if (this.#over || !this.#open || this.#scanner.part !== number) throw new Error('the reader is past this part');
  }
}

async function bounded(piece: () => Promise<Buffer | undefined>, where: string): Promise<void> {
  let seen = 0;
  for (let each = await piece(); each !== undefined; each = await piece()) {
    seen += each.length;
    if (seen > SURROUNDINGS) throw new MultipartError('limit', `it has more than ${SURROUNDINGS} bytes ${where}`);
  }
}
