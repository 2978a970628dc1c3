// Measures what operators look at, and the queue, in an empty database and in a full one: what is slower there is not flat.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { coloursOf, renderTable } from '../../src/cli/terminal.ts';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import type { Retention as RetentionLimits } from '../../src/model/gateway.ts';
import { enterNext } from '../../src/process/enter.ts';
import { retainedRequests } from '../../src/process/retention.ts';
import {
  type Batch,
  type Db,
  type JobOwner,
  type JobQueue,
  openBlobs,
  openQueue,
  openRetention,
  openStore,
  type Store,
} from '../../src/store/index.ts';
import { PROCESS_PROJECT, REST } from '../serve/process-project.ts';
import { freePort } from '../support/free-port.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { numberOf, parse, runScript, TEXT } from './support/command-line.ts';

const HELP = `node test/trials/volume.ts [options]

Fills PostgreSQL with process requests that have ended and jobs that wait, and measures the page of metrics, the lists of the
process service, the depth of the queue and its drain rate: in a small database, and in one of this size.

  --requests <n>   process requests that have ended (default: 1000000)
  --jobs <n>       jobs that wait (default: 200000)
  --drain <n>      jobs that are run to measure the rate (default: 2000)
  --help           print this help
`;

interface Size {
  readonly requests: number;
  readonly jobs: number;
}

interface Options extends Size {
  readonly drain: number;
}

function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args, HELP, { requests: TEXT, jobs: TEXT, drain: TEXT });
  if (values === undefined) return undefined;
  return {
    requests: numberOf('--requests', values.requests, 1_000_000, 100_000_000),
    jobs: numberOf('--jobs', values.jobs, 200_000, 100_000_000),
    drain: numberOf('--drain', values.drain, 2_000, 1_000_000),
  };
}

/** What is measured: milliseconds, but for rates. */
type Figures = Map<string, number>;

async function measure(size: Size, drain: number, say: (line: string) => void): Promise<Figures> {
  const server = startPostgres(await freePort(), { shared_buffers: '256MB' });
  const store = await openStore({ url: server.url, root: process.cwd() });
  try {
    await store.migrate();
    say(`filling in ${size.requests} requests and ${size.jobs} jobs`);
    await fill(server.url, size);
    say('measuring');
    const figures: Figures = new Map();
    const queue = await openQueue(store);
    await time(figures, 'depths() ms', () => queue.depths());
    await time(figures, 'isFull() ms', () => queue.isFull(QUEUE, 10_000));
    await listed(figures, queue);
    await throughGateway(figures, server.url);
    await swept(figures, store);
    figures.set('drained jobs/s', await drained(queue, drain));
    return figures;
  } finally {
    await store.close();
    server.remove();
  }
}

const QUEUE = 'volume';

/** The list of what waits, as an operator pages through it. */
async function listed(figures: Figures, queue: JobQueue): Promise<void> {
  const { list } = queue.control({
    owners: new Map([[QUEUE, NOTHING]]),
    removed: () => NOTHING,
    redactor: createRedactor(),
  });
  const page = { state: 'waiting', limit: 100 } as const;
  await time(figures, 'jobs that wait ms', () => list(QUEUE, page));
  await time(figures, 'the newest that wait ms', () => list(QUEUE, { ...page, order: 'newest' }));
  const { next } = await list(QUEUE, { ...page, limit: 1000 });
  if (next !== undefined) await time(figures, 'a later part ms', () => list(QUEUE, { ...page, after: next }));
  await time(figures, 'jobs that run ms', () => list(QUEUE, { ...page, state: 'running' }));
}

const NOTHING: JobOwner = {
  onResubmitted: async () => undefined,
  onCancelled: async () => {},
  read: async (_, payload) => ({ payload, secrets: [] }),
};

/** Milliseconds for which requests are removed, and between two that are entered meanwhile. */
const SWEEP = 20_000;
const BETWEEN = 25;

/** Removes requests, half of all that have ended, for some time; and enters others before and meanwhile. */
async function swept(figures: Figures, store: Store): Promise<void> {
  const { rows } = await sql<{ half: string }>`
    select ended as half from signalbox_process_request order by instance offset (select count(*) / 2 from psprcsrqst) limit 1
  `.execute(await store.tables());
  const keep = Date.now() - Date.parse(rows[0]?.half ?? '');
  const reports = (await openBlobs(store)).scope('process reports');
  const kinds = retainedRequests(
    { results: keep, 'process-logs': keep, 'process-requests': keep } as RetentionLimits,
    reports,
  );
  const batches: number[] = [];
  let removed = 0;
  // With their messages; those that were removed before would cost this kind nothing.
  const requests = kinds.filter(({ kind }) => kind === 'process-requests');
  const timed = requests.map((retained) => ({
    ...retained,
    async remove(tx: Db, batch: Batch) {
      const begin = performance.now();
      const result = await retained.remove(tx, batch);
      batches.push(performance.now() - begin);
      removed += result.count;
      return result;
    },
  }));
  const alone = await entering(store, 2000);
  figures.set('entering a request, p50 ms', at(alone, 0.5));
  figures.set('entering a request, p99 ms', at(alone, 0.99));
  const retention = openRetention({ store, kinds: timed });
  const begin = performance.now();
  const sweep = retention.sweep().then(() => performance.now());
  const meanwhile = await entering(store, SWEEP, sweep);
  await retention.close();
  const seconds = ((await sweep) - begin) / 1000;
  figures.set('a batch of 500 removed, p50 ms', at(batches, 0.5));
  figures.set('a batch of 500 removed, p99 ms', at(batches, 0.99));
  figures.set('requests removed/s', removed / seconds);
  figures.set('entering meanwhile, p50 ms', at(meanwhile, 0.5));
  figures.set('entering meanwhile, p99 ms', at(meanwhile, 0.99));
}

/** Enters rows of requests until a time is over or something ends. @returns how long each took, in milliseconds */
async function entering(store: Store, ms: number, end?: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let ended = false;
  end?.then(() => {
    ended = true;
  });
  for (const until = performance.now() + ms; performance.now() < until && !ended; await pause(BETWEEN)) {
    const begin = performance.now();
    await enterNext(store, async (tx, instance) => {
      await sql`insert into psprcsrqst (prcsinstance, prcstype, prcsname, oprid, runstatus, rqstdttm)
        values (${instance}, 'Application Engine', 'SLOW', 'demo', '9', ${new Date().toISOString()})`.execute(tx);
      await sql`insert into signalbox_process_request (instance, parameters, destination, format, requested, runs, job)
        values (${instance}, '{}', 'WEB', 'TXT', '', '', '{}')`.execute(tx);
    });
    times.push(performance.now() - begin);
  }
  return times;
}

/** A quantile. */
function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}

/** Every tenth request failed; one operator in a thousand asks seldom, and one process is rare. */
async function fill(url: string, { requests, jobs }: Size): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    insert into psprcsrqst (prcsinstance, prcstype, prcsname, oprid, runcntlid, runstatus, diststatus, rqstdttm, rundttm, begindttm, enddttm)
    select x, 'Application Engine', case when x % 100000 = 7 then 'FLAKY' else 'SLOW' end,
      case when x % 100000 = 7 then 'guest' else 'demo' end, 'RC', case when x % 10 = 0 then '3' else '9' end, '5', t, t, t, t
    from (select x, to_char(now() - x * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') t from generate_series(1, ${requests}) x) as r;
    insert into signalbox_process_request (instance, parameters, destination, format, requested, runs, began, ended, job)
    select prcsinstance, '{}', 'WEB', 'TXT', rqstdttm, rqstdttm, rqstdttm, rqstdttm, '{}' from psprcsrqst;
    insert into signalbox_process_message (instance, sequence, level, text, said)
    select prcsinstance, n, 'info', 'done', rqstdttm from psprcsrqst, generate_series(1, 2) n;
    insert into signalbox_job (sequence, queue, id, data, place, due)
    select 0, '${QUEUE}', gen_random_uuid(), '{}', 0, (extract(epoch from clock_timestamp()) * 1000)::bigint from generate_series(1, ${jobs})`);
  // As autovacuum does in time.
  await client.query('analyze');
  await client.end();
}

async function throughGateway(figures: Figures, url: string): Promise<void> {
  const gateway = await startTestGateway({ files: PROCESS_PROJECT, env: { DATABASE_URL: url } });
  const get = async (path: string): Promise<void> => {
    const { status, text } = await gateway.call(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 500)}`);
  };
  const list = (filter: string): Promise<void> => get(`${REST}/requests?ProcessRequestCount=100${filter}`);
  try {
    // The depths are read at the first of these, and kept for five seconds.
    const begin = performance.now();
    await get('/metrics');
    figures.set('/metrics, the first ms', performance.now() - begin);
    await time(figures, '/metrics ms', () => get('/metrics'));
    await time(figures, 'the newest requests ms', () => list(''));
    await time(figures, 'of a status ms', () => list('&RunStatus=Error'));
    await time(figures, 'of a status that none has ms', () => list('&RunStatus=Queued'));
    await time(figures, 'of a rare process ms', () => list('&ProcessName=FLAKY'));
    await time(figures, 'of a process that none ran ms', () => list('&ProcessName=NONE'));
    await time(figures, 'one request ms', () => get(`${REST}/requests/500`));
  } finally {
    await gateway.stop();
  }
}

const ROUNDS = 15;

/** The median of some rounds, in milliseconds. */
async function time(figures: Figures, name: string, work: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  figures.set(name, times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number);
}

/** Jobs that are run in a second, of some of those that wait. */
async function drained(queue: JobQueue, count: number): Promise<number> {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  queue.work(QUEUE, {
    concurrency: 8,
    retry: { attempts: 1, first: 1, longest: 1 },
    async run(job) {
      if (ended >= count) return;
      await job.complete(async () => {});
      if (++ended === count) resolve();
    },
  } as Parameters<JobQueue['work']>[1]);
  const begin = performance.now();
  await queue.start();
  await done;
  const rate = (count / (performance.now() - begin)) * 1000;
  await queue.close({ timeoutMs: 1000 });
  return rate;
}

await runScript(readOptions, async ({ requests, jobs, drain }, say) => {
  const small = await measure({ requests: 1_000, jobs: drain }, drain, say);
  const large = await measure({ requests, jobs: Math.max(jobs, drain) }, drain, say);
  const rows = [...small].map(([name, before]) => {
    const after = large.get(name) ?? Number.NaN;
    return [name, before.toFixed(1), after.toFixed(1), (after / before).toFixed(2)];
  });
  const right = new Set([1, 2, 3]);
  const heading = ['FIGURE', 'SMALL', `${requests} REQUESTS, ${jobs} JOBS`, 'RATIO'];
  process.stdout.write(`\n${renderTable(heading, rows, { colours: coloursOf(process.stdout), right })}`);
  return true;
});
