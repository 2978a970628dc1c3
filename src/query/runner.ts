import type { ReplyRoot } from '../model/document.ts';
import type { OpenFile } from '../store/file/open-file.ts';
import type { Plan } from './plan.ts';
import type { QueryStatus, XmlNames } from './port.ts';
import type { RenderFormat } from './render/index.ts';

/** Bytes of a result that are kept in memory; a larger one goes to a file. */
export const IN_MEMORY = 1_048_576;

/** Text that is gathered before it is handed on, and that rows which are read at once may come to, in UTF-16 units. */
export const SLICE = 262_144;

/** A bound value: text that becomes a value of the prompt's type, or NULL. */
export type Bound = string | null;

/** The rule for the beginning of a statement. */
export const NOT_A_SELECT = 'the SQL must be one statement that begins with SELECT, WITH or VALUES';

/** What a plan is run with, and how its rows are written. */
export interface Command {
  readonly format: RenderFormat;
  readonly values: readonly Bound[];
  /** Rows to read, at most. */
  readonly limit: number;
  /** One row more is looked for, to tell a cut result. */
  readonly probe: boolean;
  /** Indices of the columns to write; all where absent. */
  readonly fields?: readonly number[];
  readonly xml?: XmlNames;
  readonly root?: ReplyRoot;
  /** Of a connected query; absent where it is run alone. */
  readonly members?: MemberValues;
}

/** What the members of a connected query are run with. */
export interface MemberValues {
  /** Of each member, in the order of the tree: a child, its own children, the next child. */
  readonly values: readonly (readonly Bound[])[];
  /** Most rows of a member under one row where it has no cap of its own, and of all members together under one of the query's. */
  readonly rows: number;
}

/** One query to run on a database. */
export interface Task {
  readonly plan: Plan;
  readonly command: Command;
  /** In milliseconds, the wait for a reader or a connection included. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** Who it is run for; `undefined` for work without a caller. */
  readonly caller: string | undefined;
}

/** A result in bytes; whoever takes a {@link Spilled} one closes it. */
export interface RawResult {
  readonly rows: number;
  readonly truncated: boolean;
  readonly content: Buffer | Spilled;
}

/** A large result: the bytes from `start` on of a file that has no name any more, so that it ends with the last who holds it open. */
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
  /** Refuses new queries, lets those that run end, then ends what ran them. */
  close(): Promise<void>;
}

/** How a runner is kept; see {@link QueryOptions}. Times in milliseconds. */
export interface RunnerOptions {
  /** Reader processes over SQLite that are always there, and at most. */
  readonly readers: number;
  readonly maxReaders: number;
  /** Connections to a database server at most, one of which is for stopping what runs on the others. */
  readonly connections: number;
  readonly maxWaiting: number;
  /** Queries of one caller at the same time; half of the readers or connections where undefined. */
  readonly share: number | undefined;
  readonly idleTimeout: number;
  readonly timezone: string;
  /** The longest time that a query without a limit of its own may take. */
  readonly timeout: number;
  /** Folder of large results. */
  readonly folder: string;
  /** Bytes of a temporary file. */
  readonly largestFile: number;
}
