import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** Statistics of calls. The key begins with the time: rows are appended, read and removed in its order. */
export async function addStatistics(db: Db, kind: Store['kind']): Promise<void> {
  await db.schema
    .createTable('signalbox_statistics')
    .addColumn('span', 'integer', (column) => column.notNull())
    .addColumn('minute', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('operation', 'text', (column) => column.notNull())
    .addColumn('gateway', 'text', (column) => column.notNull())
    .addColumn('calls', 'integer', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('refusals', 'integer', (column) => column.notNull())
    .addColumn('latency', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_statistics_pkey', ['span', 'minute', 'kind', 'operation', 'gateway'])
    .$call((table) => (kind === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema
    .createIndex('signalbox_statistics_operation')
    .on('signalbox_statistics')
    .columns(['operation', 'minute'])
    .execute();
}
