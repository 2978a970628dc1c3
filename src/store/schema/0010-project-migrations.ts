import type { Db } from '../tables.ts';

/** Which migrations of the project ran. The key is the number, so that a number can't belong to two of them. */
export async function addProjectMigrations(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_project_migration')
    .addColumn('number', 'bigint', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('checksum', 'text', (column) => column.notNull())
    .addColumn('applied', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .execute();
}
