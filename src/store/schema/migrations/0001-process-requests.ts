import type { Db } from '../../tables.ts';

export async function createProcessRequests(db: Db): Promise<void> {
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
