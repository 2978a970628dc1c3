import type { Db } from '../tables.ts';

/** The process request that a line of the trail is about: of these lines many belong to one queue. */
export async function addRequestTrail(db: Db): Promise<void> {
  await db.schema.alterTable('signalbox_job_audit').addColumn('request', 'integer').execute();
  await db.schema
    .createIndex('signalbox_job_audit_request')
    .on('signalbox_job_audit')
    .columns(['request', 'at', 'id'])
    .where('request', 'is not', null)
    .execute();
}
