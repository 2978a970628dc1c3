import type { SqlValue } from './convert.ts';

/** Turns rows into text. Made for one result; what it needs to know of the columns was compiled before. */
export interface Renderer {
  /** Takes a row; `number` counts from 1. */
  row(cells: readonly SqlValue[], number: number): void;
  /** The text of the rows since the last call. */
  flush(): string;
  /** What stands before the rows, known when all were read. */
  head(rows: number): string;
  /** What stands after them. */
  tail(): string;
}

/** Makes renderers of one format for one set of columns. */
export interface RendererFactory {
  start(): Renderer;
  /** Bytes that a head takes, at most. */
  readonly headRoom: number;
}

/** A row count with as many digits as there can be. */
export const MOST_ROWS = 4_294_967_295;
