import { type Colors, printable } from './terminal.ts';

/** A text table: a heading, then a line a row; columns two blanks apart, numbers to the right. */
export function renderTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const cells = rows.map((row) => heading.map((_, column) => printable(row[column] ?? '')));
  const widths = heading.map((name, column) => widest(name, cells, column));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, options.right?.has(column) === true))
      .join('  ')
      .trimEnd();
  return [options.colours.bold(line(heading)), ...cells.map(line), ''].join('\n');
}

/** How a table is written. */
export interface TableOptions {
  readonly colours: Colors;
  /** Columns, from 0, that stand to the right. */
  readonly right?: ReadonlySet<number>;
}

function widest(name: string, cells: readonly (readonly string[])[], column: number): number {
  let width = widthOf(name);
  for (const row of cells) width = Math.max(width, widthOf(row[column] ?? ''));
  return width;
}

function pad(text: string, width: number, right: boolean): string {
  const gap = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? gap + text : text + gap;
}

function widthOf(text: string): number {
  let width = 0;
  for (const _ of text) width++;
  return width;
}
