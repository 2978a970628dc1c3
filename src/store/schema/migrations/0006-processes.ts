import type { Db } from '../../tables.ts';

/** What the process scheduler keeps beside the request table. */
export async function createProcesses(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_process_request')
    .addColumn('instance', 'integer', (column) => column.primaryKey())
    .addColumn('parameters', 'text', (column) => column.notNull())
    .addColumn('destination', 'text', (column) => column.notNull())
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('requested', 'text', (column) => column.notNull())
    .addColumn('runs', 'text', (column) => column.notNull())
    .addColumn('began', 'text')
    .addColumn('ended', 'text')
    .addColumn('job', 'text', (column) => column.notNull())
    .addColumn('run', 'text')
    .addColumn('attempt', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('followed', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('cancelled', 'text')
    .addColumn('percent', 'integer')
    .addColumn('progress', 'text')
    .addColumn('messages', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('report', 'text')
    .addColumn('content', 'integer')
    .execute();
  await db.schema
    .createIndex('signalbox_process_request_ended')
    .on('signalbox_process_request')
    .column('ended')
    .execute();
  await db.schema
    .createTable('signalbox_process_message')
    .addColumn('instance', 'integer', (column) => column.notNull())
    .addColumn('sequence', 'integer', (column) => column.notNull())
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('said', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_process_message_pk', ['instance', 'sequence'])
    .execute();
  await db.schema
    .createTable('signalbox_process_number')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('last', 'integer', (column) => column.notNull())
    .execute();
  const names = ['instance', 'content'];
  await db
    .insertInto('signalbox_process_number')
    .values(names.map((name) => ({ name, last: 0 })))
    .execute();
}
