import { OpenFile } from '../../store/file/open-file.ts';
import { IN_MEMORY, type RawResult } from '../runner.ts';

/**
 * Where a result is put together: in memory, or beyond {@link IN_MEMORY} in a file without a name, which is written beside
 * the main thread.
 */
export class Result {
  readonly #folder: string;
  /** Bytes that are kept free in front, for a head that is known last. */
  readonly #room: number;
  #gathered: (string | Uint8Array)[] = [];
  /** Bytes of what is gathered. */
  #length = 0;
  #file: OpenFile | undefined;
  /** Bytes in the file, the room included. */
  #written: number;

  constructor(folder: string, room: number) {
    this.#folder = folder;
    this.#room = room;
    this.#written = room;
  }

  /** Takes a piece; where it returns a promise, the next must wait for that. @throws errors of the file system */
  add(piece: string | Uint8Array): Promise<void> | undefined {
    if (piece.length === 0) return undefined;
    this.#gathered.push(piece);
    this.#length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    return this.#length > IN_MEMORY ? this.#spill() : undefined;
  }

  /** Ends it. @throws errors of the file system */
  async finish(head: string, rows: number, truncated: boolean): Promise<RawResult> {
    if (this.#file === undefined) return { rows, truncated, content: this.#bytes(head) };
    await this.#spill();
    const start = this.#room - Buffer.byteLength(head);
    await this.#file.write(Buffer.from(head), start);
    return { rows, truncated, content: { file: this.#file, start, length: this.#written - start } };
  }

  /** Gives it up. */
  dispose(): void {
    this.#file?.close();
  }

  async #spill(): Promise<void> {
    this.#file ??= OpenFile.nameless(this.#folder, 'the result');
    const bytes = this.#bytes('');
    const at = this.#written;
    this.#written += bytes.length;
    await this.#file.write(bytes, at);
  }

  /** What is gathered behind a head, as one buffer of its own; nothing is gathered any more then. */
  #bytes(head: string): Buffer {
    const pieces = this.#gathered;
    const length = Buffer.byteLength(head) + this.#length;
    this.#gathered = [];
    this.#length = 0;
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = bytes.write(head);
    for (const piece of pieces) {
      if (typeof piece === 'string') at += bytes.write(piece, at);
      else {
        bytes.set(piece, at);
        at += piece.length;
      }
    }
    return bytes;
  }
}
