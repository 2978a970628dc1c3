import type { Command } from 'commander';
import type { PendingMigration, Store, StoreOptions } from '../store/index.ts';
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
    'A gateway does the same when it starts; run this command to do it beforehand. Any number of processes may run it at the same time: each step runs once, a run is applied as a whole or not at all, and the table signalbox_migration records the steps.',
  ],
} as const;

/** `signalbox migrate`: brings the gateway's own tables up to date, or shows the pending steps. */
export function addMigrate(program: Command): void {
  explain(program.command('migrate'), help)
    .description('bring the tables of the gateway up to this version')
    .option('--plan', 'print the pending statements and change nothing')
    .option('--json', AS_JSON)
    .action(async ({ plan, json }: { plan?: true; json?: true }, command: Command) => {
      if (plan === undefined && json) throw wrongUsage('--json needs --plan');
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      await (plan === undefined
        ? withStore(registry, place, migrate)
        : showPlan(await storeOptions(registry, place), json));
    });
}

async function migrate(store: Store): Promise<void> {
  const steps: string[] = [];
  await store.migrate((name) => {
    steps.push(name);
    note(name);
  });
  const { green } = coloursOf(process.stdout);
  const done = steps.length === 0 ? 'is up to date' : `took ${counted(steps.length, 'step')}`;
  await print(`${store.location} ${green(done)}.\n`);
}

async function showPlan(options: StoreOptions, json?: true): Promise<void> {
  const { pendingMigrations } = await import('../store/index.ts');
  await printResult(await pendingMigrations(options), json, renderPlan);
}

/** SQL that can be run: each step below a comment with its name. */
function renderPlan(pending: readonly PendingMigration[]): string {
  if (pending.length === 0) return '-- The database is up to date.\n';
  return pending
    .map(({ name, statements }) => `-- ${name}\n${statements.map((each) => `${each}\n`).join('')}`)
    .join('\n');
}
