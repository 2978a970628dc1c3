import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** Finds the failures of one node or subscription, and the recorded calls of one operation, without reading all that went well. */
export async function addFailures(db: Db): Promise<void> {
  // Few rows are in each of them: the others cost nothing.
  await db.schema
    .createIndex('signalbox_delivery_failed')
    .on('signalbox_delivery')
    .columns(['subscription', 'status', 'message'])
    .where(sql<boolean>`status in ('Error', 'Timeout', 'Hold', 'Retry')`)
    .execute();
  await db.schema
    .createIndex('signalbox_message_failed')
    .on('signalbox_message')
    .columns(['node', 'status', 'id'])
    .where(sql<boolean>`node is not null and status in ('Error', 'Timeout')`)
    .execute();
  await db.schema
    .createIndex('signalbox_message_call')
    .on('signalbox_message')
    .columns(['operation', 'id'])
    .where(sql<boolean>`queue is null`)
    .execute();
}
