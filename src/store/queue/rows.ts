import { type RawBuilder, sql, type Updateable } from 'kysely';
import type { Cause } from '../../trace/trace.ts';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import type { EnteredJob } from './engine.ts';
import type { QueueDepth } from './queue-port.ts';

/** The values of `signalbox_job.place`. */
export const PLACE = { free: 0, behind: 1, coming: 2 } as const;

/**
 * The column `due` of a held job: the end of the year 9999. For a gateway of a version that knows no held jobs it is delayed:
 * it does not take it, holds back the jobs behind it, and moves the key on when the job is removed.
 */
export const HELD = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The column `cause` of a job. */
export function causeText(cause: Cause | undefined): string | null {
  return cause === undefined ? null : JSON.stringify(cause);
}

/** The cause in a column. */
export function causeIn(text: string | null): Cause | undefined {
  return text === null ? undefined : JSON.parse(text);
}

/** A key of a queue. */
export interface QueueKey {
  readonly queue: string;
  readonly key: string;
}

/** Columns of a job that change. */
export type JobChange = Omit<Updateable<JobTable>, 'due' | 'unknown' | 'unknown_by'> & {
  readonly due?: number | RawBuilder<number>;
  readonly unknown?: RawBuilder<number> | null;
  readonly unknown_by?: RawBuilder<string> | null;
};

/** The columns of a job that is given back as if its attempt had not begun. */
export function notBegun({ attempt }: { readonly attempt: number }): JobChange {
  return { attempt: attempt - 1, ...(attempt === 1 && { began: null }) };
}

/** The columns of a job of which no attempt counts any more. */
export const unattempted = { attempt: 0, failed: 0, began: null, unknown: null } as const;

/** The columns of a job that takes the place of another. */
export function replacing({ id, kind, data, cause }: EnteredJob): JobChange {
  const values = { id, kind: kind ?? null, data: JSON.stringify(data), cause: causeText(cause) };
  return { ...unattempted, gateway: null, recorded: 0, ...values };
}

interface Counted {
  readonly queue: string;
  readonly now: number | string;
  readonly jobs: number | string;
  readonly running: number | string;
  readonly delayed: number | string;
  readonly held: number | string;
  readonly first: number | string | null;
}

/** The jobs by queue, and for how many seconds the first has been due. @param now in milliseconds since 1970 */
export async function measureJobs(
  db: Db,
  now: number | RawBuilder<number>,
): Promise<readonly Omit<QueueDepth, 'dead'>[]> {
  // It reads every job: what it computes of each is as little as possible.
  const { rows } = await sql<Counted>`
    select queue, (select ${now}) as now, count(*) as jobs, count(mark) as running,
      count(case when due > (select ${now}) and mark is null then 1 end) as delayed,
      count(case when due = ${sql.lit(HELD)} then 1 end) as held,
      min(case when mark is null then due end) as first
    from signalbox_job group by queue
  `.execute(db);
  return rows.map(({ queue, ...row }) => {
    const [jobs, running, held] = [Number(row.jobs), Number(row.running), Number(row.held)];
    const delayed = Number(row.delayed) - held;
    const oldest = row.first === null ? 0 : Math.max(0, (Number(row.now) - Number(row.first)) / 1000);
    return { queue, running, delayed, held, waiting: jobs - running - delayed - held, oldest };
  });
}

/** Whether at least `most` jobs of a queue wait that were due by `now`, in milliseconds since 1970. */
export async function hasWaiting(
  db: Db,
  queue: string,
  most: number,
  now: number | RawBuilder<number>,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from signalbox_job where queue = ${queue} and mark is null and due <= (select ${now})
    order by due limit 1 offset ${most - 1}
  `.execute(db);
  return rows.length > 0;
}
