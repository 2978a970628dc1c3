import type { Command } from 'commander';
import { operationsByName, shortestName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import { undeclaredUser } from '../security/authorise.ts';
import {
  type CallerFacts,
  type Chain,
  callerOfRole,
  callerOfUser,
  findThings,
  judge,
  type Link,
  listCallers,
  listThings,
  listTokens,
  nameOf,
  reachedAs,
  THING_KINDS,
  type Thing,
  type Verdict,
  whatIsMissing,
} from '../security/grants.ts';
import { counted } from '../wire/words.ts';
import { Ended, wrongUsage } from './failure.ts';
import { propose } from './find.ts';
import { AS_JSON, explain } from './help.ts';
import { loadRegistry, type Place, placeOf, readTables } from './project.ts';
import { coloursOf, jsonText, print, renderTable } from './terminal.ts';

/** Options of both commands. */
interface GrantOptions {
  readonly json?: true;
  readonly database?: true;
}

/** What both commands reason about. */
interface GrantSources {
  readonly registry: Registry;
  /** Those of the definitions, and of the database where that was asked for; sorted by their ids. */
  readonly users: readonly User[];
}

/** Adds what both commands take. */
function addGrantOptions(command: Command): Command {
  return command.option('--database', "count the users in the gateway's database too").option('--json', AS_JSON);
}

/** Reads the definitions, and the users of the database where they are asked for. */
async function readGrants(command: Command, { database }: GrantOptions): Promise<GrantSources> {
  const place = placeOf(command);
  const registry = await loadRegistry(place, 'ignore-missing');
  const declared = [...registry.users.values()];
  const kept = database === undefined ? [] : await usersOfDatabase(registry, place);
  return { registry, users: [...declared, ...kept].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** Those that may call, with what they hold of the declared roles. */
async function usersOfDatabase(registry: Registry, place: Place): Promise<User[]> {
  const { readUsers } = await import('../security/users/rows.ts');
  const kept = await readTables(registry, place, (db) => readUsers(async () => db).list());
  return kept
    .filter(({ disabled }) => !disabled)
    .map(({ id, roles }) =>
      undeclaredUser(
        id,
        'database',
        roles.flatMap((role) => registry.roles.get(role) ?? []),
      ),
    );
}

/** @throws CliFailure that proposes others where there is none */
function thingsNamed(registry: Registry, asked: string): Thing[] {
  const things = listThings(registry);
  const found = findThings(things, asked);
  const operations = found.filter(({ kind }) => kind === 'operation' || kind === 'consumer').map(({ id }) => id);
  if (operations.length > 1) {
    const meant = operations.sort();
    throw wrongUsage(`${asked} may be ${meant.join(' or ')}`, `Write one of them in full: ${meant[0]}.`);
  }
  if (found.length > 0) return found;
  const id = asked.slice(asked.indexOf(':') + 1);
  const known = [...new Set(things.map((each) => each.id))];
  const kinds = `It names one of these: ${THING_KINDS.join(', ')}.`;
  throw wrongUsage(
    `there is nothing called ${asked} that is granted`,
    [propose(id, known) ?? [], kinds].flat().join('\n'),
  );
}

/** Chains as a table: every link with the line that says so. */
function renderChains(chains: readonly Chain[]): string {
  const rows = chains.flat().map((link) => [link.because, placeOfLink(link)]);
  return renderTable(['BECAUSE', 'WHERE'], rows, { colours: coloursOf(process.stdout) });
}

/** The same for several callers. */
function renderCallers(callers: readonly { readonly name: string; readonly chains: readonly Chain[] }[]): string {
  const rows = callers.flatMap(({ name, chains }) =>
    chains.flat().map((link, index) => [index === 0 ? name : '', link.because, placeOfLink(link)]),
  );
  return renderTable(['WHO', 'BECAUSE', 'WHERE'], rows, { colours: coloursOf(process.stdout) });
}

/** `definitions/security.yaml:12:5`, which terminals and editors open; what is in no file, the database keeps. */
function placeOfLink({ at }: Link): string {
  return at === undefined ? 'database' : `${at.file}:${at.line}:${at.column}`;
}

const whoCanHelp = {
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
interface CallersAnswer {
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
  const command = explain(program.command('who-can'), whoCanHelp)
    .description('list who may use an operation, a query or another thing')
    .argument('<thing>', 'its id, or its kind and id: query:PROCESS_MONITOR');
  addGrantOptions(command).action(async (asked: string, options: GrantOptions, self: Command) => {
    const { registry, users } = await readGrants(self, options);
    const callers = listCallers(registry, users);
    const answers = thingsNamed(registry, asked).map((thing) => answerFor(registry, callers, thing));
    const json = (): string => jsonText(answers.map(plainCallersAnswer));
    await print(options.json ? json() : answers.map((each) => renderCallersAnswer(registry, each)).join('\n'));
  });
}

function answerFor(registry: Registry, callers: readonly CallerFacts[], thing: Thing): CallersAnswer {
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

function renderCallersAnswer(registry: Registry, answer: CallersAnswer): string {
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
  return `${counted(callers.length, 'caller')} may use ${name}.\n\n${renderCallers(shown)}${through}`;
}

function plainCallersAnswer({ thing, isPublic, callers, operations, reached }: CallersAnswer): object {
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

const canHelp = {
  examples: [
    'signalbox can demo                     # everything that the user may use',
    'signalbox can demo PROCESS_MONITOR     # whether, and by which lines of which files',
    'signalbox can role:SAMPLE_ALL          # everything that whoever has the role may use',
    "signalbox can demo LOCATIONS_GET --json | jq '.[].may'",
  ],
  notes: [
    'Things are named as for who-can. A token is named by its scheme and a value of the claim that gives roles, as in PARTNER_TOKENS:locations.read. Of several kinds with one id, the user must be allowed to use them all.',
    '--json writes an array, an object a thing: kind, id, may, needs (each with what, may, and the chains of { because, at: { file, line, column } } that grant it), and missing, chains as well.',
  ],
  exits: ['the user may', 'the user may not, or the definitions hold errors'],
} as const;

/** What is known of one thing. */
interface GrantAnswer {
  readonly thing: Thing;
  readonly verdict: Verdict;
  /** What would have to be held, where it is not. */
  readonly missing: readonly Chain[];
}

/** `signalbox can`: whether a user may use a thing and why, or all that the user may use. */
export function addCan(program: Command): void {
  const command = explain(program.command('can'), canHelp)
    .description('tell whether a user may use a thing, and why')
    .argument(
      '<user>',
      "the user's id; role:ID for whoever has a role, SCHEME:VALUE for a token whose claim has a value",
    )
    .argument('[thing]', 'its id, or its kind and id: query:PROCESS_MONITOR; without one all that the user may use');
  addGrantOptions(command).action(
    async (id: string, asked: string | undefined, options: GrantOptions, self: Command) => {
      const sources = await readGrants(self, options);
      const caller = callerNamed(sources, id);
      const things = asked === undefined ? listThings(sources.registry) : thingsNamed(sources.registry, asked);
      const answers = things.map((thing): GrantAnswer => {
        const verdict = judge(caller, thing);
        return { thing, verdict, missing: whatIsMissing(sources.registry, thing, verdict) };
      });
      const told = asked === undefined ? answers.filter(isHeld) : answers;
      if (options.json) await print(jsonText(told.map(plainGrantAnswer)));
      else
        await print(
          asked === undefined
            ? renderAll(caller, told)
            : told.map((each) => renderGrantAnswer(caller, each)).join('\n'),
        );
      if (!told.every(({ verdict }) => verdict.may)) throw new Ended(1);
    },
  );
}

/** What may be used, apart from components that nobody names: those are reached by what is listed anyway. */
function isHeld({ thing, verdict }: GrantAnswer): boolean {
  return verdict.may && !(thing.kind === 'component' && thing.needs.every(({ granted }) => granted.public));
}

/** @throws CliFailure that proposes others where there is none */
function callerNamed({ registry, users }: GrantSources, asked: string): CallerFacts {
  const user = users.find((each) => each.id === asked);
  if (user !== undefined) return callerOfUser(user);
  const [kind = '', id] = asked.split(/:(.*)/s);
  if (kind === 'role' && id !== undefined) {
    const role = registry.roles.get(id);
    if (role === undefined) throw wrongUsage(`there is no role ${id}`, propose(id, registry.roles.keys()));
    return callerOfRole(role);
  }
  const tokens = listTokens(registry);
  const token = tokens.find((each) => each.id === asked);
  if (token !== undefined) return token.caller;
  if (registry.schemes.get(kind)?.kind === 'bearer')
    throw wrongUsage(`no token is called ${asked}`, tokenHint(registry, kind));
  const proposed = registry.roles.has(asked) ? `Did you mean role:${asked}?` : undefined;
  const known = users.map((each) => each.id);
  const hint = 'Users of the database count with --database.';
  const hints = [proposed ?? propose(asked, known, 'signalbox user list'), hint].filter((each) => each !== undefined);
  throw wrongUsage(`there is no user ${asked}`, hints.join('\n'));
}

/** Which names tokens of a scheme have: roles come from what is in them, not from whose they are. */
function tokenHint(registry: Registry, scheme: string): string {
  const known = listTokens(registry).flatMap(({ id }) => (id.startsWith(`${scheme}:`) ? id : []));
  return known.length === 0
    ? `Tokens of ${scheme} give no roles.`
    : `A token is named by a value that gives roles: ${known.join(', ')}.`;
}

function renderGrantAnswer(caller: CallerFacts, { thing, verdict, missing }: GrantAnswer): string {
  const { bold, green, red } = coloursOf(process.stdout);
  const name = bold(nameOf(thing));
  const chains = verdict.needs.flatMap((each) => each.chains);
  if (verdict.may) return `${caller.name} ${green('may')} use ${name}.\n\n${renderChains(chains)}`;
  return `${caller.name} ${red('may not')} use ${name}. It would take:\n\n${renderChains(missing)}`;
}

function renderAll(caller: CallerFacts, answers: readonly GrantAnswer[]): string {
  const rows = answers.map(({ thing, verdict }) => {
    const [chain = []] = verdict.needs[0]?.chains ?? [];
    const last = chain.at(-1);
    return [thing.kind, thing.id, last?.because ?? '', last === undefined ? '' : placeOfLink(last)];
  });
  const head = `${caller.name} may use ${counted(rows.length, 'thing')}.\n\n`;
  return head + renderTable(['KIND', 'THING', 'BECAUSE', 'WHERE'], rows, { colours: coloursOf(process.stdout) });
}

function plainGrantAnswer({ thing, verdict, missing }: GrantAnswer): object {
  return { kind: thing.kind, id: thing.id, may: verdict.may, needs: verdict.needs, missing };
}
