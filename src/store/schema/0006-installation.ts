import type { Store } from '../store-port.ts';
import type { AppliedStep, Db } from '../tables.ts';

/** The schema of the queue of every installation from before queues were recorded. */
export const FIRST_QUEUE = 'signalbox_queue';

/** Records which schema has the queue of these tables: one queue for one set of tables, whatever the settings are later. */
export async function addInstallation(db: Db, kind: Store['kind'], before: readonly AppliedStep[]): Promise<void> {
  // A file of SQLite has both.
  if (kind === 'sqlite') return;
  await db.schema
    .createTable('signalbox_installation')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('queue', 'text', (column) => column.notNull())
    .execute();
  if (before.length > 0) await db.insertInto('signalbox_installation').values({ id: 1, queue: FIRST_QUEUE }).execute();
}
