import { sql } from 'kysely';
import {
  type Db,
  deadlineIn,
  movingOf,
  type PlannedStore,
  type ProjectFiles,
  type Store,
  withDeadline,
} from '../store/index.ts';
import { messageOf } from '../wire/error.ts';
import { compileZone, type Zone } from '../wire/timezone.ts';
import { continueNumbers, readNumbers, suspend } from './automatic.ts';
import { copyContent, copyFacts } from './blobs.ts';
import { quoted, tablesOf, virtualTablesOf } from './catalogue.ts';
import { attempt, writeExactly } from './exact.ts';
import { JOB_ORDER, LAST_NUMBERS, translation } from './own-rows.ts';
import { pairTables } from './pairs.ts';
import {
  countRows,
  MoveError,
  mark,
  markPrepared,
  refuseEngines,
  refuseGateways,
  refuseOtherVersion,
  refuseOutdated,
  refuseRows,
  unmark,
} from './refusals.ts';
import { type MovedTable, readOrdered, readRows, run } from './rows.ts';

/** What is moved, and where. */
export interface Plan {
  readonly from: Store;
  readonly to: PlannedStore;
  /** The migrations and the sample data of the project. */
  readonly files: Required<Pick<ProjectFiles, 'migrations' | 'sampleData'>>;
  /** IANA zone of datetimes that are stored without an offset. */
  readonly timezone: string;
  /** Tables of the project that stay where they are, in lower case. */
  readonly without: ReadonlySet<string>;
}

/** What a move does. */
export interface Move extends Plan {
  readonly to: Store;
  readonly signal: AbortSignal;
  readonly onStep: (step: Step) => void;
}

/** What a move does now. */
export type Step =
  | { readonly step: 'prepare' }
  /** Stored files, then rows. */
  | { readonly step: 'files' | 'rows'; readonly total: number }
  | { readonly step: 'done'; readonly more: number };

/** A table that is moved. */
export interface Moved {
  readonly table: string;
  /** The number of its rows, in both databases once it was moved. */
  readonly rows: number;
}

/**
 * Moves all that a gateway keeps from one database to another of the other engine, whose tables it makes first. Content of files
 * is copied before, each file by itself; all rows are written, compared and counted in one transaction of the target, which
 * commits when all of them are there. A move that does not end leaves the target without rows, and can be made again. The source
 * is only read.
 * @throws MoveError, StoreError, MigrationError; the reason of the signal
 */
export function moveData(move: Move): Promise<readonly Moved[]> {
  return unlimited(async () => {
    const { from, to, signal, onStep } = move;
    onStep({ step: 'prepare' });
    await refuse(move);
    signal.throwIfAborted();
    await prepare(move);
    const tables = await pairsOf(move, await to.tables());
    const total = await countRows(await from.tables(), { name: 'signalbox_blob' });
    onStep({ step: 'files', total });
    await copyContent(from, to, { signal, onDone: (more) => onStep({ step: 'done', more }) });
    return from.transaction(async (reading) => {
      await beginReading(reading, move, tables);
      return to.transaction((writing) => moveRows(move, tables, { reading, writing }));
    });
  });
}

/** What {@link moveData} would move; changes nothing. @throws MoveError, StoreError, MigrationError */
export function planMove(move: Plan): Promise<readonly Moved[]> {
  return unlimited(async () => {
    const { from, to, files } = move;
    await refuse(move);
    const tables = await to.rehearse(files, async (rehearsed) => pairsOf(move, await rehearsed.tables()));
    const source = await from.tables();
    const planned: Moved[] = [];
    for (const { name, tables: of } of tables)
      planned.push({ table: name, rows: await countRows(source, of[from.kind]) });
    return planned;
  });
}

const unlimited = <T>(work: () => Promise<T>): Promise<T> => withDeadline(deadlineIn(Number.POSITIVE_INFINITY), work);

/** @throws MoveError when the databases are not ready for a move */
async function refuse(move: Plan): Promise<void> {
  const { from, to, files } = move;
  refuseEngines(from, to);
  await refuseGateways([from, to]);
  await refuseOutdated(from, files);
  const target = await to.tables?.();
  if (target !== undefined) await refuseRows(target, { from, to, projectTables: await projectTablesOf(move) });
}

async function projectTablesOf({ from, without }: Plan): Promise<ReadonlySet<string>> {
  const names = (await tablesOf(await from.tables(), from.kind)).keys();
  return new Set([...names].filter((name) => movingOf(name) === undefined && !without.has(name)));
}

/** The tables of both databases, once the target has all of them. */
async function pairsOf({ from, to, without }: Plan, target: Db): Promise<readonly MovedTable[]> {
  const source = await from.tables();
  await refuseOtherVersion({ store: from, db: source }, { store: to, db: target });
  const there = await tablesOf(source, from.kind);
  const virtual = await virtualTablesOf(source, from.kind);
  return pairTables(
    { store: from, tables: there, virtual },
    { store: to, tables: await tablesOf(target, to.kind) },
    without,
  );
}

/** Makes the tables of signalbox and of the project. */
async function prepare({ from, to, files }: Move): Promise<void> {
  await to.migrate();
  await mark(await to.tables(), from);
  // `signalbox dev` may go on changing migrations that only it has run.
  const by = (await from.provenance()) === 'dev' ? 'dev' : 'applied';
  await to.migrateProject(files.migrations, undefined, by);
  await to.loadSampleData(files.sampleData);
  await markPrepared(await to.tables(), to.kind);
}

/** Milliseconds that a move waits for transactions of others. */
const LOCK = 10_000;

/** Lets the transaction take as long as it needs, with values of PostgreSQL written in one way whatever its settings are. */
async function unbind(tx: Db, timezone: string): Promise<void> {
  const settings = {
    ...{ statement_timeout: '0', idle_in_transaction_session_timeout: '0', lock_timeout: String(LOCK) },
    ...{ timezone, datestyle: 'ISO, YMD', intervalstyle: 'postgres', bytea_output: 'hex', row_security: 'off' },
    ...{ extra_float_digits: '1' },
  };
  for (const [name, value] of Object.entries(settings))
    await sql`select set_config(${name}, ${value}, true)`.execute(tx);
}

/** All tables as they are at one moment; no one may change them meanwhile. */
async function beginReading(tx: Db, { from, timezone }: Move, tables: readonly MovedTable[]): Promise<void> {
  // On SQLite the transaction has the right to write, so that no one else has.
  if (from.kind === 'sqlite') return;
  // The moment is that of the first statement other than SET and LOCK: what others committed before they gave way is there.
  await sql`set transaction isolation level repeatable read`.execute(tx);
  await sql.raw(`set local statement_timeout = 0`).execute(tx);
  await sql.raw(`set local lock_timeout = ${LOCK}`).execute(tx);
  await lock(tx, tables, 'share');
  await unbind(tx, timezone);
}

async function lock(tx: Db, tables: readonly MovedTable[], mode: 'share' | 'exclusive'): Promise<void> {
  const names = tables.map(({ tables: { postgres } }) => quoted(postgres.name));
  await sql.raw(`lock table ${names.join(', ')} in ${mode} mode`).execute(tx);
}

interface Transactions {
  readonly reading: Db;
  readonly writing: Db;
}

async function moveRows(
  move: Move,
  tables: readonly MovedTable[],
  { reading, writing }: Transactions,
): Promise<readonly Moved[]> {
  const { from, to, timezone, onStep } = move;
  if (to.kind === 'postgres') {
    await unbind(writing, timezone);
    await lock(writing, tables, 'exclusive');
  }
  // A gateway may have begun since, and ended.
  await refuseGateways([from, to]);
  await refuseRows(writing, { from, to, projectTables: new Set(tables.map(({ name }) => name)) });
  const restore = await suspend(writing, to, tables);
  const zone = compileZone(timezone);
  const moved: Moved[] = [];
  for (const { name, tables: of } of tables) moved.push({ table: name, rows: await countRows(reading, of[from.kind]) });
  onStep({ step: 'rows', total: moved.reduce((sum, { rows }) => sum + rows, 0) });
  await empty(writing, to, tables);
  for (const table of tables) await copyTable(move, table, zone, { reading, writing });
  if (to.kind === 'postgres') await run(writing, LAST_NUMBERS);
  await continueNumbers(writing, to.kind, tables, await readNumbers(reading, from.kind, tables));
  await restore();
  for (const [at, { name, tables: of }] of tables.entries()) {
    const [there, here] = [moved[at]?.rows, await countRows(writing, of[to.kind])];
    if (there !== here)
      throw new MoveError(`${name} has ${there} rows in ${from.location}, and would have ${here} in ${to.location}`, {
        hint: 'Nothing was moved. A rule or a trigger of the target may change what is written.',
      });
  }
  await unmark(writing);
  if (to.kind === 'postgres') await analyze(writing, tables);
  await refuseGateways([from, to]);
  return moved;
}

/**
 * Removes the rows of migrations, sample data and new databases: the source has them too, as they are now. All of them are gone
 * before the first table is filled, because on SQLite foreign keys with ON DELETE change rows of other tables. Those with RESTRICT
 * allow only one order.
 */
async function empty(tx: Db, to: Store, tables: readonly MovedTable[]): Promise<void> {
  let left = tables.filter(({ name }) => movingOf(name) !== 'blobs');
  while (left.length > 0) {
    const kept: MovedTable[] = [];
    let refused: Error | undefined;
    for (const table of left) {
      const failed = await attempt(tx, () => run(tx, `delete from ${quoted(table.tables[to.kind].name)}`));
      if (!(failed instanceof Error)) continue;
      refused = failed;
      kept.push(table);
    }
    if (refused !== undefined && kept.length === left.length)
      throw new MoveError(`the rows of ${namesOf(kept)} in ${to.location} can't be replaced: ${messageOf(refused)}`, {
        hint: 'Nothing was moved. Delete the rows that refer to them, or move the tables of those too.',
        cause: refused,
      });
    left = kept;
  }
}

const namesOf = (tables: readonly MovedTable[]): string => tables.map(({ name }) => name).join(', ');

async function copyTable(
  { from, to, signal, onStep }: Move,
  table: MovedTable,
  zone: Zone,
  { reading, writing }: Transactions,
): Promise<void> {
  const moving = movingOf(table.name);
  if (moving === 'blobs') {
    await copyFacts(reading, writing, { from: from.kind, to: to.kind }, (more) => onStep({ step: 'done', more }));
    return;
  }
  const translate = translation(moving, table, to.kind);
  let done = 0;
  const isOrdered = moving === 'jobs' && from.kind === 'postgres';
  const pages = isOrdered ? readOrdered(reading, table, JOB_ORDER) : readRows(reading, from.kind, table);
  for await (const rows of pages) {
    signal.throwIfAborted();
    if (translate !== undefined) for (const row of rows) translate(row);
    await writeExactly({ store: to, tx: writing, zone }, table, rows, done);
    done += rows.length;
    onStep({ step: 'done', more: rows.length });
  }
}

/** The planner of PostgreSQL knows nothing of new rows yet. */
async function analyze(tx: Db, tables: readonly MovedTable[]): Promise<void> {
  for (const { tables: of } of tables) await run(tx, `analyze ${quoted(of.postgres.name)}`);
}
