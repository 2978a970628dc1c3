import type { Command } from 'commander';
import { operationsByName, shortestName } from '../../model/operation-names.ts';
import type { Registry } from '../../model/registry.ts';
import {
  type CallerFacts,
  type Chain,
  judge,
  listCallers,
  nameOf,
  reachedAs,
  type Thing,
  type Verdict,
  whatIsMissing,
} from '../../security/grants.ts';
import { explain } from '../help.ts';
import { coloursOf, jsonText, print } from '../terminal.ts';
import { count } from '../words.ts';
import {
  addGrantOptions,
  type GrantOptions,
  readGrants,
  renderCallers,
  renderChains,
  thingsNamed,
} from './grants-found.ts';

const help = {
  examples: [
    'signalbox who-can LOCATIONS_GET',
    'signalbox who-can query:PROCESS_MONITOR',
    "signalbox who-can LOCATIONS_GET --json | jq -r '.[].callers[].caller'",
  ],
  notes: [
    'A thing is an operation, a query, a process, a component, a related-content service, an operation with a target (consumer) or a flow, by its id; of several kinds with one id all are shown, unless the kind stands before it. LOCATIONS_GET is the operation of the default version of its service, Locations.v2.LOCATIONS_GET that of one version. An operation is granted with what answers it: its query, its component, its call. Tokens are callers by what their claims give. Grants alone are judged, not whether credentials are taken.',
    '--json writes an array, an object a thing: kind, id, public, callers (each with caller, roles, and needs: what, may, and the chains of { because, at: { file, line, column } } that grant it), operations that reach a component which nobody names, and reached, the chains of operations that use it as a role of theirs.',
  ],
} as const;

/** What is known of one thing. */
interface Answer {
  readonly thing: Thing;
  /** Everybody may use it, without credentials. */
  readonly isPublic: boolean;
  readonly callers: readonly { readonly caller: CallerFacts; readonly verdict: Verdict }[];
  /** Of a component that nobody names: the operations by which it is reached. */
  readonly operations?: readonly string[];
  /** Operations that reach it by a role of theirs. */
  readonly reached: readonly Chain[];
}

/** `signalbox who-can`: who may use a thing, and by which lines of which files. */
export function addWhoCan(program: Command): void {
  const command = explain(program.command('who-can'), help)
    .description('list who may use an operation, a query or another thing')
    .argument('<thing>', 'its id, or its kind and id: query:PROCESS_MONITOR');
  addGrantOptions(command).action(async (asked: string, options: GrantOptions, self: Command) => {
    const { registry, users } = await readGrants(self, options);
    const callers = listCallers(registry, users);
    const answers = thingsNamed(registry, asked).map((thing) => answerFor(registry, callers, thing));
    const json = (): string => jsonText(answers.map(plain));
    await print(options.json ? json() : answers.map((each) => render(registry, each)).join('\n'));
  });
}

function answerFor(registry: Registry, callers: readonly CallerFacts[], thing: Thing): Answer {
  const isOpen = judge(NOBODY, thing).may;
  const judged = callers.map((caller) => ({ caller, verdict: judge(caller, thing) }));
  const answered = [...registry.operations.values()].filter(
    ({ answer }) => thing.kind === 'component' && answer.kind === 'component' && answer.component.id === thing.id,
  );
  return {
    thing,
    isPublic: isOpen && thing.kind !== 'component',
    callers: isOpen ? [] : judged.filter(({ verdict }) => verdict.may),
    ...(isOpen && thing.kind === 'component'
      ? { operations: answered.map((each) => shortestName(operationsByName(registry), each)) }
      : {}),
    reached: reachedAs(registry, thing),
  };
}

const NOBODY: CallerFacts = { name: 'nobody', roles: [] };

function render(registry: Registry, answer: Answer): string {
  const { thing, isPublic, callers, operations, reached } = answer;
  const name = coloursOf(process.stdout).bold(nameOf(thing));
  const open = judge(NOBODY, thing);
  const chainsOf = ({ needs }: Verdict): Chain[] => needs.flatMap(({ chains }) => chains);
  if (isPublic) return `Everybody may use ${name}, without credentials.\n\n${renderChains(chainsOf(open))}`;
  if (operations !== undefined) {
    const which = operations.length === 0 ? 'code alone reaches it' : `by ${operations.join(', ')}`;
    return `Who may use what reads or saves it, may use ${name}: ${which}.\n\n${renderChains(chainsOf(open))}`;
  }
  const through =
    reached.length === 0 ? '' : `\nIn the name of a role it is reached by code or answers:\n\n${renderChains(reached)}`;
  if (callers.length === 0)
    return `Nobody may use ${name} by a grant. It would take:\n\n${renderChains(whatIsMissing(registry, thing, open))}${through}`;
  const shown = callers.map(({ caller, verdict }) => ({ name: caller.name, chains: chainsOf(verdict) }));
  return `${count(callers.length, 'caller')} may use ${name}.\n\n${renderCallers(shown)}${through}`;
}

function plain({ thing, isPublic, callers, operations, reached }: Answer): object {
  return {
    kind: thing.kind,
    id: thing.id,
    public: isPublic,
    callers: callers.map(({ caller, verdict }) => ({
      caller: caller.name,
      roles: caller.roles.map(({ id }) => id),
      needs: verdict.needs,
    })),
    operations,
    reached,
  };
}
