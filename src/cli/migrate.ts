import type { Command } from 'commander';
import type { PendingMigration, Store, StoreOptions } from '../store/index.ts';
import { counted } from '../wire/words.ts';
import { wrongUsage } from './failure.ts';
import { AS_JSON, explain } from './help.ts';
import { loadRegistry, placeOf, storeOptions, withStore } from './project.ts';
import { coloursOf, jsonText, note, print } from './terminal.ts';

const help = {
  examples: [
    'signalbox migrate',
    'signalbox migrate --plan',
    "signalbox migrate --plan --json | jq -r '.[].statements[]'",
  ],
  notes: [
    'A gateway does the same when it starts, so this is for those who want it done before. Any number of processes may do it at once: each step is run once, all of a run or nothing of it, and noted in the table signalbox_migration.',
  ],
} as const;

/** `signalbox migrate`: brings the gateway's own tables up to date, or shows what that would be. */
export function addMigrate(program: Command): void {
  explain(program.command('migrate'), help)
    .description('bring the tables of the gateway up to this version')
    .option('--plan', 'print what would be run, and change nothing')
    .option('--json', AS_JSON)
    .action(async ({ plan, json }: { plan?: true; json?: true }, command: Command) => {
      if (plan === undefined && json) throw wrongUsage('--json is for --plan');
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
  const pending = await pendingMigrations(options);
  await print(json ? jsonText(pending) : renderPlan(pending));
}

/** SQL that can be read and run: each step below a comment with its name. */
function renderPlan(pending: readonly PendingMigration[]): string {
  if (pending.length === 0) return '-- Nothing is to be done.\n';
  return pending
    .map(({ name, statements }) => `-- ${name}\n${statements.map((each) => `${each}\n`).join('')}`)
    .join('\n');
}
