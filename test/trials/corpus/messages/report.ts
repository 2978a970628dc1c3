import type { ReadSource } from '../../../../src/import/source.ts';
import { type CallOutcome, type ContractOutcome, callContract, consumeContract } from '../messages.ts';
import { reasonOfCall } from './reasons.ts';
import { consumeRest } from './rest/consumed.ts';
import { callRest } from './rest.ts';
import { startZeep } from './zeep.ts';

const SHOWN = 3;
const LONGEST = 900;

/** Calls contracts over SOAP and prints figures. @returns the number of calls that failed for a reason of ours */
export async function reportMessages(
  contracts: readonly { readonly path: string; readonly short: string }[],
  read: ReadSource,
  options: MessageOptions & { readonly own: boolean },
): Promise<number> {
  const zeep = startZeep();
  try {
    const call = options.calling ? consumeContract : callContract;
    return await report(
      contracts,
      ({ short, path }, seed) => call(short, path, read, zeep, { ...options, seed }),
      options,
    );
  } finally {
    zeep.close();
  }
}

/** The same over REST. */
export function reportRest(
  contracts: readonly { readonly path: string; readonly short: string }[],
  read: ReadSource,
  options: MessageOptions,
): Promise<number> {
  const call = options.calling ? consumeRest : callRest;
  return report(contracts, ({ short, path }, seed) => call(short, path, read, { ...options, seed }), options);
}

interface MessageOptions {
  readonly count: number;
  readonly seed: string;
  readonly calling: boolean;
}

async function report(
  contracts: readonly { readonly path: string; readonly short: string }[],
  run: (contract: { readonly path: string; readonly short: string }, seed: string) => Promise<ContractOutcome>,
  { seed }: MessageOptions,
): Promise<number> {
  const without = new Map<string, number>();
  const all: CallOutcome[] = [];
  let operations = 0;
  for (const contract of contracts) {
    const { short } = contract;
    try {
      const outcome = await run(contract, `${seed} ${short}`);
      operations += outcome.operations;
      all.push(...outcome.calls);
      if (outcome.reason !== undefined) {
        add(without, outcome.reason.slice(0, 160));
        if (process.env.VERBOSE) print(`${short}: ${outcome.reason}`);
      }
    } catch (error) {
      print(`${short}: ${(error as Error).stack}`);
    }
  }
  print(`${contracts.length} contracts, ${operations} operations, ${all.length} calls`);
  for (const [finding, of] of Map.groupBy(all, ({ finding }) => finding))
    print(`${String(of.length).padStart(6)}  ${finding}`);
  print('\ncontracts without calls');
  for (const [reason, n] of [...without].sort(([, a], [, b]) => b - a)) print(`${String(n).padStart(6)}  ${reason}`);
  const bad = all.filter(({ finding }) => finding !== 'ok' && finding !== 'inactive');
  const reasons = new Map<string, number>();
  for (const each of bad) {
    const known = reasonOfCall(each);
    if (known !== undefined) add(reasons, known);
  }
  print('\ncalls with a known reason');
  for (const [reason, n] of [...reasons].sort(([, a], [, b]) => b - a)) print(`${String(n).padStart(6)}  ${reason}`);
  const failed = bad.filter((each) => reasonOfCall(each) === undefined);
  const groups = Map.groupBy(failed, ({ finding, reason }) => `${finding}: ${general(reason)}`);
  for (const [key, of] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
    print(`\n${of.length} in ${new Set(of.map(({ path }) => path)).size}  ${key}`);
    for (const { path, operation, reason, text } of of.slice(0, SHOWN)) {
      print(`  ${path}: ${operation}: ${reason.slice(0, 300)}`);
      if (text !== undefined) print(`    ${text.slice(0, LONGEST)}`);
    }
  }
  return failed.filter(({ finding }) => !/^(unmade|client|no example)/.test(finding)).length;
}

function general(reason: string): string {
  return reason
    .replace(/\{[^}]*\}/g, '')
    .replace(/'[^']*'|"[^"]*"/g, "'…'")
    .replace(/ [\w.]+ \([\w.]+\)$/, ' …')
    .replace(/may be .*/, 'may be …')
    .replace(/\d+/g, 'n')
    .slice(0, 110);
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
