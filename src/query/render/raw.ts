/**
 * Rows as they were stored, a line of JSON each, of which every other format can be made later: an array of the columns'
 * values and then, of a connected query, of the rows of each child in the same form. A text is a JSON string and an
 * integer up to 2^53 - 1 a JSON number; all else is tagged, so that it comes back as it was.
 */

import type { ResultColumn } from '../plan.ts';
import { type NestedRow, NOTHING_BELOW, type RendererFactory, type ResultShape } from './renderer.ts';
import type { SqlValue } from './value.ts';

/** `i` the digits of a larger integer, `r` a real number or the name of one that JSON has no number for, `b` a blob in base64. */
type RawCell =
  | string
  | number
  | null
  | { readonly i: string }
  | { readonly r: number | string }
  | { readonly b: string };

/** A line: cells, and then rows of children. */
type RawRow = readonly (RawCell | readonly RawRow[])[];

/** Compiles the writer of a query's result. */
export function compileRaw(shape: ResultShape): RendererFactory {
  const toRaw = compileRow(shape);
  return {
    headRoom: 0,
    start() {
      let lines = '';
      return {
        row(cells, _, below) {
          lines += `${JSON.stringify(toRaw(cells, below))}\n`;
        },
        flush() {
          const done = lines;
          lines = '';
          return done;
        },
        head: () => '',
        tail: () => '',
      };
    },
  };
}

function compileRow({
  columns,
  children,
}: ResultShape): (cells: readonly SqlValue[], below: NestedRow['below']) => RawRow {
  const places = columns.map((column) => column.at);
  const lists = children.map(compileRow);
  return (cells, below) => {
    const row: (RawCell | RawRow[])[] = places.map((at) => rawOf(cells[at] ?? null));
    for (const [index, toRaw] of lists.entries()) {
      row.push((below[index] ?? []).map((each) => toRaw(each.cells, each.below)));
    }
    return row;
  };
}

function rawOf(value: SqlValue): RawCell {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : { i: value.toString() };
  }
  if (typeof value === 'number') return { r: Number.isFinite(value) && !Object.is(value, -0) ? value : nameOf(value) };
  return { b: value.toString('base64') };
}

/** JSON has no sign for zero, and no infinity. */
function nameOf(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

/** Reads a line that was written for the same shape. Its columns stand in their order: see {@link rawShape}. */
export function readRaw(line: string, shape: ResultShape): NestedRow {
  return rowOf(JSON.parse(line), shape);
}

/** The shape of rows that {@link readRaw} returns: the columns stand where they are declared. */
export function rawShape({ name, columns, children }: ResultShape): ResultShape {
  const moved = columns.map((column, at): ResultColumn => ({ ...column, at }));
  return { name, columns: moved, children: children.map(rawShape) };
}

function rowOf(row: RawRow, { columns, children }: ResultShape): NestedRow {
  const cells = columns.map((_, index) => sqlValueOf(row[index] as RawCell));
  if (children.length === 0) return { cells, below: NOTHING_BELOW };
  const below = children.map((child, index) =>
    (row[columns.length + index] as readonly RawRow[]).map((each) => rowOf(each, child)),
  );
  return { cells, below };
}

function sqlValueOf(cell: RawCell): SqlValue {
  if (cell === null || typeof cell === 'string') return cell;
  if (typeof cell === 'number') return BigInt(cell);
  if ('i' in cell) return BigInt(cell.i);
  return 'r' in cell ? Number(cell.r) : Buffer.from(cell.b, 'base64');
}
