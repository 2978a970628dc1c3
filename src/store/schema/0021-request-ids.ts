import type { Db } from '../tables.ts';

/** Finds messages and recorded calls by the id of their request, which is what callers know of them. */
export async function addRequestIds(db: Db): Promise<void> {
  await db.schema
    .createIndex('signalbox_message_request_id')
    .on('signalbox_message')
    .columns(['request_id', 'id'])
    .execute();
}
