import type { OpenFile } from './open-file.ts';

/** Bytes that are gathered before they are written. */
const BLOCK = 262_144;
/** As long as no more came: most content is short, and large buffers cost more than they are worth to it. */
const FIRST = 16_384;

/**
 * Writes a stream to a file from its beginning, in large blocks: small chunks are gathered, and while one block is
 * written the next is filled. Chunks are copied, so that whoever made them may use their memory again.
 */
export class BlockWriter {
  readonly #file: OpenFile;
  readonly #beside: (block: Uint8Array) => void;
  /** The one that is being filled, and the one that is being written or waits to be filled. */
  #block: Buffer = Buffer.allocUnsafeSlow(FIRST);
  #other: Buffer | undefined;
  #filled = 0;
  #written = 0;
  #writing: Promise<void> | undefined;

  /** @param beside is given each block while it is written */
  constructor(file: OpenFile, beside: (block: Uint8Array) => void = () => {}) {
    this.#file = file;
    this.#beside = beside;
  }

  /** Takes a chunk; where it returns a promise, the next chunk must wait for that. @throws errors of the file system */
  write(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#filled + chunk.length >= this.#block.length) return this.#fill(chunk);
    this.#block.set(chunk, this.#filled);
    this.#filled += chunk.length;
    return undefined;
  }

  /** Writes what is left, and resolves once all of it is written. @throws errors of the file system */
  async end(): Promise<void> {
    await this.#writing;
    if (this.#filled > 0) await this.#send();
  }

  async #fill(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, this.#block.length - this.#filled);
      this.#block.set(chunk.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === this.#block.length) await this.#flush();
    }
  }

  async #flush(): Promise<void> {
    await this.#writing;
    this.#writing = this.#send();
    // It is awaited with the next block, or never where the stream fails before that.
    this.#writing.catch(() => {});
    const next = this.#other ?? Buffer.allocUnsafeSlow(BLOCK);
    this.#other = this.#block.length === BLOCK ? this.#block : undefined;
    this.#block = next;
    this.#filled = 0;
  }

  #send(): Promise<void> {
    const block = this.#block.subarray(0, this.#filled);
    const writing = this.#file.write(block, this.#written);
    this.#written += block.length;
    this.#beside(block);
    return writing;
  }
}
