import { type Command, InvalidArgumentError, Option } from 'commander';
import { Fault } from '../model/fault.ts';
import { type Field, typeWords } from '../model/field.ts';
import type { Query } from '../model/query.ts';
import type { Registry } from '../model/registry.ts';
import { isNumeric } from '../model/scalar.ts';
import type { DocumentValue, Row } from '../model/value.ts';
import type { QueryCall, QueryPort, QueryResult, ResultFormat, XmlNames } from '../query/index.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { propose } from './find.ts';
import { explain } from './help.ts';
import { checkOutput, writeContent } from './invoke/files.ts';
import { withProgress } from './progress.ts';
import { loadRegistry, type Place, placeOf } from './project.ts';
import { interruptible } from './signals.ts';
import { coloursOf, note, outputWidth, renderTable } from './terminal.ts';

const help = {
  examples: [
    'signalbox query LOCATIONS_BY_REGION --prompt REGION=N',
    'signalbox query PROCESS_MONITOR --prompt OPRID=VP1 --maxrows 20 --fields PRCSINSTANCE,RUNSTATUS',
    'signalbox query PROCESS_MONITOR --format csv --neutral --bom --output monitor.csv',
    'signalbox query PROCESS_MONITOR --format xlsx > monitor.xlsx',
    'signalbox query LOCATIONS_BY_REGION --prompt REGION=N --explain',
  ],
  notes: [
    'With --connected, the rows of the queries that it `connects` are within its rows, in JSON and XML. A prompt of one of them is given as --prompt QUERY.NAME=VALUE.',
    'The query runs directly on the configured database, whatever its permissions are. Prompts are typed and checked as for a caller.',
    'A file of --output is replaced as a whole once all rows are read; where that fails it stays as it was. CSV is written as `csv:` of the query has it, and by --neutral and --bom for spreadsheets.',
  ],
} as const;

interface QueryOptions {
  readonly prompt: readonly [string, string][];
  readonly format: Format;
  readonly maxrows?: number;
  readonly fields?: readonly string[];
  readonly explain?: true;
  readonly output?: string;
  readonly neutral?: true;
  readonly bom?: true;
  readonly connected?: true;
}

/** `signalbox query`: runs a stored query and prints its rows. */
export function addQuery(program: Command): void {
  explain(program.command('query'), help)
    .description('run a stored query on the configured database')
    .argument('<name>', 'the id of the query')
    .addOption(
      new Option('--prompt <name=value>', 'the value of a prompt; repeat for each prompt')
        .argParser(readPrompt)
        .default([], 'none'),
    )
    .addOption(new Option('--format <format>', 'the format of the rows').choices(formats).default('table'))
    .addOption(
      new Option('--maxrows <number>', 'the maximum number of rows; 0 for the limit of the gateway').argParser(
        readCount,
      ),
    )
    .addOption(new Option('--fields <names>', 'print these columns only, separated by commas').argParser(readNames))
    .option('-o, --output <file>', 'the file to write; - is standard output (default: standard output)')
    .option('--neutral', 'in CSV, put an apostrophe before texts that a spreadsheet would calculate')
    .option('--bom', 'begin CSV with a byte order mark, by which spreadsheets know UTF-8')
    .option('--connected', 'nest the rows of the queries that it connects, in json and xml')
    .option('--explain', "print the database's plan for these prompts instead of rows; the query does not run")
    .action(async (name: string, options: QueryOptions, command: Command) => {
      const { format, explain: explains, output = '-', neutral, bom, connected } = options;
      if (format === 'xlsx' && !explains && output === '-' && process.stdout.isTTY)
        throw wrongUsage('a workbook is not written to a terminal', 'Write it to a file with --output FILE.');
      if (format !== 'csv' && (neutral || bom))
        throw wrongUsage(`${neutral ? '--neutral' : '--bom'} is for CSV`, 'Add --format csv.');
      if (connected && (explains || (format !== 'json' && format !== 'xml')))
        throw wrongUsage('only JSON and XML have a place for nested rows', 'Add --format json.');
      await checkOutput(output);
      const place = placeOf(command);
      // Queries need no handlers.
      const registry = await loadRegistry(place, 'ignore-missing');
      const query = findQuery(registry, name);
      checkFields(query, options.fields);
      const given = await readAllPrompts(query, options.prompt, connected === true);
      const { maxrows, fields } = options;
      const limits = { ...(maxrows === undefined ? {} : { maxrows }), ...(fields === undefined ? {} : { fields }) };
      const csv = { ...(neutral && { neutral }), ...(bom && { bom }) };
      const call = { query, ...given, ...limits, csv };
      await runQuery(registry, place, call, { format: explains ? 'plan' : format, output });
    });
}

function readPrompt(text: string, before: readonly [string, string][]): [string, string][] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new InvalidArgumentError('Write it as NAME=VALUE.');
  return [...before, [text.slice(0, equals), text.slice(equals + 1)]];
}

function readCount(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It takes an integer from 0 on.');
  return number;
}

function readNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It takes names that are separated by commas.');
  return names;
}

function findQuery(registry: Registry, name: string): Query {
  const query = registry.queries.get(name);
  if (query !== undefined) return query;
  throw wrongUsage(`there is no query ${name}`, propose(name, registry.queries.keys()));
}

function checkFields(query: Query, fields: readonly string[] | undefined): void {
  const known = query.columns.map((column) => column.name);
  for (const name of fields ?? []) {
    if (known.includes(name)) continue;
    throw wrongUsage(`query ${query.id} has no column ${name}`, propose(name, known));
  }
}

/** The values of prompts, and with --connected of those of its members: `MEMBER.PROMPT`. */
async function readAllPrompts(
  query: Query,
  given: readonly [string, string][],
  connected: boolean,
): Promise<Pick<Call, 'prompts' | 'connected' | 'members'>> {
  if (!connected) return { prompts: await readPrompts(query, given) };
  if (query.children.length === 0) throw wrongUsage(`query ${query.id} connects no others`, 'Omit --connected.');
  const { membersOf } = await import('../query/index.ts');
  const members = new Map(membersOf(query).map((member) => [member.id, member]));
  const own = given.filter(([name]) => !name.includes('.'));
  for (const [name] of given) {
    const [id = ''] = name.split('.');
    if (name.includes('.') && !members.has(id))
      throw wrongUsage(`${id} is not connected by query ${query.id}`, propose(id, members.keys()));
  }
  const values: Record<string, DocumentValue> = {};
  for (const [id, member] of members) {
    const of = given.filter(([name]) => name.startsWith(`${id}.`));
    values[id] = await readPrompts(
      member,
      of.map(([name, text]) => [name.slice(id.length + 1), text]),
    );
  }
  return { prompts: await readPrompts(query, own), connected, members: values };
}

/** The values of prompts: text of the command line is converted like text of a URL. */
async function readPrompts(query: Query, given: readonly [string, string][]): Promise<DocumentValue> {
  const texts = new Map<string, string>();
  for (const [name, text] of given) {
    checkPrompt(query, name);
    if (texts.has(name)) throw wrongUsage(`prompt ${name} is given twice`);
    texts.set(name, text);
  }
  const { compilePrompts } = await import('../query/index.ts');
  try {
    return compilePrompts(query).fromTexts(texts);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // In the style of a command's own messages: in lower case, without a full stop.
    const message = error.message.replace(/^P/, 'p').replace(/\.$/, '');
    throw new CliFailure(message, { hint: promptsOf(query), exitCode: 2, cause: error });
  }
}

function checkPrompt(query: Query, name: string): void {
  const known = query.prompts.map((prompt) => prompt.name);
  if (known.includes(name)) return;
  throw wrongUsage(`query ${query.id} has no prompt ${name}`, propose(name, known) ?? promptsOf(query));
}

/** `Prompts of X: REGION string(1), required.` */
function promptsOf(query: Query): string {
  if (query.prompts.length === 0) return `Query ${query.id} has no prompts.`;
  const texts = query.prompts.map(
    (prompt) => `${prompt.name} ${typeWords(prompt.type)}${prompt.required ? ', required' : ''}`,
  );
  return `Prompts of ${query.id}: ${texts.join('; ')}.`;
}

/** What is written besides a table: the format of the gateway, and what ends it. */
const RESULTS = {
  json: { format: 'rows-json', end: '\n' },
  // CSV has a line end after its last row.
  csv: { format: 'csv', end: '' },
  xml: { format: 'rows-xml', end: '\n' },
  webrowset: { format: 'webrowset', end: '\n' },
  html: { format: 'html', end: '\n' },
  xlsx: { format: 'xlsx', end: '' },
} as const satisfies Record<string, { readonly format: ResultFormat; readonly end: string }>;

const formats = ['table', ...(Object.keys(RESULTS) as (keyof typeof RESULTS)[])] as const;
type Format = (typeof formats)[number];
/** What is written, and where: a file, or `-` for standard output. */
interface Printed {
  readonly format: Format | 'plan';
  readonly output: string;
}

type Call = Omit<QueryCall, 'format'>;

/** Runs a query on the configured database and writes its rows, until an interrupt. */
async function runQuery(registry: Registry, place: Place, call: Call, { format, output }: Printed): Promise<void> {
  const { openData } = await import('../serve/start/data.ts');
  await interruptible(async (signal) => {
    const data = await openData(registry, { ...place, env: process.env, readers: 1 });
    try {
      const asked = { ...call, signal };
      if (format === 'plan') await writeText(output, `${await data.queries.explain(asked)}\n`);
      else if (format === 'table') await writeTable(data.queries, asked, output);
      else await writeResult(data.queries, asked, format, output);
    } finally {
      await data.close();
    }
  });
}

async function writeText(output: string, text: string): Promise<void> {
  await writeContent(output, chunksOf(Buffer.from(text)));
}

async function writeTable(port: QueryPort, call: Call, output: string): Promise<void> {
  let truncated = false;
  const onTruncated = (): void => {
    truncated = true;
  };
  const rows = await withProgress(labelOf(call), () => port.rows({ ...call, onTruncated }));
  await writeText(output, renderRows(call, rows, output === '-'));
  if (truncated) noteCut(rows.length);
}

async function writeResult(port: QueryPort, call: Call, name: keyof typeof RESULTS, output: string): Promise<void> {
  const { format, end } = RESULTS[name];
  const xml: XmlNames = { root: call.query.id, namespace: '', list: 'rows', item: 'row' };
  const result = await withProgress(labelOf(call), () => port.run({ ...call, format, xml }));
  try {
    await writeContent(output, chunksOf(result.body, Buffer.from(end)));
  } finally {
    result.dispose?.();
  }
  if (result.truncated) noteCut(result.rows);
}

/** The chunks of contents, one after the other. */
async function* chunksOf(...contents: readonly QueryResult['body'][]): AsyncGenerator<Uint8Array> {
  for (const content of contents) {
    if (content instanceof Uint8Array) yield content;
    else yield* content();
  }
}

const labelOf = ({ query }: Call): string => `Running ${query.id}`;

function noteCut(rows: number): void {
  note(`Truncated after ${counted(rows, 'row')}, the maximum for this query.`);
}

/** @param isShown whether standard output is the place, whose width and colours apply */
function renderRows({ query, fields }: Call, rows: readonly Row[], isShown: boolean): string {
  const columns = query.columns.filter((column) => fields === undefined || fields.includes(column.name));
  const numbers = new Set([...columns.keys()].filter((index) => isNumber(columns[index])));
  const table = renderTable(
    columns.map((column) => column.name),
    rows.map((row) => columns.map((column) => String(row[column.name] ?? ''))),
    {
      colours: coloursOf(isShown ? process.stdout : {}),
      right: numbers,
      ...(isShown ? { width: outputWidth() } : {}),
    },
  );
  return `${table}${counted(rows.length, 'row')}\n`;
}

function isNumber(field: Field | undefined): boolean {
  return field !== undefined && isNumeric(field.type);
}
