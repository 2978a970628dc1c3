import { randomUUID } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteRange } from '../../model/blob.ts';
import type { Attachment } from '../../model/value.ts';
import { errorCode } from '../error.ts';
import { createFolder } from '../file/folder.ts';
import { OpenFile } from '../file/open-file.ts';
import { type WrittenBlob, writeContent } from './content.ts';
import { closed, gone, unwritable } from './error.ts';

/** Bytes that are gathered before they are written. */
const BLOCK = 262_144;

/** The files of a folder that hold blobs, by names of our own making. */
export class BlobFiles {
  readonly #folder: string;
  /** Those that are being written. */
  readonly #open = new Set<OpenFile>();
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A name that no file has, or ever had. */
  freshName(): string {
    return randomUUID();
  }

  /**
   * Writes a file, and hashes it on the way. A file that fails is there still.
   * @throws BlobError where the content is not as long as it says; what its stream throws; errors of the file system
   */
  async write(file: string, key: string, content: Attachment): Promise<WrittenBlob> {
    if (this.#closed) throw closed();
    createFolder(this.#folder);
    const open = OpenFile.create(join(this.#folder, file), 'the blob');
    this.#open.add(open);
    try {
      return await writeContent(key, content, BLOCK, (block, number) => open.write(block, number * BLOCK));
    } finally {
      this.#open.delete(open);
      open.close();
    }
  }

  /** Writes a file of one byte, and removes it. @throws UnwritableError naming the folder */
  async probe(): Promise<void> {
    const path = join(this.#folder, this.freshName());
    try {
      createFolder(this.#folder);
      await writeFile(path, '-', { flag: 'wx' });
    } catch (error) {
      throw unwritable(this.#folder, error);
    } finally {
      await unlink(path).catch(() => {});
    }
  }

  /** Some of the bytes of a file. @throws BlobError where it is gone; Error where it is shorter than it was */
  async *read(file: string, key: string, { start, length }: ByteRange): AsyncGenerator<Uint8Array, void, undefined> {
    const open = this.#openToRead(file, key);
    try {
      yield* open.stream(start, length);
    } finally {
      open.close();
    }
  }

  /** Removes a file; nothing happens where there is none. @throws errors of the file system */
  async remove(file: string): Promise<void> {
    await unlink(join(this.#folder, file)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }

  /** Gives up what is being written, and lets nothing more be written. */
  close(): void {
    this.#closed = true;
    for (const open of this.#open) open.close();
  }

  #openToRead(file: string, key: string): OpenFile {
    try {
      return OpenFile.open(join(this.#folder, file), `blob ${JSON.stringify(key)}`);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      throw gone(key, error);
    }
  }
}
