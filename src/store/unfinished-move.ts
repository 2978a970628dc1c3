import { sql } from 'kysely';
import type { Store } from './store-port.ts';

/** The table that a move makes first in its target, and removes with its last statement. Its row names the source. */
export const MOVE_MARK = 'signalbox_move';

/** The source of a move to a database that did not end; `undefined` without one. @throws errors of the database */
export async function unfinishedMove({ kind, tables }: Pick<Store, 'kind' | 'tables'>): Promise<string | undefined> {
  const db = await tables();
  const { rows: marks } =
    kind === 'sqlite'
      ? await sql`select 1 from sqlite_schema where type = 'table' and name = ${MOVE_MARK}`.execute(db)
      : await sql`select 1 where to_regclass(${MOVE_MARK}) is not null`.execute(db);
  if (marks.length === 0) return undefined;
  const { rows } = await sql<{ source: string }>`select source from ${sql.table(MOVE_MARK)}`.execute(db);
  return rows[0]?.source ?? 'another database';
}
