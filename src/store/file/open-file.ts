import { randomUUID } from 'node:crypto';
import { close, closeSync, constants, openSync, read, unlinkSync, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from './folder.ts';

/** The bytes that are read at a time. */
const PIECE = 262_144;

/** Windows does not have O_NOFOLLOW. */
const OWN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

const readAt = promisify(read);
const writeAt = promisify(write);

/** An open file, read and written outside the main thread. */
export class OpenFile {
  #descriptor: number | undefined;
  /** The reads and writes in progress. Closing their descriptor could make it another file's before they run. */
  #running = 0;
  #closing = false;
  /** Its name in errors. */
  readonly #what: string;

  private constructor(descriptor: number, what: string) {
    this.#descriptor = descriptor;
    this.#what = what;
  }

  /** Opens a file for reading, and does not follow a link in its place. @throws errors of the file system */
  static open(path: string, what: string): OpenFile {
    return new OpenFile(openSync(path, OWN_FILE), what);
  }

  /** Creates a file for its owner only; it must not exist. @throws errors of the file system */
  static create(path: string, what: string): OpenFile {
    return new OpenFile(openSync(path, 'wx+', 0o600), what);
  }

  /** Opens a file and removes its name, so that it disappears when the last process closes it. @throws errors of the file system */
  static take(path: string, what: string): OpenFile {
    return OpenFile.open(path, what).#withoutName(path);
  }

  /** Creates a file without a name, which disappears with its process. @throws errors of the file system */
  static nameless(folder: string, what: string): OpenFile {
    createFolder(folder);
    const path = join(folder, randomUUID());
    return OpenFile.create(path, what).#withoutName(path);
  }

  /** Writes all of the bytes, which must not change meanwhile. @throws errors of the file system; Error when it was closed */
  write(bytes: Uint8Array, position: number): Promise<void> {
    return this.#use(async (descriptor) => {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writeAt(descriptor, bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    });
  }

  /**
   * Reads a range in pieces; the next piece is read while one is used.
   * @param buffers `reused`: two buffers are filled in turn, so a piece is valid until the next is asked for
   * @throws errors of the file system; Error when the file ends early, or is closed
   */
  async *stream(start: number, length: number, buffers?: 'reused'): AsyncGenerator<Uint8Array, void, undefined> {
    const end = start + length;
    const spare: Buffer[] = [];
    const piece = (at: number): Promise<Uint8Array> | undefined => {
      const size = Math.min(PIECE, end - at);
      const next = at < end ? this.#read(spare.pop() ?? Buffer.allocUnsafeSlow(size), size, at) : undefined;
      // It is not awaited when the stream is abandoned.
      next?.catch(() => {});
      return next;
    };
    let at = start;
    for (let next = piece(at); next !== undefined; ) {
      const bytes = await next;
      at += bytes.length;
      next = piece(at);
      yield bytes;
      // A smaller piece, the last one, may still be in the buffer of a stream that it was written to.
      if (buffers === 'reused' && bytes.length === PIECE) spare.push(Buffer.from(bytes.buffer));
    }
  }

  /** Closes the file once no read or write is in progress; a second call does nothing. */
  close(): void {
    this.#closing = true;
    const descriptor = this.#descriptor;
    if (descriptor === undefined || this.#running > 0) return;
    this.#descriptor = undefined;
    close(descriptor, () => {});
  }

  #read(into: Buffer, length: number, position: number): Promise<Uint8Array> {
    return this.#use(async (descriptor) => {
      const { bytesRead, buffer } = await readAt(descriptor, into, 0, length, position);
      if (bytesRead === 0) throw new Error(`${this.#what} ended early`);
      return buffer.subarray(0, bytesRead);
    });
  }

  async #use<T>(work: (descriptor: number) => Promise<T>): Promise<T> {
    const descriptor = this.#descriptor;
    if (descriptor === undefined || this.#closing) throw new Error(`${this.#what} was given up`);
    this.#running += 1;
    try {
      return await work(descriptor);
    } finally {
      this.#running -= 1;
      if (this.#closing) this.close();
    }
  }

  #withoutName(path: string): this {
    try {
      unlinkSync(path);
      return this;
    } catch (error) {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
      throw error;
    }
  }
}
