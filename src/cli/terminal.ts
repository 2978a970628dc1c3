import { writeSync } from 'node:fs';
import pc from 'picocolors';
import { codeOf } from '../wire/error.ts';

/** Functions that colour a text, or return it unchanged when colour is off. */
export type Colors = ReturnType<typeof pc.createColors>;

interface Stream {
  readonly isTTY?: boolean;
}

/**
 * Colour is for terminals, unless `FORCE_COLOR` or `NO_COLOR` (no-color.org) decides otherwise. `FORCE_COLOR` wins over
 * `NO_COLOR`, as it does in Node itself.
 */
export function wantsColour(stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '')
    return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

export function colours(enabled: boolean): Colors {
  return pc.createColors(enabled);
}

/** The colours for output to `stream`. */
export function coloursOf(stream: Stream): Colors {
  return pc.createColors(wantsColour(stream));
}

/** Writes to standard output, and waits until the text is read or the reader is gone. */
export async function print(text: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}

/** JSON as programs read it. Characters that would control a terminal, which JSON permits in texts, are escaped. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, escaped);
  return `${text}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Prints the result of a command: as JSON with `--json`, as text otherwise. */
export async function printResult<T>(result: T, json: true | undefined, render: (result: T) => string): Promise<void> {
  await print(json ? jsonText(result) : render(result));
}

/** Replaces characters that would control a terminal, turn the order of a text or break the line by blanks. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, ' ').trimEnd();
}

/** Writes a line to standard error: about the work itself, as opposed to its result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Ignores a closed output (`signalbox routes | head -1`): commands end as they would have, with the same exit code, and
 * gateways keep serving.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    });
  }
}

/** Writes synchronously, from any thread, even when the process is about to end. A closed output is ignored. */
export function writeAtOnce(descriptor: 1 | 2, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      // EAGAIN: the reader is slow. Anything else: the reader is gone.
      if (codeOf(error) !== 'EAGAIN') return;
    }
  }
}

let wide = false;

/** Whether tables are written at their full width: `--wide`. */
export function setWide(on: boolean): void {
  wide = on;
}

/**
 * The width for lines of standard output: that of the terminal, or else `COLUMNS`. Otherwise it is unlimited: programs, such
 * as `grep`, read everything.
 */
export function outputWidth(): number {
  if (wide) return Number.POSITIVE_INFINITY;
  const { columns } = process.stdout;
  const width = columns > 0 ? columns : Number(process.env.COLUMNS);
  return width > 0 ? width : Number.POSITIVE_INFINITY;
}

/** A text that is cut to a number of characters, if it is longer: in its middle, since names and paths differ at their ends. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const characters = [...text];
  const end = Math.floor(Math.max(0, width - 1) / 3);
  const start = Math.max(0, width - 1 - end);
  return [...characters.slice(0, start), '…', ...characters.slice(characters.length - end)].join('');
}

/** The columns of a table by their headings. Numbers are aligned to the right; `undefined` leaves a cell empty. */
export type Columns<T> = Readonly<Record<string, (entry: T) => string | number | undefined>>;

/** A table for standard output, one row for each entry. */
export function tableOf<T>(entries: readonly T[], columns: Columns<T>): string {
  const cells = entries.map((entry) => Object.values(columns).map((read) => read(entry)));
  const right = cells.flatMap((row) => row.flatMap((cell, column) => (typeof cell === 'number' ? column : [])));
  const rows = cells.map((row) => row.map((cell) => String(cell ?? '')));
  const options = { colours: coloursOf(process.stdout), right: new Set(right), width: outputWidth() };
  return renderTable(Object.keys(columns), rows, options);
}

/** A text table: a heading, then one line per row, with two blanks between columns. Cells are cut to fit its width. */
export function renderTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const cells = rows.map((row) => heading.map((_, column) => printable(row[column] ?? '')));
  const widths = heading.map((name, column) => widest(name, cells, column));
  narrow(widths, heading, options);
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return pad(cut(cell, width), width, options.right?.has(column) === true);
      })
      .join('  ')
      .trimEnd();
  return [options.colours.bold(line(heading)), ...cells.map(line), ''].join('\n');
}

/** How a table is written. */
interface TableOptions {
  readonly colours: Colors;
  /** Indexes of the columns that are aligned to the right. */
  readonly right?: ReadonlySet<number>;
  /** Maximum number of characters of a line; unlimited by default. */
  readonly width?: number;
}

/** Characters of a cell that are always shown. */
const SHORTEST_CELL = 8;

/** Takes from the widest columns what a line has too much. Numbers are never cut. */
function narrow(widths: number[], heading: readonly string[], { right, width }: TableOptions): void {
  if (width === undefined) return;
  let excess = widths.reduce((sum, each) => sum + each + 2, -2) - width;
  const spare = (column: number): number =>
    right?.has(column) ? 0 : (widths[column] ?? 0) - Math.max(SHORTEST_CELL, widthOf(heading[column] ?? ''));
  while (excess > 0) {
    const columns = [...widths.keys()].filter((column) => spare(column) > 0);
    if (columns.length === 0) return;
    const widest = columns.reduce((a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a));
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
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
