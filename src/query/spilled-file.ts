import { removeFiles } from '../store/folder.ts';
import { OpenFile } from '../store/open-file.ts';
import type { SpilledRange } from './frame.ts';

/** A large result: a file that has no name any more, so that it ends with the last who holds it open. */
export class SpilledFile {
  readonly #file: OpenFile;

  private constructor(file: OpenFile) {
    this.#file = file;
  }

  /** Opens a file that a reader has just made, and removes its name. @throws errors of the file system */
  static take(path: string): SpilledFile {
    return new SpilledFile(OpenFile.take(path, 'the result'));
  }

  /** A file that was made without a name. */
  static of(file: OpenFile): SpilledFile {
    return new SpilledFile(file);
  }

  /** The bytes of a range, in pieces. Closes the file at its end. @throws Error where the file ends early */
  async *stream(range: SpilledRange): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#file.stream(range.start, range.length);
    } finally {
      this.close();
    }
  }

  /** Frees the disk space; a second call does nothing. */
  close(): void {
    this.#file.close();
  }
}

/** Removes the names of files that a reader which has ended made, and that were not taken over any more. */
export function removeSpilledFiles(folder: string, prefix: string): void {
  removeFiles(folder, (name) => name.startsWith(prefix));
}
