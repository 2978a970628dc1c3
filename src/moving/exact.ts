import { type Db, movingOf, type RawCell, type Store } from '../store/index.ts';
import { messageOf } from '../wire/error.ts';
import type { Zone } from '../wire/timezone.ts';
import { counted } from '../wire/words.ts';
import { quoted } from './catalogue.ts';
import { MoveError } from './refusals.ts';
import { type Cells, type MovedColumn, type MovedTable, run, writeExpression, writeRows } from './rows.ts';
import { canonical, type Family, toPostgres } from './values.ts';

/** Where rows are written. */
interface Target {
  readonly store: Store;
  readonly tx: Db;
  /** Of datetimes that are stored without an offset. */
  readonly zone: Zone;
}

/** Of a move that was refused because of a value. */
const NOTHING = 'Nothing was moved.';

/**
 * Writes rows, and compares them with what the database then has.
 * @param before the number of rows of the table that were written before
 * @throws MoveError naming the table, the row and, if it is known, the column of the first value that is not kept as it is
 */
export async function writeExactly(
  { store, tx, zone }: Target,
  table: MovedTable,
  rows: readonly Cells[],
  before: number,
): Promise<void> {
  const stored = await attempt(tx, () => writeRows(tx, store.kind, table, rows));
  if (stored instanceof Error) throw await refusal({ store, tx, zone }, table, { rows, before, error: stored });
  for (const [index, row] of rows.entries()) {
    for (const [at, { names, family }] of table.columns.entries()) {
      const [given, found] = [row[at] ?? null, stored[index]?.[at] ?? null];
      if (given === found || canonical(given, family, zone) === canonical(found, family, zone)) continue;
      const what = `${table.name}.${names[store.kind]} of ${nameOf(table, row, before + index)}`;
      // Tables of the gateway have secrets.
      const change =
        movingOf(table.name) === undefined ? `: ${shown(given, family)} would become ${shown(found, family)}` : '';
      throw new MoveError(`${what} would be changed in ${store.location}${change}`, {
        hint: `${NOTHING} Give the column a type that keeps the value, in the migrations for that engine, or change the value.`,
      });
    }
  }
}

/** Runs work in a part of the transaction that an error of it does not outlast. @returns the error of the work */
export async function attempt<T>(tx: Db, work: () => Promise<T>): Promise<T | Error> {
  await run(tx, 'savepoint signalbox_move');
  try {
    const done = await work();
    await run(tx, 'release savepoint signalbox_move');
    return done;
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error(String(cause));
    // Fails when the connection is lost, which is the error to report.
    const isBack = await run(tx, 'rollback to savepoint signalbox_move').then(
      () => true,
      () => false,
    );
    if (!isBack) throw error;
    return error;
  }
}

/** Finds the row, and on PostgreSQL the column, that the database refuses. */
async function refusal(
  target: Target,
  table: MovedTable,
  { rows, before, error }: { readonly rows: readonly Cells[]; readonly before: number; readonly error: Error },
): Promise<MoveError> {
  const { store, tx } = target;
  for (const [index, row] of rows.entries()) {
    const failed = await attempt(tx, () => writeRows(tx, store.kind, table, [row]));
    if (!(failed instanceof Error)) continue;
    const found = store.kind === 'postgres' ? await columnOf(tx, table, row) : undefined;
    const name = nameOf(table, row, before + index);
    const what =
      found === undefined ? `${name} of ${table.name}` : `${table.name}.${found.column.names.postgres} of ${name}`;
    return new MoveError(`${what} can't be written to ${store.location}: ${messageOf(found?.error ?? failed)}`, {
      hint: `${NOTHING} Change the value, or the table in the migrations for that engine.`,
      cause: failed,
    });
  }
  return new MoveError(`rows of ${table.name} can't be written to ${store.location}: ${messageOf(error)}`, {
    hint: NOTHING,
    cause: error,
  });
}

/** The column that does not take its value; `undefined` when a constraint is violated. */
async function columnOf(
  tx: Db,
  { tables: { postgres }, columns }: MovedTable,
  row: Cells,
): Promise<{ readonly column: MovedColumn; readonly error: Error } | undefined> {
  // A table of the same types, without constraints.
  const probe = `create temporary table signalbox_probe on commit drop as select * from ${quoted(postgres.name)} with no data`;
  if ((await attempt(tx, () => run(tx, probe))) instanceof Error) return undefined;
  for (const [at, column] of columns.entries()) {
    const insert = `insert into signalbox_probe (${quoted(column.names.postgres)})
      select ${writeExpression('r.c', column)} from unnest($1::text[]) as r (c)`;
    const error = await attempt(tx, () => run(tx, insert, [[toPostgres(row[at] ?? null, column.family)]]));
    if (error instanceof Error) return { column, error };
  }
  return undefined;
}

/** A row by its key, or by its number when its table has none. */
function nameOf({ tables, columns }: MovedTable, row: Cells, before: number): string {
  const key = tables.postgres.key.length > 0 ? tables.postgres.key : tables.sqlite.key;
  const values = columns.flatMap(({ names, family }, at) =>
    key.includes(names.postgres.toLowerCase()) ? [`${names.postgres} = ${shown(row[at] ?? null, family)}`] : [],
  );
  return values.length === 0 ? `row ${before + 1}` : `the row ${values.join(', ')}`;
}

const MOST_SHOWN = 60;

/** Families whose values are written without quotes. */
const BARE: ReadonlySet<Family> = new Set(['boolean', 'integer', 'real', 'numeric']);

function shown(cell: RawCell, family: Family): string {
  if (cell === null) return 'NULL';
  if (cell instanceof Uint8Array) return counted(cell.length, 'byte');
  const text = String(cell);
  const short = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
  return BARE.has(family) ? short : JSON.stringify(short);
}
