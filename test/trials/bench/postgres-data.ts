import { freePort } from '../../support/free-port.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import type { Bench } from './harness.ts';
import { LARGE, ROWS, SMALL } from './query-data.ts';

/** The SQL of the project's queries, in the driver's syntax. */
export const SMALL_POSTGRES = SMALL.replace('?', '$1');
export const LARGE_POSTGRES = LARGE.replace('?', '$1');

const urls = new WeakMap<Bench, string>();

/** The URL of a PostgreSQL for this bench, with the same rows as the SQLite file; started once per run. */
export async function postgresDatabase(bench: Bench): Promise<string> {
  const known = urls.get(bench);
  if (known !== undefined) return known;
  bench.say('starting PostgreSQL');
  const server = startPostgres(await freePort());
  bench.atEnd(() => server.remove());
  urls.set(bench, server.url);
  await fill(server.url);
  return server.url;
}

async function fill(url: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    create table bench_request (prcsinstance integer primary key, mainjobinstance integer, prcsjobname text, prcstype text,
      prcsname text, oprid text, runcntlid text, recurname text, runstatus text, diststatus text, rundttm text,
      cost double precision);
    insert into bench_request
    select x, x / 3, 'JOB' || x, 'Application Engine', 'PRCS_' || (x % 40), 'VP' || (x % 5), 'RUN CONTROL ' || x, 'Daily 6 AM',
      '9', '5', '2026-01-0' || (1 + x % 9) || ' 10:00:00', x * 1.25 from generate_series(1, ${ROWS}) x;
    analyze bench_request`);
  await client.end();
}
