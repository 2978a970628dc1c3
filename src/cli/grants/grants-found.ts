import type { Command } from 'commander';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import { undeclaredUser } from '../../security/authorise.ts';
import { type Chain, findThings, type Link, listThings, THING_KINDS, type Thing } from '../../security/grants.ts';
import { wrongUsage } from '../failure.ts';
import { AS_JSON } from '../help.ts';
import { loadRegistry, type Place, placeOf } from '../project.ts';
import { propose } from '../proposal.ts';
import { readTables } from '../store.ts';
import { renderTable } from '../table.ts';
import { coloursOf } from '../terminal.ts';

/** Options of both commands. */
export interface GrantOptions {
  readonly json?: true;
  readonly database?: true;
}

/** What both commands reason about. */
export interface GrantSources {
  readonly registry: Registry;
  /** Those of the definitions, and of the database where that was asked for; sorted by their ids. */
  readonly users: readonly User[];
}

/** Adds what both commands take. */
export function addGrantOptions(command: Command): Command {
  return command.option('--database', "count the users in the gateway's database too").option('--json', AS_JSON);
}

/** Reads the definitions, and the users of the database where they are asked for. */
export async function readGrants(command: Command, { database }: GrantOptions): Promise<GrantSources> {
  const place = placeOf(command);
  const registry = await loadRegistry(place, 'ignore-missing');
  const declared = [...registry.users.values()];
  const kept = database === undefined ? [] : await usersOfDatabase(registry, place);
  return { registry, users: [...declared, ...kept].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** Those that may call, with what they hold of the declared roles. */
async function usersOfDatabase(registry: Registry, place: Place): Promise<User[]> {
  const { readUsers } = await import('../../security/users/rows.ts');
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
export function thingsNamed(registry: Registry, asked: string): Thing[] {
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
export function renderChains(chains: readonly Chain[]): string {
  const rows = chains.flat().map((link) => [link.because, placeOfLink(link)]);
  return renderTable(['BECAUSE', 'WHERE'], rows, { colours: coloursOf(process.stdout) });
}

/** The same for several callers. */
export function renderCallers(
  callers: readonly { readonly name: string; readonly chains: readonly Chain[] }[],
): string {
  const rows = callers.flatMap(({ name, chains }) =>
    chains.flat().map((link, index) => [index === 0 ? name : '', link.because, placeOfLink(link)]),
  );
  return renderTable(['WHO', 'BECAUSE', 'WHERE'], rows, { colours: coloursOf(process.stdout) });
}

/** `definitions/security.yaml:12:5`, which terminals and editors open; what is in no file, the database keeps. */
export function placeOfLink({ at }: Link): string {
  return at === undefined ? 'database' : `${at.file}:${at.line}:${at.column}`;
}
