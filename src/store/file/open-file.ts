import { randomUUID } from 'node:crypto';
import { close, closeSync, constants, openSync, read, unlinkSync, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from './folder.ts';

/** Bytes that are read at once. */
const PIECE = 262_144;

/** Windows has no such flag. */
const OWN_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

const readAt = promisify(read);
const writeAt = promisify(write);

/** An open file, read and written beside the main thread. */
export class OpenFile {
  #descriptor: number | undefined;
  /** Reads and writes under way: their descriptor must not be closed, or it could be another file's by the time they run. */
  #running = 0;
  #closing = false;
  /** What errors call it. */
  readonly #what: string;

  private constructor(descriptor: number, what: string) {
    this.#descriptor = descriptor;
    this.#what = what;
  }

  /** Opens a file for reading; a link that somebody put in its place is none. @throws errors of the file system */
  static open(path: string, what: string): OpenFile {
    return new OpenFile(openSync(path, OWN_FILE), what);
  }

  /** Makes a file, for the owner alone, where there must be none. @throws errors of the file system */
  static create(path: string, what: string): OpenFile {
    return new OpenFile(openSync(path, 'wx+', 0o600), what);
  }

  /** Opens a file and removes its name, so that it ends with the last who holds it open. @throws errors of the file system */
  static take(path: string, what: string): OpenFile {
    return OpenFile.open(path, what).#withoutName(path);
  }

  /** Makes a file without a name: whatever becomes of the process, nothing of it stays. @throws errors of the file system */
  static nameless(folder: string, what: string): OpenFile {
    createFolder(folder);
    const path = join(folder, randomUUID());
    return OpenFile.create(path, what).#withoutName(path);
  }

  /** Writes all of the bytes; they must not change until then. @throws errors of the file system; Error where it was closed */
  write(bytes: Uint8Array, position: number): Promise<void> {
    return this.#use(async (descriptor) => {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await writeAt(descriptor, bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    });
  }

  /**
   * Some of its bytes, in pieces: one is read while the one before is used.
   * @throws errors of the file system; Error where the file ends early, or is closed
   */
  async *stream(start: number, length: number): AsyncGenerator<Uint8Array, void, undefined> {
    const end = start + length;
    const piece = (at: number): Promise<Uint8Array> | undefined => {
      const next = at < end ? this.#read(Math.min(PIECE, end - at), at) : undefined;
      // Where the stream is left early nobody awaits it.
      next?.catch(() => {});
      return next;
    };
    let at = start;
    for (let next = piece(at); next !== undefined; ) {
      const bytes = await next;
      at += bytes.length;
      next = piece(at);
      yield bytes;
    }
  }

  /** Gives the file back once nothing reads or writes it any more; a second call does nothing. */
  close(): void {
    this.#closing = true;
    const descriptor = this.#descriptor;
    if (descriptor === undefined || this.#running > 0) return;
    this.#descriptor = undefined;
    close(descriptor, () => {});
  }

  #read(length: number, position: number): Promise<Uint8Array> {
    return this.#use(async (descriptor) => {
      const { bytesRead, buffer } = await readAt(descriptor, Buffer.allocUnsafeSlow(length), 0, length, position);
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
