/** The tables of query runs and private queries. */
export interface QueryTables {
  signalbox_query_run: QueryRunTable;
  signalbox_saved_query: SavedQueryTable;
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
