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
  readonly [fact: string]: unknown;
}

/** Writes the gateway's log as lines for a person at a terminal. */
export function terminalLog(paint: Colors): Pick<LogOptions, 'to'> {
  return { to: { write: (line) => writeAtOnce(1, logLine(line, paint)) } };
}

/**
 * Converts a line of the gateway's log from JSON to a line for people: `12:01:02 GET /gateway/... 200 0.3 ms`. Any other line
 * is returned unchanged.
 */
export function logLine(line: string, paint: Colors): string {
  const record = parse(line);
  if (record === undefined) return line;
  const { method, path, status, ms, fault } = record;
  const time = paint.dim(record.time?.slice(11, 19) ?? '');
  if (method === undefined || status === undefined) return `${time} ${event(record, paint)}\n`;
  const outcome =
    status >= 500 ? paint.red(String(status)) : status >= 400 ? paint.yellow(String(status)) : String(status);
  const parts = [time, method, path ?? '', outcome, ...(fault === undefined ? [] : [fault])];
  return `${[...parts, ...(ms === undefined ? [] : [paint.dim(`${ms.toFixed(1)} ms`)])].join(' ')}\n${cause(record)}`;
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
