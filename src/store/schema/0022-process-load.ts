import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** How many requests of each process run in each hour: counted in the order of the index, from the index alone. */
export async function addProcessLoad(db: Db): Promise<void> {
  await db.schema
    .createIndex('psprcsrqst_load')
    .on('psprcsrqst')
    .expression(sql`substr(rundttm, 1, 13)`)
    .columns(['prcsname', 'prcstype', 'oprid', 'rundttm'])
    .execute();
}
