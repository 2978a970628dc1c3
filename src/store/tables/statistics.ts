/** The table of statistics of calls. */
export interface StatisticsTables {
  signalbox_statistics: StatisticsTable;
}

/** `served`: calls that arrive here; `called`: those to other systems. */
export type CallKind = 'served' | 'called';

/** The calls of one operation that ended at one gateway within a period. */
export interface StatisticsTable {
  /** Minutes of the period: 1 or 60. */
  span: number;
  /** The first minute of the period, in minutes since 1970, UTC. */
  minute: number;
  kind: CallKind;
  /** The id of the operation; empty for all of them together, which periods of one minute have. */
  operation: string;
  /** A process of a gateway, from its start to its end. */
  gateway: string;
  calls: number;
  /** Of these, those that failed. */
  failures: number;
  /** Of these, those that were refused. */
  refusals: number;
  /** How long they took: the text of a histogram. */
  latency: string;
}
