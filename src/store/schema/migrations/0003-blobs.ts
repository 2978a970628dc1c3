import type { Db } from '../../tables.ts';

export async function createBlobs(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_blob')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('content_type', 'text', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('length', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('stored', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_blob_pk', ['scope', 'key'])
    .execute();
  await db.schema
    .createTable('signalbox_loose_blob')
    .addColumn('file', 'text', (column) => column.primaryKey())
    .addColumn('process', 'text', (column) => column.notNull())
    .execute();
}
