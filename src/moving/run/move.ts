import { sql } from 'kysely';
import { type Db, deadlineIn, type ProjectFiles, type Store, withDeadline } from '../../store/index.ts';
import { compileZone, type Zone } from '../../wire/timezone.ts';
import { continueNumbers, readNumbers, suspend } from './automatic.ts';
import { copyContent, copyFacts } from './blobs.ts';
import { quoted, tablesOf } from './catalogue.ts';
import { JOB_ORDER, LAST_NUMBERS, translation } from './own-rows.ts';
import { treatmentOf } from './own-tables.ts';
import { pairTables } from './pairs.ts';
import {
  countRows,
  MARK,
  MoveError,
  refuseGateways,
  refuseOtherVersion,
  refuseOutdated,
  refuseRows,
} from './refusals.ts';
import { type MovedTable, readRows, run, writeRows } from './rows.ts';
import { Sums } from './sums.ts';

/** What a move does, and to what. */
export interface Move {
  readonly from: Store;
  readonly to: Store;
  /** The migrations and the sample data of the project. */
  readonly files: Required<Pick<ProjectFiles, 'migrations' | 'sampleData'>>;
  /** IANA zone of datetimes that are stored without an offset. */
  readonly timezone: string;
  /** Moves although gateways run on the databases. */
  readonly ignoreGateways: boolean;
  /** Deletes rows that the tables of the project have before. */
  readonly replace: boolean;
  /** Tables of the project that stay where they are, in lower case. */
  readonly without: ReadonlySet<string>;
  /** Goes on when a value is not the same afterwards. */
  readonly acceptDifferences: boolean;
  readonly signal: AbortSignal;
  readonly onStep: (step: Step) => void;
}

/** What a move does now. */
export type Step =
  | { readonly step: 'prepare' }
  /** Stored files, then rows, each of which is written and read again. */
  | { readonly step: 'files' | 'rows'; readonly total: number }
  | { readonly step: 'done'; readonly more: number };

/** A table that was moved. */
export interface Moved {
  readonly table: string;
  /** Counted in each database. */
  readonly rows: { readonly from: number; readonly to: number };
  /** Columns whose values are not the same afterwards, when that was accepted. */
  readonly differs?: readonly string[];
}

/**
 * Moves all that a gateway keeps from one database to another of the other engine, whose tables it makes first. Content of files
 * is copied before, each file by itself; all rows are written, counted and compared in one transaction of the target, which
 * commits when all of them are there. A move that does not end leaves the target without rows, and can be made again. The source
 * is only read.
 * @throws MoveError, StoreError; the reason of the signal
 */
export function moveData(move: Move): Promise<readonly Moved[]> {
  return withDeadline(deadlineIn(Number.POSITIVE_INFINITY), () => moveAll(move));
}

async function moveAll(move: Move): Promise<readonly Moved[]> {
  const { from, to, files, signal, onStep } = move;
  if (from.kind === to.kind) throw sameEngine(from);
  onStep({ step: 'prepare' });
  if (!move.ignoreGateways) await refuseGateways([from, to]);
  await refuseOutdated(from, files);
  const source = await from.tables();
  const target = await to.tables();
  const projectTables = new Set(
    [...(await tablesOf(source, from.kind)).keys()].filter(
      (name) => treatmentOf(name) === undefined && !move.without.has(name),
    ),
  );
  await refuseRows(target, to, projectTables, move);
  signal.throwIfAborted();
  await prepare(move);
  await refuseOtherVersion(from, to);
  const tables = pairTables(
    { store: from, tables: await tablesOf(source, from.kind) },
    { store: to, tables: await tablesOf(target, to.kind) },
    move.without,
  );
  signal.throwIfAborted();
  const { files: total } = await source
    .selectFrom('signalbox_blob')
    .select(({ fn }) => fn.countAll<number>().as('files'))
    .executeTakeFirstOrThrow();
  onStep({ step: 'files', total: Number(total) });
  await copyContent(from, to, { signal, onDone: (more) => onStep({ step: 'done', more }) });
  const moved = await from.transaction(async (reading) => {
    await beginReading(reading, move, tables);
    return to.transaction((writing) => moveRows(move, tables, { reading, writing }));
  });
  // The planner knows nothing of the rows yet.
  if (to.kind === 'postgres')
    for (const { tables: names } of tables) await run(target, `analyze ${quoted(names.postgres.name)}`);
  return moved;
}

function sameEngine({ kind, location }: Store): MoveError {
  const hint =
    kind === 'sqlite'
      ? 'Copy the file and the folder `blobs` next to it, as docs/operating.md says of a back-up.'
      : 'Use pg_dump and pg_restore, as docs/operating.md says of a back-up.';
  return new MoveError(`both databases are on ${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, as ${location} is`, {
    hint,
  });
}

/** Makes the tables of signalbox and of the project. */
async function prepare({ from, to, files }: Move): Promise<void> {
  await to.migrate();
  await run(await to.tables(), `create table if not exists ${MARK} (begun text not null)`);
  // Who ran them there may change them still.
  const by = (await from.provenance()) === 'dev' ? 'dev' : 'applied';
  await to.migrateProject(files.migrations, undefined, by);
  await to.loadSampleData(files.sampleData);
}

/** Milliseconds that a move waits for transactions of others. */
const LOCK = 10_000;

/** Lets the transaction take as long as it needs, with values of PostgreSQL written in one way whatever its settings are. */
async function unbind(tx: Db, timezone: string): Promise<void> {
  const settings = {
    ...{ statement_timeout: '0', idle_in_transaction_session_timeout: '0', lock_timeout: String(LOCK) },
    ...{ timezone, datestyle: 'ISO, YMD', intervalstyle: 'postgres', bytea_output: 'hex', row_security: 'off' },
  };
  for (const [name, value] of Object.entries(settings))
    await sql`select set_config(${name}, ${value}, true)`.execute(tx);
}

/** All tables as they are at one moment. No gateway may change them meanwhile. */
async function beginReading(tx: Db, { from, timezone, ignoreGateways }: Move, tables: readonly MovedTable[]) {
  // On SQLite the transaction has the right to write, so that no one else has.
  if (from.kind === 'sqlite') return;
  await sql`set transaction isolation level repeatable read`.execute(tx);
  await unbind(tx, timezone);
  if (!ignoreGateways) await lock(tx, tables, 'share');
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
  // A gateway may have begun and ended since.
  await refuseRows(writing, to, new Set(), move);
  const restore = await suspend(writing, to.kind, tables);
  const zone = compileZone(timezone);
  const moved: Moved[] = [];
  const totals = new Map<MovedTable, number>();
  for (const table of tables) totals.set(table, await countRows(reading, table.tables[from.kind]));
  onStep({ step: 'rows', total: 2 * [...totals.values()].reduce((sum, rows) => sum + rows, 0) });
  for (const [table, total] of totals) {
    const { name } = table;
    if (treatmentOf(name) === 'blobs') {
      const copied = await copyFacts(reading, writing, { from: from.kind, to: to.kind });
      onStep({ step: 'done', more: 2 * copied });
      moved.push({ table: name, rows: { from: total, to: copied } });
      continue;
    }
    const written = await copyTable(move, table, zone, { reading, writing });
    moved.push(await checkTable(move, table, { written, total, zone, writing }));
  }
  if (to.kind === 'postgres') await run(writing, LAST_NUMBERS);
  await continueNumbers(writing, to.kind, tables, await readNumbers(reading, from.kind, tables));
  await restore();
  await run(writing, `drop table ${MARK}`);
  return moved;
}

/** @returns the sums of what was written */
async function copyTable(
  { from, to, signal, onStep }: Move,
  table: MovedTable,
  zone: Zone,
  { reading, writing }: Transactions,
): Promise<Sums> {
  const treatment = treatmentOf(table.name);
  const translate = translation(treatment, table, to.kind);
  // Of migrations, sample data and new databases: the source has them too, as they are now.
  await run(writing, `delete from ${quoted(table.tables[to.kind].name)}`);
  const sums = new Sums(table, zone);
  for await (const rows of readRows(reading, from.kind, table, treatment === 'jobs' ? JOB_ORDER : undefined)) {
    signal.throwIfAborted();
    if (translate !== undefined) for (const row of rows) translate(row);
    sums.add(rows);
    await writeRows(writing, to.kind, table, rows);
    onStep({ step: 'done', more: rows.length });
  }
  return sums;
}

/** Reads again what was written. @throws MoveError when a row is lacking, or a value is not the same */
async function checkTable(
  { from, to, signal, onStep, acceptDifferences }: Move,
  table: MovedTable,
  of: { readonly written: Sums; readonly total: number; readonly zone: Zone; readonly writing: Db },
): Promise<Moved> {
  const { written, total, zone, writing } = of;
  const { name } = table;
  const found = new Sums(table, zone);
  for await (const rows of readRows(writing, to.kind, table)) {
    signal.throwIfAborted();
    found.add(rows);
    onStep({ step: 'done', more: rows.length });
  }
  const rows = { from: total, to: found.rows };
  if (rows.from !== rows.to)
    throw new MoveError(`${name} has ${rows.from} rows in ${from.location}, and ${rows.to} in ${to.location}`, {
      hint: 'Nothing was moved. A rule or a trigger of the target may change what is written.',
    });
  const differs = written.differences(found);
  if (differs.length === 0) return { table: name, rows };
  if (!acceptDifferences)
    throw new MoveError(`${name} would not have the same values in ${to.location}: ${differs.join(', ')}`, {
      hint: 'Nothing was moved. Change the types of these columns so that they keep the values, or add --accept-differences.',
    });
  return { table: name, rows, differs };
}
