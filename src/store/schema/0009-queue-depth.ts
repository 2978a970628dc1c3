import { sql } from 'kysely';
import type { Store } from '../port.ts';
import type { Db } from '../tables.ts';

/** Which gateway has the definitions of which jobs. */
export async function addQueueDepth(db: Db, kind: Store['kind']): Promise<void> {
  await db.schema.alterTable('signalbox_job').addColumn('unknown_by', 'text').execute();
  // A gateway on SQLite is alone.
  if (kind === 'sqlite') return;
  await db.schema
    .createTable('signalbox_job_gateway')
    .addColumn('gateway', 'text', (column) => column.primaryKey())
    .addColumn('kinds', sql`text[]`, (column) => column.notNull())
    .addColumn('seen', 'bigint', (column) => column.notNull())
    .execute();
}
