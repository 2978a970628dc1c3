import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** The definitions that gateways have loaded, and what was changed by each. */
export async function addDefinitions(db: Db, kind: Store['kind']): Promise<void> {
  await db.schema
    .createTable('signalbox_definitions')
    .addColumn('id', kind === 'sqlite' ? 'integer' : 'serial', (column) => column.primaryKey())
    .addColumn('loaded', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('gateway', 'text', (column) => column.notNull())
    .addColumn('parts', 'text')
    .addColumn('changes', 'text', (column) => column.notNull())
    .execute();
}
