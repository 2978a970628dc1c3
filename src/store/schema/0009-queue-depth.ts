import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** Which gateway has the definitions of which jobs, and an index of the jobs of a queue by the time from which they wait. */
export async function addQueueDepth(db: Db, kind: Store['kind']): Promise<void> {
  await db.schema.alterTable('signalbox_job').addColumn('unknown_by', 'text').execute();
  // Without a condition: with one about `mark`, which each job sets when it is taken, that update would write every index anew.
  await db.schema.createIndex('signalbox_job_due').on('signalbox_job').columns(['queue', 'due', 'id']).execute();
  // A gateway on SQLite is alone.
  if (kind === 'sqlite') return;
  await db.schema
    .createTable('signalbox_job_gateway')
    .addColumn('gateway', 'text', (column) => column.primaryKey())
    .addColumn('kinds', sql`text[]`, (column) => column.notNull())
    .addColumn('seen', 'bigint', (column) => column.notNull())
    .execute();
}
