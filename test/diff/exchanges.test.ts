// A call that was answered before a change and fails after it is never judged compatible: tried with calls, over HTTP, of random
// services with a random change each. A client keeps to the definitions before, and the gateway to those after; for systems that are
// called it is the other way around.
import { expect, it } from 'vitest';
import type { Change } from '../../src/diff/changes.ts';
import { compareRegistries } from '../../src/diff/registries.ts';
import { type Audience, isAtLeast, type Verdict, type WireLanguage } from '../../src/diff/verdict.ts';
import { seeded } from '../../src/mock/instance.ts';
import type { Registry } from '../../src/model/registry.ts';
import { asCalled, callInputs, startPartner } from './calls.ts';
import { exchange, inputsOf, misread, serve, type Way, waysOf } from './exchanges.ts';
import { MUTATIONS, mutated, type Project, randomProject, textOf } from './random-projects.ts';
import { registryIn } from './sample.ts';

/** More for a longer search: SIGNALBOX_EXCHANGES=500 npx vitest run test/diff/exchanges.test.ts */
const COUNT = Number(process.env.SIGNALBOX_EXCHANGES ?? 25);
const SEED = process.env.SIGNALBOX_SEED ?? '1';
/** Changes of one project, which is served once. */
const EACH = 5;

/** `undefined` when the random options contradict each other. */
function registryOf(project: Project): Registry | undefined {
  try {
    return registryIn(textOf(project));
  } catch {
    return undefined;
  }
}

interface Tally {
  tried: number;
  failed: number;
  /** Judged breaking, although no call failed. */
  harmless: number;
}

const tallies: Record<string, Tally> = {};

function count(name: string, failed: boolean, changes: readonly Change[]): void {
  const tally = tallies[name] ?? { tried: 0, failed: 0, harmless: 0 };
  tallies[name] = tally;
  tally.tried += 1;
  if (failed) tally.failed += 1;
  else if (changes.some(({ verdict }) => verdict === 'breaking')) tally.harmless += 1;
}

/** Projects, each with changes that have an effect. */
function* pairs(turned: (project: Project) => Project): Generator<{
  readonly project: Project;
  readonly before: Registry;
  readonly changed: readonly { readonly name: string; readonly text: string; readonly after: Registry }[];
}> {
  const pick = seeded(`exchanges ${SEED}`);
  for (let made = 0; made < COUNT; ) {
    const original = randomProject(pick);
    const project = turned(original);
    const before = registryOf(project);
    if (before === undefined) continue;
    const changed = Array.from({ length: EACH }, () => {
      const { name, project: next } = mutated(pick, original);
      const other = turned(next);
      const after = textOf(other) === textOf(project) ? undefined : registryOf(other);
      return after === undefined ? [] : [{ name, text: textOf(other), after }];
    }).flat();
    made += changed.length;
    yield { project, before, changed };
  }
}

function isJudged(
  changes: readonly Change[],
  operation: string,
  audience: Audience,
  languages: readonly WireLanguage[],
  least: Verdict,
): boolean {
  return changes.some(
    (change) =>
      change.audience === audience &&
      (change.operation === undefined || change.operation === operation) &&
      languages.some((each) => isAtLeast(change.verdicts[each] ?? 'documentation', least)),
  );
}

/** Calls that a gateway answers as its own definitions say. */
async function callsOf(before: Registry, served: Awaited<ReturnType<typeof serve>>, seed: string) {
  const calls = [];
  for (const way of waysOf(before)) {
    const isOther = way.label.includes('with');
    const inputs = inputsOf(way, before, seed);
    for (const [index, input] of inputs.slice(0, isOther ? 1 : inputs.length).entries())
      for (const headers of index === 0 && !isOther ? [{}, { prefer: 'code=409' }] : [{}]) {
        const answer = await exchange(way, input, before, served, headers);
        if (answer !== undefined && answer.problem === undefined) calls.push({ way, input, headers, answer });
      }
  }
  return calls;
}

const told = (way: Way, problem: string): string => `${way.operation.name} ${way.label}: ${problem}`;

it('never calls a change compatible with which a call of an old caller fails', async () => {
  const missed: string[] = [];
  for (const { project, before, changed } of pairs((each) => each)) {
    const old = await serve(before);
    const calls = await callsOf(before, old, SEED);
    for (const { name, text, after } of changed) {
      const now = await serve(after);
      const changes = compareRegistries(before, after);
      let failed = false;
      for (const { way, input, headers, answer } of calls) {
        const other = await exchange(way, input, before, now, headers);
        const status = other?.status === answer.status ? undefined : `the status is ${other?.status}`;
        const problem = other?.problem ?? status ?? misread(answer.received, other?.received);
        if (problem === undefined) continue;
        failed = true;
        if (!isJudged(changes, way.operation.name, 'callers', way.languages, 'may-break'))
          missed.push(`${name}: ${told(way, problem)}\n${textOf(project)}>\n${text}`);
      }
      count(name, failed, changes);
      await now.close();
    }
    await old.close();
  }
  expect(missed).toEqual([]);
}, 600_000);

it('never calls a change compatible with which our call of an old partner fails', async () => {
  const missed: string[] = [];
  for (const { project, before, changed } of pairs(asCalled)) {
    const partner = await startPartner(before);
    for (const { name, text, after } of changed) {
      const changes = compareRegistries(before, after);
      let failed = false;
      for (const operation of after.consumers.values()) {
        const same = [...before.consumers.values()].find((each) => each.name === operation.name);
        if (same === undefined || !operation.active || !same.active) continue;
        const languages = operation.kind === 'soap' ? (['xml'] as const) : (['json', 'xml'] as const);
        for (const input of callInputs(operation, SEED)) {
          const { problem, received } = await partner.call(after, operation, input);
          const known = problem === undefined ? await partner.call(before, same, input) : undefined;
          // An input that only the new call has says nothing about the values of both.
          const trouble = problem ?? (known?.problem === undefined ? misread(known?.received, received) : undefined);
          if (trouble === undefined) continue;
          failed = true;
          if (!isJudged(changes, operation.name, 'called', languages, 'may-break'))
            missed.push(`${name}: ${operation.name}: ${trouble}\n${textOf(project)}>\n${text}`);
        }
      }
      count(`${name} of a call`, failed, changes);
    }
    await partner.close();
  }
  expect(missed).toEqual([]);
}, 600_000);

it('tries changes of which many make calls fail', () => {
  const all = Object.values(tallies);
  const sum = (key: keyof Tally): number => all.reduce((total, each) => total + each[key], 0);
  if (process.env.SIGNALBOX_EXCHANGES) console.table(tallies);
  expect(sum('failed')).toBeGreaterThan(sum('tried') / 4);
  expect(sum('harmless')).toBeLessThan(sum('failed'));
  expect(Object.keys(MUTATIONS).length).toBeGreaterThan(40);
});
