import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** What operators look at: who reports the metrics of a fleet, and the newest requests of a name, a type, a status, a user. */
export async function addOperators(db: Db, kind: Store['kind']): Promise<void> {
  for (const column of ['prcsname', 'prcstype', 'runstatus', 'oprid'])
    await db.schema
      .createIndex(`psprcsrqst_${column}_newest`)
      .on('psprcsrqst')
      .columns([column, 'prcsinstance'])
      .execute();
  // A gateway on SQLite is alone.
  if (kind === 'sqlite') return;
  await db.schema
    .createTable('signalbox_lease')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute();
}
