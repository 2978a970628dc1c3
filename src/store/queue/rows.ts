import { type RawBuilder, sql, type Updateable } from 'kysely';
import type { Cause } from '../../trace/trace.ts';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import type { QueueCounts } from './port.ts';

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
export type JobChange = Omit<Updateable<JobTable>, 'due' | 'unknown'> & {
  readonly due?: number | RawBuilder<number>;
  readonly unknown?: RawBuilder<number> | null;
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
