import pg from 'pg';
import { freePort } from './free-port.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { eventually } from './project.ts';

/** A primary and the standby that replicates it. */
export interface PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** Names both servers; the primary is wanted, whichever of them it is. */
  readonly url: string;
  remove(): void;
}

/** Starts two servers. @param synchronous a commit is acknowledged once both have it */
export async function startPostgresPair({ synchronous = false } = {}): Promise<PostgresPair> {
  const primary = startPostgres(await freePort());
  const standby = startPostgres(await freePort(), {}, primary.url);
  const client = new pg.Client(primary.url);
  await client.connect();
  if (synchronous) {
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query('select pg_reload_conf()');
  }
  await eventually('the standby to replicate', async () => {
    const { rows } = await client.query('select sync_state from pg_stat_replication');
    return rows[0]?.sync_state === (synchronous ? 'sync' : 'async') || undefined;
  });
  await client.end();
  const hosts = [primary, standby].map(({ url }) => new URL(url).host);
  return {
    primary,
    standby,
    url: `postgres://postgres@${hosts.join(',')}/postgres?target_session_attrs=read-write`,
    remove() {
      primary.remove();
      standby.remove();
    },
  };
}
