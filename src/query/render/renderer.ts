import type { ResultColumn } from '../plan.ts';
import type { SqlValue } from './value.ts';

/** What a renderer writes: a query's columns and, of a connected query, what stands under each of its rows. */
export interface ResultShape {
  /** The query's id. */
  readonly name: string;
  readonly columns: readonly ResultColumn[];
  readonly children: readonly ResultShape[];
}

/** A row, and the rows below it: a list for each child of the query. */
export interface NestedRow {
  readonly cells: readonly SqlValue[];
  readonly below: readonly (readonly NestedRow[])[];
}

/** The nested rows of a query without children. */
export const NOTHING_BELOW: NestedRow['below'] = [];

/** Turns rows into text, or into bytes where the format is none of text. Made for one result; what it needs to know of the columns was compiled before. */
export interface Renderer {
  /** Takes a row; `number` counts from 1. @throws ValueError, ResultLimitError */
  row(cells: readonly SqlValue[], number: number, below: NestedRow['below']): void;
  /** What the rows since the last call have come to; a format may hold some of it back until the next. */
  flush(): string | Uint8Array;
  /** The text before the rows, known once all were read; empty in a binary format. */
  head(rows: number): string;
  /** The content after the rows. @throws ResultLimitError */
  tail(): string | Uint8Array;
}

/** Makes renderers of one format for one set of columns. */
export interface RendererFactory {
  start(): Renderer;
  /** Bytes that a head takes, at most. */
  readonly headRoom: number;
}

/** A row count with as many digits as there can be. */
export const MOST_ROWS = 4_294_967_295;
