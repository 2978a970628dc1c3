import type { Db } from '../../tables.ts';
import { kindOf } from '../kind.ts';

/**
 * What a fleet has counted of calls whose rate is limited: on PostgreSQL, a gateway on SQLite is alone and counts in memory.
 * The library that counts in it names no columns, so that their order counts.
 */
export async function createRates(db: Db): Promise<void> {
  if (kindOf(db) === 'sqlite') return;
  await db.schema
    .createTable('signalbox_rate')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('points', 'integer', (column) => column.notNull())
    .addColumn('expire', 'bigint')
    .execute();
}
