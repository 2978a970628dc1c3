import type { Command } from 'commander';
import type { LoadedProject } from '../load/index.ts';
import { counted } from '../wire/words.ts';
import { Ended } from './failure.ts';
import { AS_JSON, explain } from './help.ts';
import { withProgress } from './progress.ts';
import { load, type Place, placeOf, renderLoaded } from './project.ts';
import { coloursOf, jsonText, print } from './terminal.ts';

const help = {
  examples: [
    'signalbox check',
    "signalbox check --json | jq '.[].message'",
    'DATABASE_URL=postgres://signalbox@db.example.org/signalbox signalbox check --connect',
  ],
  notes: [
    'Definitions that pass check also start with serve. With --connect each stored query is prepared on its database, but not run: this finds SQL that the database refuses, missing columns and types that do not fit. Each component is compared with its table.',
  ],
  exits: ['no errors, possibly warnings', 'errors were found'],
} as const;

/** `signalbox check`: every error in the definitions with its place, its line and how to fix it. */
export function addCheck(program: Command): void {
  explain(program.command('check'), help)
    .description('report every error in the definitions and handlers')
    .option('--connect', 'also prepare every stored query on its database')
    .option('--json', AS_JSON)
    .action(async (options: { json?: true; connect?: true }, command: Command) => {
      const place = placeOf(command);
      const read = await load(place);
      const loaded = options.connect ? await withDatabases(read, place) : read;
      const errors = loaded.diagnostics.filter((each) => each.severity === 'error').length;
      if (options.json) {
        await print(jsonText(loaded.diagnostics));
      } else {
        if (loaded.diagnostics.length > 0) await print(`${(await renderLoaded(loaded, process.stdout)).trimEnd()}\n\n`);
        await print(`${summaryOf(loaded, errors)}\n`);
      }
      if (errors > 0) throw new Ended(1);
    });
}

/** Adds the diagnostics of the databases, if the definitions have no errors of their own. */
async function withDatabases(loaded: LoadedProject, place: Place): Promise<LoadedProject> {
  const { registry } = loaded;
  if (registry === undefined) return loaded;
  const { checkConnected } = await import('../serve/start/database-check.ts');
  const { byPlace } = await import('../load/index.ts');
  const found = await withProgress('Preparing the queries', () =>
    checkConnected(registry, { ...place, env: process.env }),
  );
  return { ...loaded, diagnostics: [...loaded.diagnostics, ...found].sort(byPlace) };
}

/** The last line: `17 files, 12 operations (2 not active), 5 calls, 1 flow: no errors.` or `17 files: 2 errors, 1 warning.` */
function summaryOf(loaded: LoadedProject, errors: number): string {
  const colours = coloursOf(process.stdout);
  const warnings = loaded.diagnostics.length - errors;
  const parts = [counted(loaded.files.length, 'file')];
  if (loaded.registry !== undefined) {
    const { operations, routings, consumers, flows } = loaded.registry;
    const served = new Set(routings.filter((each) => each.active).map(({ operation }) => operation));
    parts.push(countActive([...operations.values()], 'operation', (each) => served.has(each)));
    if (consumers.size > 0) parts.push(countActive([...consumers.values()], 'call', ({ active }) => active));
    if (flows.size > 0) parts.push(countActive([...flows.values()], 'flow', ({ active }) => active));
  }
  if (errors + warnings === 0) return `${parts.join(', ')}: ${colours.green('no errors')}.`;
  const found = [];
  if (errors > 0) found.push(colours.red(counted(errors, 'error')));
  if (warnings > 0) found.push(colours.yellow(counted(warnings, 'warning')));
  return `${parts.join(', ')}: ${found.join(', ')}.`;
}

/** `12 operations (2 not active)`: things that are switched off are not counted among the first. */
function countActive<T>(all: readonly T[], noun: string, isActive: (each: T) => boolean): string {
  const active = all.filter(isActive).length;
  const rest = all.length - active;
  return rest === 0 ? counted(active, noun) : `${counted(active, noun)} (${rest} not active)`;
}
