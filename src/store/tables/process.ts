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
  /** The operator who made the request. */
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

/** What the gateway keeps of a process request besides its row in the request table. Datetimes are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface ProcessDetailTable {
  instance: number;
  /** JSON: texts by the names of parameters. */
  parameters: string;
  /** The destination of the output and its format, in capitals. */
  destination: string;
  format: string;
  requested: string;
  /** When it is to run. */
  runs: string;
  began: string | null;
  ended: string | null;
  /** The job of the queue that runs it, or ran it last. */
  job: string;
  /** A UUID of the attempt that runs it: changes by another attempt are rejected. */
  run: string | null;
  attempt: number;
  /** 1: the next instance of its recurrence was entered, or another enters it. */
  followed: number;
  /** When its cancellation was requested. */
  cancelled: string | null;
  percent: number | null;
  progress: string | null;
  /** The number of lines in its message log. */
  messages: number;
  /** The key of its report's content, and the number of that content. */
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

/** The numbers of process requests and reports that were assigned. */
export interface ProcessNumberTable {
  name: string;
  last: number;
}
