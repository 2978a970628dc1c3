import { type DestinationStream, destination, type LogFn, type Logger, pino, stdSerializers } from 'pino';
import { createRedactor } from '../../codec/redact/redactor.ts';
import { InvokeError } from '../../invoke/error.ts';
import { MASK, type Redactor } from '../../model/redactor.ts';

/** The gateway's log: one JSON line an event, on standard output. */
export type Log = Logger;

/** Where lines go; `undefined` is standard output. */
export interface LogOptions {
  readonly level?: string;
  /** What every line says: `{ worker: 2 }`. */
  readonly base?: Readonly<Record<string, unknown>>;
  readonly to?: DestinationStream;
  /** For warnings and errors; one that knows secrets by their form where it is left out. */
  readonly redactor?: Redactor;
}

/** Levels from which on a line is redacted: below are requests and what code logs, which see to it themselves. */
const WARNING = 40;

/**
 * Bytes that a pipe takes as one piece (pipe(7), PIPE_BUF): lines of processes that share their output don't run into each
 * other.
 */
const AT_ONCE = 4096;

/**
 * Opens the log. Lines are gathered for at most a tenth of a second, so that logging costs no system call a request;
 * what is gathered is written out at exit.
 */
export function createLog({ level = 'info', base, to, redactor = createRedactor() }: LogOptions = {}): Log {
  const options = {
    level,
    base: base === undefined ? null : { ...base },
    timestamp: compileTimestamp(),
    serializers: { err: loggedError },
    hooks: {
      streamWrite: escapeLineBreaks,
      logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, at: number) {
        method.apply(this, at < WARNING ? args : (args.map((each) => redacted(each, redactor)) as typeof args));
      },
    },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(
    options,
    to ?? destination({ fd: 1, sync: false, minLength: AT_ONCE - 1024, maxWrite: AT_ONCE, periodicFlush: 100 }),
  );
}

/** Facts or words of a line. Errors are reduced to what is logged of them before, which leaves less to search. */
function redacted(part: unknown, redactor: Redactor): unknown {
  const hasError = typeof part === 'object' && part !== null && 'err' in part;
  return redactor.value(hasError ? { ...part, err: loggedError(part.err) } : part);
}

/**
 * JSON leaves as they are what some readers of lines take for the end of one (U+0085, U+2028, U+2029), and what terminals
 * take for a command (C1). A caller could write a line of the log with it.
 */
const BREAKS = /[\u007f-\u009f\u2028\u2029]/g;

function escapeLineBreaks(line: string): string {
  return line.replace(BREAKS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
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

/**
 * What the log says of an error. Of a call to another system that is what is needed to find it there, and neither what was
 * sent nor what came back: payloads are not for the log.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof InvokeError)) return error instanceof Error ? withoutRows(error) : error;
  const { name, message, code, called, httpResponseCode, hint, cause } = error;
  return {
    type: name,
    message,
    code,
    ...called,
    ...(httpResponseCode === undefined ? {} : { httpResponseCode }),
    ...(hint === undefined ? {} : { hint }),
    ...(cause instanceof Error ? { cause: loggedCause(cause) } : {}),
  };
}

/** What PostgreSQL adds to an error that quotes values: of rows (`detail`), of what was bound (`where`). */
const QUOTING = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters'] as const;

/** An error without the values that a database repeats in it, which may be those of sensitive fields. */
function withoutRows(error: Error): unknown {
  const shown: Record<string, unknown> = { ...stdSerializers.err(error) };
  for (const each of causesOf(error)) {
    if (!isOfPostgres(each)) continue;
    if (each === error) for (const name of QUOTING) delete shown[name];
    // Class 22, data exceptions: `invalid input syntax for type integer: "..."`.
    if (!each.code.startsWith('22')) continue;
    const told = each.message.replace(/(["'«„]).*["'»“]/gs, MASK);
    for (const name of ['message', 'stack'])
      if (typeof shown[name] === 'string') shown[name] = shown[name].replaceAll(each.message, () => told);
  }
  delete shown.raw;
  return shown;
}

function isOfPostgres(error: Error): error is Error & { readonly code: string } {
  return 'severity' in error && 'code' in error && typeof error.code === 'string';
}

function loggedCause(cause: Error): unknown {
  return cause instanceof InvokeError ? loggedError(cause) : { type: cause.name, message: cause.message };
}

/** An error and what it was caused by, each once; what is no Error ends the chain. */
export function* causesOf(error: unknown): Generator<Error> {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    yield at;
  }
}
