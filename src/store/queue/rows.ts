import { type RawBuilder, sql, type Updateable } from 'kysely';
import type { Cause } from '../../trace/trace.ts';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import type { QueueCounts, QueueDepth } from './port.ts';

/** The values of `signalbox_job.place`. */
export const PLACE = { free: 0, behind: 1, coming: 2 } as const;

/** The column `cause` of a job. */
export function causeText(cause: Cause | undefined): string | null {
  return cause === undefined ? null : JSON.stringify(cause);
}

/** The cause in a column. */
export function causeIn(text: string | null): Cause | undefined {
  return text === null ? undefined : JSON.parse(text);
}

/** A key of a queue. */
export interface Line {
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

/** The jobs that wait and that run, by queue. */
export async function countJobs(db: Db): Promise<readonly Omit<QueueCounts, 'dead'>[]> {
  const { rows } = await sql<Omit<QueueCounts, 'dead'>>`
    select queue, count(*) - count(mark) as waiting, count(mark) as running from signalbox_job group by queue
  `.execute(db);
  return rows;
}

/** The jobs by queue, and for how many seconds the first has been due. @param now in milliseconds since 1970 */
export async function measureJobs(
  db: Db,
  now: number | RawBuilder<number>,
): Promise<readonly Omit<QueueDepth, 'dead'>[]> {
  const { rows } = await sql<Omit<QueueDepth, 'dead'> & { readonly oldest: number | null }>`
    select queue, count(mark) as running,
      count(*) filter (where mark is null and due <= now) as waiting,
      count(*) filter (where mark is null and due > now) as delayed,
      max((now - due) / 1000.0) filter (where mark is null and due <= now) as oldest
    from signalbox_job cross join (select ${now} as now) as clock group by queue
  `.execute(db);
  return rows.map((row) => ({ ...row, oldest: Number(row.oldest ?? 0) }));
}

/** Whether at least `most` jobs of a queue wait that were due by `now`, in milliseconds since 1970. */
export async function hasWaiting(
  db: Db,
  queue: string,
  most: number,
  now: number | RawBuilder<number>,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from signalbox_job where queue = ${queue} and mark is null and due <= ${now} limit 1 offset ${most - 1}
  `.execute(db);
  return rows.length > 0;
}
