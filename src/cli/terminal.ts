import { writeSync } from 'node:fs';
import pc from 'picocolors';
import { codeOf } from '../wire/error.ts';

/** Functions that colour a text, or leave it alone where colour is off. */
export type Colors = ReturnType<typeof pc.createColors>;

interface Stream {
  readonly isTTY?: boolean;
}

/**
 * Colour is for terminals; `FORCE_COLOR` and `NO_COLOR` (no-color.org) say otherwise, the first being the stronger, as in
 * Node itself.
 */
export function wantsColour(stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '')
    return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Colours, or none. */
export function colours(enabled: boolean): Colors {
  return pc.createColors(enabled);
}

/** Colours for what is written to `stream`. */
export function coloursOf(stream: Stream): Colors {
  return pc.createColors(wantsColour(stream));
}

/** Writes to standard output, and waits until it is taken or nobody is there to take it. */
export async function print(text: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
}

/** A value for programs to read. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What would drive a terminal, or break the line, becomes a blank. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').trimEnd();
}

/** Writes a line about the work itself, as opposed to its result, to standard error. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Makes a closed output (`signalbox routes | head -1`) no error of ours: commands end as they would have, with the exit code
 * that is theirs, and those that serve go on.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    });
  }
}

/** Writes at once, from any thread, also where the process is about to end; a closed output is not worth an error then. */
export function writeAtOnce(descriptor: 1 | 2, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      // EAGAIN: the reader is slow. Anything else: nobody reads any more.
      if (codeOf(error) !== 'EAGAIN') return;
    }
  }
}

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
interface TableOptions {
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
