import type { ReplyRoot } from '../model/document.ts';
import type { Bytes } from '../model/handler.ts';
import type { Query } from '../model/query.ts';
import type { Row, Value } from '../model/value.ts';

/**
 * Formats of a result: `json`, `xmlp` and `webrowset` are those of the query services, `csv` is RFC 4180,
 * `xlsx` a workbook (ISO/IEC 29500), `rows-json` and `rows-xml` are the reply document of an operation that a query answers.
 * `raw` is what any other can be made of later: a line of JSON a row, which `renderRaw` reads.
 */
export type ResultFormat = 'json' | 'xmlp' | 'webrowset' | 'csv' | 'html' | 'xlsx' | 'rows-json' | 'rows-xml' | 'raw';

/** Names of the elements round the rows of `rows-xml`. */
export interface XmlNames {
  readonly root: string;
  /** Of every element that has none of its own; empty for none. */
  readonly namespace: string;
  /** The element that holds the rows. */
  readonly list: string;
  /** The element of one row. */
  readonly item: string;
}

/** One run of a stored query. */
export interface QueryCall {
  readonly query: Query;
  /** By name; what is absent or empty is a NULL of the prompt's type. */
  readonly prompts: Readonly<Record<string, Value>>;
  /** The caller's own limit of rows; 0 or absent means no limit. */
  readonly maxrows?: number;
  /** Columns to return, by their declared names; all where absent or empty. They keep their declared order. */
  readonly fields?: readonly string[];
  readonly format: ResultFormat;
  /** Needed for `rows-xml`. */
  readonly xml?: XmlNames;
  /**
   * Of `xmlp` and `webrowset`: the element around everything, in place of that of field notes 1, or of none. What is inside has
   * the names that it always has.
   */
  readonly root?: ReplyRoot;
  /** Rows of its children stand under each of its rows, in `json` and `xmlp`. */
  readonly connected?: boolean;
  /** Of a connected query: prompts of its members, by the members' ids and the prompts' names. */
  readonly members?: Readonly<Record<string, Readonly<Record<string, Value>>>>;
  /** Ends the run: the caller has gone. */
  readonly signal?: AbortSignal;
  /** Who it is run for: each caller has a share of the readers. `undefined` for work without a caller, which has no bound. */
  readonly caller?: string | undefined;
}

/** One run of a stored query for code. */
export interface RowsCall extends Omit<QueryCall, 'fields' | 'format' | 'xml'> {
  /** Called before the rows are returned where the query's or the gateway's row cap cut them. */
  readonly onTruncated?: () => void;
}

/** A rendered result. Where the query's or the gateway's row cap cut it, `headers` says `Rows-Truncated: true`. */
export interface QueryResult extends Bytes {
  /** Rows in it. */
  readonly rows: number;
  /** The query's or the gateway's row cap cut it; the caller's own limit does not count. */
  readonly truncated: boolean;
}

/** The readers and connections, and whether they are busy. */
export interface QueryStatus {
  /** Reader processes over SQLite, connections to PostgreSQL by the processes that serve them there. */
  readonly readers: readonly { readonly pid: number; readonly busy: boolean }[];
  /** Calls that wait for a reader. */
  readonly waiting: number;
}

/** Runs stored queries. */
export interface QueryPort {
  /**
   * Runs a query and renders its rows. `dispose` frees a large result.
   * @throws Fault BAD_PARAMETER, MISSING_PARAMETER, TIMEOUT, UNAVAILABLE, INTERNAL; an AbortError where the signal ended it
   */
  run(call: QueryCall): Promise<QueryResult>;
  /**
   * Runs a query and returns its rows by the declared names of the columns: an integer is a number, or a bigint beyond
   * 2^53 - 1; a decimal its digits; a datetime has an offset; SQL NULL is null.
   * @throws the same as {@link QueryPort.run}
   */
  rows(call: RowsCall): Promise<Row[]>;
  /** Resolves as soon as the gateway's own database can be read. @throws Fault UNAVAILABLE where none can be started */
  ready(): Promise<void>;
  status(): QueryStatus;
  /** Refuses new calls, lets those that run end, then ends the readers. */
  close(): Promise<void>;
}
