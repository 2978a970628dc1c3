import type { Generated } from 'kysely';

/** The tables of the queue. */
export interface QueueTables {
  signalbox_job: JobTable;
  signalbox_job_key: JobKeyTable;
  signalbox_job_follower: JobFollowerTable;
  signalbox_dead_letter: DeadLetterTable;
  signalbox_recurring: RecurringTable;
}

/** A job of the queue on SQLite. */
export interface JobTable {
  /** The order in which jobs were entered. */
  sequence: Generated<number>;
  queue: string;
  /** A UUID. */
  id: string;
  key: string | null;
  /** JSON. */
  data: string;
  /** 0: it may be taken when it is due. 1: it waits behind another of its key. 2: it takes its place there when it is due. */
  place: number;
  /** Not before then, in milliseconds since 1970. */
  due: number;
  /** When its wait began; null where it waits for a time of the day. A clock that was set back is known by it. */
  since: number | null;
  /** Attempts that were begun. */
  attempt: number;
  /** The process that runs it, by its lock file. */
  worker: string | null;
  /** Tells this taking of the job by its worker from any other. */
  mark: number | null;
  /** 1: it is not to run any more, and its worker has not stopped yet. */
  cancelled: number;
}

/** A key of the queue on PostgreSQL, as long as it has jobs. Whoever changes what stands in its line has it locked. */
export interface JobKeyTable {
  queue: string;
  key: string;
  /** The job whose turn it is: it stands in pg-boss. */
  head: string;
  /** Number of the last that came. */
  last: number;
  /** Jobs behind the head. */
  waiting: number;
  /** 1: the head is not to run any more, and its worker has not stopped yet. */
  cancelled: number;
}

/** A job that waits behind another of its key on PostgreSQL. */
export interface JobFollowerTable {
  queue: string;
  key: string;
  /** Its place in the line. */
  number: number;
  id: string;
  /** JSON. */
  data: string;
}

/** A job that failed for good. */
export interface DeadLetterTable {
  queue: string;
  id: string;
  key: string | null;
  /** JSON. */
  data: string;
  attempts: number;
  /** What the last attempt said. */
  error: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  died: string;
}

/** Something that is entered again and again. */
export interface RecurringTable {
  name: string;
  cron: string;
  zone: string;
  /** Its latest time that is over, or when it was first seen. UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  last: string;
  /** Its next time; null where there is none any more. */
  next: string | null;
}
