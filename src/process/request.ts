import { CodecError, compileCheck, compileText } from '../codec/index.ts';
import { compileSecrets } from '../codec/redact/declared.ts';
import { Fault } from '../model/fault.ts';
import type { Redactor } from '../model/redactor.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import type { ResultFormat } from '../query/index.ts';
import { quote } from '../wire/words.ts';
import type { Program } from './program.ts';

/** A parameter as a request contains it. */
export interface GivenParameter {
  readonly Name?: string;
  readonly Value?: string;
}

/** Texts by parameter name. */
export type ParameterTexts = Readonly<Record<string, string>>;

/**
 * The texts of a request's parameters, checked against those of the program.
 * @throws Fault BAD_PARAMETER naming the parameter
 */
export function parameterTexts(program: Program, given: readonly GivenParameter[]): ParameterTexts {
  const known = program.parameters.map(({ name }) => name);
  const texts = new Map<string, string>();
  for (const { Name: name = '', Value: text = '' } of given) {
    const refuse = (reason: string): Fault => Fault.of('BAD_PARAMETER', { name: 'parameters', reason });
    const shown = quote(name);
    if (!known.includes(name)) {
      throw refuse(`names ${shown}, which ${program.id} does not have; it has: ${known.join(', ') || 'none'}`);
    }
    if (texts.has(name)) throw refuse(`names ${shown} twice`);
    texts.set(name, text);
  }
  const found = Object.fromEntries(texts);
  parameterValues(program, found);
  return found;
}

/** Why a program does not accept the texts of parameters; `undefined` when it does. It repeats no value. */
export function parameterProblem(program: Program, texts: ParameterTexts): string | undefined {
  const strange = Object.keys(texts).find((name) => !program.parameters.some((field) => field.name === name));
  if (strange !== undefined) return `there is no ${quote(strange)}`;
  try {
    readValues(program, texts);
    return undefined;
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    return `${error.path} does not accept what was given`;
  }
}

/**
 * The typed values of parameters, with defaults. An empty text counts as absent.
 * @throws Fault BAD_PARAMETER naming the parameter
 */
export function parameterValues(program: Program, texts: ParameterTexts): DocumentValue {
  try {
    return readValues(program, texts);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw Fault.of('BAD_PARAMETER', { name: `Parameter ${error.path}`, reason: error.reason });
  }
}

/** @throws CodecError */
function readValues({ parameters }: Program, texts: ParameterTexts): DocumentValue {
  const values: Record<string, Value> = {};
  for (const field of parameters) {
    const text = Object.hasOwn(texts, field.name) ? texts[field.name] : undefined;
    if (text !== undefined && text !== '') values[field.name] = compileText(field)(text);
  }
  return compileCheck(parameters)(values);
}

/** A redactor that knows sensitive parameters too, as they came and as code has them. */
export function parameterRedactor(
  redactor: Redactor,
  { parameters }: Pick<Program, 'parameters'>,
  texts: ParameterTexts,
  values: DocumentValue,
): Redactor {
  const read = compileSecrets(parameters);
  // Read now: code may change its values.
  const secrets = read === undefined ? [] : [...read(texts), ...read(values)];
  return redactor.knowing({ secrets: () => secrets });
}

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
