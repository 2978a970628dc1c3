import { sql } from 'kysely';
import {
  type Db,
  gatewaysAt,
  MOVE_MARK,
  movingOf,
  type PlannedStore,
  type ProjectFiles,
  type Store,
} from '../store/index.ts';
import { counted } from '../wire/words.ts';
import { quoted, type Table, tablesOf } from './catalogue.ts';

/** A move that can't begin, or has failed: one sentence. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
  /** What to do. */
  readonly hint: string;

  constructor(message: string, { hint, cause }: { readonly hint: string; readonly cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** @throws MoveError for databases between which nothing can be moved */
export function refuseEngines(from: PlannedStore, to: PlannedStore): void {
  if (from.kind === to.kind) {
    const [name, advice] =
      from.kind === 'sqlite'
        ? ['SQLite', 'Copy the file and the folder `blobs` next to it, as docs/operating.md shows for a back-up.']
        : ['PostgreSQL', 'Use pg_dump and pg_restore, as docs/operating.md shows for a back-up.'];
    throw new MoveError(`both databases are on ${name}; data is moved from one engine to the other`, { hint: advice });
  }
  const engine = (from.postgres ?? to.postgres)?.engine ?? 'postgresql';
  if (engine !== 'postgresql')
    throw new MoveError(`data can't be moved from or to ${engine}, only PostgreSQL itself and SQLite`, {
      hint: 'Name a database on PostgreSQL, and remove `engine:` from the gateway definition.',
    });
}

/** @throws MoveError when a gateway runs on one of the databases */
export async function refuseGateways(stores: readonly PlannedStore[]): Promise<void> {
  for (const store of stores) {
    const [found] = await gatewaysAt(store);
    if (found !== undefined)
      throw new MoveError(`a gateway runs on ${store.location}: ${found}`, {
        hint: 'Stop the gateways of both databases first: what one of them changes meanwhile would be in one database only.',
      });
  }
}

/** @throws MoveError when a database lacks steps of this version, or migrations and sample data of the project */
export async function refuseOutdated(from: Store, files: ProjectFiles): Promise<void> {
  const pending = await from.pending(files);
  if (pending.length > 0)
    throw new MoveError(`${from.location} lacks ${pending.map(({ name }) => name).join(', ')}`, {
      hint: 'Bring it up to date first: run signalbox migrate with it as the database of the gateway.',
    });
}

/** A database, and its tables as they are or as they will be. */
export interface Side {
  readonly store: PlannedStore;
  readonly db: Db;
}

/** @throws MoveError when two databases have not had the same steps of signalbox */
export async function refuseOtherVersion(from: Side, to: Side): Promise<void> {
  const steps = async ({ db }: Side): Promise<readonly string[]> =>
    (await db.selectFrom('signalbox_migration').select('name').execute()).map(({ name }) => name);
  const [there, here] = [await steps(from), await steps(to)];
  for (const [one, other, { store }] of [
    [there, here, from],
    [here, there, to],
  ] as const) {
    const more = one.filter((step) => !other.includes(step));
    if (more.length > 0)
      throw new MoveError(`${store.location} is of another version of signalbox: it has seen ${more.join(', ')}`, {
        hint: 'Move with the version of signalbox that ran on it last, to an empty database.',
      });
  }
}

/** Marks a target as one that is filled from a source. What its tables have is known once they are prepared. */
export async function mark(db: Db, from: Store): Promise<void> {
  await sql`create table if not exists ${sql.table(MOVE_MARK)}
    (id integer primary key, source text not null, prepared text)`.execute(db);
  await sql`insert into ${sql.table(MOVE_MARK)} (id, source) values (1, ${from.location})
    on conflict (id) do update set prepared = null`.execute(db);
}

/** Records the rows that migrations and sample data have made in each table of the project. */
export async function markPrepared(db: Db, kind: Store['kind']): Promise<void> {
  const rows: Record<string, number> = {};
  for (const [name, table] of await tablesOf(db, kind))
    if (movingOf(name) === undefined) rows[name] = await countRows(db, table);
  await sql`update ${sql.table(MOVE_MARK)} set prepared = ${JSON.stringify(rows)}`.execute(db);
}

export async function unmark(db: Db): Promise<void> {
  await sql`drop table ${sql.table(MOVE_MARK)}`.execute(db);
}

/** What the rows of a target may be. */
interface Expected {
  readonly from: Store;
  readonly to: PlannedStore;
  /** The tables of the project that are moved, in lower case. */
  readonly projectTables: ReadonlySet<string>;
}

/**
 * A move that did not end has left the tables, with the rows of migrations and sample data, and content of files.
 * @throws MoveError when a database has rows that a move would mix with others
 */
export async function refuseRows(db: Db, { from, to, projectTables }: Expected): Promise<void> {
  const tables = await tablesOf(db, to.kind);
  const begun = tables.has(MOVE_MARK) ? await refuseOtherMove(db, from, to) : undefined;
  const found: string[] = [];
  for (const [name, table] of tables) {
    const moving = movingOf(name);
    if (moving === 'left' || moving === 'seeded') continue;
    if (moving === undefined && !projectTables.has(name)) continue;
    const known = moving === undefined ? begun?.get(name) : 0;
    if (begun !== undefined && (moving === 'blobs' || known === undefined)) continue;
    const rows = await countRows(db, table);
    if (rows !== (known ?? 0)) found.push(`${name} (${counted(rows, 'row')})`);
  }
  if (found.length > 0)
    throw new MoveError(`${to.location} is not empty: ${found.join(', ')}`, {
      hint: 'Name a new database. Its tables are made by this command, with the migrations of the project.',
    });
}

/**
 * @returns the rows of each table of the project after its migrations and sample data, as far as they are known
 * @throws MoveError when what a target has is of a move from another database
 */
async function refuseOtherMove(db: Db, from: Store, to: PlannedStore): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ source: string; prepared: string | null }>`
    select source, prepared from ${sql.table(MOVE_MARK)}`.execute(db);
  const source = rows[0]?.source ?? from.location;
  if (source === from.location) return new Map(Object.entries(JSON.parse(rows[0]?.prepared ?? '{}')));
  throw new MoveError(`${to.location} has what a move from ${source} left, which did not end`, {
    hint: 'Run that move again, or name a new database.',
  });
}

/** The number of rows of a table. */
export async function countRows(db: Db, { name }: Pick<Table, 'name'>): Promise<number> {
  const { rows } = await sql<{ rows: number | string }>`
    select count(*) as rows from ${sql.raw(quoted(name))}`.execute(db);
  return Number(rows[0]?.rows ?? 0);
}
