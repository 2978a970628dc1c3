import { hostname, userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import type { Registry } from '../../model/registry.ts';
import type { UserReader, Users } from '../../security/users/port.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { propose } from '../find.ts';
import { loadRegistry, placeOf, readTables, withStore } from '../project.ts';

/** What the commands work with that change users. */
export interface Access {
  readonly registry: Registry;
  readonly users: Users;
  /** Database, for people. */
  readonly location: string;
}

/** What the commands work with that only look. */
export interface Seen {
  readonly registry: Registry;
  readonly users: UserReader;
}

/** Who works, where nobody says otherwise. */
function defaultActor(): string {
  return `${accountName()}@${hostname()}`;
}

/** In a container the account may have a number and no name. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Adds `--actor` to a command that changes something. */
export function withActor(command: Command): Command {
  return command.addOption(new Option('--actor <name>', 'who the audit trail says it was (default: account@host)'));
}

/**
 * Opens the users of the configured database, brought up to date, to change one of them, and closes it after the work.
 * @throws CliFailure for a user of the definitions
 */
export async function changeUser(command: Command, id: string, work: (access: Access) => Promise<void>): Promise<void> {
  const { actor = defaultActor() } = command.opts<{ actor?: string }>();
  checkText('--actor', actor);
  const place = placeOf(command);
  const registry = await loadRegistry(place, 'ignore-missing');
  refuseDeclared(registry, id);
  const { openUsers } = await import('../../security/users/open.ts');
  await withStore(registry, place, async (store) => {
    await store.migrate();
    await work({ registry, users: openUsers({ store, actor }), location: store.location });
  });
}

/** Looks at the users of the configured database, which is neither made nor changed. @throws CliFailure where it is not up to date */
export async function readUsers(command: Command, work: (seen: Seen) => Promise<void>): Promise<void> {
  const place = placeOf(command);
  const registry = await loadRegistry(place, 'ignore-missing');
  const { readUsers: read } = await import('../../security/users/rows.ts');
  await readTables(registry, place, (db) => work({ registry, users: read(async () => db) }));
}

/** @throws CliFailure for a user of the definitions, which no command changes */
export function refuseDeclared({ users }: Registry, id: string): void {
  const declared = users.get(id);
  if (declared === undefined) return;
  const { file, line } = declared.at;
  throw new CliFailure(`${id} is a user of the definitions (${file}:${line}), which only an edit changes`, {
    hint: 'signalbox user hash prints the hash of a password, or of a new API key, for that file.',
  });
}

/** @throws CliFailure for a text with a control character, which terminals obey and lines of the trail are cut by */
export function checkText(option: string, text: string | undefined): void {
  if (text !== undefined && /\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u.test(text))
    throw wrongUsage(`${option} has a control character`);
}

/** @throws CliFailure for a role that is not declared */
export function checkRoles({ roles }: Registry, ids: readonly string[]): void {
  for (const id of ids) {
    if (!roles.has(id)) throw wrongUsage(`there is no role ${id} in the definitions`, propose(id, roles.keys()));
  }
}
