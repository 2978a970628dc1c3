/**
 * The rows of messages by hand, with the driver and prepared statements, in the tables of the gateway:
 * `messages-limit.ts <what> <database URL> <count>`. Prints how many a second: `published` inserts a message with its content, two
 * deliveries and their jobs in a transaction; `drained` takes a job, reads its message, and ends its delivery in a transaction.
 */
import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import pg from 'pg';
import { newId } from '../../../src/messaging/run/store.ts';
import { openStore } from '../../../src/store/index.ts';
import { atOnce, changeOf } from './message-data.ts';

const [, , what = '', url = '', counted = ''] = process.argv;
const count = Number(counted);
const isSqlite = url.startsWith('sqlite:');
const store = await openStore({ url, root: process.cwd() });
await store.migrate();
const { close, transaction } = isSqlite ? onSqlite() : onPostgres();

type Row = Readonly<Record<string, unknown>>;
type Run = (text: string, values: readonly unknown[]) => Promise<readonly Row[]> | readonly Row[];

/** Transactions of the driver, with statements that it keeps prepared. */
interface Driver {
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>;
  close(): void | Promise<void>;
}

function onSqlite(): Driver {
  const database = new Database(url.slice('sqlite:'.length));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  const prepared = new Map<string, Database.Statement>();
  const run: Run = (text, values) => {
    const statement = prepared.get(text) ?? database.prepare(text.replaceAll(/\$\d+/g, '?'));
    prepared.set(text, statement);
    if (statement.reader) return statement.all(...values) as Row[];
    statement.run(...values);
    return [];
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    // One after the other, as there is one writer.
    transaction(work) {
      const done = last.then(async () => {
        database.exec('begin immediate');
        const result = await work(run);
        database.exec('commit');
        return result;
      });
      last = done;
      return done;
    },
    close: () => void database.close(),
  };
}

function onPostgres(): Driver {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  const names = new Map<string, string>();
  return {
    async transaction(work) {
      const client = await pool.connect();
      const result = await (async () => {
        await client.query('begin');
        const done = await work(async (text, values) => {
          const name = names.get(text) ?? `s${names.size}`;
          names.set(text, name);
          return (await client.query({ name, text, values: [...values] })).rows;
        });
        await client.query('commit');
        return done;
      })();
      client.release();
      return result;
    },
    close: () => pool.end(),
  };
}

/** An insert of one row or several, as text and values. */
function insertOf(table: string, rows: readonly Row[]): [text: string, values: unknown[]] {
  const columns = Object.keys(rows[0] as Row);
  const marks = rows.map((_, row) => `(${columns.map((_, n) => `$${row * columns.length + n + 1}`).join(', ')})`);
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  return [`insert into ${table} (${columns.join(', ')}) values ${marks.join(', ')}`, values];
}

/** Inserts a message with deliveries to so many subscriptions. */
async function insert(run: Run, n: number, subscriptions: number): Promise<void> {
  const now = Date.now();
  const message = newId(now);
  const bytes = Buffer.from(JSON.stringify(changeOf(n, 1)));
  const deliveries = Array.from({ length: subscriptions }, (_, at) => ({
    id: newId(now),
    subscription: `BENCH_${at}`,
  }));
  const facts = { operation: 'BENCH', queue: 'BENCH', status: 'New', entered: now, connector: 'handler' };
  const row = { id: message, ...facts, request_id: `bench-${n}`, open: subscriptions, size: bytes.length };
  const content = deflateRawSync(bytes, { level: 1 });
  await run(...insertOf('signalbox_message', [row]));
  const packed = { message, part: 'request', encoding: 'deflate', content, size: bytes.length };
  await run(...insertOf('signalbox_message_content', [packed]));
  const open = deliveries.map((each) => ({ ...each, message, status: 'New', entered: now }));
  await run(...insertOf('signalbox_delivery', open));
  const data = JSON.stringify({ message });
  const jobs = deliveries.map(({ id, subscription }, at) => {
    const job = { queue: subscription, id, data, place: 0, due: now, entered: now };
    return isSqlite ? job : { ...job, sequence: n * subscriptions + at };
  });
  await run(...insertOf('signalbox_job', jobs));
}

const LOCKED = isSqlite ? '' : 'for update skip locked';

/** Takes a job in a transaction, and ends it in another one. */
async function deliver(): Promise<void> {
  const began = Date.now();
  const [job] = await transaction(async (run) =>
    run(
      `update signalbox_job set mark = 1, place = 1 where queue = 'BENCH_0' and id = (
        select id from signalbox_job where queue = 'BENCH_0' and place = 0 order by due, sequence limit 1 ${LOCKED}
      ) returning id, data`,
      [],
    ),
  );
  const { message } = JSON.parse(String(job?.data)) as { message: string };
  await transaction(async (run) => {
    await run(
      `select * from signalbox_message m join signalbox_message_content c on c.message = m.id where m.id = $1`,
      [message],
    );
    const now = Date.now();
    await run(`update signalbox_delivery set status = 'Done', ended = $1, attempts = 1 where id = $2`, [now, job?.id]);
    const attempt = { delivery: job?.id, number: 1, began, ended: now, gateway: 'bench' };
    await run(...insertOf('signalbox_delivery_attempt', [attempt]));
    await run(`update signalbox_message set open = 0, status = 'Done', ended = $1, expires = $2 where id = $3`, [
      ...[now, now + 86_400_000],
      message,
    ]);
    await run(`delete from signalbox_job where queue = 'BENCH_0' and id = $1`, [job?.id]);
  });
}

const subscriptions = what === 'published' ? 2 : 1;
let begun = performance.now();
await atOnce(count, 32, (n) => transaction((run) => insert(run, n, subscriptions)));
if (what === 'drained') {
  begun = performance.now();
  await atOnce(count, 8, deliver);
}
process.stdout.write(`${(count / (performance.now() - begun)) * 1000}\n`);
await close();
await store.close();
