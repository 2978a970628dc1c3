import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** What was removed of each kind of data, and indexes that find what has expired. */
export async function addRetention(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_retention')
    .addColumn('kind', 'text', (column) => column.primaryKey())
    .addColumn('removed', 'bigint', (column) => column.notNull())
    .addColumn('cursor', 'text')
    .addColumn('holder', 'text')
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
  // Without it, each sweep reads all requests that have ended to find those that still have a report.
  await db.schema
    .createIndex('signalbox_process_request_report')
    .on('signalbox_process_request')
    .columns(['ended', 'began'])
    .where(sql<boolean>`report is not null`)
    .execute();
  await db.schema.createIndex('signalbox_caller_seen').on('signalbox_caller').column('seen').execute();
  await db.schema.createIndex('signalbox_user_audit_at').on('signalbox_user_audit').column('at').execute();
}
