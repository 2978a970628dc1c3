import type { Db } from '../tables.ts';

/** What a job needs in order to run, since when no gateway has had that, and since when it has been attempted. */
export async function addWork(db: Db): Promise<void> {
  const job = () => db.schema.alterTable('signalbox_job');
  await job().addColumn('kind', 'text').execute();
  await job().addColumn('unknown', 'bigint').execute();
  await job().addColumn('began', 'bigint').execute();
  await job()
    .addColumn('failed', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('signalbox_dead_letter').addColumn('kind', 'text').execute();
}
