import type { ReplyRoot } from '../model/document.ts';
import type { Bytes } from '../model/handler.ts';
import type { PoolStatus } from '../model/metrics.ts';
import type { Query } from '../model/query.ts';
import type { Row, Value } from '../model/value.ts';
import type { Db } from '../store/index.ts';
import type { CsvOptions } from '../wire/csv.ts';

/**
 * Formats of a result: `json`, `xmlp` and `webrowset` are those of the query services, `csv` is RFC 4180,
 * `xlsx` a workbook (ISO/IEC 29500), `rows-json` and `rows-xml` are the reply document of an operation that a query answers.
 * `raw` has one line of JSON for each row, from which `renderRaw` can produce any other format later.
 */
export type ResultFormat = 'json' | 'xmlp' | 'webrowset' | 'csv' | 'html' | 'xlsx' | 'rows-json' | 'rows-xml' | 'raw';

/** Names of the elements around the rows of `rows-xml`. */
export interface XmlNames {
  readonly root: string;
  /** The namespace of all elements; empty for none. */
  readonly namespace: string;
  /** The element that holds the rows. */
  readonly list: string;
  /** The element of one row. */
  readonly item: string;
}

/** One run of a stored query. */
export interface QueryCall {
  readonly query: Query;
  /** By name; an absent or empty value is a NULL of the prompt's type. */
  readonly prompts: Readonly<Record<string, Value>>;
  /** The caller's own limit of rows; 0 or absent means no limit. */
  readonly maxrows?: number;
  /** Declared names of the columns to return, always in declared order; all if absent or empty. */
  readonly fields?: readonly string[];
  readonly format: ResultFormat;
  /** Needed for `rows-xml`. */
  readonly xml?: XmlNames;
  /**
   * For `xmlp` and `webrowset`: the root element, in place of that of field notes 1, or of none. The names of the elements
   * inside do not change.
   */
  readonly root?: ReplyRoot;
  /** For `csv`: in place of the query's own options, one by one. */
  readonly csv?: CsvOptions;
  /** Nests the rows of its children under each row, in `json` and `xmlp`. */
  readonly connected?: boolean;
  /** For a connected query: prompts of its members, by member id and prompt name. */
  readonly members?: Readonly<Record<string, Readonly<Record<string, Value>>>>;
  /** Aborts the run when the caller has disconnected. */
  readonly signal?: AbortSignal;
  /** The caller, who has a share of the readers. `undefined` for internal work, which is not limited. */
  readonly caller?: string | undefined;
}

/** One run of a stored query for a handler. */
export interface RowsCall extends Omit<QueryCall, 'fields' | 'format' | 'xml' | 'csv'> {
  /** Called before the rows are returned if the query's or the gateway's row cap truncated them. */
  readonly onTruncated?: () => void;
}

/** A rendered result. If the query's or the gateway's row cap truncated it, `headers` has `Rows-Truncated: true`. */
export interface QueryResult extends Bytes {
  readonly rows: number;
  /** The query's or the gateway's row cap truncated it; the caller's own limit does not count. */
  readonly truncated: boolean;
}

/** The readers and connections, and whether they are busy. */
export interface QueryStatus {
  /** Reader processes over SQLite, or connections to PostgreSQL by the ids of their server processes. */
  readonly readers: readonly { readonly pid: number; readonly busy: boolean }[];
  /** Calls that wait for a reader. */
  readonly waiting: number;
}

/** The readers or connections of one database. */
export interface NamedPool extends PoolStatus {
  readonly name: string;
}

/** Runs stored queries. */
export interface QueryPort {
  /**
   * Runs a query and renders its rows. `dispose` frees a large result.
   * @throws Fault BAD_PARAMETER, MISSING_PARAMETER, TIMEOUT, UNAVAILABLE, INTERNAL; an AbortError if the signal aborted it
   */
  run(call: QueryCall): Promise<QueryResult>;
  /**
   * Runs a query and returns its rows by declared column name: an integer is a number, or a bigint beyond 2^53 - 1; a decimal
   * is a string of its digits; a datetime has an offset; SQL NULL is null.
   * @throws the same as {@link QueryPort.run}
   */
  rows(call: RowsCall): Promise<Row[]>;
  /**
   * The same inside a transaction of the gateway's own database, whose writes it sees. On SQLite nothing can stop it.
   * @throws Error for a query of a datasource; Fault BAD_PARAMETER, MISSING_PARAMETER; errors of the database
   */
  rowsInside(tx: Db, call: RowsCall): Promise<Row[]>;
  /**
   * The plan by which the database would run a query with these prompts, in the words of the database. The query does not run.
   * @throws the same as {@link QueryPort.run}; Fault BAD_PARAMETER for an engine whose plans are not shown
   */
  explain(call: Pick<QueryCall, 'query' | 'prompts' | 'signal' | 'caller'>): Promise<string>;
  /** Resolves as soon as the gateway's own database can be read. @throws Fault UNAVAILABLE if no reader can be started */
  ready(): Promise<void>;
  status(): QueryStatus;
  /** By database: `queries` for the gateway's own, `datasource` and its id for others that were opened; for each replica the same and `replica 1`. */
  pools(): readonly NamedPool[];
  /** Rejects new calls, lets running ones finish, then ends the readers. */
  close(): Promise<void>;
}
