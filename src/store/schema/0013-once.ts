import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** The keys of calls that are answered once, with their first answers. */
export async function addOnce(db: Db, kind: Store['kind']): Promise<void> {
  const bytes = sql.raw(kind === 'sqlite' ? 'blob' : 'bytea');
  await db.schema
    .createTable('signalbox_once')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('operation', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('lease', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addColumn('content', 'text')
    .addColumn('status', 'integer')
    .addColumn('headers', 'text')
    .addColumn('body', bytes)
    .addColumn('packed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  // For the removal of expired keys.
  await db.schema.createIndex('signalbox_once_until').on('signalbox_once').columns(['until']).execute();
}
