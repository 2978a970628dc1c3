import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Bench } from './harness.ts';

/** Rows of the bench's table. */
export const ROWS = 200_000;

const COLUMNS = `prcsinstance, mainjobinstance, prcsjobname, prcstype, prcsname, oprid, runcntlid, recurname, runstatus,
  diststatus, rundttm, cost`;

/** The SQL of the project's queries, in the driver's syntax. */
export const SMALL = `select ${COLUMNS} from bench_request where prcsinstance > ? limit 100`;
export const LARGE = `select ${COLUMNS} from bench_request limit ?`;

const databases = new WeakMap<Bench, string>();

/** A database file with {@link ROWS} rows of twelve columns, always the same; created once per run. */
export function database(bench: Bench): string {
  const known = databases.get(bench);
  if (known !== undefined) return known;
  const file = join(bench.folder, 'bench.db');
  bench.say('filling the database');
  fill(file);
  databases.set(bench, file);
  return file;
}

function fill(file: string): void {
  const connection = new Database(file);
  connection.pragma('journal_mode = WAL');
  connection.exec(`
    create table bench_request (prcsinstance integer primary key, mainjobinstance integer, prcsjobname text, prcstype text,
      prcsname text, oprid text, runcntlid text, recurname text, runstatus text, diststatus text, rundttm text, cost real);
    insert into bench_request
    with recursive n(x) as (select 1 union all select x + 1 from n where x < ${ROWS})
    select x, x / 3, 'JOB' || x, 'Application Engine', 'PRCS_' || (x % 40), 'VP' || (x % 5), 'RUN CONTROL ' || x, 'Daily 6 AM',
      '9', '5', '2026-01-0' || (1 + x % 9) || ' 10:00:00', x * 1.25 from n`);
  connection.close();
}

/** The parameters of a stored query. */
interface Asked {
  readonly prompt?: { readonly name: string; readonly value: number };
  /** The default is JSON. */
  readonly output?: 'JSON' | 'CSV' | 'EXCEL';
}

/** The path of a stored query in the query service. @param maxrows 0 means no limit */
export function executeQuery(id: string, maxrows: number, { prompt, output = 'JSON' }: Asked = {}): string {
  const { name = '', value = '' } = prompt ?? {};
  return (
    `/gateway/RESTListeningConnector/LOCAL/ExecuteQuery.v1/PUBLIC/${id}/${output}/NONFILE?isconnectedquery=N` +
    `&maxrows=${maxrows}&prompt_psqueryname=&prompt_uniquepromptname=${name}&prompt_fieldvalue=${value}` +
    `&filterfields=&json_resp=${output === 'JSON'}`
  );
}
