import type { Query } from '../model/query.ts';
import { kindOfValue, SCALARS, type ScalarKind } from '../model/scalar.ts';
import type { Primitive } from '../model/scalar-traits.ts';
import type { Attachment } from '../model/value.ts';
import { compileZone } from '../wire/timezone.ts';
import { columnsOf, type PlanColumn } from './plan.ts';
import { contentTypes } from './render/content-types.ts';
import { compileRenderer, NOTHING_BELOW, type SqlValue } from './render/index.ts';

/** A row of code: values by the names of columns. */
type GivenRow = Readonly<Record<string, unknown>>;

/** Rows of code, which may still be being made. */
type GivenRows = Iterable<object> | AsyncIterable<object>;

interface RowsOptions {
  /** Says the columns and their types; without it, they follow from the rows. */
  readonly query: Query | undefined;
  /** The file name without its ending; the id of the query, or `rows`. */
  readonly name?: string | undefined;
  readonly timezone: string;
}

/** Rows from which the columns of others that follow are known, when no query says them. */
const LOOKED_AT = 1000;

/** Rows that are written at a time. */
const PIECE = 200;

/**
 * Rows as a file, written as it is read by the writers of query results. That of an array can be read any number of times.
 * @returns a stream that throws an error naming row and column for a value that does not fit
 */
export function renderRows(rows: GivenRows, format: 'csv' | 'xlsx', options: RowsOptions): Attachment {
  const { query, name = query?.id ?? 'rows' } = options;
  const again = Array.isArray(rows);
  let isRead = false;
  return {
    contentType: contentTypes[format],
    name: `${name}.${format}`,
    ...(again ? { again: true } : {}),
    stream() {
      if (isRead && !again) throw new Error('the rows of the file have been read');
      isRead = true;
      return written(rows, format, { ...options, name });
    },
  };
}

async function* written(
  rows: GivenRows,
  format: 'csv' | 'xlsx',
  { query, name, timezone }: RowsOptions & { readonly name: string },
): AsyncGenerator<Uint8Array> {
  const { first, rest, close } = await begin(rows, query === undefined ? LOOKED_AT : 0);
  try {
    yield* ofColumns(rest, query === undefined ? inferred(first, Array.isArray(rows)) : columnsOf(query), format, {
      ...{ query, name, timezone },
    });
  } finally {
    await close();
  }
}

async function* ofColumns(
  rows: GivenRows,
  columns: readonly PlanColumn[],
  format: 'csv' | 'xlsx',
  { query, name, timezone }: RowsOptions & { readonly name: string },
): AsyncGenerator<Uint8Array> {
  const placed = columns.map((column, at) => ({ ...column, at }));
  const shape = { name, columns: placed, children: [] };
  const renderer = compileRenderer(format, shape, compileZone(timezone), { csv: query?.csv }).start();
  const cells = columns.map(({ name: of, kind }) => {
    const read = CELLS[SCALARS[kind].primitive] ?? plain;
    return (row: GivenRow): SqlValue => {
      const value = row[of];
      return value === null || value === undefined ? null : read(value);
    };
  });
  const known = new Set(columns.map(({ name: of }) => of));
  // The columns of an array are those of all its rows.
  const mayDiffer = query === undefined && !Array.isArray(rows);
  let number = 0;
  yield bytesOf(renderer.head(0));
  for await (const row of rows) {
    number += 1;
    const unknown = mayDiffer ? Object.keys(row).find((key) => !known.has(key)) : undefined;
    if (unknown !== undefined)
      throw new Error(`row ${number} has ${unknown}, which none of the first ${LOOKED_AT} rows has: name a query`);
    renderer.row(
      cells.map((cell) => cell(row as GivenRow)),
      number,
      NOTHING_BELOW,
    );
    if (number % PIECE === 0) yield bytesOf(renderer.flush());
  }
  yield bytesOf(renderer.flush());
  yield bytesOf(renderer.tail());
}

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : content;

/** Rows of which the first have been read. */
interface BegunRows {
  readonly first: readonly object[];
  /** All of them. */
  readonly rest: GivenRows;
  /** Ends their source, whether `rest` was read or not. */
  close(): Promise<void>;
}

/** Reads the first rows; `rest` has them again. All of an array are looked at: nothing is read for it. */
async function begin(rows: GivenRows, count: number): Promise<BegunRows> {
  if (Array.isArray(rows)) return { first: rows, rest: rows, close: async () => {} };
  const source = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]();
  const first: object[] = [];
  let ended = false;
  while (!ended && first.length < count) {
    const { done, value } = await source.next();
    if (done === true) ended = true;
    else first.push(value as object);
  }
  async function* rest(): AsyncGenerator<object> {
    yield* first;
    while (!ended) {
      const { done, value } = await source.next();
      if (done === true) ended = true;
      else yield value as object;
    }
  }
  return {
    ...{ first, rest: rest() },
    async close() {
      if (!ended) await source.return?.();
    },
  };
}

/** The columns of rows by their values: every name that one of them has, in order of appearance. */
function inferred(rows: readonly object[], areAll: boolean): PlanColumn[] {
  const kinds = new Map<string, ScalarKind | undefined>();
  for (const row of rows as readonly GivenRow[]) {
    for (const [name, value] of Object.entries(row)) {
      const before = kinds.get(name);
      // A number of a row that is not known yet may have a fraction.
      const shown = typeof value === 'number' && !areAll ? 0.5 : value;
      const kind = shown === null || shown === undefined ? before : both(before, kindOfValue(shown));
      if (kind !== before || !kinds.has(name)) kinds.set(name, kind);
    }
  }
  return Array.from(kinds, ([name, kind = kindOfValue('')]) => {
    return { name, jsonName: name, xmlName: name, kind, attribute: false, blank: false };
  });
}

/** The kind of a column that has values of both. */
function both(one: ScalarKind | undefined, other: ScalarKind): ScalarKind {
  if (one === undefined || one === other) return other;
  const primitives = [one, other].map((kind) => SCALARS[kind].primitive);
  const isNumeric = primitives.every((each) => each === 'integer' || each === 'double');
  return kindOfValue(isNumeric ? 0.5 : '');
}

/** What the writers take for a value of a column, by the primitive of its type. */
const CELLS: Partial<Record<Primitive, (value: unknown) => SqlValue>> = {
  boolean: (value) => (typeof value === 'boolean' ? String(value) : plain(value)),
  datetime: (value) => (value instanceof Date ? value.toISOString() : plain(value)),
};

function plain(value: unknown): SqlValue {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    case 'boolean':
      return String(value);
    default:
      if (value instanceof Date) return value.toISOString();
      return JSON.stringify(value);
  }
}
