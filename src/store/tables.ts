import type { Generated, Kysely } from 'kysely';

/** A row of the process request table: one request of the process scheduler. Datetimes are text in the gateway's zone, `yyyy-MM-dd HH:mm:ss`. */
export interface ProcessRequestTable {
  /** The instance number. */
  prcsinstance: number;
  jobinstance: number;
  mainjobinstance: number;
  prcsjobseq: number;
  prcsjobname: string;
  prcstype: string;
  prcsname: string;
  mainjobname: string;
  runlocation: string;
  opsys: string;
  servernamerqst: string;
  servernamerun: string;
  /** When it is to run. */
  rundttm: string | null;
  recurname: string;
  /** The operator: who asked for it. */
  oprid: string;
  runcntlid: string;
  /** Digits of a run status: 5 queued, 7 processing, 9 success ... */
  runstatus: string;
  /** Digits of a distribution status: 0 none, 5 posted ... */
  diststatus: string;
  rqstdttm: string | null;
  begindttm: string | null;
  enddttm: string | null;
}

/** One migration that was run. */
export interface MigrationTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  applied: string;
}

/** The row that whoever brings the schema of PostgreSQL up to date holds locked. */
export interface MigrationLockTable {
  id: number;
}

/** One file of sample data that was run. */
export interface SampleDataTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  loaded: string;
}

/** One blob: what is known of it. Its bytes are in a file of their own, or in rows on PostgreSQL. */
export interface BlobTable {
  /** Whose it is: keys are their owner's own. */
  scope: string;
  key: string;
  /** Name of the file, or of its chunks; never used twice. */
  file: string;
  content_type: string;
  name: string | null;
  /** In bytes. */
  length: number;
  /** Lower-case hexadecimal digits. */
  sha256: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  stored: string;
}

/** A file that no blob has: not yet, while it is written; or not any more, until it is removed. */
export interface LooseBlobTable {
  file: string;
  /** The process that sees to it, by its lock file or its lease; empty on PostgreSQL where the last reader does. */
  process: string;
}

/** A piece of a blob's bytes on PostgreSQL. */
export interface BlobChunkTable {
  file: string;
  /** From 0; all but the last have 1 MiB. */
  number: number;
  content: Buffer;
}

/** A process that writes or reads blobs on PostgreSQL. */
export interface BlobLeaseTable {
  id: string;
  /** Counted up as long as the process lives. */
  beats: number;
}

/** A stream of a blob on PostgreSQL that is under way. */
export interface BlobReaderTable {
  id: string;
  file: string;
  /** Its process, by the lease. */
  process: string;
}

/** What the gateway knows of a process request beside its row of the request table. Datetimes are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface ProcessDetailTable {
  instance: number;
  /** JSON: texts by the names of parameters. */
  parameters: string;
  /** Where the output goes, and its format, in capitals. */
  destination: string;
  format: string;
  requested: string;
  /** When it is to run. */
  runs: string;
  began: string | null;
  ended: string | null;
  /** The job of the queue that runs it, or did so last. */
  job: string;
  /** A UUID of the attempt that runs it: what another says is not taken. */
  run: string | null;
  attempt: number;
  /** 1 where the instance that follows it by its recurrence was entered, or is entered by another. */
  followed: number;
  /** When it was asked to end. */
  cancelled: string | null;
  percent: number | null;
  progress: string | null;
  /** Lines of its message log. */
  messages: number;
  /** Key of its report's content, and the number that it is known by. */
  report: string | null;
  content: number | null;
}

/** A line of a process request's message log. */
export interface ProcessMessageTable {
  instance: number;
  /** From 1. */
  sequence: number;
  level: string;
  text: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  said: string;
}

/** Numbers of process requests and reports that were given out. */
export interface ProcessNumberTable {
  name: string;
  last: number;
}

/** A run of a query whose result is kept: a polled one, or a file. */
export interface QueryRunTable {
  /** A UUID, and the id of its job. */
  id: string;
  /** A user's id; empty where nobody is known. */
  owner: string;
  query: string;
  /** 1: the query is the owner's own. */
  is_private: number;
  /** JSON: what was asked for. */
  request: string;
  /** queued, running, posting, success, error, killed. */
  state: string;
  /** Why it ended in error. */
  message: string | null;
  num_cols: number;
  total_rows: number;
  total_bytes: number;
  /** 1: a row cap cut the result. */
  truncated: number;
  /** JSON: a list of the offset and the number of the first row of each block. */
  blocks: string;
  /** Key of the result. */
  blob: string | null;
  /** Name of the file, where the result is one. */
  file: string | null;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  entered: string;
  ended: string | null;
}

/** A private query. */
export interface SavedQueryTable {
  /** A user's id. */
  owner: string;
  name: string;
  /** JSON: its definition. */
  definition: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  saved: string;
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

/** A user that is kept here. */
export interface UserTable {
  id: string;
  /** PHC string; null where no password fits. */
  password: string | null;
  description: string | null;
  /** JSON: ids of roles. */
  roles: string;
  /** 1: may not call. */
  disabled: number;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  created: string;
  changed: string;
}

/** An API key of a user. The key itself is nowhere. */
export interface ApiKeyTable {
  /** The part of it that may be shown. */
  id: string;
  /** `sha256:` and 64 hexadecimal digits. */
  hash: string;
  user_id: string;
  description: string | null;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  created: string;
  expires: string | null;
  revoked: string | null;
}

/** A certificate of a user. */
export interface UserCertificateTable {
  /** `sha256:` and 64 hexadecimal digits. */
  fingerprint: string;
  user_id: string;
  description: string | null;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  created: string;
}

/** What was done to a user, by whom. */
export interface UserAuditTable {
  /** The version of the users that it led to. */
  sequence: number;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  at: string;
  /** Who did it, as the one who did it said. */
  actor: string;
  /** A word: `add`, `passwd`, `key-revoke`. */
  action: string;
  user_id: string;
  /** JSON: what belongs to the action; never a secret. */
  detail: string;
}

/** The row that counts changes of users. Whoever changes one has it locked. */
export interface UserVersionTable {
  id: number;
  version: number;
}

/** Somebody whom a token vouched for, as work that ends later needs it. */
export interface CallerTable {
  /** `SCHEME:subject`. */
  id: string;
  /** JSON: ids of roles. */
  roles: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  seen: string;
}

/** A nonce that was seen, and is refused from then on. */
export interface NonceTable {
  hash: string;
  /** When it may be forgotten. UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  until: string;
}

/** The gateway's own tables. */
export interface Tables {
  psprcsrqst: ProcessRequestTable;
  signalbox_api_key: ApiKeyTable;
  signalbox_blob: BlobTable;
  signalbox_blob_chunk: BlobChunkTable;
  signalbox_blob_lease: BlobLeaseTable;
  signalbox_blob_reader: BlobReaderTable;
  signalbox_caller: CallerTable;
  signalbox_dead_letter: DeadLetterTable;
  signalbox_job: JobTable;
  signalbox_job_follower: JobFollowerTable;
  signalbox_job_key: JobKeyTable;
  signalbox_loose_blob: LooseBlobTable;
  signalbox_migration: MigrationTable;
  signalbox_migration_lock: MigrationLockTable;
  signalbox_nonce: NonceTable;
  signalbox_query_run: QueryRunTable;
  signalbox_process_message: ProcessMessageTable;
  signalbox_process_number: ProcessNumberTable;
  signalbox_process_request: ProcessDetailTable;
  signalbox_recurring: RecurringTable;
  signalbox_sample_data: SampleDataTable;
  signalbox_saved_query: SavedQueryTable;
  signalbox_user: UserTable;
  signalbox_user_audit: UserAuditTable;
  signalbox_user_certificate: UserCertificateTable;
  signalbox_user_version: UserVersionTable;
}

/** The query builder of the gateway's own tables: over the pool, or inside a transaction. */
export type Db = Kysely<Tables>;
