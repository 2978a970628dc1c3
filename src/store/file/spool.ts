import { type Spool, type SpooledContent, SpoolLimitError } from '../../model/blob.ts';
import { BlockWriter } from '../block-writer.ts';
import { sweepTemporary } from './folder.ts';
import { OpenFile } from './open-file.ts';

/** Settings of a spool. Sizes in bytes. */
export interface SpoolOptions {
  /** The folder of temporary files; it is created when missing, and files left in it are removed. */
  readonly folder: string;
  /** The most memory for one content; longer content goes to a file. 256 KiB by default. */
  readonly memory?: number;
  /** The most memory for all contents together. 16 MiB by default. */
  readonly total?: number;
}

/**
 * A spool that keeps short content in memory and the rest in files without names, which disappear with the process however it
 * ends.
 */
export function createSpool({ folder, memory = 262_144, total = 16_777_216 }: SpoolOptions): MeasuredSpool {
  sweepTemporary(folder);
  const budget = new Budget(total);
  const files: Held = { bytes: 0 };
  return {
    status: () => ({ memory: total - budget.left, file: files.bytes }),
    async keep(content, limit) {
      const kept = new Gathered(memory, budget);
      let file: SpooledFile | undefined;
      try {
        let length = 0;
        for await (const chunk of content) {
          length += chunk.length;
          if (length > limit) throw new SpoolLimitError(limit);
          if (file === undefined && kept.add(chunk)) continue;
          file ??= await SpooledFile.begin(folder, kept, files);
          await file.add(chunk);
        }
        if (file === undefined) kept.trim();
        else await file.end();
        return file ?? kept;
      } catch (error) {
        kept.dispose();
        file?.dispose();
        throw error;
      }
    },
  };
}

/** A spool, with the bytes that it holds at present. */
export interface MeasuredSpool extends Spool {
  status(): { readonly memory: number; readonly file: number };
}

/** The bytes that all files hold. */
interface Held {
  bytes: number;
}

/** The memory that all contents share. */
class Budget {
  #left: number;

  constructor(total: number) {
    this.#left = total;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes memory. @returns whether enough was left */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** The first buffer of a content, in bytes. */
const FIRST = 1024;

/** Content in memory, in one buffer that grows. */
class Gathered implements SpooledContent {
  readonly #limit: number;
  readonly #budget: Budget;
  #buffer: Buffer | undefined = Buffer.alloc(0);
  #length = 0;

  constructor(limit: number, budget: Budget) {
    this.#limit = limit;
    this.#budget = budget;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk, all of it or nothing. @returns whether there was room */
  add(chunk: Uint8Array): boolean {
    const needed = this.#length + chunk.length;
    const buffer = this.#buffer;
    if (buffer === undefined || needed > this.#limit) return false;
    if (needed > buffer.length) {
      const size = Math.min(this.#limit, Math.max(FIRST, needed, 2 * buffer.length));
      if (!this.#budget.take(size - buffer.length)) return false;
      this.#move(size);
    }
    this.#buffer?.set(chunk, this.#length);
    this.#length = needed;
    return true;
  }

  /** Releases unused memory. */
  trim(): void {
    const unused = (this.#buffer?.length ?? 0) - this.#length;
    if (unused === 0) return;
    this.#move(this.#length);
    this.#budget.give(unused);
  }

  async *stream(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#buffer === undefined) throw new Error('the content was given up');
    if (this.#length > 0) yield this.#buffer.subarray(0, this.#length);
  }

  dispose(): void {
    this.#budget.give(this.#buffer?.length ?? 0);
    this.#buffer = undefined;
  }

  /** Does not use Node's pool for small buffers: each of them would keep a whole block of it in memory. */
  #move(size: number): void {
    const moved = Buffer.allocUnsafeSlow(size);
    this.#buffer?.copy(moved, 0, 0, this.#length);
    this.#buffer = moved;
  }
}

/** The bytes that are gathered before they are written. */
const BLOCK = 262_144;

/** Content in a file without a name. */
class SpooledFile implements SpooledContent {
  readonly #file: OpenFile;
  readonly #held: Held;
  #writer: BlockWriter | undefined;
  #length = 0;
  #closed = false;

  private constructor(file: OpenFile, held: Held) {
    this.#file = file;
    this.#held = held;
    this.#writer = new BlockWriter(BLOCK, (block, number) => file.write(block, number * BLOCK));
  }

  /** Creates the file, and moves the content so far to it. */
  static async begin(folder: string, gathered: Gathered, held: Held): Promise<SpooledFile> {
    const spooled = new SpooledFile(OpenFile.nameless(folder, 'the content'), held);
    try {
      for await (const chunk of gathered.stream()) await spooled.add(chunk);
    } catch (error) {
      spooled.dispose();
      throw error;
    }
    gathered.dispose();
    return spooled;
  }

  get length(): number {
    return this.#length;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#length += chunk.length;
    this.#held.bytes += chunk.length;
    await this.#writer?.write(chunk);
  }

  async end(): Promise<void> {
    await this.#writer?.end();
    this.#writer = undefined;
  }

  stream(): AsyncIterable<Uint8Array> {
    return this.#file.stream(0, this.#length);
  }

  dispose(): void {
    if (!this.#closed) this.#held.bytes -= this.#length;
    this.#closed = true;
    this.#file.close();
  }
}
