import type { Command } from 'commander';
import type { Registry } from '../../model/registry.ts';
import {
  type CallerFacts,
  type Chain,
  callerOfRole,
  callerOfUser,
  judge,
  listThings,
  listTokens,
  nameOf,
  type Thing,
  type Verdict,
  whatIsMissing,
} from '../../security/grants.ts';
import { Ended, wrongUsage } from '../failure.ts';
import { explain } from '../help.ts';
import { propose } from '../proposal.ts';
import { renderTable } from '../table.ts';
import { coloursOf, jsonText, print } from '../terminal.ts';
import { count } from '../words.ts';
import {
  addGrantOptions,
  type GrantOptions,
  type GrantSources,
  placeOfLink,
  readGrants,
  renderChains,
  thingsNamed,
} from './grants-found.ts';

const help = {
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
interface Answer {
  readonly thing: Thing;
  readonly verdict: Verdict;
  /** What would have to be held, where it is not. */
  readonly missing: readonly Chain[];
}

/** `signalbox can`: whether a user may use a thing and why, or all that the user may use. */
export function addCan(program: Command): void {
  const command = explain(program.command('can'), help)
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
      const answers = things.map((thing): Answer => {
        const verdict = judge(caller, thing);
        return { thing, verdict, missing: whatIsMissing(sources.registry, thing, verdict) };
      });
      const told = asked === undefined ? answers.filter(isHeld) : answers;
      if (options.json) await print(jsonText(told.map(plain)));
      else
        await print(
          asked === undefined ? renderAll(caller, told) : told.map((each) => render(caller, each)).join('\n'),
        );
      if (!told.every(({ verdict }) => verdict.may)) throw new Ended(1);
    },
  );
}

/** What may be used, apart from components that nobody names: those are reached by what is listed anyway. */
function isHeld({ thing, verdict }: Answer): boolean {
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

function render(caller: CallerFacts, { thing, verdict, missing }: Answer): string {
  const { bold, green, red } = coloursOf(process.stdout);
  const name = bold(nameOf(thing));
  const chains = verdict.needs.flatMap((each) => each.chains);
  if (verdict.may) return `${caller.name} ${green('may')} use ${name}.\n\n${renderChains(chains)}`;
  return `${caller.name} ${red('may not')} use ${name}. It would take:\n\n${renderChains(missing)}`;
}

function renderAll(caller: CallerFacts, answers: readonly Answer[]): string {
  const rows = answers.map(({ thing, verdict }) => {
    const [chain = []] = verdict.needs[0]?.chains ?? [];
    const last = chain.at(-1);
    return [thing.kind, thing.id, last?.because ?? '', last === undefined ? '' : placeOfLink(last)];
  });
  const head = `${caller.name} may use ${count(rows.length, 'thing')}.\n\n`;
  return head + renderTable(['KIND', 'THING', 'BECAUSE', 'WHERE'], rows, { colours: coloursOf(process.stdout) });
}

function plain({ thing, verdict, missing }: Answer): object {
  return { kind: thing.kind, id: thing.id, may: verdict.may, needs: verdict.needs, missing };
}
