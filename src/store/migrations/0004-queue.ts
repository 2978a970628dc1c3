import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** The queue on SQLite (empty on PostgreSQL, where pg-boss has tables of its own), and what both engines share. */
export async function createQueue(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_job')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('key', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('due', 'bigint', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('worker', 'text')
    .addColumn('mark', 'integer')
    .addUniqueConstraint('signalbox_job_id', ['queue', 'id'])
    .execute();
  await createJobIndexes(db);
  await db.schema
    .createTable('signalbox_dead_letter')
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('key', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('error', 'text', (column) => column.notNull())
    .addColumn('died', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_dead_letter_pk', ['queue', 'id'])
    .execute();
  await db.schema.createIndex('signalbox_dead_letter_died').on('signalbox_dead_letter').column('died').execute();
  await db.schema
    .createTable('signalbox_recurring')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('cron', 'text', (column) => column.notNull())
    .addColumn('zone', 'text', (column) => column.notNull())
    .addColumn('last', 'text', (column) => column.notNull())
    .addColumn('next', 'text')
    .execute();
}

/** Each answers one question of a look at the queue: what waits, what goes before it in its key, who holds what. */
async function createJobIndexes(db: Db): Promise<void> {
  await db.schema
    .createIndex('signalbox_job_waiting')
    .on('signalbox_job')
    .columns(['queue', 'sequence', 'due'])
    .where(sql.ref('worker'), 'is', null)
    .execute();
  await db.schema
    .createIndex('signalbox_job_key')
    .on('signalbox_job')
    .columns(['queue', 'key', 'sequence'])
    .where(sql.ref('key'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('signalbox_job_begun')
    .on('signalbox_job')
    .columns(['queue', 'key'])
    .where(sql.ref('attempt'), '>', 0)
    .execute();
  await db.schema
    .createIndex('signalbox_job_worker')
    .on('signalbox_job')
    .column('worker')
    .where(sql.ref('worker'), 'is not', null)
    .execute();
}
