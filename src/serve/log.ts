import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** The gateway's log: one JSON line an event, on standard output. */
export type Log = Logger;

/** Where lines go; `undefined` is standard output. */
export interface LogOptions {
  readonly level?: string;
  readonly to?: DestinationStream;
}

/**
 * Opens the log. Lines are gathered for at most a tenth of a second, so that logging costs no system call a request;
 * what is gathered is written out at exit.
 */
export function createLog({ level = 'info', to }: LogOptions = {}): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, to ?? destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 100 }));
}
