import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Diagnostic, LoadedProject } from '../../load/index.ts';
import { counted } from '../../wire/words.ts';
import { Ended } from '../failure.ts';
import { AS_JSON, explain, readTime } from '../help.ts';
import { withProgress } from '../progress.ts';
import { load, type Place, placeOf, renderLoaded } from '../project.ts';
import { coloursOf, jsonText, print } from '../terminal.ts';

const help = {
  examples: [
    'signalbox check',
    "signalbox check --json | jq '.[].message'",
    'DATABASE_URL=postgres://signalbox@db.example.org/signalbox signalbox check --connect',
  ],
  notes: [
    'Definitions and handlers that pass check also start with serve, as far as that does not depend on the environment: databases (--connect), variables and secrets, ports, certificates.',
    'Handlers are imported in a process of their own, so code outside of their functions runs: do not run check on a project that you do not trust, or use --no-handlers. What that code writes goes to standard error. A file whose import takes longer than --import-within is reported, and given up.',
    '--types runs the TypeScript compiler that the project has installed, with the tsconfig.json of the project, and first compares generated/ with the definitions.',
    'With --connect each stored query is prepared on its database, but not run: this finds SQL that the database refuses, missing columns and types that do not fit. Each component is compared with its table.',
  ],
  exits: ['no errors, possibly warnings', 'errors were found'],
} as const;

/** `signalbox check`: every error in the definitions with its place, its line and how to fix it. */
export function addCheck(program: Command): void {
  explain(program.command('check'), help)
    .description('report every error in the definitions and handlers')
    .option('--connect', 'also prepare every stored query on its database')
    .option('--types', "also run the project's TypeScript compiler")
    .option('--no-handlers', 'do not import the handlers, so that no code of the project runs')
    .option('--import-within <time>', 'how long the import of one handler may take', readTime, 10_000)
    .option('--json', AS_JSON)
    .action(async (options: Options, command: Command) => {
      const place = placeOf(command);
      const loaded = await withMore(await load(place), place, options);
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

interface Options {
  readonly json?: true;
  readonly connect?: true;
  readonly types?: true;
  readonly handlers: boolean;
  /** Milliseconds. */
  readonly importWithin: number;
}

/** Adds the diagnostics about code, types and databases, if the definitions have no errors of their own. */
async function withMore(loaded: LoadedProject, place: Place, options: Options): Promise<LoadedProject> {
  const { registry } = loaded;
  if (registry === undefined) return loaded;
  const found = [...loaded.diagnostics];
  const add = async (label: string, work: () => Promise<readonly Diagnostic[]>): Promise<void> =>
    void found.push(...(await withProgress(label, work)));
  if (options.handlers) {
    const { checkHandlers } = await import('./handlers.ts');
    await add('Importing the handlers', () =>
      checkHandlers({ registry, sources: loaded.sources }, place.root, options.importWithin),
    );
  }
  if (options.types) {
    const { checkTypes } = await import('./types.ts');
    await add('Compiling', () => checkTypes(registry, place.root));
  }
  if (options.connect) {
    const { checkConnected } = await import('../../serve/start/database-check.ts');
    await add('Preparing the queries', () => checkConnected(registry, { ...place, env: process.env }));
  }
  let mocked: ReadonlyMap<string, string> = new Map();
  if (existsSync(join(place.root, 'mocks'))) {
    const { loadMocks } = await import('../../mock/fixtures.ts');
    const mocks = loadMocks(registry, place.root);
    found.push(...mocks.diagnostics);
    mocked = mocks.sources;
  }
  const { byPlace } = await import('../../load/diagnostic/place.ts');
  const sources = new Map([...loaded.sources, ...mocked, ...(await textsOf(found, loaded, place))]);
  return { ...loaded, diagnostics: found.sort(byPlace), sources };
}

/** The texts of files of code that diagnostics quote. */
async function textsOf(found: readonly Diagnostic[], { sources }: LoadedProject, { root }: Place) {
  const files = new Set(found.map(({ at }) => at.file).filter((file) => !sources.has(file)));
  const texts = [...files].map(async (file): Promise<[string, string]> => {
    return [file, await readFile(resolve(root, file), 'utf8').catch(() => '')];
  });
  return Promise.all(texts);
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
