import type { Db } from '../tables.ts';

/** The rows of `signalbox_definitions` that are followed by another: of gateways that start at the same time, one adds the next. */
export async function addDefinitionsOrder(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_definitions_order')
    .addColumn('follows', 'integer', (column) => column.primaryKey())
    .execute();
}
