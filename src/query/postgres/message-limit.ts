import type { Duplex } from 'node:stream';

/** Bytes before the content of a message: its kind, and a length that counts itself (PostgreSQL's manual, section 55.7). */
const HEAD = 5;

/** Finds the heads of messages in what a connection delivers, in chunks that are cut anywhere. */
export class MessageLengths {
  readonly #most: number;
  /** How far behind the end of the last chunk the next head stands. */
  #next = 0;
  /** The beginning of a head, where a chunk ended within it. */
  #cut: Buffer = Buffer.alloc(0);

  /** @param most bytes of one message */
  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a longer message begins in the next chunk. */
  exceeded(chunk: Buffer): boolean {
    const bytes = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    let at = this.#next;
    for (; at + HEAD <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
      if (bytes.readUInt32BE(at + 1) > this.#most) return true;
    }
    this.#cut = bytes.subarray(Math.min(at, bytes.length));
    this.#next = Math.max(0, at - bytes.length);
    return false;
  }
}

/**
 * Ends a connection at the head of a message that is longer than it may be. The driver gathers a message whole, and makes
 * each of its values one string: a row that is larger than any string would end the gateway.
 * @param refusal what the statement that runs fails with
 */
export function limitMessages(stream: Duplex, most: number, refusal: () => Error): void {
  const lengths = new MessageLengths(most);
  // Before the driver, which would set memory aside for it.
  stream.prependListener('data', (chunk: Buffer) => {
    if (lengths.exceeded(chunk)) stream.destroy(refusal());
  });
}
