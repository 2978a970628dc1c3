import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** One step of the schema, forward only. Once released it never changes: a later step mends it. */
export interface Migration {
  /** Its key in `signalbox_migration`; steps run in the order of the list. */
  readonly name: string;
  up(db: Kysely<Tables>): Promise<void>;
}

/** Every step, oldest first. */
export const migrations: readonly Migration[] = [
  { name: '0001-process-requests', up: createProcessRequests },
  { name: '0002-sample-data', up: createSampleData },
  { name: '0003-blobs', up: createBlobs },
];

async function createProcessRequests(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('psprcsrqst')
    .addColumn('prcsinstance', 'integer', (column) => column.primaryKey())
    .addColumn('jobinstance', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('mainjobinstance', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('prcsjobseq', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('prcsjobname', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('prcstype', 'text', (column) => column.notNull())
    .addColumn('prcsname', 'text', (column) => column.notNull())
    .addColumn('mainjobname', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('runlocation', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('opsys', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('servernamerqst', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('servernamerun', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('rundttm', 'text')
    .addColumn('recurname', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('oprid', 'text', (column) => column.notNull())
    .addColumn('runcntlid', 'text', (column) => column.notNull().defaultTo(''))
    .addColumn('runstatus', 'text', (column) => column.notNull())
    .addColumn('diststatus', 'text', (column) => column.notNull().defaultTo('0'))
    .addColumn('rqstdttm', 'text')
    .addColumn('begindttm', 'text')
    .addColumn('enddttm', 'text')
    .execute();
  await db.schema.createIndex('psprcsrqst_oprid').on('psprcsrqst').column('oprid').execute();
  await db.schema.createIndex('psprcsrqst_runstatus').on('psprcsrqst').column('runstatus').execute();
}

async function createSampleData(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('signalbox_sample_data')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('loaded', 'text', (column) => column.notNull())
    .execute();
}

async function createBlobs(db: Kysely<Tables>): Promise<void> {
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
