import type { NestedRow, Renderer, RendererFactory, SqlValue } from '../render/index.ts';
import { SLICE } from '../runner.ts';
import type { Output } from './output.ts';

/** Rows that are rendered at once, at most. */
const MOST_ROWS = 512;

/** Renders rows as they come and hands them to the output in slices: few rows at a time where they are wide, so that memory stays flat. */
export class Rendering {
  readonly #renderer: Renderer;
  readonly #output: Output;
  /** Rows of the query so far. */
  rows = 0;
  /** Text and bytes so far. */
  length = 0;
  /** Rows since the last slice, those of children included; and when the next one is due. */
  #pending = 0;
  #slice: number;

  /** @param slice rows of the first slice */
  constructor(factory: RendererFactory, output: Output, slice: number) {
    this.#renderer = factory.start();
    this.#output = output;
    this.#slice = slice;
    output.begin(factory.headRoom);
  }

  /** @param count rows that stand below it */
  row(cells: readonly SqlValue[], below: NestedRow['below'], count: number): void {
    this.rows += 1;
    this.#renderer.row(cells, this.rows, below);
    this.#pending += 1 + count;
    if (this.#pending >= this.#slice) this.#flush();
  }

  /** Ends the result and sends it. */
  finish(truncated: boolean): void {
    this.#flush();
    this.#output.add(this.#renderer.tail());
    this.#output.finish(this.#renderer.head(this.rows), this.rows, truncated);
  }

  #flush(): void {
    const piece = this.#renderer.flush();
    this.#output.add(piece);
    this.length += piece.length;
    this.#slice = Math.max(1, Math.min(MOST_ROWS, Math.floor((SLICE * this.#pending) / (piece.length + 1))));
    this.#pending = 0;
  }
}
