import { close, closeSync, openSync, read, readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SpilledRange } from './frame.ts';

const CHUNK = 262_144;
const readAt = promisify(read);

/** A large result: a file that has no name any more, so that it ends with the last who holds it open. */
export class SpilledFile {
  #file: number | undefined;
  /** A read is under way: its descriptor must not be closed, or it could be another file's by the time it runs. */
  #reading = false;
  #closing = false;

  private constructor(file: number) {
    this.#file = file;
  }

  /** Opens a file that a reader has just made, and removes its name. @throws errors of the file system */
  static take(path: string): SpilledFile {
    const file = openSync(path, 'r');
    try {
      unlinkSync(path);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return new SpilledFile(file);
  }

  /**
   * The bytes of a range, in pieces: one is read while the one before is sent. Closes the file at its end.
   * @throws Error where the file ends early
   */
  async *stream(range: SpilledRange): AsyncGenerator<Uint8Array, void, undefined> {
    const end = range.start + range.length;
    const piece = (at: number): Promise<Uint8Array> | undefined => {
      const next = at < end ? this.#read(Math.min(CHUNK, end - at), at) : undefined;
      // Where the stream is left early nobody awaits it.
      next?.catch(() => {});
      return next;
    };
    try {
      let at = range.start;
      for (let next = piece(at); next !== undefined; ) {
        const bytes = await next;
        at += bytes.length;
        next = piece(at);
        yield bytes;
      }
    } finally {
      this.close();
    }
  }

  /** Frees the disk space; a second call does nothing. */
  close(): void {
    this.#closing = true;
    const file = this.#file;
    if (file === undefined || this.#reading) return;
    this.#file = undefined;
    close(file, () => {});
  }

  async #read(length: number, position: number): Promise<Uint8Array> {
    const file = this.#file;
    if (file === undefined || this.#closing) throw new Error('the result was given up');
    this.#reading = true;
    try {
      const { bytesRead, buffer } = await readAt(file, Buffer.allocUnsafeSlow(length), 0, length, position);
      if (bytesRead === 0) throw new Error('a large result ended early');
      return buffer.subarray(0, bytesRead);
    } finally {
      this.#reading = false;
      if (this.#closing) this.close();
    }
  }
}

/** Removes the names of files that a reader which has ended made, and that were not taken over any more. */
export function removeSpilledFiles(folder: string, prefix: string): void {
  remove(folder, (name) => name.startsWith(prefix));
}

/** How old a file must be before it counts as left behind, in milliseconds: a living one has its name for an instant. */
const LEFT_BEHIND = 60_000;

/** Removes what is left in the folder of large results where gateway and readers were killed together. */
export function sweepSpilledFiles(folder: string): void {
  const now = Date.now();
  remove(folder, (_, path) => now - statSync(path).mtimeMs > LEFT_BEHIND);
}

function remove(folder: string, which: (name: string, path: string) => boolean): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (which(name, path)) unlinkSync(path);
    }
  } catch {
    // There is no such folder yet, or another gateway was faster.
  }
}
