import { sql } from 'kysely';
import { NOW } from '../queue/postgres-jobs.ts';
import { GONE } from '../queue/postgres-upkeep.ts';
import type { Store } from '../store-port.ts';
import { FAMILY } from './pool.ts';
import { described } from './project.ts';

/** The sessions of gateways of an installation, each in words: see `gatewaysAt`. @throws StoreError */
export function gatewaySessions(location: string, tables: Store['tables']): Promise<readonly string[]> {
  return described(location, async () => {
    const db = await tables();
    const { rows: found } = await sql<{ found: boolean }>`
      select to_regclass('signalbox_job_gateway') is not null as found`.execute(db);
    if (found[0]?.found !== true) return [];
    // Other installations may be in the same database: their sessions look alike, their signs of life are elsewhere.
    const alive = db
      .selectFrom('signalbox_job_gateway')
      .select('gateway')
      .where(sql<boolean>`seen > ${NOW} - ${sql.lit(GONE)}`);
    if ((await alive.limit(1).executeTakeFirst()) === undefined) return [];
    const { rows } = await sql<{ name: string }>`
      select distinct split_part(application_name, ' ', 3) as name from pg_catalog.pg_stat_activity
      where datname = current_database() and application_name like 'signalbox %'
        and split_part(split_part(application_name, ' ', 3), '/', 1) <> ${FAMILY}
      order by 1`.execute(db);
    return rows.map(({ name }) => `pg_stat_activity has sessions of the gateway ${name}`);
  });
}
