/** The tables of query runs and private queries. */
export interface QueryTables {
  signalbox_query_run: QueryRunTable;
  signalbox_saved_query: SavedQueryTable;
}

/** A run of a query whose result is kept: a polled query, or one with a file. */
export interface QueryRunTable {
  /** A UUID, and the id of its job. */
  id: string;
  /** A user's id; empty without a known user. */
  owner: string;
  query: string;
  /** 1: it is a private query of the owner. */
  is_private: number;
  /** JSON: the request. */
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
  /** JSON: for each block, its offset and the number of its first row. */
  blocks: string;
  /** Key of the result. */
  blob: string | null;
  /** The name of the file, when the result is one. */
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
