import { Fault } from '../model/fault.ts';
import type { ResultFormat } from '../query/index.ts';
import type { Program } from './program.ts';

/** Destination and format of a request's output, in capitals as in requests. */
export interface Output {
  readonly destination: string;
  /** Empty if the program decides. */
  readonly format: string;
}

/** All of these keep the report with the request, for callers to fetch. */
const KEPT = ['WEB', 'FILE', 'WINDOW'];

const NONE = 'NONE';

interface QueryOutput {
  readonly format: ResultFormat;
  /** Of the file name. */
  readonly ending: string;
}

/** Formats of a stored query's rows, by their names in requests. */
const QUERY_FORMATS: Readonly<Record<string, QueryOutput>> = {
  CSV: { format: 'csv', ending: 'csv' },
  TXT: { format: 'csv', ending: 'csv' },
  XLS: { format: 'xlsx', ending: 'xlsx' },
  XLSX: { format: 'xlsx', ending: 'xlsx' },
  EXCEL: { format: 'xlsx', ending: 'xlsx' },
  HTM: { format: 'html', ending: 'html' },
  HTML: { format: 'html', ending: 'html' },
  XML: { format: 'xmlp', ending: 'xml' },
  XMLP: { format: 'xmlp', ending: 'xml' },
  WEBROWSET: { format: 'webrowset', ending: 'xml' },
  JSON: { format: 'json', ending: 'json' },
};

const USUAL_FORMAT = 'CSV';

/**
 * Reads the output of a request, ignoring letter case. By default the report is kept; that of a query is CSV.
 * @throws Fault BAD_PARAMETER
 */
export function readOutput(program: Program, type: string | undefined, format: string | undefined): Output {
  const destination = (type ?? 'WEB').toUpperCase();
  const destinations = outputsOf(program);
  if (!destinations.includes(destination)) throw badOutput('OutputDestinationType', type, destinations);
  const wanted = (format ?? '').toUpperCase();
  if (program.query === undefined) return { destination, format: wanted };
  if (wanted !== '' && !Object.hasOwn(QUERY_FORMATS, wanted))
    throw badOutput('OutputDestinationFormat', format, Object.keys(QUERY_FORMATS));
  return { destination, format: wanted === '' ? USUAL_FORMAT : wanted };
}

/** Destinations of a program's output, the usual one first. */
export function outputsOf({ query }: Program): readonly string[] {
  return query === undefined ? [...KEPT, NONE] : KEPT;
}

/** Formats of a program's output, the usual one first; none if the program decides. */
export function formatsOf({ query }: Program): readonly string[] {
  return query === undefined ? [] : Object.keys(QUERY_FORMATS);
}

export function queryOutput(format: string): QueryOutput {
  return QUERY_FORMATS[format] ?? (QUERY_FORMATS[USUAL_FORMAT] as QueryOutput);
}

/** Whether the report of a process is kept. */
export function isKept(destination: string): boolean {
  return destination !== NONE;
}

function badOutput(name: string, given: string | undefined, known: readonly string[]): Fault {
  const reason = `is ${JSON.stringify(given)}; allowed: ${known.join(', ')}`;
  return Fault.of('BAD_PARAMETER', { name, reason });
}
