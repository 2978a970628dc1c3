import type { ReplyRoot } from '../model/document.ts';
import type { OpenFile } from '../store/file/open-file.ts';
import type { CsvOptions } from '../wire/csv.ts';
import type { Plan } from './plan.ts';
import type { QueryStatus, XmlNames } from './query-port.ts';
import type { RenderFormat } from './render/index.ts';

/** Bytes of a result that are kept in memory; a larger one goes to a file. */
export const IN_MEMORY = 1_048_576;

/** UTF-16 units of text that are gathered before they are passed on, and that rows read at once may amount to. */
export const SLICE = 262_144;

/** A bound value: a text that the statement casts to the prompt's type, or NULL. */
export type Bound = string | null;

export const NOT_A_SELECT = 'the SQL must be one statement that begins with SELECT, WITH or VALUES';

/** The parameters of a plan's run, and the format of its rows. */
export interface Command {
  readonly format: RenderFormat;
  readonly values: readonly Bound[];
  /** Maximum of rows to read. */
  readonly limit: number;
  /** Whether to look for one more row, to detect truncation. */
  readonly probe: boolean;
  /** Indices of the columns to write; all if absent. */
  readonly fields?: readonly number[];
  readonly xml?: XmlNames;
  readonly root?: ReplyRoot;
  readonly csv?: CsvOptions;
  /** For a connected query; absent if it is run without its members. */
  readonly members?: MemberValues;
}

/** The parameters of a connected query's members. */
export interface MemberValues {
  /** For each member in pre-order: a child, its own children, the next child. */
  readonly values: readonly (readonly Bound[])[];
  /** Row cap of a member without its own under one parent row, and of all members together under one row of the query. */
  readonly rows: number;
}

/** One query to run on a database. */
export interface Task {
  readonly plan: Plan;
  readonly command: Command;
  /** In milliseconds, including the wait for a reader or connection. */
  readonly timeout: number;
  /** When the time began, as `performance.now()`, for a task that was tried elsewhere before; now by default. */
  readonly since?: number;
  readonly signal: AbortSignal | undefined;
  /** `undefined` for internal work without a caller. */
  readonly caller: string | undefined;
}

/** A result in bytes; the recipient must close a {@link Spilled} one. */
export interface RawResult {
  readonly rows: number;
  readonly truncated: boolean;
  readonly content: Buffer | Spilled;
}

/** A large result: the bytes from `start` of an unlinked file, which the system frees when its last descriptor is closed. */
export interface Spilled {
  readonly file: OpenFile;
  readonly start: number;
  readonly length: number;
}

/** Runs queries on one database: in reader processes over SQLite, on connections to a database server. */
export interface Runner {
  /** @throws Fault BAD_PARAMETER, TIMEOUT, UNAVAILABLE, INTERNAL; AbortError */
  run(task: Task): Promise<RawResult>;
  /** Resolves when a query can be run. @throws Fault UNAVAILABLE */
  ready(): Promise<void>;
  status(): QueryStatus;
  /** The most readers or connections that run queries at the same time. */
  readonly limit: number;
  /** The runners of replicas, if it has any. */
  readonly replicas?: readonly Runner[];
  /** Rejects new queries, lets running ones finish, then ends the readers or connections. */
  close(): Promise<void>;
}

/** Options of a runner; see {@link QueryOptions}. Times in milliseconds. */
export interface RunnerOptions {
  /** Minimum and maximum of reader processes over SQLite. */
  readonly readers: number;
  readonly maxReaders: number;
  /** Whether a reader starts before the first query, which then need not wait for it. */
  readonly eager: boolean;
  /** Maximum of connections to a database server, one of which is reserved for cancelling statements on the others. */
  readonly connections: number;
  readonly maxWaiting: number;
  /** Concurrent queries of one caller; if `undefined`, half of the readers or connections. */
  readonly share: number | undefined;
  readonly idleTimeout: number;
  readonly timezone: string;
  /** Timeout of queries without one of their own. */
  readonly timeout: number;
  /** Folder of large results. */
  readonly folder: string;
  /** Maximum size of a temporary file in bytes. */
  readonly largestFile: number;
  /** Called with a sentence for operators: a replica is left out, or used again. */
  readonly report: (sentence: string) => void;
}
