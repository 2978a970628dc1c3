/** The first buffer of a content, in bytes: most contents are short, and large buffers are slow to allocate. */
const FIRST = 16_384;

/**
 * Cuts a stream into blocks of one size; the last may be shorter. Small chunks are gathered, and while one block is sent the
 * next is filled. Chunks are copied, so that their producer may reuse the memory.
 */
export class BlockWriter {
  readonly #size: number;
  readonly #send: (block: Uint8Array, number: number) => Promise<void>;
  /** The block that is being filled, and the one that is being sent or is free. */
  #block: Buffer = Buffer.allocUnsafeSlow(FIRST);
  #other: Buffer | undefined;
  #filled = 0;
  #number = 0;
  #sending: Promise<void> | undefined;

  /**
   * @param size bytes of a block
   * @param send sends a block, numbered from 0; the bytes stay unchanged until it resolves
   */
  constructor(size: number, send: (block: Uint8Array, number: number) => Promise<void>) {
    this.#size = size;
    this.#send = send;
  }

  /** Takes a chunk. When it returns a promise, the next chunk must wait for that. @throws what sending throws */
  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#filled + chunk.length >= this.#block.length) return this.#fill(chunk);
    this.#block.set(chunk, this.#filled);
    this.#filled += chunk.length;
    return undefined;
  }

  /** Sends what is left, and resolves once all of it is sent. @throws what sending throws */
  async end(): Promise<void> {
    await this.#sending;
    if (this.#filled > 0) await this.#send(this.#block.subarray(0, this.#filled), this.#number);
  }

  async #fill(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#filled === this.#block.length) this.#grow(chunk.length - at);
      const taken = Math.min(chunk.length - at, this.#block.length - this.#filled);
      this.#block.set(chunk.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === this.#size) await this.#flush();
    }
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#size, Math.max(2 * this.#filled, this.#filled + needed)));
    this.#block.copy(grown, 0, 0, this.#filled);
    this.#block = grown;
  }

  async #flush(): Promise<void> {
    await this.#sending;
    this.#sending = this.#send(this.#block, this.#number);
    // It is awaited with the next block, or never when the stream fails before.
    this.#sending.catch(() => {});
    this.#number += 1;
    const next = this.#other ?? Buffer.allocUnsafeSlow(this.#size);
    this.#other = this.#block;
    this.#block = next;
    this.#filled = 0;
  }
}
