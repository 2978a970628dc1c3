import type { ColumnType, Generated, RawBuilder } from 'kysely';

/** The tables of the queue. */
export interface QueueTables {
  signalbox_job: JobTable;
  signalbox_job_key: JobKeyTable;
  signalbox_dead_letter: DeadLetterTable;
  signalbox_recurring: RecurringTable;
  signalbox_job_attempt: JobAttemptTable;
  signalbox_paused_queue: PausedQueueTable;
  signalbox_job_rate: JobRateTable;
  signalbox_job_audit: JobAuditTable;
  signalbox_job_gateway: JobGatewayTable;
}

/** Data of a job: JSON. */
export type JobData = Readonly<Record<string, unknown>>;

/** A job of the queue. */
export interface JobTable {
  /** The order in which jobs were entered; on PostgreSQL, where jobs of different keys don't wait for each other, of those of a key. */
  sequence: Generated<number>;
  queue: string;
  /** A UUID. */
  id: string;
  key: string | null;
  /** JSON. */
  data: string;
  /** 0: it runs, or may run when it is due. 1: it waits behind another of its key. 2: it gets its place there when it is due. */
  place: number;
  /** Not before then, in milliseconds since 1970. */
  due: number;
  /** When its wait began; null when it waits for a time of the day. It shows that the clock was set back. SQLite only. */
  since: number | null;
  /** Attempts that were begun. */
  attempt: number;
  /** The process that runs it, by its lock file. SQLite only. */
  worker: string | null;
  /** Distinguishes the attempt that runs from all others; null while none does. */
  mark: number | null;
  /** 1: it was cancelled, and its worker has not stopped yet. */
  cancelled: number;
  /** What caused it: JSON; null when nothing but its time did, or when it was entered by a version that did not record it. */
  cause: string | null;
  /** What a gateway must have in order to run it; null when every gateway does, or for a job of a version that did not record it. */
  kind: string | null;
  /** When a gateway first found that its definitions lack the kind, in milliseconds since 1970; null once one attempted it. */
  unknown: number | null;
  /** The gateways that found it unknown, by their ids in `signalbox_job_gateway`, with spaces between. PostgreSQL only. */
  unknown_by: Generated<string | null>;
  /** When its first attempt began, in milliseconds since 1970. */
  began: number | null;
  /** The last attempt that failed. If it is not the one before the next, the gateway of that one died. */
  failed: Generated<number>;
  /** When it was entered, in milliseconds since 1970. Null for jobs that a version without this column entered, as below. */
  entered: Generated<number | null>;
  /** When the attempt that runs began, in milliseconds since 1970; null while none does. */
  started: Generated<number | null>;
  /** The gateway that runs it, or ran it last. */
  gateway: Generated<string | null>;
  /** 1: it has rows in `signalbox_job_attempt`. */
  recorded: Generated<number>;
}

/** An attempt at a job that failed, as long as the job, or the dead letter that it became, exists. Times as of jobs. */
export interface JobAttemptTable {
  queue: string;
  job: string;
  /** The order of the attempts, also of those before a dead letter was run again. */
  number: number;
  /** From 1, and anew when a dead letter runs again. */
  attempt: number;
  gateway: string | null;
  began: number | null;
  ended: number;
  /** Why it failed. */
  reason: string;
}

/** A queue from which no gateway takes jobs. */
export interface PausedQueueTable {
  queue: string;
  /** Since when. UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  paused: string;
  actor: string;
}

/** Jobs that a gateway has done in a minute, for the last minutes. */
export interface JobRateTable {
  queue: string;
  /** Minutes since 1970. */
  minute: number;
  gateway: string;
  done: number;
}

/** An action of an operator at the queue. */
export interface JobAuditTable {
  /** A UUID. */
  id: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  at: string;
  actor: string;
  action: string;
  queue: string;
  /** Null for an action at the whole queue. */
  job: string | null;
  /** The instance number of the process request; null of other lines, and of those of older versions. */
  request: number | null;
}

/** A gateway that takes jobs, on PostgreSQL, also for some time after its end. */
export interface JobGatewayTable {
  /** A UUID: anew with each start. */
  gateway: string;
  /** The kinds of jobs that its definitions have. */
  kinds: readonly string[];
  /** Its last sign of life, in milliseconds since 1970 by the clock of the database. */
  seen: ColumnType<number, RawBuilder<number>, RawBuilder<number>>;
}

/** A key of the queue on PostgreSQL, as long as it has jobs. It is locked by every change to the places of its jobs. */
export interface JobKeyTable {
  queue: string;
  key: string;
  /** The number of the last job that came. */
  last: number;
}

/** A job that failed for good. */
export interface DeadLetterTable {
  queue: string;
  id: string;
  key: string | null;
  kind: string | null;
  /** JSON. */
  data: string;
  attempts: number;
  /** The error of the last attempt. */
  error: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  died: string;
  /** That of the job. */
  cause: string | null;
  /** As of jobs. */
  entered: Generated<number | null>;
}

/** Work that recurs. */
export interface RecurringTable {
  name: string;
  cron: string;
  zone: string;
  /** Its latest time that has passed, or when it was first recorded. UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  last: string;
  /** Its next time; null after the last. */
  next: string | null;
}
