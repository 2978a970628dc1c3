import { relative, resolve } from 'node:path';
import type { Registry } from '../model/registry.ts';
import type { LogOptions } from '../serve/log/log.ts';
import { type Place, reachable } from './project.ts';
import { type Colors, writeAtOnce } from './terminal.ts';

/** A gateway that has just started. */
export interface Started {
  /** `http://127.0.0.1:8080`. */
  readonly address: string;
  /** `http://127.0.0.1:8080/console`; absent when it is off. */
  readonly console?: string | undefined;
  readonly registry: Registry;
  readonly place: Place;
  /** Whether it applies edits. */
  readonly follows: boolean;
}

/** What a person who has started the gateway needs next: the page, a first call, where to edit, how to stop. */
export async function renderScreen(started: Started, paint: Colors): Promise<string> {
  const { address, registry, place, follows } = started;
  const { firstCall } = await import('../serve/page/curl.ts');
  const here = reachable(address);
  const sampleUsers = process.env.SIGNALBOX_SAMPLE_USERS !== 'off';
  const call = firstCall(registry, `${here}/${registry.gateway.context}`, sampleUsers);
  const folder = relative(process.cwd(), resolve(place.root, place.definitions ?? 'definitions')) || '.';
  // If npm runs this command as a script of the project, the project has a script for the other one too.
  const dev = process.env.npm_lifecycle_event === undefined ? 'signalbox dev' : 'npm run dev';
  const rows = [
    ['Services', `${here}/`],
    ...(started.console === undefined ? [] : [['Console', reachable(started.console)]]),
    ...(call === undefined ? [] : [['Try it', call]]),
    ['Definitions', `${folder}/ (${follows ? 'edits are applied as you save' : `'${dev}' applies edits`})`],
    ['Stop', 'Ctrl-C'],
  ];
  const lines = rows.map(([name = '', text = '']) => `  ${paint.bold(name.padEnd(WIDTH))}${text}`);
  return `\n${lines.join('\n')}\n\n`;
}

const WIDTH = 'Definitions  '.length;

/** A line of the gateway's log. */
interface LogRecord {
  readonly level?: string;
  readonly time?: string;
  readonly msg?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly fault?: string;
  readonly reason?: string;
  readonly operation?: string;
  readonly user?: string;
  readonly scheme?: string;
  /** The kind of background work: `message`, `process`, `event`, `query`. */
  readonly work?: string;
  readonly name?: string;
  readonly id?: string | number;
  readonly attempt?: number;
  /** Whether an attempt succeeded; only in the lines of attempts and calls. */
  readonly complete?: boolean;
  /** What failed and what follows: `a delivery, which is tried again`. */
  readonly what?: string;
  /** When the next attempt begins. */
  readonly next?: string;
  readonly [fact: string]: unknown;
}

/** Says in words what else would have let a refused caller in; `undefined` when there is nothing to add. */
export type ExplainRefusal = (record: Pick<LogRecord, 'fault' | 'operation' | 'reason'>) => string | undefined;

/**
 * Writes the gateway's log as lines for a person at a terminal.
 * @param explain adds to refusals what a developer of the project may know; never for a log that others read
 */
export function terminalLog(paint: Colors, explain?: ExplainRefusal): Pick<LogOptions, 'to'> {
  return { to: { write: (line) => writeAtOnce(1, logLine(line, paint, explain)) } };
}

/**
 * Converts a line of the gateway's log from JSON to a line for people: `12:01:02 GET /gateway/... 200 0.3 ms`, or for background
 * work `12:01:02 process REORDER 17 done 3.1 ms`. Any other line is returned unchanged.
 */
export function logLine(line: string, paint: Colors, explain?: ExplainRefusal): string {
  const record = parse(line);
  if (record === undefined) return line;
  const { method, path, status, fault } = record;
  const time = paint.dim(record.time?.slice(11, 19) ?? '');
  if (isWork(record)) return `${time} ${workOf(record, paint)}\n`;
  if (method === undefined || status === undefined || !isOfAudit(record)) return `${time} ${event(record, paint)}\n`;
  const outcome =
    status >= 500 ? paint.red(String(status)) : status >= 400 ? paint.yellow(String(status)) : String(status);
  const parts = [
    time,
    method,
    path ?? '',
    outcome,
    ...(fault === undefined ? [] : [fault]),
    ...refusal(record, explain),
  ];
  return `${[...parts, ...taken(record, paint)].join(' ')}\n${cause(record)}`;
}

/**
 * Whether a line is of the audit log: it has no message. Lines that code of the project writes have one, whatever facts they have
 * besides.
 */
function isOfAudit({ msg }: LogRecord): boolean {
  return msg === undefined;
}

/** Whether a line is about an attempt at background work, or about what follows one that failed: the words are those of its error. */
function isWork(record: LogRecord): boolean {
  const { work, complete, what, attempt, err } = record;
  if (work === undefined) return false;
  if (isOfAudit(record)) return complete !== undefined;
  return typeof what === 'string' && typeof attempt === 'number' && typeof err === 'object' && err !== null;
}

function taken({ ms }: LogRecord, paint: Colors): string[] {
  return ms === undefined ? [] : [paint.dim(`${ms.toFixed(1)} ms`)];
}

/** Why credentials or a caller were refused, in parentheses. */
function refusal(record: LogRecord, explain: ExplainRefusal | undefined): string[] {
  const { status, reason, scheme, user } = record;
  if (reason === undefined || (status !== 401 && status !== 403)) return [];
  const who = [scheme, status === 403 && user !== undefined ? `user ${user}` : undefined].filter(
    (each) => each !== undefined,
  );
  const more = explain?.(record);
  return [`(${[...who, reason].join(': ')}${more === undefined ? '' : `; ${more}`})`];
}

/** An attempt at background work, or what follows one that failed. */
function workOf(record: LogRecord, paint: Colors): string {
  const { work = '', name = '', id, attempt = 1, complete, fault = 'failed', what, next } = record;
  const about = [work, name, ...(id === undefined ? [] : [String(id)])];
  if (what === undefined) {
    const outcome = complete === false ? paint.red(fault) : 'done';
    const which = complete === false || attempt > 1 ? [`attempt ${attempt}`] : [];
    return [...about, ...which, outcome, ...taken(record, paint)].join(' ');
  }
  const follows = what.replace(/^.*?, which /, '');
  const when = next === undefined ? '' : ` at ${next.slice(11, 19)}`;
  return `${about.join(' ')} ${next === undefined ? paint.red(follows) : paint.yellow(follows)}${when}: ${thrown(record)}`;
}

/** The message of the logged error; with its stack, if code of the project failed. */
function thrown({ err, msg = '' }: LogRecord): string {
  const { type, message, stack } = (err ?? {}) as { type?: unknown; message?: unknown; stack?: unknown };
  const text = typeof message === 'string' ? message : msg;
  if (type === 'Fault' || typeof stack !== 'string') return text;
  return stack.includes(text) ? stack : `${text}\n${stack}`;
}

/** An event other than a request: its message, then its facts. */
function event({ level = 'info', time: _, msg = '', err, ...facts }: LogRecord, paint: Colors): string {
  const word =
    level === 'error' || level === 'fatal' ? paint.red(level) : level === 'warn' ? paint.yellow(level) : level;
  const rest = Object.keys(facts).length === 0 ? '' : ` ${paint.dim(JSON.stringify(facts))}`;
  return `${word} ${msg}${rest}${err === undefined ? '' : `\n${cause({ err })}`.trimEnd()}`;
}

/** The stack of the logged error. */
function cause({ err }: LogRecord): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { readonly stack?: unknown; readonly message?: unknown };
  const text = typeof stack === 'string' ? stack : typeof message === 'string' ? message : '';
  return text === '' ? '' : `${text}\n`;
}

function parse(line: string): LogRecord | undefined {
  try {
    const record: unknown = JSON.parse(line);
    return typeof record === 'object' && record !== null ? (record as LogRecord) : undefined;
  } catch {
    return undefined;
  }
}
