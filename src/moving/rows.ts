import { CompiledQuery } from 'kysely';
import { type Db, type RawCell, readRaw, type Store } from '../store/index.ts';
import { quoted, type Table } from './catalogue.ts';
import { type Family, fromPostgres, toPostgres } from './values.ts';

/** A column that both databases have, with its name in each. */
export interface MovedColumn {
  readonly names: Readonly<Record<Store['kind'], string>>;
  /** On PostgreSQL, without lengths. */
  readonly type: string;
  readonly family: Family;
}

/** A table that both databases have. */
export interface MovedTable {
  /** In lower case. */
  readonly name: string;
  readonly tables: Readonly<Record<Store['kind'], Table>>;
  readonly columns: readonly MovedColumn[];
}

/** The values of a row as SQLite has them. */
export type Cells = readonly RawCell[];

/** Bytes of rows that are read at once, as far as rows before them foretell. */
const PAGE_BYTES = 2 ** 21;
const MOST_ROWS = 2000;

/** Bytes from which a row is read by itself: so many of the others fit into memory, whatever they foretell. */
const LARGE = 2 ** 16;

/** How many rows to read next. */
class PageSize {
  rows = 1;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  see(cells: readonly Cells[]): void {
    let bytes = 0;
    for (const row of cells) for (const cell of row) bytes += sizeOf(cell);
    const fitting = Math.floor((PAGE_BYTES * cells.length) / Math.max(1, bytes));
    this.rows = Math.max(1, Math.min(fitting, 4 * this.rows, this.#most));
  }
}

function sizeOf(cell: RawCell): number {
  return typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8;
}

/** Rows in pages of bounded size, inside a transaction. */
type Pages = AsyncGenerator<RawCell[][], void, undefined>;

/** Reads the rows of a table, the large ones last. */
export async function* readRows(tx: Db, kind: Store['kind'], table: MovedTable): Pages {
  const size = sizeExpression(kind, table);
  for (const [condition, most] of [
    [`${size} <= ${LARGE}`, MOST_ROWS],
    [`${size} > ${LARGE}`, 1],
  ] as const)
    yield* readWhere(tx, kind, table, { condition, size: new PageSize(most) });
}

/** Reads the rows of a table of PostgreSQL in an order. @param order in SQL */
export function readOrdered(tx: Db, table: MovedTable, order: string): Pages {
  return postgresRows(tx, table, { condition: 'true', size: new PageSize(MOST_ROWS), order });
}

/** Which rows are read, and how many at once. */
interface Reading {
  /** In SQL. */
  readonly condition: string;
  readonly size: PageSize;
  readonly order?: string;
}

function readWhere(tx: Db, kind: Store['kind'], table: MovedTable, reading: Reading): Pages {
  return kind === 'sqlite' ? sqliteRows(tx, table, reading) : postgresRows(tx, table, reading);
}

/** The bytes of the texts and binary values of a row. To count them does not read them, except in columns of other types. */
function sizeExpression(kind: Store['kind'], { columns }: MovedTable): string {
  const sizes = columns.flatMap(({ names, family }) => {
    const name = quoted(names[kind]);
    if (kind === 'sqlite' || family === 'bytes') return `coalesce(octet_length(${name}), 0)`;
    if (family === 'text' || family === 'padded' || family === 'jsonb')
      return `coalesce(octet_length(${name}::text), 0)`;
    return [];
  });
  return sizes.length === 0 ? '0' : sizes.join(' + ');
}

async function* sqliteRows(tx: Db, { tables: { sqlite }, columns }: MovedTable, { condition, size }: Reading): Pages {
  const { order } = sqlite;
  const names = columns.map(({ names }) => quoted(names.sqlite));
  const key = order.join(', ');
  const select = `select ${[...order, ...names].join(', ')} from ${quoted(sqlite.name)} where ${condition}`;
  const further = ` and (${key}) > (${order.map(() => '?').join(', ')})`;
  for (let after: Cells = []; ; ) {
    const limit = size.rows;
    const where = after.length === 0 ? '' : further;
    const { cells } = await readRaw(tx, `${select}${where} order by ${key} limit ${limit}`, after, limit);
    const last = cells.at(-1);
    if (last === undefined) return;
    after = last.slice(0, order.length);
    size.see(cells);
    yield cells.map((row) => row.slice(order.length));
    if (cells.length < limit) return;
  }
}

async function* postgresRows(tx: Db, { tables, columns }: MovedTable, { condition, size, order }: Reading): Pages {
  const ordered = order === undefined ? '' : ` order by ${order}`;
  const select = `select ${readExpressions(columns)} from ${quoted(tables.postgres.name)} where ${condition}${ordered}`;
  await run(tx, `declare signalbox_move no scroll cursor for ${select}`);
  try {
    for (;;) {
      const { cells } = await readRaw(tx, `fetch forward ${size.rows} from signalbox_move`, [], size.rows);
      if (cells.length === 0) return;
      size.see(cells);
      yield decoded(cells, columns);
    }
  } finally {
    // Fails when the transaction has failed, whose error is the one to report.
    await run(tx, 'close signalbox_move').catch(() => {});
  }
}

/** An instant does not depend on the zone of a session, and keeps the form in which components write it on SQLite. */
function readExpressions(columns: readonly MovedColumn[]): string {
  const expressions = columns.map(({ names, family }) => {
    const name = quoted(names.postgres);
    return family === 'instant'
      ? `case when isfinite(${name}) then replace((${name} at time zone 'UTC')::text, ' ', 'T') || 'Z' else ${name}::text end`
      : name;
  });
  return expressions.join(', ');
}

function decoded(rows: readonly Cells[], columns: readonly MovedColumn[]): RawCell[][] {
  return rows.map((row) => row.map((cell, at) => fromPostgres(cell, columns[at]?.family ?? 'text')));
}

/** Inserts rows, and returns them as the database then has them, in the same order. @throws errors of the database */
export function writeRows(
  tx: Db,
  kind: Store['kind'],
  table: MovedTable,
  rows: readonly Cells[],
): Promise<readonly Cells[]> {
  return kind === 'sqlite' ? toSqlite(tx, table, rows) : toServer(tx, table, rows);
}

async function toSqlite(
  tx: Db,
  { tables: { sqlite }, columns }: MovedTable,
  rows: readonly Cells[],
): Promise<readonly Cells[]> {
  const names = columns.map(({ names }) => names.sqlite);
  const list = names.map(quoted).join(', ');
  const places = columns.map(() => '?').join(', ');
  const insert = `insert into ${quoted(sqlite.name)} (${list}) values (${places}) returning ${list}`;
  const stored: Cells[] = [];
  for (const row of rows) {
    const [found] = await run(tx, insert, row);
    stored.push(names.map((name) => found?.[name] ?? null));
  }
  return stored;
}

/** One parameter for each column, an array: the statement does not depend on the number of rows. */
async function toServer(
  tx: Db,
  { tables: { postgres }, columns }: MovedTable,
  rows: readonly Cells[],
): Promise<readonly Cells[]> {
  const names = columns.map(({ names }) => quoted(names.postgres)).join(', ');
  const given = columns.map((_, at) => `$${at + 1}::text[]`).join(', ');
  const aliases = columns.map((_, at) => `c${at}`).join(', ');
  const arrays = columns.map(({ family }, at) => rows.map((row) => toPostgres(row[at] ?? null, family)));
  const insert = `insert into ${quoted(postgres.name)} (${names}) overriding system value
    select ${columns.map((column, at) => writeExpression(`r.c${at}`, column)).join(', ')} from unnest(${given}) as r (${aliases})
    returning ${readExpressions(columns)}`;
  return decoded((await readRaw(tx, insert, arrays, rows.length)).cells, columns);
}

/** A local time is written in the zone of the session, as components write it, when SQLite has it with an offset. */
export function writeExpression(name: string, { type, family }: MovedColumn): string {
  const value = `${name}::${type}`;
  if (family !== 'local') return value;
  return `case when ${name} ~* '(Z|:\\d\\d(\\.\\d+)?\\s*[+-]\\d\\d(:?\\d\\d)?)$' then (${name}::timestamptz)::timestamp else ${value} end`;
}

/** Runs one statement. */
export async function run(
  tx: Db,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, RawCell>>[]> {
  return (await tx.executeQuery<Record<string, RawCell>>(CompiledQuery.raw(sql, [...values]))).rows;
}
