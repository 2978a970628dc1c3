/** The tables of the process scheduler. */
export interface ProcessTables {
  psprcsrqst: ProcessRequestTable;
  signalbox_process_request: ProcessDetailTable;
  signalbox_process_message: ProcessMessageTable;
  signalbox_process_number: ProcessNumberTable;
}

/** A row of the process request table: one request of the process scheduler. Datetimes are text in the gateway's zone, `yyyy-MM-dd HH:mm:ss`. */
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

/** What the gateway knows of a process request beside its row of the request table. Datetimes are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface ProcessDetailTable {
  instance: number;
  /** JSON: texts by the names of parameters. */
  parameters: string;
  /** Where the output goes, and its format, in capitals. */
  destination: string;
  format: string;
  requested: string;
  /** When it is to run. */
  runs: string;
  began: string | null;
  ended: string | null;
  /** The job of the queue that runs it, or did so last. */
  job: string;
  /** A UUID of the attempt that runs it: what another says is not taken. */
  run: string | null;
  attempt: number;
  /** 1 where the instance that follows it by its recurrence was entered, or is entered by another. */
  followed: number;
  /** When it was asked to end. */
  cancelled: string | null;
  percent: number | null;
  progress: string | null;
  /** Lines of its message log. */
  messages: number;
  /** Key of its report's content, and the number that it is known by. */
  report: string | null;
  content: number | null;
}

/** A line of a process request's message log. */
export interface ProcessMessageTable {
  instance: number;
  /** From 1. */
  sequence: number;
  level: string;
  text: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  said: string;
}

/** Numbers of process requests and reports that were given out. */
export interface ProcessNumberTable {
  name: string;
  last: number;
}
