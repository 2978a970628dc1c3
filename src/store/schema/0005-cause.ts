import type { Db } from '../tables.ts';

/**
 * What caused a job, as JSON; null for jobs of gateways that don't record it, and for those that nothing but their time has
 * caused.
 */
export async function addCause(db: Db): Promise<void> {
  for (const table of ['signalbox_job', 'signalbox_dead_letter'])
    await db.schema.alterTable(table).addColumn('cause', 'text').execute();
}
