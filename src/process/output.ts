import { Fault } from '../model/fault.ts';
import type { ResultFormat } from '../query/index.ts';
import type { Program } from './program.ts';

/** Where the output of a request goes, and in which format; both in capitals, as requests hold them. */
export interface Output {
  readonly destination: string;
  /** Empty where the program decides. */
  readonly format: string;
}

/** All of them keep the report with the request, from where it is fetched. */
const KEPT = ['WEB', 'FILE', 'WINDOW'];
const NONE = 'NONE';

interface QueryOutput {
  readonly format: ResultFormat;
  /** Of the file's name. */
  readonly ending: string;
}

/** Formats of a stored query's rows, by the words that requests say. */
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
 * What a request says of its output, any letter case. Where it says nothing the report is kept, a query's as CSV.
 * @throws Fault BAD_PARAMETER
 */
export function readOutput(program: Program, type: string | undefined, format: string | undefined): Output {
  const destination = (type ?? 'WEB').toUpperCase();
  const destinations = program.query === undefined ? [...KEPT, NONE] : KEPT;
  if (!destinations.includes(destination)) throw bad('OutputDestinationType', type, destinations);
  const wanted = (format ?? '').toUpperCase();
  if (program.query === undefined) return { destination, format: wanted };
  if (wanted !== '' && !Object.hasOwn(QUERY_FORMATS, wanted))
    throw bad('OutputDestinationFormat', format, Object.keys(QUERY_FORMATS));
  return { destination, format: wanted === '' ? USUAL_FORMAT : wanted };
}

/** How a stored query's rows are written. */
export function queryOutput(format: string): QueryOutput {
  return QUERY_FORMATS[format] ?? (QUERY_FORMATS[USUAL_FORMAT] as QueryOutput);
}

/** Whether what the code of a process reports is kept. */
export function isKept(destination: string): boolean {
  return destination !== NONE;
}

function bad(name: string, given: string | undefined, known: readonly string[]): Fault {
  const reason = `is ${JSON.stringify(given)}; there are: ${known.join(', ')}`;
  return Fault.of('BAD_PARAMETER', { name, reason });
}
