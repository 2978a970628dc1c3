/** Rows of one block at most. */
const BLOCK_ROWS = 1000;
/** Bytes of one block at most, where it has more than one row. */
const BLOCK_BYTES = 1_048_576;

const LINE_END = 0x0a;

/** Where a block begins: the offset of its first byte, and the number of its first row, from 1. */
export type BlockStart = readonly [offset: number, row: number];

/** Counts the lines of a `raw` result while it streams by, and cuts it into blocks of whole lines. */
export class BlockCounter {
  readonly #starts: BlockStart[] = [[0, 1]];
  #bytes = 0;
  #rows = 0;
  /** Where the line begins that is under way. */
  #line = 0;

  /** Where each block begins; of no rows there is one block. */
  get starts(): readonly BlockStart[] {
    return this.#starts;
  }

  /** Lines that have ended. */
  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) {
      this.#endLine(this.#bytes + at + 1);
    }
    this.#bytes += chunk.length;
  }

  /** A line ended before this offset: it begins a block where it does not fit into the one before. */
  #endLine(end: number): void {
    const [offset, row] = this.#starts.at(-1) as BlockStart;
    const number = this.#rows + 1;
    if (number > row && (number - row >= BLOCK_ROWS || end - offset > BLOCK_BYTES)) {
      this.#starts.push([this.#line, number]);
    }
    this.#rows = number;
    this.#line = end;
  }
}
