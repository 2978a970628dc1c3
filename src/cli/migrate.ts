import type { Command } from 'commander';
import type { PendingMigration, SampleDataFile, Store, StoreOptions } from '../store/index.ts';
import { counted } from '../wire/words.ts';
import { wrongUsage } from './failure.ts';
import { AS_JSON, explain } from './help.ts';
import { loadRegistry, placeOf, storeOptions, withStore } from './project.ts';
import { coloursOf, note, print, printResult } from './terminal.ts';

const help = {
  examples: [
    'signalbox migrate',
    'signalbox migrate --plan',
    "signalbox migrate --plan --json | jq -r '.[].statements[]'",
  ],
  notes: [
    'It creates and changes all that a gateway needs: the schema, the tables, the queue and the sample data. A gateway does the same when it starts, unless its database has `migrate: false`; run this command to do it beforehand, as a user that may create tables. Any number of processes may run it at the same time: each step runs once, the steps of the tables are applied as a whole or not at all, and the table signalbox_migration records them.',
  ],
} as const;

/** `signalbox migrate`: brings the gateway's database up to date, or shows what that would change. */
export function addMigrate(program: Command): void {
  explain(program.command('migrate'), help)
    .description('bring the database of the gateway up to this version')
    .option('--plan', 'print the pending statements and change nothing')
    .option('--json', AS_JSON)
    .action(async ({ plan, json }: { plan?: true; json?: true }, command: Command) => {
      if (plan === undefined && json) throw wrongUsage('--json needs --plan');
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      const { sampleDataOf } = await import('../serve/start/sample-data.ts');
      const files = sampleDataOf(registry, place);
      await (plan === undefined
        ? withStore(registry, place, (store) => migrate(store, files))
        : showPlan(await storeOptions(registry, place), files, json));
    });
}

async function migrate(store: Store, files: readonly SampleDataFile[]): Promise<void> {
  const steps: string[] = [];
  const onStep = (name: string): void => {
    steps.push(name);
    note(name);
  };
  await store.migrate(onStep);
  await store.loadSampleData(files, onStep);
  const { green } = coloursOf(process.stdout);
  const done = steps.length === 0 ? 'is up to date' : `took ${counted(steps.length, 'step')}`;
  await print(`${store.location} ${green(done)}.\n`);
}

async function showPlan(options: StoreOptions, files: readonly SampleDataFile[], json?: true): Promise<void> {
  const { pendingMigrations } = await import('../store/index.ts');
  await printResult(await pendingMigrations(options, files), json, renderPlan);
}

/** SQL that can be run: each step below a comment with its name. */
function renderPlan(pending: readonly PendingMigration[]): string {
  if (pending.length === 0) return '-- The database is up to date.\n';
  return pending
    .map(({ name, statements }) => `-- ${name}\n${statements.map((each) => `${each}\n`).join('')}`)
    .join('\n');
}
