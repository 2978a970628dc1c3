import type { Command } from 'commander';
import type { PendingMigration, ProjectFiles, Store, StoreOptions } from '../store/index.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { AS_JSON, explain } from './help.ts';
import { loadRegistry, placeOf, storeOptions, withStore } from './project.ts';
import { coloursOf, note, print, printResult } from './terminal.ts';

const help = {
  examples: [
    'signalbox migrate',
    'signalbox migrate --plan',
    'signalbox migrate --plan --sql > pending.sql',
    "signalbox migrate --plan --json | jq -r '.[].statements[]'",
    'signalbox migrate --baseline 12',
  ],
  notes: [
    'It creates and changes all that a gateway needs: the schema, the tables and the queue of signalbox, then the tables of the project by the files of `migrations:`, then the sample data. A gateway does the same when it starts, unless its database has `migrate: false`; run this command to do it beforehand, as a user that may create tables. Any number of processes may run it at the same time: each step and each file runs once. The steps of signalbox are applied as a whole or not at all, and so is each file.',
    'A migration that ran never changes: write a new one. With --baseline, the migrations of the project up to a number, or all, are recorded as they are now and not run: for a database that has these tables already.',
  ],
} as const;

interface MigrateOptions {
  readonly plan?: true;
  readonly sql?: true;
  readonly json?: true;
  /** True stands for the last number. */
  readonly baseline?: string | true;
}

/** `signalbox migrate`: brings the gateway's database up to date, or shows what that would change. */
export function addMigrate(program: Command): void {
  explain(program.command('migrate'), help)
    .description('bring the database up to this version of signalbox and of the project')
    .option('--plan', 'list what is pending and change nothing')
    .option('--sql', 'with --plan, print the statements')
    .option('--baseline [number]', 'record migrations of the project as done, up to a number, and run none')
    .option('--json', AS_JSON)
    .action(async ({ plan, sql, json, baseline }: MigrateOptions, command: Command) => {
      if (plan === undefined && (json || sql)) throw wrongUsage(`${json ? '--json' : '--sql'} needs --plan`);
      if (json && sql) throw wrongUsage('--sql and --json exclude each other: JSON has the statements');
      if (plan && baseline !== undefined) throw wrongUsage('--plan and --baseline exclude each other');
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      const { projectFilesOf } = await import('../serve/start/project-files.ts');
      const files = projectFilesOf(registry, place);
      if (plan)
        await showPlan(await storeOptions(registry, place), files, { json, render: sql ? renderSql : renderPlan });
      else if (baseline === undefined) await withStore(registry, place, (store) => migrate(store, files));
      else {
        const upTo = numberOf(baseline, files);
        await withStore(registry, place, (store) => takeOver(store, files, upTo));
      }
    });
}

type Files = Required<Pick<ProjectFiles, 'migrations' | 'sampleData'>>;

async function migrate(store: Store, { migrations, sampleData }: Files): Promise<void> {
  const done = new Map<string, number>();
  const counting = (noun: string) => (name: string) => {
    done.set(noun, (done.get(noun) ?? 0) + 1);
    note(name);
  };
  await store.migrate(counting('step'));
  await store.migrateProject(migrations, counting('migration'));
  await store.loadSampleData(sampleData, counting('file'));
  const { green } = coloursOf(process.stdout);
  const parts = [...done].map(([noun, count]) => `${counted(count, noun)} of ${OWNERS[noun]}`);
  const last = parts.length > 1 ? ` and ${parts.pop()}` : '';
  const what = parts.length === 0 ? 'is up to date' : `took ${parts.join(', ')}${last}`;
  await print(`${store.location} ${green(what)}.\n`);
}

const OWNERS: Readonly<Record<string, string>> = { step: 'signalbox', migration: 'the project', file: 'sample data' };

/** @throws CliFailure for a number that no migration has */
function numberOf(given: string | true, { migrations }: Files): number {
  const hint = 'Name the folder of the migrations with `migrations:` in the gateway definition.';
  const last = migrations.at(-1)?.number;
  if (last === undefined) throw new CliFailure('the project has no migrations', { hint });
  if (given === true) return last;
  const number = /^\d{1,15}$/.test(given) ? Number(given) : undefined;
  if (number !== undefined && migrations.some((each) => each.number === number)) return number;
  throw wrongUsage(`no migration has the number ${given}`, `The numbers are ${migrations[0]?.number} to ${last}.`);
}

async function takeOver(store: Store, { migrations }: Files, upTo: number): Promise<void> {
  await store.migrate(note);
  const recorded: string[] = [];
  await store.baseline(migrations, upTo, (file) => {
    recorded.push(file);
    note(file);
  });
  const pending = (await store.pending({ migrations })).length;
  const rest =
    pending === 0 ? '' : ` ${counted(pending, 'migration')} of the project ${pending === 1 ? 'is' : 'are'} pending.`;
  const { green } = coloursOf(process.stdout);
  const what =
    recorded.length === 0
      ? 'has these on record'
      : `recorded ${counted(recorded.length, 'migration')} without running any`;
  await print(`${store.location} ${green(what)}.${rest}\n`);
}

interface Shown {
  readonly json: true | undefined;
  readonly render: (pending: readonly PendingMigration[]) => string;
}

async function showPlan(options: StoreOptions, files: Files, { json, render }: Shown): Promise<void> {
  const { pendingMigrations } = await import('../store/index.ts');
  const refused: Error[] = [];
  const onRefused = (error: Error): void => void refused.push(error);
  await printResult(await pendingMigrations(options, { ...files, onNote: note, onRefused }), json, render);
  // Nothing of the project would run.
  if (refused[0] !== undefined) throw refused[0];
}

const HEADINGS: Readonly<Record<PendingMigration['of'], string>> = {
  signalbox: 'Steps of signalbox',
  project: 'Migrations of the project',
  'sample-data': 'Sample data',
};

/** The names, those of signalbox and of the project apart. */
function renderPlan(pending: readonly PendingMigration[]): string {
  if (pending.length === 0) return 'The database is up to date.\n';
  const lists = [...Map.groupBy(pending, ({ of }) => of)].map(([of, steps]) =>
    [HEADINGS[of], ...steps.map(nameOf)].map((line) => `${line}\n`).join(''),
  );
  return `${lists.join('\n')}\nsignalbox migrate --plan --sql prints their statements.\n`;
}

function nameOf({ name, refused }: PendingMigration): string {
  return `  ${name}${refused === undefined ? '' : `, which can't run: ${refused.reason}`}`;
}

/** SQL that can be run: each step below a comment with its name, those of signalbox and of the project apart. */
function renderSql(pending: readonly PendingMigration[]): string {
  if (pending.length === 0) return '-- The database is up to date.\n';
  return [...Map.groupBy(pending, ({ of }) => of)]
    .map(([of, steps]) => `---- ${HEADINGS[of]} ----\n\n${steps.map(renderStep).join('\n')}`)
    .join('\n');
}

function renderStep({ name, statements, refused }: PendingMigration): string {
  const why = refused === undefined ? [] : [`can't run: ${refused.reason}.`, ...refused.hint.split('\n')];
  return `-- ${name}\n${[...why.map((line) => `-- ${line}`), ...statements].map((each) => `${each}\n`).join('')}`;
}
