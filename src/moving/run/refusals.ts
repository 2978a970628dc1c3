import { sql } from 'kysely';
import { type Db, gatewaysAt, type ProjectFiles, type Store } from '../../store/index.ts';
import { counted } from '../../wire/words.ts';
import { quoted, type Table, tablesOf } from './catalogue.ts';
import { treatmentOf } from './own-tables.ts';

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

/** @throws MoveError when a gateway runs on one of the databases */
export async function refuseGateways(stores: readonly Store[]): Promise<void> {
  for (const store of stores) {
    const [found] = await gatewaysAt(store);
    if (found !== undefined)
      throw new MoveError(`a gateway runs on ${store.location}: ${found}`, {
        hint: 'Stop the gateways of both databases first. What a gateway changes meanwhile would be in one of them only; with --ignore-gateways the move is made all the same.',
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

/** @throws MoveError when two databases have not had the same steps of signalbox */
export async function refuseOtherVersion(from: Store, to: Store): Promise<void> {
  const steps = async (store: Store): Promise<readonly string[]> => {
    const db = await store.tables();
    return (await db.selectFrom('signalbox_migration').select('name').execute()).map(({ name }) => name);
  };
  const [there, here] = [await steps(from), await steps(to)];
  for (const [one, other, has] of [
    [there, here, from],
    [here, there, to],
  ] as const) {
    const more = one.filter((step) => !other.includes(step));
    if (more.length > 0)
      throw new MoveError(`${has.location} is of another version of signalbox: it has seen ${more.join(', ')}`, {
        hint: 'Move with the version of signalbox that ran on it last, and an empty database to move to.',
      });
  }
}

/** The table that a move makes first, and removes with its last statement: what it finds besides is of a move that did not end. */
export const MARK = 'signalbox_move';

/**
 * @param both the tables of the project that are moved, in lower case
 * @throws MoveError when a database has rows that a move would mix with others
 */
export async function refuseRows(
  db: Db,
  to: Store,
  both: ReadonlySet<string>,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const tables = await tablesOf(db, to.kind);
  const isBegun = tables.has(MARK);
  const own: string[] = [];
  const project: string[] = [];
  for (const [name, table] of tables) {
    const treatment = treatmentOf(name);
    const isOwn = treatment !== undefined && treatment !== 'left' && treatment !== 'seeded';
    // An earlier move has copied content before its rows.
    if (treatment === 'blobs' && isBegun) continue;
    if (!isOwn && !(treatment === undefined && both.has(name) && !isBegun && !replace)) continue;
    const rows = await countRows(db, table);
    if (rows > 0) (isOwn ? own : project).push(`${name} (${counted(rows, 'row')})`);
  }
  if (own.length > 0)
    throw new MoveError(`${to.location} is not empty: ${own.join(', ')}`, {
      hint: 'Name a database that no gateway has used.',
    });
  if (project.length > 0)
    throw new MoveError(`${to.location} has rows in tables of the project: ${project.join(', ')}`, {
      hint: 'Name an empty database; its tables are made by the migrations of the project. With --replace, those rows are deleted first.',
    });
}

/** The number of rows of a table. */
export async function countRows(db: Db, { name }: Table): Promise<number> {
  const { rows } = await sql<{ rows: number | string }>`
    select count(*) as rows from ${sql.raw(quoted(name))}`.execute(db);
  return Number(rows[0]?.rows ?? 0);
}
