/**
 * Jobs a second that are inserted into a table, taken and completed with hand-written SQL only:
 * `queue-limit.ts <database URL> <jobs>`. Each job is taken and completed in separate transactions.
 */
import Database from 'better-sqlite3';
import pg from 'pg';

const [, , url = '', jobs = ''] = process.argv;
const count = Number(jobs);

/** Concurrent workers, the same number as ours. */
const WORKERS = 8;

function onSqlite(file: string): number {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec('create table if not exists job (id integer primary key, data text not null, worker text)');
  const put = database.prepare('insert into job (data) values (?)');
  const take = database.prepare(
    `update job set worker = 'me' where id = (select id from job where worker is null order by id limit 1) returning id`,
  );
  const end = database.prepare('delete from job where id = ?');
  const begin = performance.now();
  for (let at = 0; at < count; at += 100) {
    database.transaction(() => {
      for (let n = at; n < at + 100; n++) put.run(JSON.stringify({ n }));
    })();
  }
  for (let n = 0; n < count; n++) end.run((take.get() as { id: number }).id);
  return performance.now() - begin;
}

async function onPostgres(): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: WORKERS });
  await pool.query('create table if not exists job (id bigserial primary key, data jsonb not null, worker text)');
  const begin = performance.now();
  const client = await pool.connect();
  for (let at = 0; at < count; at += 100) {
    await client.query('begin');
    for (let n = at; n < at + 100; n++) await client.query('insert into job (data) values ($1)', [{ n }]);
    await client.query('commit');
  }
  client.release();
  const take = `update job set worker = 'me' where id =
    (select id from job where worker is null order by id for update skip locked limit 1) returning id`;
  const work = async (): Promise<void> => {
    for (let { rows } = await pool.query(take); rows.length > 0; { rows } = await pool.query(take)) {
      await pool.query('delete from job where id = $1', [rows[0].id]);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const took = performance.now() - begin;
  await pool.end();
  return took;
}

const took = url.startsWith('sqlite:') ? onSqlite(url.slice('sqlite:'.length)) : await onPostgres();
process.stdout.write(`${(count / took) * 1000}\n`);
