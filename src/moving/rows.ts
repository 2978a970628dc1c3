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
const FIRST_ROWS = 50;

/** How many rows to read next. */
class PageSize {
  rows = FIRST_ROWS;

  see(cells: readonly Cells[]): void {
    if (cells.length === 0) return;
    let bytes = 0;
    for (const row of cells) for (const cell of row) bytes += sizeOf(cell);
    const fitting = Math.floor((PAGE_BYTES * cells.length) / Math.max(1, bytes));
    this.rows = Math.max(1, Math.min(fitting, 4 * this.rows, MOST_ROWS));
  }
}

function sizeOf(cell: RawCell): number {
  return typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8;
}

/** Rows in pages of bounded size, inside a transaction. */
type Pages = AsyncGenerator<RawCell[][], void, undefined>;

/** Reads the rows of a table. @param order of the rows on PostgreSQL, in SQL */
export function readRows(tx: Db, kind: Store['kind'], table: MovedTable, order?: string): Pages {
  return kind === 'sqlite' ? sqliteRows(tx, table) : postgresRows(tx, table, order);
}

async function* sqliteRows(tx: Db, { tables: { sqlite }, columns }: MovedTable): Pages {
  const { order } = sqlite;
  const names = columns.map(({ names }) => quoted(names.sqlite));
  const key = order.join(', ');
  const select = `select ${[...order, ...names].join(', ')} from ${quoted(sqlite.name)}`;
  const further = ` where (${key}) > (${order.map(() => '?').join(', ')})`;
  const size = new PageSize();
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

async function* postgresRows(tx: Db, { tables: { postgres }, columns }: MovedTable, order?: string): Pages {
  const ordered = order === undefined ? '' : ` order by ${order}`;
  const select = `select ${readExpressions(columns)} from ${quoted(postgres.name)}${ordered}`;
  await run(tx, `declare signalbox_move no scroll cursor for ${select}`);
  const size = new PageSize();
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
