import { deserialize, serialize } from 'node:v8';
import { OpenFile } from '../../store/file/open-file.ts';
import type { SqlValue } from '../render/index.ts';
import { IN_MEMORY } from '../runner.ts';

/** Estimated bytes of a value, in addition to the characters of a text. */
const VALUE = 16;

/** A first-in, first-out buffer of row batches: in memory or, beyond a limit, in an unlinked file. */
export class KeptRows {
  readonly #folder: string;
  readonly #batches: (SqlValue[][] | { readonly start: number; readonly length: number })[] = [];
  #inMemory = 0;
  #file: OpenFile | undefined;
  #written = 0;

  /** @param folder of the file */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws errors of the file system */
  async add(rows: SqlValue[][]): Promise<void> {
    this.#inMemory += sizeOf(rows);
    if (this.#inMemory <= IN_MEMORY) {
      this.#batches.push(rows);
      return;
    }
    this.#file ??= OpenFile.nameless(this.#folder, 'the rows of the query');
    const bytes = serialize(rows);
    await this.#file.write(bytes, this.#written);
    this.#batches.push({ start: this.#written, length: bytes.length });
    this.#written += bytes.length;
  }

  /** Removes and returns the first batch; empty at the end. @throws errors of the file system */
  async take(): Promise<SqlValue[][]> {
    const batch = this.#batches.shift();
    if (batch === undefined) this.close();
    if (batch === undefined || Array.isArray(batch) || this.#file === undefined) return (batch ?? []) as SqlValue[][];
    return deserialize(Buffer.concat(await Array.fromAsync(this.#file.stream(batch.start, batch.length))));
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

function sizeOf(rows: readonly (readonly SqlValue[])[]): number {
  let size = 0;
  for (const row of rows)
    for (const value of row) size += VALUE + (typeof value === 'string' || Buffer.isBuffer(value) ? value.length : 0);
  return size;
}
