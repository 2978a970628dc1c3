import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { loggedError } from './log-error.ts';

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
    timestamp: compileTimestamp(),
    serializers: { err: loggedError },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, to ?? destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 100 }));
}

/** The time of a line, ISO 8601 in UTC; written once for all lines of a millisecond. */
function compileTimestamp(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) {
      last = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
