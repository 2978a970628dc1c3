import { closeSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFolder } from '../../store/file/folder.ts';
import { messageOf } from '../../wire/error.ts';
import { GatewayError } from '../gateway-error.ts';

/**
 * The file of the audit log. A line is with the operating system at the end of its turn of the event loop, or once {@link settle}
 * returns: it outlives this process, however that ends. It is not synced: lines of the last seconds do not outlive a loss of power.
 */
export interface AuditFile {
  /** Takes one line, including its line end. */
  write(line: string): void;
  /** Writes the lines so far, unless the file can't be written at present. */
  settle(): void;
  /** The file can't be written at present, so nothing that must be audited may happen. */
  readonly broken: boolean;
  /** Lines that were lost while it could not be written. */
  readonly lost: number;
  /** Opens the path again, where a new file may have been created. */
  reopen(): void;
  /** Writes the remaining lines and closes the file. */
  close(): Promise<void>;
}

/** Readable only by the owner: it records who did what. */
const MODE = 0o600;
/** Milliseconds between two attempts to write after a failure, and between two checks whether the file was moved. */
const PAUSE = 1_000;
/** Lines that are kept while none can be written. Further lines are only counted. */
const MOST_KEPT = 10_000;

/**
 * Opens the file of the audit log for appending. Every write consists of whole lines, so several gateways can share one
 * file.
 * @param onError called once each time the file becomes unwritable
 * @throws GatewayError when it can't be opened
 */
export function openAuditFile(path: string, onError: (error: Error) => void): AuditFile {
  try {
    return new Appender(path, onError);
  } catch (error) {
    const hint =
      'Set audit: of gateway.yaml to a file, relative to the project, in a folder that the gateway may write to.';
    throw new GatewayError(`the audit log ${path} can't be written: ${messageOf(error)}`, { hint, cause: error });
  }
}

function open(path: string): number {
  createFolder(dirname(path));
  return openSync(path, 'a', MODE);
}

/** Whether the last line of a file is incomplete. */
function endsInside(path: string): boolean {
  const { size } = statSync(path);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  try {
    const descriptor = openSync(path, 'r');
    try {
      readSync(descriptor, last, 0, 1, size - 1);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file may be write-only.
    return false;
  }
  return last[0] !== 0x0a;
}

class Appender implements AuditFile {
  readonly #path: string;
  readonly #onError: (error: Error) => void;
  #descriptor: number;
  #lines: string[] = [];
  /** The rest of a partial write of whole lines. */
  #rest: Buffer = Buffer.alloc(0);
  /** Lines lost since the last write, and before it. */
  #lost = 0;
  #lostBefore = 0;
  #scheduled = false;
  #broken = false;
  #looked = performance.now();
  #retry: NodeJS.Timeout | undefined;

  constructor(path: string, onError: (error: Error) => void) {
    this.#path = path;
    this.#onError = onError;
    this.#descriptor = open(path);
    // A gateway that crashed may have left an incomplete line, which must not be joined with the first line of this one.
    if (endsInside(path)) this.#rest = Buffer.from('\n');
  }

  get lost(): number {
    return this.#lostBefore + this.#lost;
  }

  get broken(): boolean {
    return this.#broken;
  }

  write(line: string): void {
    if (this.#lines.length < MOST_KEPT) this.#lines.push(line);
    else this.#lost += 1;
    if (this.#scheduled || this.#broken) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.settle();
    });
  }

  settle(): void {
    if (this.#lines.length > 0 && !this.#broken) this.#append();
  }

  reopen(): void {
    this.#reopened();
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    this.settle();
    clearTimeout(this.#retry);
    closeSync(this.#descriptor);
  }

  /** Writes in this thread: handing a few lines to another one takes longer than the write, which only copies them. */
  #append(): void {
    if (performance.now() - this.#looked > PAUSE && !this.#followed()) return;
    let bytes = Buffer.concat([this.#rest, Buffer.from(this.#lines.join('') + this.#lostLine())]);
    this.#lines = [];
    this.#lostBefore += this.#lost;
    this.#lost = 0;
    try {
      while (bytes.length > 0) {
        const written = writeSync(this.#descriptor, bytes);
        if (written === 0) throw new Error('nothing of a line was written');
        bytes = bytes.subarray(written);
      }
      this.#broken = false;
    } catch (error) {
      this.#fail(error as Error);
    }
    // The part that was written before the disk was full is not written twice; the rest follows once there is space.
    this.#rest = bytes;
  }

  #reopened(): boolean {
    try {
      const opened = open(this.#path);
      closeSync(this.#descriptor);
      this.#descriptor = opened;
      return true;
    } catch (error) {
      this.#fail(error as Error);
      return false;
    }
  }

  #fail(error: Error): void {
    if (!this.#broken) this.#onError(error);
    this.#broken = true;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      if (this.#reopened()) this.#append();
    }, PAUSE);
    this.#retry.unref();
  }

  /** After the file was moved or removed, further lines go to the file that has its name now. */
  #followed(): boolean {
    this.#looked = performance.now();
    const own = fstatSync(this.#descriptor);
    const there = statSync(this.#path, { throwIfNoEntry: false });
    return (there?.ino === own.ino && there.dev === own.dev) || this.#reopened();
  }

  #lostLine(): string {
    if (this.#lost === 0) return '';
    const msg = 'Lines were lost while the audit log could not be written.';
    return `${JSON.stringify({ level: 'error', time: new Date().toISOString(), lost: this.#lost, msg })}\n`;
  }
}
