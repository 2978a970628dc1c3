import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/** The addresses to which replies of deliveries come. */
export async function addReplies(db: Db, kind: Store['kind']): Promise<void> {
  const uuid = sql.raw(kind === 'sqlite' ? 'text' : 'uuid');
  await db.schema
    .createTable('signalbox_reply_address')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('delivery', uuid, (column) => column.notNull())
    .addColumn('message', uuid, (column) => column.notNull())
    .addColumn('replied', 'bigint')
    .execute();
  for (const column of ['delivery', 'message'])
    await db.schema
      .createIndex(`signalbox_reply_address_${column}`)
      .on('signalbox_reply_address')
      .columns([column])
      .execute();
}
