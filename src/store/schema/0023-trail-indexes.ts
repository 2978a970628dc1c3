import type { Db } from '../tables.ts';

/** Indexes that find the lines of the trails by each of their facts, the newest first. */
export async function addTrailIndexes(db: Db): Promise<void> {
  for (const column of ['actor', 'action', 'user_id'] as const)
    await db.schema
      .createIndex(`signalbox_user_audit_${column}`)
      .on('signalbox_user_audit')
      .columns([column, 'at', 'sequence'])
      .execute();
  for (const column of ['actor', 'action', 'queue', 'job'] as const)
    await db.schema
      .createIndex(`signalbox_job_audit_${column}`)
      .on('signalbox_job_audit')
      .columns([column, 'at', 'id'])
      .execute();
}
