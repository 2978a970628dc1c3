import type { StoredBlob } from '../../model/blob.ts';
import type { ReplyRoot } from '../../model/document.ts';
import type { Query } from '../../model/query.ts';
import type { User } from '../../model/security.ts';
import type { Db, Retained } from '../../store/index.ts';
import type { QueryInput } from '../input.ts';
import type { ResultFormat } from '../query-port.ts';

/** Forms that a run may be asked for. */
export type RunFormat = Exclude<ResultFormat, 'raw' | 'rows-json' | 'rows-xml'>;

/** A run to enter, whose input has been read once already. */
export interface NewRun {
  /** The user who asks for it; empty if the caller is unknown. */
  readonly owner: string;
  readonly query: Query;
  readonly input: QueryInput;
  readonly format: RunFormat;
  /** The result is kept as a file of the format, rather than as rows that any block can be made of. */
  readonly file: boolean;
}

/** The users on whose behalf runs are carried out. */
export interface RunOwners {
  /** Keeps who asks for a run as far as that is needed to find them again. @throws Fault UNAVAILABLE */
  keep(user: User): Promise<void>;
  /**
   * Whether an owner, empty if the caller is unknown, may call now, and may run these queries; what was saved is its owner's.
   * @throws Fault UNAVAILABLE
   */
  mayRun(owner: string, queries: readonly Query[]): Promise<boolean>;
}

/** `posting`: the rows have been read, and are being kept. */
export type RunState = 'queued' | 'running' | 'posting' | 'success' | 'error' | 'killed';

/** A run of a query. The counts are 0 until success. */
export interface QueryRun {
  /** A UUID. */
  readonly id: string;
  /** Its owner; empty if the caller is unknown. */
  readonly owner: string;
  /** Id of the query, which is the owner's own where `isPrivate`. */
  readonly query: string;
  readonly isPrivate: boolean;
  readonly input: QueryInput;
  readonly format: RunFormat;
  readonly state: RunState;
  /** Why it ended in error; meant for the caller. */
  readonly message: string | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly blocks: number;
  /** Bytes that the result takes where it is kept. */
  readonly bytes: number;
  /** A row cap cut the result. */
  readonly truncated: boolean;
  /** Name of the file, where the result is one. */
  readonly file: string | undefined;
}

/** Some rows of a result, as a document of their own. */
export interface RunBlock {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** How a block is written. */
export interface BlockOptions {
  readonly format: RunFormat;
  /** The element round everything, over SOAP. */
  readonly root?: ReplyRoot;
}

/** What a run has of the call that waits for it. */
export interface RunningCall {
  readonly signal: AbortSignal;
  /** Whose share of the readers it takes. */
  readonly sharer: string | undefined;
}

/** Runs of stored queries whose results are kept: polled ones, and files. */
export interface QueryRuns {
  /**
   * Enters a run for whichever gateway has time, and returns its id. @throws Fault UNAVAILABLE
   * @param user the owner; permission is checked again when it runs
   */
  enter(run: NewRun, user: User | undefined): Promise<string>;
  /**
   * Runs a query now, and keeps its result as a file. Where that fails nothing is kept.
   * @throws Fault as QueryPort.run does, and STORAGE_FULL; an AbortError where the signal ended it
   */
  keepFile(run: NewRun, call: RunningCall): Promise<QueryRun>;
  /** `undefined` if it does not exist or has expired. */
  find(id: string): Promise<QueryRun | undefined>;
  /**
   * Stops a run of an owner's that waits or runs, in whichever gateway.
   * @returns `fail` if it had already ended
   */
  cancel(id: string, owner: string): Promise<'idNotFound' | 'fail' | 'success'>;
  /**
   * Writes a block of the rows of a run that ended in success. `number` counts from 1.
   * @throws Fault CONFLICT where the query has changed since, BAD_PARAMETER where a row is too large for a block; undefined where the rows are kept no longer
   */
  block(run: QueryRun, query: Query, number: number, options: BlockOptions): Promise<RunBlock | undefined>;
  /** The file of a run that ended in success; `undefined` if it has expired or does not exist. */
  content(run: QueryRun): Promise<StoredBlob | undefined>;
  /** Runs that are removed, with their results, some time after their end. */
  readonly retained: Retained;
  /** Those of some users that have runs which have not ended. */
  readonly busy: (tx: Db, users: readonly string[]) => Promise<readonly string[]>;
}
