import { sql } from 'kysely';
import type { Db } from '../../tables.ts';
import { kindOf } from '../kind.ts';

/** The queue: on SQLite its jobs, on PostgreSQL those that have to wait for others before pg-boss is told of them. */
export async function createQueue(db: Db): Promise<void> {
  await (kindOf(db) === 'sqlite' ? createJobs(db) : createLines(db));
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

async function createJobs(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_job')
    .addColumn('sequence', 'integer', (column) => column.primaryKey())
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('key', 'text')
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('due', 'bigint', (column) => column.notNull())
    .addColumn('since', 'bigint')
    .addColumn('attempt', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('worker', 'text')
    .addColumn('mark', 'integer')
    .addColumn('cancelled', 'integer', (column) => column.notNull().defaultTo(0))
    .addUniqueConstraint('signalbox_job_id', ['queue', 'id'])
    .execute();
  await createJobIndexes(db);
}

/** Each answers one question: what waits, for how long, who is first and next of a key, who comes to it, who holds what. */
async function createJobIndexes(db: Db): Promise<void> {
  const index = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(`signalbox_job_${name}`)
      .on('signalbox_job')
      .columns([...columns]);
  await index('waiting', ['queue', 'due', 'sequence']).where(sql<boolean>`worker is null and place = 0`).execute();
  await index('since', ['queue', 'since']).where(sql<boolean>`worker is null and place = 0`).execute();
  await index('head', ['queue', 'key']).unique().where(sql<boolean>`place = 0 and key is not null`).execute();
  await index('next', ['queue', 'key', 'sequence']).where(sql<boolean>`place = 1`).execute();
  await index('coming', ['queue', 'due', 'sequence']).where(sql<boolean>`place = 2`).execute();
  await index('worker', ['worker']).where(sql<boolean>`worker is not null`).execute();
}

async function createLines(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_job_key')
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('head', 'text', (column) => column.notNull())
    .addColumn('last', 'bigint', (column) => column.notNull())
    .addColumn('waiting', 'bigint', (column) => column.notNull())
    .addColumn('cancelled', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_job_key_pk', ['queue', 'key'])
    .execute();
  await db.schema
    .createTable('signalbox_job_follower')
    .addColumn('queue', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('number', 'bigint', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('signalbox_job_follower_pk', ['queue', 'key', 'number'])
    .addUniqueConstraint('signalbox_job_follower_id', ['queue', 'id'])
    .execute();
}
