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
    'What check accepts, serve runs. With --connect each stored query is prepared on its database, and none is run: SQL that is refused, columns that are missing, types that do not fit. Each component is held against its table.',
  ],
  exits: ['no errors, though there may be warnings', 'errors were found'],
} as const;

/** `signalbox check`: every mistake of the definitions, each with its place, its line and how to mend it. */
export function addCheck(program: Command): void {
  explain(program.command('check'), help)
    .description('report every mistake in the definitions and handlers')
    .option('--connect', 'prepare every stored query on its database too')
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

/** What the databases say is added to what the definitions do, where those can be used at all. */
async function withDatabases(loaded: LoadedProject, { root }: Place): Promise<LoadedProject> {
  const { registry } = loaded;
  if (registry === undefined) return loaded;
  const { checkConnected } = await import('../serve/start/database-check.ts');
  const { byPlace } = await import('../load/index.ts');
  const said = await withProgress('Preparing the queries', () => checkConnected(registry, { root, env: process.env }));
  return { ...loaded, diagnostics: [...loaded.diagnostics, ...said].sort(byPlace) };
}

/** The last line: `17 files, 12 operations (2 not active), 5 calls, 1 flow: no mistakes.` or `17 files: 2 errors, 1 warning.` */
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
  if (errors + warnings === 0) return `${parts.join(', ')}: ${colours.green('no mistakes')}.`;
  const found = [];
  if (errors > 0) found.push(colours.red(counted(errors, 'error')));
  if (warnings > 0) found.push(colours.yellow(counted(warnings, 'warning')));
  return `${parts.join(', ')}: ${found.join(', ')}.`;
}

/** `12 operations`, or `12 operations (2 not active)`: what is switched off answers no one, and is not counted. */
function countActive<T>(all: readonly T[], noun: string, isActive: (each: T) => boolean): string {
  const active = all.filter(isActive).length;
  const rest = all.length - active;
  return rest === 0 ? counted(active, noun) : `${counted(active, noun)} (${rest} not active)`;
}
