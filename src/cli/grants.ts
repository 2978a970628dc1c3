import type { Command } from 'commander';
import type { Registry } from '../model/registry.ts';
import type { User } from '../model/security.ts';
import { undeclaredUser } from '../security/authorise.ts';
import {
  ANYONE,
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
  THING_KINDS,
  type Thing,
  type Verdict,
  type WhoMay,
  whatIsMissing,
  whoMay,
} from '../security/grants.ts';
import { counted } from '../wire/words.ts';
import { Ended, wrongUsage } from './failure.ts';
import { propose } from './find.ts';
import { AS_JSON, explain } from './help.ts';
import { loadRegistry, type Place, placeOf, readTables } from './project.ts';
import { type Columns, coloursOf, printResult, tableOf } from './terminal.ts';

/** Options of both commands. */
interface GrantOptions {
  readonly json?: true;
  readonly database?: true;
}

/** What both commands work on. */
interface GrantSources {
  readonly registry: Registry;
  /** The users of the definitions, and with `--database` of the database too, in the order of their ids. */
  readonly users: readonly User[];
}

function addGrantOptions(command: Command): Command {
  return command.option('--database', "include the users of the gateway's database").option('--json', AS_JSON);
}

async function readGrants(command: Command, { database }: GrantOptions): Promise<GrantSources> {
  const place = placeOf(command);
  const registry = await loadRegistry(place, 'ignore-missing');
  const declared = [...registry.users.values()];
  const kept = database === undefined ? [] : await usersOfDatabase(registry, place);
  return { registry, users: [...declared, ...kept].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** The users of the database that are not disabled, with those of their roles that are declared. */
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

/** Everything with that id. @throws CliFailure that proposes other ids */
function thingsNamed(registry: Registry, asked: string): Thing[] {
  const things = listThings(registry);
  const found = findThings(things, asked);
  const operations = found.filter(({ kind }) => kind === 'operation' || kind === 'consumer').map(({ id }) => id);
  if (operations.length > 1) {
    const meant = operations.sort();
    throw wrongUsage(`${asked} may mean ${meant.join(' or ')}`, `Write one of them in full: ${meant[0]}.`);
  }
  if (found.length > 0) return found;
  const id = asked.slice(asked.indexOf(':') + 1);
  const known = [...new Set(things.map((each) => each.id))];
  const kinds = `These kinds of things are granted: ${THING_KINDS.join(', ')}.`;
  throw wrongUsage(`nothing that is granted has the id ${asked}`, [propose(id, known) ?? [], kinds].flat().join('\n'));
}

const LINK_COLUMNS: Columns<Link> = {
  BECAUSE: ({ because }) => because,
  WHERE: placeOfLink,
};

/** Chains as a table: every link with its place in the definitions. */
function renderChains(chains: readonly Chain[]): string {
  return tableOf(chains.flat(), LINK_COLUMNS);
}

function chainsOf({ needs }: Pick<Verdict, 'needs'>): Chain[] {
  return needs.flatMap(({ chains }) => chains);
}

/** `definitions/security.yaml:12:5`, which terminals and editors open; `database` for a link that is not in a file. */
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
    'A thing is an operation, a query, a process, a component, a related-content service, an operation with a target (consumer), a flow or a grant of the console (console:act), named by its id. If things of several kinds have the same id, all of them are shown; write the kind before the id to select one. LOCATIONS_GET is the operation of the default version of its service, Locations.v2.LOCATIONS_GET that of a specific version. Granting an operation covers what answers it: its query, its component, its call. Tokens are listed by the roles that their claims give. Only grants are considered, not whether credentials are accepted.',
    '--json writes an array with one object per thing: kind, id, public, callers (each with caller, roles, and needs: what, may, and the chains of { because, at: { file, line, column } } that grant it), operations (those that reach a component without grants of its own), and reached (the chains of operations that use it in the name of a role).',
  ],
} as const;

/** `signalbox who-can`: who may use a thing, and the lines of the definitions that permit it. */
export function addWhoCan(program: Command): void {
  const command = explain(program.command('who-can'), whoCanHelp)
    .description('list who may use an operation, a query or another thing')
    .argument('<thing>', 'its id, or its kind and id: query:PROCESS_MONITOR');
  addGrantOptions(command).action(async (asked: string, options: GrantOptions, self: Command) => {
    const { registry, users } = await readGrants(self, options);
    const callers = listCallers(registry, users);
    const things = thingsNamed(registry, asked);
    const answers = things.map((thing) => whoMay(registry, callers, thing));
    await printResult(answers, options.json, () =>
      things.map((thing, index) => renderCallers(registry, thing, answers[index] as WhoMay)).join('\n'),
    );
  });
}

function renderCallers(registry: Registry, thing: Thing, answer: WhoMay): string {
  const { callers, operations, reached } = answer;
  const name = coloursOf(process.stdout).bold(nameOf(thing));
  const open = judge(ANYONE, thing);
  if (answer.public) return `Everyone may use ${name}, without credentials.\n\n${renderChains(chainsOf(open))}`;
  if (operations !== undefined) {
    const who =
      operations.length === 0 ? 'Only code reaches it' : `Whoever may call ${operations.join(', ')} may use it`;
    return `There are no grants for ${name} itself. ${who}.\n\n${renderChains(chainsOf(open))}`;
  }
  const asRole = reached.length === 0 ? '' : `\nOperations that run as a role use it too:\n\n${renderChains(reached)}`;
  if (callers.length === 0)
    return `No one may use ${name}. Needed:\n\n${renderChains(whatIsMissing(registry, thing, open))}${asRole}`;
  const rows = callers.flatMap(({ caller, needs }) =>
    needs.flatMap(({ chains }) => chains.flat()).map((link, index) => ({ ...link, who: index === 0 ? caller : '' })),
  );
  const columns = { WHO: ({ who }: { readonly who: string }) => who, ...LINK_COLUMNS };
  return `${counted(callers.length, 'caller')} may use ${name}.\n\n${tableOf(rows, columns)}${asRole}`;
}

const canHelp = {
  examples: [
    'signalbox can demo  # everything that the user may use',
    'signalbox can demo PROCESS_MONITOR  # whether the user may use it, and the lines that decide',
    'signalbox can role:SAMPLE_ALL  # everything that the role permits',
    "signalbox can demo LOCATIONS_GET --json | jq '.[].may'",
  ],
  notes: [
    'Things are named as for who-can. A token is named by its scheme and a value of the claim that gives roles, as in PARTNER_TOKENS:locations.read. If things of several kinds have the same id, the user must be allowed to use all of them.',
    '--json writes an array with one object per thing: kind, id, may, needs (each with what, may, and the chains of { because, at: { file, line, column } } that grant it), and missing (the chains that would be needed).',
  ],
  exits: ['the user may', 'the user may not, or the definitions contain errors'],
} as const;

/** Whether a caller may use one thing, as `--json` writes it. */
interface GrantAnswer {
  readonly kind: Thing['kind'];
  readonly id: string;
  readonly may: boolean;
  readonly needs: Verdict['needs'];
  /** The grants that would be needed, when the caller may not. */
  readonly missing: readonly Chain[];
}

/** `signalbox can`: whether a user may use a thing and why, or all that the user may use. */
export function addCan(program: Command): void {
  const command = explain(program.command('can'), canHelp)
    .description('check whether a user may use a thing, and explain why')
    .argument(
      '<user>',
      "the user's id; role:ID for anyone with that role, SCHEME:VALUE for a token with that value of the claim",
    )
    .argument(
      '[thing]',
      'its id, or its kind and id: query:PROCESS_MONITOR (default: everything that the user may use)',
    );
  addGrantOptions(command).action(
    async (id: string, asked: string | undefined, options: GrantOptions, self: Command) => {
      const sources = await readGrants(self, options);
      const { registry } = sources;
      const caller = callerNamed(sources, id);
      const things =
        asked === undefined
          ? listThings(registry).filter((thing) => isHeld(caller, thing))
          : thingsNamed(registry, asked);
      const answers = things.map((thing): GrantAnswer => {
        const verdict = judge(caller, thing);
        return { kind: thing.kind, id: thing.id, ...verdict, missing: whatIsMissing(registry, thing, verdict) };
      });
      await printResult(answers, options.json, () =>
        asked === undefined ? renderAll(caller, answers) : answers.map((each) => renderGrant(caller, each)).join('\n'),
      );
      if (!answers.every(({ may }) => may)) throw new Ended(1);
    },
  );
}

/** Whether a caller may use a thing. Components without grants of their own are left out: listed operations reach them. */
function isHeld(caller: CallerFacts, thing: Thing): boolean {
  return (
    judge(caller, thing).may && !(thing.kind === 'component' && thing.needs.every(({ granted }) => granted.public))
  );
}

/** @throws CliFailure that proposes other ids */
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
    throw wrongUsage(`there is no token ${asked}`, tokenHint(registry, kind));
  const proposed = registry.roles.has(asked) ? `Did you mean role:${asked}?` : undefined;
  const known = users.map((each) => each.id);
  const hint = 'Pass --database to include the users of the database.';
  const hints = [proposed ?? propose(asked, known, 'signalbox user list'), hint].filter((each) => each !== undefined);
  throw wrongUsage(`there is no user ${asked}`, hints.join('\n'));
}

/** The names of a scheme's tokens: a token gives roles by the values of a claim, not by its user. */
function tokenHint(registry: Registry, scheme: string): string {
  const known = listTokens(registry).flatMap(({ id }) => (id.startsWith(`${scheme}:`) ? id : []));
  return known.length === 0
    ? `Tokens of ${scheme} don't give roles.`
    : `A token is named by a value that gives roles: ${known.join(', ')}.`;
}

function renderGrant(caller: CallerFacts, { kind, id, may, needs, missing }: GrantAnswer): string {
  const { bold, green, red } = coloursOf(process.stdout);
  const name = bold(nameOf({ kind, id }));
  if (may) return `${caller.name} ${green('may')} use ${name}.\n\n${renderChains(chainsOf({ needs }))}`;
  return `${caller.name} ${red('may not')} use ${name}. Needed:\n\n${renderChains(missing)}`;
}

function renderAll(caller: CallerFacts, answers: readonly GrantAnswer[]): string {
  const lastLink = ({ needs }: GrantAnswer): Link | undefined => needs[0]?.chains[0]?.at(-1);
  const table = tableOf(answers, {
    KIND: ({ kind }) => kind,
    THING: ({ id }) => id,
    BECAUSE: (answer) => lastLink(answer)?.because,
    WHERE: (answer) => {
      const link = lastLink(answer);
      return link && placeOfLink(link);
    },
  });
  return `${caller.name} may use ${counted(answers.length, 'thing')}.\n\n${table}`;
}
