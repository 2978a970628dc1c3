import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import { wrongUsage } from '../failure.ts';
import { explain } from '../help.ts';
import { loadRegistry, placeOf } from '../project.ts';
import { propose } from '../proposal.ts';
import { readPrompts } from './prompts.ts';
import { type Format, formats, runQuery } from './run.ts';

const help = {
  examples: [
    'signalbox query LOCATIONS_BY_REGION --prompt REGION=N',
    'signalbox query PROCESS_MONITOR --prompt OPRID=VP1 --maxrows 20 --fields PRCSINSTANCE,RUNSTATUS',
    'signalbox query PROCESS_MONITOR --format csv > monitor.csv',
  ],
  notes: [
    'Runs on the configured database itself, whatever permissions the query has. Prompts are typed and checked as for a caller.',
  ],
} as const;

interface QueryOptions {
  readonly prompt: readonly [string, string][];
  readonly format: Format;
  readonly maxrows?: number;
  readonly fields?: readonly string[];
}

/** `signalbox query`: runs a stored query and writes its rows. */
export function addQuery(program: Command): void {
  explain(program.command('query'), help)
    .description('run a stored query on the configured database')
    .argument('<name>', 'the query')
    .addOption(
      new Option('--prompt <name=value>', 'value of a prompt; once for each').argParser(readPrompt).default([], 'none'),
    )
    .addOption(new Option('--format <format>', 'how rows are written').choices(formats).default('table'))
    .addOption(
      new Option('--maxrows <number>', 'at most so many rows; 0: as many as the gateway allows').argParser(readCount),
    )
    .addOption(new Option('--fields <names>', 'these columns only, separated by commas').argParser(readNames))
    .action(async (name: string, options: QueryOptions, command: Command) => {
      const place = placeOf(command);
      // Handlers are no part of this.
      const registry = await loadRegistry(place, 'ignore-missing');
      const query = findQuery(registry, name);
      checkFields(query, options.fields);
      const prompts = await readPrompts(query, options.prompt);
      const { maxrows, fields } = options;
      const limits = { ...(maxrows === undefined ? {} : { maxrows }), ...(fields === undefined ? {} : { fields }) };
      await runQuery(registry, place, { query, prompts, ...limits }, options.format);
    });
}

function readPrompt(text: string, before: readonly [string, string][]): [string, string][] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new InvalidArgumentError('A prompt is written NAME=VALUE.');
  return [...before, [text.slice(0, equals), text.slice(equals + 1)]];
}

function readCount(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('It takes a whole number from 0 on.');
  return number;
}

function readNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It takes names separated by commas.');
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
