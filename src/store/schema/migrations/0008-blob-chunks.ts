import type { Db } from '../../tables.ts';
import { kindOf } from '../kind.ts';

/** Content of blobs where it stands in the database, with who writes and reads it: on PostgreSQL, SQLite has files for it. */
export async function createBlobChunks(db: Db): Promise<void> {
  if (kindOf(db) === 'sqlite') return;
  await db.schema
    .createTable('signalbox_blob_chunk')
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('content', 'bytea', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_blob_chunk_pk', ['file', 'number'])
    .execute();
  await db.schema
    .createTable('signalbox_blob_lease')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('beats', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('signalbox_blob_reader')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('process', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('signalbox_blob_reader_file').on('signalbox_blob_reader').column('file').execute();
}
