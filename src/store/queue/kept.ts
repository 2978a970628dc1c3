import { type RawBuilder, type Selectable, sql } from 'kysely';
import { Fault } from '../../model/fault.ts';
import type { StoreReader } from '../store-port.ts';
import type { DeadLetterTable, JobData, JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { type FailedAttempt, readAttempts } from './attempts.ts';
import { countDead } from './dead-letters.ts';
import type {
  ControlOptions,
  JobFilter,
  JobOwner,
  JobPage,
  JobState,
  KeptAttempt,
  KeptJob,
  QueueOverview,
  QueueReader,
} from './operator.ts';
import { readPauses, readRates } from './pace.ts';
import { NOW } from './postgres-jobs.ts';
import { causeIn, HELD, measureJobs } from './rows.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface ReaderOptions extends ControlOptions {
  readonly store: Pick<StoreReader, 'kind' | 'tables'>;
  /** Milliseconds since 1970. On PostgreSQL the clock of the database counts. */
  readonly now?: () => number;
}

/** A job with its data, as it is in a table. */
export interface FoundJob extends KeptJob {
  readonly data: JobData;
}

/** Opens the queues of a database for reading. */
export function readQueues({ store, owners, removed, redactor, now = Date.now }: ReaderOptions): QueueReader {
  const clock = (): RawBuilder<number> => clockOf(store.kind, now);
  const shown = (found: FoundJob): KeptJob => {
    const job = withoutData(found, owners.get(found.queue) ?? removed(found.queue));
    return job.reason === undefined ? job : { ...job, reason: redactor.text(job.reason) };
  };
  return {
    async overview() {
      const db = await store.tables();
      const [alive, dead, pauses, rates] = await Promise.all([
        measureJobs(db, clock()),
        countDead(db),
        readPauses(db),
        readRates(db, now()),
      ]);
      const depths = new Map(alive.map((depth) => [depth.queue, depth]));
      return [...new Set([...owners.keys(), ...depths.keys(), ...dead.keys()])].sort().map((queue): QueueOverview => {
        const { waiting = 0, running = 0, delayed = 0, held = 0, oldest = 0 } = depths.get(queue) ?? {};
        const names = [queue, ...(owners.get(queue)?.pausedAs ?? [])];
        const as = names.find((name) => pauses.has(name));
        const pause = pauses.get(as ?? '');
        return {
          ...{ queue, waiting, running, delayed, held },
          dead: dead.get(queue) ?? 0,
          ...(waiting === 0 ? {} : { oldestSeconds: Math.round(oldest) }),
          donePerMinute: rates.get(queue) ?? 0,
          ...(owners.has(queue) ? {} : { defined: false }),
          ...(pause === undefined
            ? {}
            : { paused: { since: pause.paused, actor: pause.actor, ...(as === queue ? {} : { with: as as string }) } }),
        };
      });
    },
    async list(queue, filter) {
      const db = await store.tables();
      await checkQueue(db, owners, queue);
      const { jobs, next } = await listJobs(db, queue, filter, clock());
      return { jobs: jobs.map(shown), ...(next === undefined ? {} : { next }) };
    },
    async get(id) {
      const db = await store.tables();
      const found = await findJob(db, id, clock());
      const owner = owners.get(found.queue) ?? removed(found.queue);
      const job = withoutData(found, owner);
      const { payload, secrets } = await owner.read(db, found.data);
      const knowing = redactor.knowing({ secrets: () => secrets });
      const failed = (await readAttempts(db, job.queue, id)).map((each) => attemptOf(each, knowing.text(each.reason)));
      const last = failed.at(-1);
      const gateway = job.gateway ?? last?.gateway;
      const reason = job.reason ?? (job.state === 'running' ? undefined : last?.reason);
      return {
        ...job,
        ...(gateway === undefined ? {} : { gateway }),
        ...(reason === undefined ? {} : { reason: knowing.text(reason) }),
        tried: [...failed, ...runningAttempt(job)],
        payload: knowing.value(payload),
      };
    },
    async trail(limit) {
      const db = await store.tables();
      const rows = await db
        .selectFrom('signalbox_job_audit')
        .selectAll()
        .orderBy('at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ at, actor, action, queue, job, request }) => ({
        ...{ at, actor, action, queue },
        ...(job === null ? {} : { job }),
        ...(request === null ? {} : { request }),
      }));
    },
  };
}

/** A job as operators see it. */
export function withoutData({ data: _, ...job }: FoundJob, owner: JobOwner): KeptJob {
  const { key } = job;
  return key === undefined || owner.keyOf === undefined ? job : { ...job, key: owner.keyOf(key) };
}

/** @throws Fault NOT_FOUND for a queue that is not defined and has no jobs */
export async function checkQueue(db: Db, owners: ControlOptions['owners'], queue: string): Promise<void> {
  if (owners.has(queue)) return;
  for (const table of ['signalbox_job', 'signalbox_dead_letter'] as const)
    if ((await db.selectFrom(table).select('id').where('queue', '=', queue).limit(1).executeTakeFirst()) !== undefined)
      return;
  throw Fault.of('NOT_FOUND', { what: `queue ${queue}` });
}

/** The time in milliseconds since 1970 by which jobs are due, for a query. */
export function clockOf(kind: StoreReader['kind'], now: () => number): RawBuilder<number> {
  return kind === 'sqlite' ? sql<number>`${now()}` : sql<number>`(select ${NOW})`;
}

/** The place in a list: the time and the id of a job. */
interface Cursor {
  readonly time: string;
  readonly id: string;
}

/** @throws Fault BAD_PARAMETER */
function cursorIn(text: string, time: RegExp): Cursor {
  const [at = '', id = ''] = text.split('/');
  if (time.test(at) && UUID.test(id)) return { time: at, id };
  const reason = 'is not the end of a part of this list; repeat the text that came with that part';
  throw Fault.of('BAD_PARAMETER', { name: 'After', reason });
}

interface FoundPage extends JobPage {
  readonly jobs: readonly FoundJob[];
}

/** A part of a list. @throws Fault BAD_PARAMETER when `after` is not the end of a part */
export async function listJobs(db: Db, queue: string, filter: JobFilter, now: RawBuilder<number>): Promise<FoundPage> {
  const { state, order = 'oldest', limit, after } = filter;
  const page = { limit, down: order === 'newest' };
  if (state === 'dead') {
    const cursor = after === undefined ? undefined : cursorIn(after, /^[\d:.TZ-]{24}$/);
    const rows = await listDead(db, queue, { ...page, cursor });
    return pageOf(rows, limit, deadJob, ({ died }) => died);
  }
  const cursor = after === undefined ? undefined : cursorIn(after, /^\d{1,15}$/);
  const rows = await listAlive(db, queue, { ...page, cursor, state, now });
  return pageOf(
    rows,
    limit,
    (row) => aliveJob(row, state),
    ({ started, due, entered }) =>
      String(state === 'running' ? (started ?? due) : state === 'held' ? (entered ?? 0) : due),
  );
}

function pageOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  jobOf: (row: Row) => FoundJob,
  timeOf: (row: Row) => string,
): FoundPage {
  const here = rows.slice(0, limit);
  const last = here.at(-1);
  const jobs = here.map(jobOf);
  return rows.length > limit && last !== undefined ? { jobs, next: `${timeOf(last)}/${last.id}` } : { jobs };
}

interface Part {
  readonly limit: number;
  readonly down: boolean;
  readonly cursor: Cursor | undefined;
}

/** One row more than the limit, where there are more. */
function listDead(
  db: Db,
  queue: string,
  { limit, down, cursor }: Part,
): Promise<readonly Selectable<DeadLetterTable>[]> {
  const direction = down ? 'desc' : 'asc';
  let rows = db.selectFrom('signalbox_dead_letter').selectAll().where('queue', '=', queue);
  if (cursor !== undefined) {
    const { time, id } = cursor;
    rows = rows.where(down ? sql<boolean>`(died, id) < (${time}, ${id})` : sql<boolean>`(died, id) > (${time}, ${id})`);
  }
  return rows
    .orderBy('died', direction)
    .orderBy('id', direction)
    .limit(limit + 1)
    .execute();
}

const STATES: Readonly<Record<Exclude<JobState, 'dead'>, (now: RawBuilder<number>) => RawBuilder<boolean>>> = {
  waiting: (now) => sql<boolean>`mark is null and due <= ${now}`,
  delayed: (now) => sql<boolean>`mark is null and due > ${now} and due < ${sql.lit(HELD)}`,
  held: () => sql<boolean>`due = ${sql.lit(HELD)}`,
  running: () => sql<boolean>`mark is not null`,
};

/** The time by which the jobs of a state are sorted. */
const TIMES: Readonly<Record<Exclude<JobState, 'dead'>, RawBuilder<number>>> = {
  waiting: sql<number>`due`,
  delayed: sql<number>`due`,
  held: sql<number>`coalesce(entered, 0)`,
  running: sql<number>`coalesce(started, due)`,
};

/** Why the last attempt at a job failed. */
const LAST_REASON = sql`, (
  select reason from signalbox_job_attempt as failed where failed.job = signalbox_job.id and failed.queue = signalbox_job.queue
  order by number desc limit 1
) as reason`;

/** A job of the table, with the reason when that was asked for. */
type AliveRow = Selectable<JobTable> & { readonly reason?: string | null };

async function listAlive(
  db: Db,
  queue: string,
  {
    limit,
    down,
    cursor,
    state,
    now,
  }: Part & { readonly state: Exclude<JobState, 'dead'>; readonly now: RawBuilder<number> },
): Promise<readonly AliveRow[]> {
  const time = TIMES[state];
  const direction = down ? sql`desc` : sql`asc`;
  const beyond = sql.raw(down ? '<' : '>');
  const from =
    cursor === undefined ? sql`1 = 1` : sql`(${time}, id) ${beyond} (${Number(cursor.time)}, ${sql.val(cursor.id)})`;
  const { rows } = await sql<AliveRow>`
    select * ${state === 'held' ? LAST_REASON : sql``} from signalbox_job where queue = ${queue} and ${STATES[state](now)} and ${from}
    order by ${time} ${direction}, id ${direction} limit ${limit + 1}
  `.execute(db);
  return rows;
}

/** The job with an id: one that waits or runs, else a dead letter. @throws Fault NOT_FOUND */
export async function findJob(db: Db, id: string, now: RawBuilder<number>): Promise<FoundJob> {
  const gone = Fault.of('NOT_FOUND', { what: `job ${id}` });
  if (!UUID.test(id)) throw gone;
  const { rows } = await sql<Selectable<JobTable> & { readonly is_due: boolean | number }>`
    select *, due <= ${now} as is_due from signalbox_job where id = ${id}
  `.execute(db);
  const [row] = rows;
  if (row !== undefined) return aliveJob(row, stateOf(row));
  const letter = await db.selectFrom('signalbox_dead_letter').selectAll().where('id', '=', id).executeTakeFirst();
  if (letter === undefined) throw gone;
  return deadJob(letter);
}

function stateOf({ mark, due, is_due }: Selectable<JobTable> & { readonly is_due: boolean | number }) {
  if (mark !== null) return 'running';
  if (due === HELD) return 'held';
  return is_due ? 'waiting' : 'delayed';
}

function aliveJob(row: AliveRow, state: Exclude<JobState, 'dead'>): FoundJob {
  const { id, queue, key, attempt, due, gateway } = row;
  const cause = causeIn(row.cause);
  return {
    ...{ id, queue, state },
    ...(key === null ? {} : { key }),
    attempts: attempt,
    ...timed('entered', row.entered),
    ...(state === 'held' ? {} : timed('due', due)),
    ...(state === 'running' ? timed('started', row.started) : {}),
    ...(gateway === null ? {} : { gateway }),
    ...(row.reason == null ? {} : { reason: row.reason }),
    ...(cause === undefined ? {} : { cause }),
    data: JSON.parse(row.data),
  };
}

function deadJob(row: Selectable<DeadLetterTable>): FoundJob {
  const { id, queue, key, attempts, died, error } = row;
  const cause = causeIn(row.cause);
  return {
    ...{ id, queue, state: 'dead' },
    ...(key === null ? {} : { key }),
    attempts,
    ...timed('entered', row.entered),
    ...{ died, reason: error },
    ...(cause === undefined ? {} : { cause }),
    data: JSON.parse(row.data),
  };
}

function attemptOf({ attempt, gateway, began, ended }: FailedAttempt, reason: string): KeptAttempt {
  return {
    attempt,
    ...(gateway === null ? {} : { gateway }),
    ...timed('began', began),
    ...timed('ended', ended),
    reason,
  };
}

function runningAttempt({ state, attempts, gateway, started }: KeptJob): readonly KeptAttempt[] {
  if (state !== 'running') return [];
  return [
    {
      attempt: attempts,
      ...(gateway === undefined ? {} : { gateway }),
      ...(started === undefined ? {} : { began: started }),
    },
  ];
}

function timed<K extends string>(name: K, time: unknown): { readonly [key in K]?: string } {
  const text = time === null || time === undefined ? {} : { [name]: new Date(Number(time)).toISOString() };
  return text as { readonly [key in K]?: string };
}
