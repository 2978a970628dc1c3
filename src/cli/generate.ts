import type { Command } from 'commander';
import { counted } from '../wire/words.ts';
import { Ended } from './failure.ts';
import type { GeneratedPlan } from './generated-files.ts';
import { explain } from './help.ts';
import { loadRegistry, placeOf } from './project.ts';
import { coloursOf, note, print } from './terminal.ts';

const help = {
  examples: ['signalbox generate', 'signalbox generate --check'],
  notes: [
    "Writes generated/: types, handler interfaces, JSON Schemas for editors, contracts and the registry's review form. Only what changed is written. A handler file that is missing is created once, as a typed stub, and never overwritten.",
  ],
  exits: ['generated/ is up to date now', 'the definitions hold errors, or --check found something to write'],
} as const;

/** `signalbox generate`: brings what follows from the definitions up to date. */
export function addGenerate(program: Command): void {
  explain(program.command('generate'), help)
    .description('write types, handler interfaces, contracts to generated/')
    .option('--check', 'write nothing, and say what would be written')
    .action(async ({ check = false }: { check?: boolean }, command: Command) => {
      const place = placeOf(command);
      // A handler that is not there yet is what we are about to write.
      const registry = await loadRegistry(place, 'ignore-missing');
      const { planGenerated, writeGenerated } = await import('./generated-files.ts');
      const plan = await planGenerated(place.root, registry);
      for (const path of plan.foreign) note(`${path} was not generated, and is left alone.`);
      const lines = check ? differences(plan) : changes(plan);
      if (!check) await writeGenerated(place.root, plan);
      if (lines.length === 0) lines.push(`generated/ is up to date: ${counted(plan.same.length, 'file')}.`);
      await print(`${lines.join('\n')}\n`);
      if (check && !isUpToDate(plan)) {
        note("'signalbox generate' brings this up to date.");
        throw new Ended(1);
      }
    });
}

function isUpToDate({ write, remove, stubs }: GeneratedPlan): boolean {
  return write.size + remove.length + stubs.size === 0;
}

function changes({ write, remove, stubs }: GeneratedPlan): string[] {
  const { cyan, green, yellow } = coloursOf(process.stdout);
  return [
    ...[...write.keys()].map((path) => `${green('wrote')}   ${path}`),
    ...remove.map((path) => `${yellow('removed')} ${path}`),
    ...[...stubs.keys()].map((path) => `${cyan('created')} ${path}`),
  ];
}

function differences({ write, remove, stubs }: GeneratedPlan): string[] {
  const { red, yellow } = coloursOf(process.stdout);
  return [
    ...[...write.keys()].map((path) => `${red('differs')}   ${path}`),
    ...remove.map((path) => `${yellow('stale')}     ${path}`),
    ...[...stubs.keys()].map((path) => `${red('missing')}   ${path}`),
  ];
}
