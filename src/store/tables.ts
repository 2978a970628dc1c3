/** A row of the process request table: one request of the process scheduler. Datetimes are text, `yyyy-MM-dd HH:mm:ss`. */
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

/** One file of sample data that was run. */
export interface SampleDataTable {
  name: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  loaded: string;
}

/** The gateway's own tables. */
export interface Tables {
  psprcsrqst: ProcessRequestTable;
  signalbox_migration: MigrationTable;
  signalbox_sample_data: SampleDataTable;
}
