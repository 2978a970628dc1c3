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
    'Writes generated/: types, handler interfaces, a JSON Schema for editors, contracts, and the registry in a form for reviews. Only files that changed are written. A missing handler file is created once, as a typed stub, and never overwritten.',
  ],
  exits: ['generated/ is up to date', 'the definitions contain errors, or --check found differences'],
} as const;

/** `signalbox generate`: brings everything that is generated from the definitions up to date. */
export function addGenerate(program: Command): void {
  explain(program.command('generate'), help)
    .description('write types, handler interfaces and contracts to generated/')
    .option('--check', 'report what would be written, and write nothing')
    .action(async ({ check = false }: { check?: boolean }, command: Command) => {
      const place = placeOf(command);
      // Missing handlers are created below.
      const registry = await loadRegistry(place, 'ignore-missing');
      const { planGenerated, writeGenerated } = await import('./generated-files.ts');
      const plan = await planGenerated(place.root, registry);
      for (const path of plan.foreign) note(`${path} was not generated and is left alone.`);
      const lines = renderPlan(plan, check ? DIFFERENCES : CHANGES);
      if (!check) await writeGenerated(place.root, plan);
      if (lines.length === 0) lines.push(`generated/ is up to date: ${counted(plan.same.length, 'file')}.`);
      await print(`${lines.join('\n')}\n`);
      if (check && !isUpToDate(plan)) {
        note(
          "Run 'signalbox generate' to update these files; 'signalbox diff' reports what the changes mean for callers.",
        );
        throw new Ended(1);
      }
    });
}

function isUpToDate({ write, remove, stubs }: GeneratedPlan): boolean {
  return write.size + remove.length + stubs.size === 0;
}

/** The words for files that are written, removed and created, and their colours. */
type PlanWords = readonly [write: PaintedWord, remove: PaintedWord, create: PaintedWord];
type PaintedWord = readonly [word: string, colour: 'cyan' | 'green' | 'red' | 'yellow'];

const CHANGES: PlanWords = [
  ['wrote  ', 'green'],
  ['removed', 'yellow'],
  ['created', 'cyan'],
];
const DIFFERENCES: PlanWords = [
  ['differs  ', 'red'],
  ['stale    ', 'yellow'],
  ['missing  ', 'red'],
];

function renderPlan({ write, remove, stubs }: GeneratedPlan, words: PlanWords): string[] {
  const paint = coloursOf(process.stdout);
  return [write.keys(), remove, stubs.keys()].flatMap((paths, index) => {
    const [word, colour] = words[index] as PaintedWord;
    return Array.from(paths, (path) => `${paint[colour](word)} ${path}`);
  });
}
