import type { Duplex } from 'node:stream';
import { ResultLimitError } from '../render/result-limit.ts';

/** Bytes of one row, which is in memory whole. */
const LARGEST_ROW = 67_108_864;

/** How a protocol begins its messages. */
export interface MessageFormat {
  /** Bytes before the content of a message. */
  readonly head: number;
  /** Bytes of the content of a message whose head begins there. */
  length(bytes: Buffer, at: number): number;
  /** Bytes of content beyond which a message is continued by the next one; `undefined` if it never is. */
  readonly continuedAt?: number;
}

/** Finds the heads of messages in what a connection delivers, in chunks that are cut anywhere. */
export class MessageLengths {
  readonly #format: MessageFormat;
  readonly #most: number;
  /** How far behind the end of the last chunk the next head is. */
  #next = 0;
  /** The beginning of a head, if a chunk ended within it. */
  #cut: Buffer = Buffer.alloc(0);
  /** Bytes of the message so far, if it is continued. */
  #before = 0;

  /** @param most bytes of one message */
  constructor(format: MessageFormat, most: number) {
    this.#format = format;
    this.#most = most;
  }

  /** Whether a longer message begins in the next chunk. */
  exceeded(chunk: Buffer): boolean {
    const { head, continuedAt } = this.#format;
    const bytes = this.#cut.length === 0 ? chunk : Buffer.concat([this.#cut, chunk]);
    let at = this.#next;
    while (at + head <= bytes.length) {
      const length = this.#format.length(bytes, at);
      if (this.#before + length > this.#most) return true;
      this.#before = length === continuedAt ? this.#before + length : 0;
      at += head + length;
    }
    this.#cut = bytes.subarray(Math.min(at, bytes.length));
    this.#next = Math.max(0, at - bytes.length);
    return false;
  }
}

/**
 * Ends a connection at the head of a message that is longer than a row may be. The driver gathers a message whole, and turns
 * each of its values into one string: a row that is larger than any string would end the gateway.
 */
export function limitMessages(stream: Duplex, format: MessageFormat): void {
  const lengths = new MessageLengths(format, LARGEST_ROW);
  // Before the driver, which would set memory aside for it.
  stream.prependListener('data', (chunk: Buffer) => {
    if (lengths.exceeded(chunk)) stream.destroy(new ResultLimitError(`has a row of more than ${LARGEST_ROW} bytes`));
  });
}
