import type { Db } from '../../tables.ts';

/** Runs of queries whose results are kept, and the queries that users have saved. */
export async function createQueryRuns(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_query_run')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('query', 'text', (column) => column.notNull())
    .addColumn('is_private', 'integer', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('message', 'text')
    .addColumn('num_cols', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('total_rows', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('total_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
    .addColumn('truncated', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('blocks', 'text', (column) => column.notNull().defaultTo('[]'))
    .addColumn('blob', 'text')
    .addColumn('file', 'text')
    .addColumn('entered', 'text', (column) => column.notNull())
    .addColumn('ended', 'text')
    .execute();
  await db.schema.createIndex('signalbox_query_run_ended').on('signalbox_query_run').column('ended').execute();
  await db.schema
    .createTable('signalbox_saved_query')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addColumn('saved', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_saved_query_pk', ['owner', 'name'])
    .execute();
}
