import type { Db } from '../../tables.ts';

export async function createSampleData(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_sample_data')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('loaded', 'text', (column) => column.notNull())
    .execute();
}
