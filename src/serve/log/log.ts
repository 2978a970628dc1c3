import { type DestinationStream, destination, type LogFn, type Logger, pino, stdSerializers } from 'pino';
import { createRedactor } from '../../codec/redact/redactor.ts';
import { InvokeError } from '../../invoke/error.ts';
import { MASK, type Redactor } from '../../model/redactor.ts';
import { currentTrace, idsOf } from '../../trace/trace.ts';

/** The gateway's log: one JSON line per event, on standard output. */
export interface Log extends Logger {
  /**
   * Writes a line of level `info` that has the ids of its own trace. It is for the lines of which there is one per request: in a
   * third of the time of `info`, because it expects neither errors nor values inside values.
   */
  event(line: Event): void;
  /**
   * Hands the lines so far to the operating system, if this is an audit log: no line of a call is lost when the process is killed
   * after its reply. Otherwise lines may wait for a moment.
   */
  settle(): void;
}

/** Where lines go. */
export interface LogDestination extends DestinationStream {
  /** Hands the lines that it took to the operating system. */
  settle?(): void;
}

/** The members of a line; `undefined` ones are left out. */
export type Event = Readonly<Record<string, string | number | boolean | undefined>>;

/** The destination of lines; `undefined` is standard output. */
export interface LogOptions {
  readonly level?: string;
  /** Members of every line: `{ worker: 2 }`. */
  readonly base?: Readonly<Record<string, unknown>>;
  readonly to?: LogDestination;
  /** Whether it is the audit log, on standard output: each write waits until the output has taken it. */
  readonly isAudit?: boolean;
  /** Redacts warnings and errors; by default one that recognises secrets by their form. */
  readonly redactor?: Redactor;
  /** Gets each line too. */
  readonly also?: ((line: string) => void) | undefined;
}

/**
 * The level from which lines are redacted. Lower levels are requests and the lines of code, which are redacted by their
 * writers.
 */
const WARNING = 40;

/**
 * Bytes that a pipe writes atomically (pipe(7), PIPE_BUF): lines of processes that share their output are not interleaved.
 */
const AT_ONCE = 4096;

/** Bytes that a process which has its output to itself writes at once. */
const BATCH = 32_768;

/** Milliseconds within which a line is written. */
const WITHIN = 100;

/**
 * Opens the log. Lines are buffered for at most a tenth of a second, and those of an audit log until the replies of a turn of
 * the event loop are sent, so logging costs no system call per request. The buffer is flushed at exit.
 */
export function createLog(options: LogOptions = {}): Log {
  const { level = 'info', base, to, isAudit = false, redactor = createRedactor(), also } = options;
  const timestamp = compileTimestamp();
  const settings = {
    level,
    base: base === undefined ? null : { ...base },
    timestamp,
    mixin: traced,
    // pino would copy each line.
    mixinMergeStrategy: (line: object, ids: object) => (ids === NO_IDS ? line : { ...ids, ...line }),
    serializers: { err: loggedError },
    hooks: {
      streamWrite(line: string) {
        also?.(line);
        return escapeLineBreaks(line);
      },
      logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, at: number) {
        method.apply(this, at < WARNING ? args : (args.map((each) => redacted(each, redactor)) as typeof args));
      },
    },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const stream = to ?? standardOutput({ isShared: base !== undefined, isAudit });
  const log = pino(settings, stream);
  const own = Object.entries(base ?? {}).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const ofProcess = own.join('');
  return Object.assign(log, {
    event(given: Event) {
      if (!log.isLevelEnabled('info')) return;
      let line = `{"level":"info"${timestamp()}${ofProcess}`;
      for (const name in given) {
        const value = given[name];
        if (value !== undefined) line += `,"${name}":${typeof value === 'string' ? quoted(value) : value}`;
      }
      line += '}\n';
      also?.(line);
      stream.write(line);
    },
    settle() {
      stream.settle?.();
    },
  });
}

/** @param isShared whether other processes write to it too */
function standardOutput({ isShared, isAudit }: { isShared: boolean; isAudit: boolean }): LogDestination {
  if (isAudit) return settling(destination({ fd: 1, sync: true }), isShared ? AT_ONCE : BATCH);
  const output = { fd: 1, sync: false };
  if (isShared) return destination({ ...output, minLength: AT_ONCE - 1024, maxWrite: AT_ONCE, periodicFlush: WITHIN });
  return batched(destination({ ...output, maxWrite: 2 * BATCH }));
}

/**
 * Passes lines on in batches: the destination measures all that it holds for each text that it gets, and writes in another
 * thread, which costs about a line's own time to wake.
 */
function batched(to: ReturnType<typeof destination>): DestinationStream & Pick<Logger, 'flush'> {
  const { write, pass } = inBatches(to, BATCH);
  process.once('exit', () => {
    pass();
    to.flushSync();
  });
  return {
    write,
    flush(done) {
      pass();
      to.flush(done);
    },
  };
}

/**
 * An audit log: lines that were not passed on wait for the replies of their turn, which settle it.
 * @param to writes before it returns, and waits while the output takes nothing
 * @param most bytes of whole lines in one write
 */
export function settling(
  to: ReturnType<typeof destination>,
  most: number = BATCH,
): LogDestination & Pick<Logger, 'flush'> {
  const { write, pass } = inBatches(to, most);
  process.once('exit', pass);
  return {
    write,
    settle: pass,
    flush(done) {
      pass();
      done?.();
    },
  };
}

/** @param most bytes of whole lines that are passed on at once; a longer line is passed on alone */
function inBatches(to: DestinationStream, most: number): { write(line: string): void; pass(): void } {
  let lines: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const pass = (): void => {
    if (lines.length > 0) to.write(lines.join(''));
    lines = [];
    length = 0;
  };
  const passLate = (): void => {
    timer = undefined;
    pass();
  };
  return {
    write(line) {
      const bytes = Buffer.byteLength(line);
      if (length + bytes > most) pass();
      lines.push(line);
      length += bytes;
      if (length >= most) pass();
      else timer ??= setTimeout(passLate, WITHIN).unref();
    },
    pass,
  };
}

/** Characters that are written in JSON as they are, and are none of {@link BREAKS}. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escapeLineBreaks(JSON.stringify(text));
}

/**
 * The request or job of a line; none for one that has ended, to which a connection that it opened does not belong when that is
 * lost later.
 */
function traced(): object {
  const trace = currentTrace();
  return trace === undefined || trace.ended ? NO_IDS : idsOf(trace);
}

const NO_IDS = {};

/**
 * Redacts the members or the message of a line. Errors are reduced to their logged form first, so there is less to search.
 */
function redacted(part: unknown, redactor: Redactor): unknown {
  const hasError = typeof part === 'object' && part !== null && 'err' in part;
  return redactor.value(hasError ? { ...part, err: loggedError(part.err) } : part);
}

/**
 * JSON does not escape characters that some readers treat as a line end (U+0085, U+2028, U+2029) or terminals as a command
 * (C1). A caller could forge a line of the log with them.
 */
const BREAKS = /[\u007f-\u009f\u2028\u2029]/g;

function escapeLineBreaks(line: string): string {
  return line.replace(BREAKS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The time of a line, ISO 8601 in UTC; formatted once per millisecond. */
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
 * The logged form of an error. For a call to another system it contains what is needed to find the call there, but neither
 * request nor reply: payloads do not belong in the log.
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

/** Fields of PostgreSQL errors that quote values: of rows (`detail`), of bound parameters (`where`). */
const QUOTING = ['detail', 'where', 'hint', 'internalQuery', 'query', 'parameters'] as const;

/** An error without the values that a database repeats in it, which may be those of sensitive fields. */
function withoutRows(error: Error): unknown {
  const shown: Record<string, unknown> = { ...stdSerializers.err(error), message: messagesOf(error) };
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

/** The messages of an error and of its causes; not that of a cause which the text has already. */
function messagesOf(error: Error): string {
  const said = [...causesOf(error)].map(({ message }) => message);
  return said.reduce((text, each) => (text.includes(each) ? text : `${text}: ${each}`));
}

function isOfPostgres(error: Error): error is Error & { readonly code: string } {
  return 'severity' in error && 'code' in error && typeof error.code === 'string';
}

function loggedCause(cause: Error): unknown {
  return cause instanceof InvokeError ? loggedError(cause) : { type: cause.name, message: cause.message };
}

/** An error and its causes, each once; a cause that is not an Error ends the chain. */
export function* causesOf(error: unknown): Generator<Error> {
  const seen = new Set<unknown>();
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    yield at;
  }
}
