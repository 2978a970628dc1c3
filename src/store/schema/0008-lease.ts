import type { Store } from '../port.ts';
import type { Db } from '../tables.ts';

/** What one gateway at a time may do. A gateway on SQLite is alone. */
export async function addLeases(db: Db, kind: Store['kind']): Promise<void> {
  if (kind === 'sqlite') return;
  await db.schema
    .createTable('signalbox_lease')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}
