import { createHash } from 'node:crypto';
import type { MigrationFile } from '../../model/gateway.ts';
import { isOfTransactions, splitSql } from '../../wire/sql.ts';
import { errorCode, errorText, isLate, MigrationError, StoreBusyError, StoreError } from '../error.ts';
import type { PendingMigration, ProjectFiles, Store } from '../store-port.ts';
import type { Db, ProjectMigrationTable } from '../tables.ts';

/** The database that a project's migrations run on. */
export interface ProjectAccess {
  readonly kind: Store['kind'];
  readonly location: string;
  /** The migrations that ran; none while the table of them does not exist. */
  recorded(): Promise<readonly ProjectMigrationTable[]>;
  /** Runs work in a transaction, on a connection of its own, while no other process runs migrations. */
  alone(work: (session: MigrationSession) => Promise<void>): Promise<void>;
  /** The same without a transaction: each statement commits by itself. */
  apart(work: (session: MigrationSession) => Promise<void>): Promise<void>;
}

/** A connection that runs migrations. */
export interface MigrationSession {
  /** For the table of migrations: in the transaction, if there is one. */
  readonly db: Db;
  /** Runs one statement. */
  run(sql: string): Promise<unknown>;
  /** Checks what the database would check at the end of the transaction only. */
  settle(): Promise<void>;
  /** Where in a statement an error is, from 0; `undefined` when the database does not say. */
  offsetOf(error: unknown, statement: string): number | undefined;
}

/**
 * Runs the migrations that the database lacks, one after the other. A migration and the record that it ran are one transaction.
 * Without a transaction it is recorded as begun before, and as applied at its end: one that did not end runs again, whole.
 * @throws MigrationError, StoreError
 */
export async function migrateProject(
  access: ProjectAccess,
  files: readonly MigrationFile[],
  onFile: (file: string) => void = () => {},
  by: 'applied' | 'dev' = 'applied',
): Promise<void> {
  // Looked at without a lock first, so that a later start does not wait.
  for (let next = await nextOf(access); next !== undefined; next = await nextOf(access)) {
    const migration = next;
    const isNext = async ({ db }: MigrationSession): Promise<boolean> => {
      const [first] = lackingOf(access, files, await rowsOf(db));
      // Another process was faster.
      if (first?.number !== migration.number) return false;
      onFile(migration.file);
      return true;
    };
    if (migration.transaction) {
      await access.alone(async (session) => {
        if (!(await isNext(session))) return;
        // Before its statements, which may change what a name without a schema means.
        await record(session.db, migration, by);
        await runAll(access, migration, session);
      });
    } else {
      await access.apart(async (session) => {
        if (!(await isNext(session))) return;
        await record(session.db, migration, 'begun');
        await runAll(access, migration, session);
        await record(session.db, migration, by);
      });
    }
  }

  async function nextOf({ recorded }: ProjectAccess): Promise<MigrationFile | undefined> {
    return lackingOf(access, files, await recorded())[0];
  }
}

/** Records the migrations up to a number as they are now, without running them. @throws StoreError */
export async function baseline(
  access: ProjectAccess,
  files: readonly MigrationFile[],
  upTo: number,
  onFile: (file: string) => void = () => {},
): Promise<void> {
  await access.alone(async ({ db }) => {
    const rows = new Map((await rowsOf(db)).map((row) => [row.number, row]));
    for (const migration of filesFor(access.kind, files)) {
      const row = rows.get(migration.number);
      const isDone = row !== undefined && row.state !== 'begun' && row.checksum === checksumOf(migration);
      if (migration.number > upTo || isDone) continue;
      await record(db, migration, 'baseline');
      onFile(migration.file);
    }
  });
}

/** What {@link migrateProject} would run, and what it would refuse. @throws MigrationError, StoreError */
export async function pendingProject(
  access: Pick<ProjectAccess, 'kind' | 'location' | 'recorded'>,
  { migrations = [], onNote = () => {}, onRefused }: ProjectFiles,
): Promise<PendingMigration[]> {
  const rows = await access.recorded();
  const refused = new Map<MigrationFile, MigrationError>();
  const lacking = lackingOf(access, migrations, rows, (migration, error) => {
    if (onRefused === undefined) throw error;
    onRefused(error);
    refused.set(migration, error);
  });
  const known = new Set(filesFor(access.kind, migrations).map(({ number }) => number));
  for (const { number, name, applied, state } of rows) {
    if (!known.has(number))
      onNote(
        `The migration ${name} ran on ${access.location} (${applied}), but the project has no file of that number: a newer version of the project has it, or it was removed.`,
      );
    else if (state === 'begun')
      onNote(`The migration ${name} began on ${access.location} (${applied}) and did not end; it runs again, whole.`);
  }
  return lacking.map((migration) => {
    const { file: name, sql } = migration;
    const error = refused.get(migration);
    if (error !== undefined)
      return { of: 'project', name, statements: [], refused: { reason: error.reason, hint: error.hint } };
    const statements = splitSql(sql, access.kind).map(({ offset, end }) => `${sql.slice(offset, end)};`);
    return { of: 'project', name, statements };
  });
}

function rowsOf(db: Db): Promise<ProjectMigrationTable[]> {
  return db.selectFrom('signalbox_project_migration').selectAll().orderBy('number').execute();
}

function filesFor(kind: Store['kind'], files: readonly MigrationFile[]): MigrationFile[] {
  return files.filter(({ engine = kind }) => engine === kind);
}

/** Of the text without its line ends' differences, which a checkout may change. */
function checksumOf({ sql }: MigrationFile): string {
  return createHash('sha256').update(sql).digest('hex');
}

/**
 * The migrations that a database lacks, in order.
 * @param onRefused is called with one that was changed, and one that is too late; they are among the result if it returns
 * @throws MigrationError when there is one of these, by default
 */
function lackingOf(
  { kind, location }: Pick<ProjectAccess, 'kind' | 'location'>,
  files: readonly MigrationFile[],
  rows: readonly ProjectMigrationTable[],
  onRefused: (migration: MigrationFile, error: MigrationError) => void = (_, error) => {
    throw error;
  },
): MigrationFile[] {
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const last = rows.findLast(({ state }) => state !== 'begun');
  const mine = filesFor(kind, files);
  const next = String(Math.max(last?.number ?? 0, ...mine.map(({ number }) => number)) + 1).padStart(4, '0');
  return mine.filter((migration) => {
    const { number, name, file } = migration;
    const row = byNumber.get(number);
    const refuse = (code: 'changed' | 'order', reason: string, hint: string): true => {
      const at = { file, line: 1, column: 1 };
      onRefused(migration, new MigrationError(location, { code, at, reason, hint: `${hint}\n${ANEW}` }));
      return true;
    };
    const renumber = `Give it the next number: ${next}${name.slice(name.indexOf('-'))}.`;
    if (row === undefined || row.state === 'begun') {
      if (last === undefined || number > last.number) return true;
      const reason = `its number is below that of ${last.name}, which ran on ${location} (${last.applied})`;
      const known = `If the database has what it does already, record it with: signalbox migrate --baseline ${number}.`;
      return refuse('order', reason, `${renumber} ${known}`);
    }
    if (row.checksum === checksumOf(migration)) return false;
    if (row.name !== name)
      return refuse(
        'changed',
        `its number is that of ${row.name}, which ran on ${location} (${row.applied})`,
        renumber,
      );
    const reason = `it was changed after it ran on ${location} (${row.applied})`;
    const restore = `Restore its text, and write the change as a new migration: ${next}-NAME.sql.`;
    const known = `If the database has the change already, record the new text with: signalbox migrate --baseline ${number}.`;
    return refuse('changed', reason, `${restore} ${known}`);
  });
}

const ANEW = 'If the data may go, as in development: signalbox dev --reset --force.';

async function record(db: Db, migration: MigrationFile, state: ProjectMigrationTable['state']): Promise<void> {
  const { number, name } = migration;
  const values = { name, checksum: checksumOf(migration), applied: new Date().toISOString(), state };
  await db
    .insertInto('signalbox_project_migration')
    .values({ number, ...values })
    .onConflict((conflict) => conflict.column('number').doUpdateSet(values))
    .execute();
}

async function runAll(access: ProjectAccess, migration: MigrationFile, session: MigrationSession): Promise<void> {
  const { sql } = migration;
  for (const each of splitSql(sql, access.kind)) {
    const { offset, end } = each;
    const statement = sql.slice(offset, end);
    try {
      if (isOfTransactions(each)) throw new Error(`${each.words[0]} begins or ends a transaction; remove it`);
      await session.run(statement);
    } catch (error) {
      const inside = session.offsetOf(error, statement) ?? offsetOfName(statement, errorText(error)) ?? 0;
      throw failure(access, migration, offset + inside, error);
    }
  }
  try {
    await session.settle();
  } catch (error) {
    throw failure(access, migration, Math.max(0, offsetOfName(sql, errorText(error)) ?? 0), error);
  }
}

/** The place of a name that a message contains: quoted, after a colon, or after what it is the name of. */
function offsetOfName(statement: string, message: string): number | undefined {
  const found =
    /["«„“](\w[^"»“”]*)["»“”]/.exec(message) ??
    /: ([\w$.]+)/.exec(message) ??
    /\bnamed ([\w$.]+)/.exec(message) ??
    /\b(?:table|index|view|trigger|column) ([\w$.]+)/.exec(message);
  const name = found?.[1]?.split('.').at(-1);
  if (name === undefined) return undefined;
  const word = name.replaceAll(/[^\p{L}\p{N}_]/gu, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${word}(?![\\p{L}\\p{N}_])`, 'iu').exec(statement)?.index;
}

/** PostgreSQL and SQLite on a statement that can't be in a transaction. */
function needsNoTransaction(error: unknown): boolean {
  return errorCode(error) === '25001' || /from within a transaction|inside a transaction/i.test(errorText(error));
}

/** PostgreSQL and SQLite on something that exists (SQLSTATE 42P06, 42P07, 42701, 42710, 42723). */
function isThere(error: unknown): boolean {
  return (
    /^42(?:P0[67]|701|710|723)$/.test(errorCode(error)) || /already exists|duplicate column/.test(errorText(error))
  );
}

function failure(
  { location }: ProjectAccess,
  { number, file, sql, transaction }: MigrationFile,
  offset: number,
  error: unknown,
): unknown {
  // A connection that was lost is no fault of the statement.
  if (error instanceof StoreError && !(error instanceof StoreBusyError)) return error;
  const lines = sql.slice(0, offset).split('\n');
  const at = { file, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  const undone = transaction
    ? `Nothing of it is in ${location}. Correct it, then run signalbox migrate again, or start the gateway.`
    : `It has no transaction: its statements before this one are in ${location}. Correct it so that it can run again from its beginning, then run signalbox migrate again, or start the gateway.`;
  const apart = 'Begin the file with the line `-- signalbox: no transaction`, and put nothing else into it.';
  const there = `If ${location} had it before it had migrations, record it: signalbox migrate --baseline ${number}.`;
  const again =
    'Run signalbox migrate again when the table is in use less; `set local lock_timeout` in the file lets it wait longer.';
  const more =
    transaction && needsNoTransaction(error) ? [apart] : isThere(error) ? [there] : isLate(error) ? [again] : [];
  const hint = [...more, undone].join('\n');
  return new MigrationError(location, { code: 'failed', at, reason: reasonOf(error), hint }, { cause: error });
}

/** The message of the database, with its own hint, and where in a routine it happened. */
function reasonOf(error: unknown): string {
  const said = (key: string): string | undefined => {
    const value: unknown = error instanceof Error ? Reflect.get(error, key) : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const where = said('where')
    ?.split('\n')
    .find((line) => / line \d+ /.test(line));
  const advice = said('hint')?.replace(/\.$/, '');
  return [errorText(error), ...(where === undefined ? [] : [where]), ...(advice === undefined ? [] : [advice])].join(
    '; ',
  );
}
