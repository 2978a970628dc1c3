import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder } from '../../store/file/folder.ts';
import type { Failure } from '../errors.ts';
import { IN_MEMORY } from '../runner.ts';
import { HEAD, Reply, writeHead } from './frame.ts';

/**
 * Where a reader puts a result: a buffer that is sent as it stands, with room in front for the head of the reply and
 * of the document, which are known last; beyond {@link IN_MEMORY} a temporary file, announced as soon as it is made,
 * so that the gateway opens it and removes its name while it is being filled.
 */
export class Output {
  readonly #socket: number;
  readonly #folder: string;
  readonly #prefix: string;
  readonly #buffer = Buffer.allocUnsafeSlow(HEAD + IN_MEMORY);
  #end = HEAD;
  #room = 0;
  #file: number | undefined;
  /** Bytes in the file, the room for the head included. */
  #written = 0;
  #files = 0;

  /**
   * @param socket file descriptor of the gateway's end
   * @param folder for large results; created if missing
   * @param prefix of the names of files there, so that they are found when this process is gone
   */
  constructor(socket: number, folder: string, prefix: string) {
    this.#socket = socket;
    this.#folder = folder;
    this.#prefix = prefix;
  }

  /** Starts a result whose head will take `room` bytes at most. */
  begin(room: number): void {
    this.#room = room;
    this.#end = HEAD + room;
  }

  /** Adds to the result. */
  add(piece: string | Uint8Array): void {
    if (typeof piece === 'string') this.#text(piece);
    else this.#bytes(piece);
  }

  #text(text: string): void {
    // A UTF-16 unit is three bytes of UTF-8 at most: most texts are seen to fit without being measured.
    if (
      this.#end + text.length * 3 > this.#buffer.length &&
      this.#end + Buffer.byteLength(text) > this.#buffer.length
    ) {
      this.#spill(Buffer.from(text));
    } else {
      this.#end += this.#buffer.write(text, this.#end);
    }
  }

  #bytes(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#buffer.length) {
      this.#spill(bytes);
    } else {
      this.#buffer.set(bytes, this.#end);
      this.#end += bytes.length;
    }
  }

  /** Ends the result and sends it. */
  finish(head: string, rows: number, truncated: boolean): void {
    const start = this.#room - Buffer.byteLength(head);
    if (this.#file === undefined) {
      this.#buffer.write(head, HEAD + start);
      writeHead(this.#buffer, start, { kind: Reply.bytes, truncated, rows, length: this.#end - HEAD - start });
      this.#send(this.#buffer.subarray(start, this.#end));
      return;
    }
    this.#flush();
    writeAll(this.#file, Buffer.from(head), start);
    this.#sendJson(Reply.file, { start, length: this.#written - start }, rows, truncated);
    this.#closeFile();
  }

  /** Discards a result and sends the failure. */
  fail(failure: Failure): void {
    if (this.#file !== undefined) this.#closeFile();
    this.#sendJson(Reply.failed, failure);
  }

  /** Signals to the gateway that the reader accepts commands. */
  ready(): void {
    this.#sendJson(Reply.ready, {});
  }

  #spill(bytes: Uint8Array): void {
    if (this.#file === undefined) this.#openFile();
    this.#flush();
    if (bytes.length > this.#buffer.length) {
      this.#append(bytes);
    } else {
      this.#buffer.set(bytes);
      this.#end = bytes.length;
    }
  }

  #openFile(): void {
    createFolder(this.#folder);
    const path = join(this.#folder, `${this.#prefix}${this.#files}`);
    this.#files += 1;
    this.#file = openSync(path, 'w', 0o600);
    this.#written = 0;
    // The buffer begins with room for a reply's head, which a file does not need.
    this.#buffer.copyWithin(0, HEAD, this.#end);
    this.#end -= HEAD;
    this.#sendJson(Reply.spill, { path });
  }

  #flush(): void {
    this.#append(this.#buffer.subarray(0, this.#end));
    this.#end = 0;
  }

  #append(bytes: Uint8Array): void {
    if (this.#file === undefined) return;
    writeAll(this.#file, bytes, this.#written);
    this.#written += bytes.length;
  }

  #closeFile(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }

  #sendJson(kind: number, payload: object, rows = 0, truncated = false): void {
    const text = JSON.stringify(payload);
    const length = Buffer.byteLength(text);
    const bytes = Buffer.allocUnsafe(HEAD + length);
    writeHead(bytes, 0, { kind, truncated, rows, length });
    bytes.write(text, HEAD);
    this.#send(bytes);
  }

  #send(bytes: Buffer): void {
    writeAll(this.#socket, bytes, null);
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number | null): void {
  let done = 0;
  while (done < bytes.length) {
    done += writeSync(file, bytes, done, bytes.length - done, position === null ? null : position + done);
  }
}
