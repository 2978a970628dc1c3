import type { ReadSource } from '../../../src/import/source.ts';
import { type Difference, judge } from './judge.ts';
import { judgeJson } from './judge-json.ts';
import { reasonOf } from './reasons.ts';

/** Examples that are printed of one kind of difference. */
const SHOWN = 3;
const LONGEST = 600;

/**
 * Judges contracts by instances and prints figures, and each difference without a known reason.
 * @returns the number of these
 */
export async function reportInstances(
  contracts: readonly { readonly kind: string; readonly path: string }[],
  read: ReadSource,
  { count, seed }: { readonly count: number; readonly seed: string },
): Promise<number> {
  const totals = { contracts: 0, elements: 0, valid: 0, mutants: 0, unmade: 0, skipped: 0 };
  const tallies = { without: new Map(), skipped: new Map(), unmade: new Map(), reasons: new Map() } as Record<
    'without' | 'skipped' | 'unmade' | 'reasons',
    Map<string, number>
  >;
  const constructs = new Map<string, { valid: number; different: number }>();
  const groups = new Map<string, (Difference & { readonly path: string })[]>();
  for (const { kind, path } of contracts) {
    const judgeOne = kind === 'openapi' ? judgeJson : judge;
    const judged = await judgeOne(path, read, { count, seed: `${seed} ${path.replace(/.*\/files\//, '')}` });
    if (judged.reason !== undefined) add(tallies.without, judged.reason.replace(/:.*/s, ''));
    else totals.contracts += 1;
    totals.elements += judged.elements;
    totals.valid += judged.valid;
    totals.mutants += judged.mutants;
    totals.unmade += judged.unmade.length;
    totals.skipped += judged.skipped.length;
    for (const each of judged.unmade) add(tallies.unmade, general(each));
    for (const each of judged.skipped) add(tallies.skipped, general(each));
    for (const [name, { valid, different }] of judged.constructs) {
      const sum = constructs.get(name) ?? { valid: 0, different: 0 };
      constructs.set(name, { valid: sum.valid + valid, different: sum.different + different });
    }
    for (const difference of judged.differences) {
      const known = reasonOf(difference);
      if (known !== undefined) add(tallies.reasons, known);
      else {
        const key = `${difference.finding}${difference.mutation === undefined ? '' : ` (${difference.mutation})`}: ${general(difference.reason)}`;
        groups.set(key, [...(groups.get(key) ?? []), { ...difference, path }]);
      }
    }
  }
  print(
    `${Object.entries(totals)
      .map(([name, number]) => `${number} ${name}`)
      .join(', ')}`,
  );
  printCounts('contracts without instances', tallies.without);
  printCounts('elements that are skipped', tallies.skipped);
  printCounts('instances that could not be made', tallies.unmade);
  print('\nvalid instances by construct, and those with a difference');
  for (const [name, { valid, different }] of [...constructs].sort(([, a], [, b]) => b.valid - a.valid))
    print(`${String(valid).padStart(7)} ${String(different).padStart(5)}  ${name}`);
  printCounts('differences with a known reason', tallies.reasons);
  for (const [key, all] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
    print(`\n${all.length}  ${key}`);
    for (const { path, element, reason, text, written } of all.slice(0, SHOWN)) {
      print(`  ${path.replace(/.*\/files\//, '')}: ${element}: ${reason}\n    ${text.slice(0, LONGEST)}`);
      if (written !== undefined) print(`    ${written.slice(0, LONGEST)}`);
    }
  }
  const found = [...groups.values()].flat().length;
  print(`\n${found} differences without a known reason`);
  return found;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function printCounts(title: string, counts: ReadonlyMap<string, number>): void {
  if (counts.size === 0) return;
  print(`\n${title}`);
  for (const [text, count] of [...counts].sort(([, a], [, b]) => b - a)) print(`${String(count).padStart(7)}  ${text}`);
}

/** A reason without the names and numbers of one case. */
function general(reason: string): string {
  return reason
    .replace(/\{[^}]*\}/g, '')
    .replace(/'[^']*'|"[^"]*"/g, "'…'")
    .replace(/^\/\S*/, '/…')
    .replace(/^[\w.[\]-]+ (?=[a-z])/, '')
    .replace(/\d+/g, 'n')
    .slice(0, 140);
}
