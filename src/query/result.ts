import { OpenFile } from '../store/file/open-file.ts';
import type { Zone } from '../wire/timezone.ts';
import type { PlanColumn, ResultColumn } from './plan.ts';
import { compileRenderer, type RendererFactory, type ResultShape } from './render/index.ts';
import { ValueError } from './render/value.ts';
import { type Command, IN_MEMORY, type RawResult } from './runner.ts';

/** Renderers kept for one statement: one for each selection of columns that callers use. */
const RENDERERS_KEPT = 64;

/** The renderers of one statement's rows, each compiled at its first use. */
export class Renderers {
  readonly #query: string;
  readonly #columns: readonly ResultColumn[];
  readonly #zone: Zone;
  readonly #known = new Map<string, RendererFactory>();

  /** @param columns found in the statement's result */
  constructor(query: string, columns: readonly ResultColumn[], zone: Zone) {
    this.#query = query;
    this.#columns = columns;
    this.#zone = zone;
  }

  /** @param children shapes of the rows nested below each row of a connected query; the same in every call */
  of({ format, fields, xml, root, csv }: Command, children: readonly ResultShape[] = []): RendererFactory {
    const key = JSON.stringify([format, fields, xml, root, csv, children.length]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const columns = fields === undefined ? this.#columns : fields.flatMap((index) => this.#columns[index] ?? []);
    const factory = compileRenderer(format, { name: this.#query, columns, children }, this.#zone, { xml, root, csv });
    if (this.#known.size >= RENDERERS_KEPT) this.#known.clear();
    this.#known.set(key, factory);
    return factory;
  }
}

/** The columns of a plan that a result has, and the problems of the others. */
interface FoundColumns {
  readonly columns: readonly ResultColumn[];
  /** One sentence each, without a full stop. */
  readonly problems: readonly string[];
  /** The columns that the problems concern. */
  readonly wrong: readonly PlanColumn[];
}

/** Finds declared columns in a result by case-insensitive name, never by position. */
export function findColumns(declared: readonly PlanColumn[], result: readonly string[]): FoundColumns {
  const lower = result.map((name) => name.toLowerCase());
  const columns: ResultColumn[] = [];
  const problems: string[] = [];
  const wrong: PlanColumn[] = [];
  for (const column of declared) {
    const wanted = column.name.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at < 0) {
      wrong.push(column);
      problems.push(`column ${column.name} is not in the result, which has ${result.join(', ')}`);
    } else if (lower.includes(wanted, at + 1)) {
      wrong.push(column);
      problems.push(`column ${column.name} is in the result more than once; give each an alias of its own`);
    } else {
      columns.push({ ...column, at });
    }
  }
  return { columns, problems, wrong };
}

/** Like {@link findColumns}, but requires every column. @param whose prefix of the error message @throws Error */
export function requireColumns(
  declared: readonly PlanColumn[],
  result: readonly string[],
  whose = '',
): readonly ResultColumn[] {
  const { columns, problems } = findColumns(declared, result);
  if (problems.length > 0) throw new ValueError(`${whose}${problems.join('; ')}`);
  return columns;
}

/**
 * Assembles a result in memory or, beyond {@link IN_MEMORY} bytes, in an unlinked file that is written off the main thread.
 */
export class Result {
  readonly #folder: string;
  /** Bytes reserved at the start for the head, which is known last. */
  readonly #room: number;
  #gathered: (string | Uint8Array)[] = [];
  /** Bytes in `#gathered`. */
  #length = 0;
  #file: OpenFile | undefined;
  /** Bytes in the file, including the reserved ones. */
  #written: number;

  constructor(folder: string, room: number) {
    this.#folder = folder;
    this.#room = room;
    this.#written = room;
  }

  /** Adds a piece; if it returns a promise, await it before the next call. @throws errors of the file system */
  add(piece: string | Uint8Array): Promise<void> | undefined {
    if (piece.length === 0) return undefined;
    this.#gathered.push(piece);
    this.#length += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    return this.#length > IN_MEMORY ? this.#spill() : undefined;
  }

  /** Completes the result. @throws errors of the file system */
  async finish(head: string, rows: number, truncated: boolean): Promise<RawResult> {
    if (this.#file === undefined) return { rows, truncated, content: this.#bytes(head) };
    await this.#spill();
    const start = this.#room - Buffer.byteLength(head);
    await this.#file.write(Buffer.from(head), start);
    return { rows, truncated, content: { file: this.#file, start, length: this.#written - start } };
  }

  /** Discards the result. */
  dispose(): void {
    this.#file?.close();
  }

  async #spill(): Promise<void> {
    this.#file ??= OpenFile.nameless(this.#folder, 'the result');
    const bytes = this.#bytes('');
    const at = this.#written;
    this.#written += bytes.length;
    await this.#file.write(bytes, at);
  }

  /** A head and the gathered pieces as one new buffer; afterwards nothing is gathered. */
  #bytes(head: string): Buffer {
    const pieces = this.#gathered;
    const length = Buffer.byteLength(head) + this.#length;
    this.#gathered = [];
    this.#length = 0;
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = bytes.write(head);
    for (const piece of pieces) {
      if (typeof piece === 'string') at += bytes.write(piece, at);
      else {
        bytes.set(piece, at);
        at += piece.length;
      }
    }
    return bytes;
  }
}
