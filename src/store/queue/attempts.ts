import type { Db } from '../tables.ts';

/** Failed attempts of one job that are kept; of more, the latest. */
export const MOST_ATTEMPTS = 50;

/** Characters of a reason that are kept. */
const LONGEST_REASON = 2000;

/** Why an attempt failed that ended with its gateway. */
export const GATEWAY_GONE = 'the gateway that ran it ended, or lost the database';

/** An attempt that failed. Times in milliseconds since 1970. */
export interface FailedAttempt {
  readonly queue: string;
  /** The id of the job. */
  readonly job: string;
  /** From 1. */
  readonly attempt: number;
  /** `null` when it is not known, as is the beginning. */
  readonly gateway: string | null;
  readonly began: number | null;
  readonly ended: number;
  readonly reason: string;
}

/**
 * Records a failed attempt, in the transaction that ends it. Attempts that succeed are not recorded: their job is gone, and
 * they cost nothing.
 */
export async function recordAttempt(tx: Db, { reason, ...attempt }: FailedAttempt): Promise<void> {
  const { queue, job } = attempt;
  const { last } = await tx
    .selectFrom('signalbox_job_attempt')
    .select(({ fn }) => fn.max('number').as('last'))
    .where('job', '=', job)
    .where('queue', '=', queue)
    .executeTakeFirstOrThrow();
  const number = Number(last ?? 0) + 1;
  await tx
    .insertInto('signalbox_job_attempt')
    .values({ ...attempt, number, reason: cut(reason) })
    .execute();
  if (number <= MOST_ATTEMPTS) return;
  await tx
    .deleteFrom('signalbox_job_attempt')
    .where('job', '=', job)
    .where('queue', '=', queue)
    .where('number', '<=', number - MOST_ATTEMPTS)
    .execute();
}

/** A text of limited length without NUL, which PostgreSQL does not accept. */
function cut(text: string): string {
  const sound = text.replaceAll('\0', '').toWellFormed();
  return sound.length > LONGEST_REASON ? `${sound.slice(0, LONGEST_REASON - 3).toWellFormed()}...` : sound;
}

/** A job, and whether it may have recorded attempts; `undefined` when that is not known. */
interface Recorded {
  readonly queue: string;
  readonly id: string;
  readonly recorded?: boolean;
}

/** Removes the attempts of jobs that no longer exist, as part of the transaction that ends them. */
export async function forgetAttempts(tx: Db, jobs: readonly Recorded[]): Promise<void> {
  for (const { queue, id, recorded = true } of jobs) {
    if (!recorded) continue;
    await tx
      .deleteFrom('signalbox_job_attempt')
      .where('job', '=', id)
      .where('queue', '=', queue)
      // One that was lost to another gateway goes on there.
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('signalbox_job').select('id').where('id', '=', id).where('queue', '=', queue))),
      )
      .execute();
  }
}

/** The failed attempts at a job that are kept, the oldest first. */
export async function readAttempts(db: Db, queue: string, id: string): Promise<readonly FailedAttempt[]> {
  return db
    .selectFrom('signalbox_job_attempt')
    .select(['queue', 'job', 'attempt', 'gateway', 'began', 'ended', 'reason'])
    .where('job', '=', id)
    .where('queue', '=', queue)
    .orderBy('number')
    .execute();
}
