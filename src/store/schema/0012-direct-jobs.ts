import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';

/**
 * Indexes by which gateways take jobs on PostgreSQL from the table itself: those that may be taken, those that join their key
 * when they are due, and those that run. A gateway of the version before goes on with the jobs that pg-boss hands to it.
 */
export async function addDirectJobs(db: Db, kind: Store['kind']): Promise<void> {
  if (kind === 'sqlite') return;
  const indexes = [
    'signalbox_job_ready on signalbox_job (queue, due, sequence) where place = 0',
    'signalbox_job_coming on signalbox_job (queue, due) where place = 2',
    'signalbox_job_running on signalbox_job (queue, id) where mark is not null',
  ];
  for (const index of indexes) await sql.raw(`create index ${index}`).execute(db);
}
