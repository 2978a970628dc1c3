import type { Db } from '../tables.ts';

/** Refused sign-ins, which all gateways count together, and with each session what its password was. */
export async function addSignIn(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_guess')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('open', 'text', (column) => column.notNull())
    .addColumn('until', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('signalbox_guess_until').on('signalbox_guess').columns(['until']).execute();
  await db.schema.alterTable('signalbox_session').addColumn('credential', 'text').execute();
}
