import fc from 'fast-check';
import { ChildGateway } from '../child/gateway.ts';
import { keepCase } from './cases.ts';
import type { DefinitionsCase } from './check.ts';
import { type ImportCase, importCases } from './contracts.ts';
import { Checker, definitionsCases } from './definitions.ts';
import { Ended, judge } from './judge.ts';
import type { FuzzOptions } from './options.ts';
import { KINDS } from './seeds.ts';

const PROGRESS_MS = 5_000;
/** Bytes by which the gateway's memory at the end may exceed that after its first requests. */
const KEPT = 48 * 1024 * 1024;
/** Maximum resident bytes of its process. */
const RESIDENT = 768 * 1024 * 1024;

/** The result of a run. */
export interface FuzzResult {
  /** Cases tried, by kind. */
  readonly tried: ReadonlyMap<string, number>;
  readonly findings: readonly string[];
  readonly heap: readonly [before: number, after: number];
  readonly resident: number;
}

/** Runs all kinds concurrently. @param say receives lines of progress */
export async function runFuzz(options: FuzzOptions, say: (line: string) => void): Promise<FuzzResult> {
  const gateway = new ChildGateway();
  // A second gateway, where bytes are sent one after the other: it shows which of the concurrent bytes ended the first one.
  const other = new ChildGateway();
  let turn: Promise<unknown> = Promise.resolve();
  const judgeAlone = (bytes: Uint8Array): Promise<void> => {
    const judged = turn.then(async () => {
      await other.start();
      await judge(other, bytes);
    });
    turn = judged.catch(() => {});
    return judged;
  };
  const checkers = { definitions: new Checker(gateway.folder), import: new Checker(gateway.folder) };
  const tried = new Map<string, number>();
  const findings: string[] = [];
  const progress = setInterval(
    () => say([...tried].map(([kind, count]) => `${kind} ${count}`).join(', ')),
    PROGRESS_MS,
  );
  try {
    await gateway.start();
    // Code and caches that the first request of a kind creates are not a leak.
    for (const arbitrary of Object.values(KINDS))
      for (const bytes of fc.sample(arbitrary, { numRuns: 20, seed: options.seed })) {
        await gateway.start();
        await judge(gateway, bytes).catch(() => {});
      }
    await gateway.start();
    const before = await gateway.holdings();
    let isEndTold = false;
    let until = performance.now() + options.seconds * 1000;
    const count = (kind: string): void => {
      // Unlike fast-check's own time limit, this waits for the result of the current case.
      if (performance.now() > until) throw new fc.PreconditionFailure(true);
      tried.set(kind, (tried.get(kind) ?? 0) + 1);
    };
    const runs = options.kinds.map(async (kind) => {
      const requests = KINDS[kind];
      const checked = (given: fc.Arbitrary<DefinitionsCase | ImportCase>, checker: Checker) =>
        fc.asyncProperty(given, async (each) => {
          count(kind);
          await checker.check(each);
        });
      const property =
        requests === undefined
          ? kind === 'import'
            ? checked(importCases(), checkers.import)
            : checked(definitionsCases(gateway.folder), checkers.definitions)
          : fc
              .asyncProperty(requests, async (bytes) => {
                count(kind);
                await judge(gateway, bytes).catch((error) => {
                  if (!(error instanceof Ended)) throw error;
                  return judgeAlone(bytes);
                });
              })
              // Not part of the case: if it can't start, the run ends.
              .beforeEach(() => gateway.start());
      const found = await fc.check(property as fc.IAsyncProperty<[unknown]>, {
        seed: options.seed,
        numRuns: Number.MAX_SAFE_INTEGER,
      });
      if (found.counterexample === null) return;
      isEndTold ||= found.errorInstance instanceof Ended;
      findings.push(record(kind, found.counterexample[0], found.errorInstance, say));
    });
    await Promise.all(runs).finally(() => {
      until = 0;
      return Promise.allSettled(runs);
    });
    await gateway.start();
    const after = await gateway.holdings();
    const grown = after.heap - before.heap;
    if (gateway.deaths === 0 && grown > KEPT)
      findings.push(`memory: the gateway holds ${mebibytes(grown)} MiB more than at the start`);
    if (after.resident > RESIDENT)
      findings.push(`memory: the gateway's process takes ${mebibytes(after.resident)} MiB`);
    if (gateway.deaths > 0 && !isEndTold)
      findings.push(
        `the gateway exited ${gateway.deaths} times, but no single case reproduces it${gateway.lastWords()}`,
      );
    const how = await gateway.stop();
    if (how !== 'code 0') findings.push(`the gateway ended with ${how}, not with code 0 on SIGTERM`);
    return { tried, findings, heap: [before.heap, after.heap], resident: after.resident };
  } finally {
    clearInterval(progress);
    for (const checker of Object.values(checkers)) checker.close();
    gateway.remove();
    other.remove();
  }
}

/** Stores a finding as a case. @returns its description */
function record(kind: string, given: unknown, error: unknown, say: (line: string) => void): string {
  const found = error instanceof Error ? error.message : String(error);
  const path =
    kind === 'definitions'
      ? keepCase({ kind, found, ...(given as DefinitionsCase) })
      : kind === 'import'
        ? keepCase({ kind, found, ...(given as ImportCase) })
        : keepCase({ kind: 'request', found, bytes: Buffer.from(given as Uint8Array).toString('latin1') });
  say(`${kind}: ${found.slice(0, 500)}`);
  return `${kind}: ${found.slice(0, 500)}\n  stored in ${path}`;
}

/** Bytes as whole mebibytes. */
export function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}
