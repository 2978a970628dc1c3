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

/** One blob: what is known of it. Its bytes are in a file of their own. */
export interface BlobTable {
  /** Whose it is: keys are their owner's own. */
  scope: string;
  key: string;
  /** Name of the file, never used twice. */
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
  /** The process that sees to it, by its lock file. */
  process: string;
}

/** The gateway's own tables. */
export interface Tables {
  psprcsrqst: ProcessRequestTable;
  signalbox_blob: BlobTable;
  signalbox_loose_blob: LooseBlobTable;
  signalbox_migration: MigrationTable;
  signalbox_sample_data: SampleDataTable;
}
