import { hostname, userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import type { Registry } from '../../model/registry.ts';
import type { Trails } from '../../security/trail.ts';
import type { UserReader, Users } from '../../security/users/user-port.ts';
import { CliFailure, wrongUsage } from '../failure.ts';
import { propose } from '../find.ts';
import { AS_JSON, explain } from '../help.ts';
import { loadRegistry, placeOf, readTables, withCurrentStore } from '../project.ts';

/** What a command works with that changes users. */
interface WriteAccess {
  readonly registry: Registry;
  readonly users: Users;
  /** The database, as it is shown to people. */
  readonly location: string;
}

/** What a command works with that shows users. */
export interface ReadAccess {
  readonly registry: Registry;
  readonly users: UserReader;
  readonly trails: Trails;
}

/** Adds `<name> <user>` to a group of commands, with its help. */
export function userCommand(
  group: Command,
  name: string,
  { description, examples }: { readonly description: string; readonly examples: readonly string[] },
): Command {
  return explain(group.command(name), { examples }).description(description).argument('<user>', 'its id');
}

/**
 * Makes the command change the user that its first argument names, in the configured database. It ends with an error for a
 * user of the definitions.
 * @param work gets the arguments of the command line, then its options
 */
export function changesUser<Rest extends readonly unknown[]>(
  command: Command,
  work: (access: WriteAccess, id: string, ...rest: Rest) => Promise<void>,
): void {
  command.addOption(new Option('--actor <name>', 'the name in the audit trail (default: account@host)'));
  command.action(async (id: string, ...rest: unknown[]) => {
    const { actor = defaultActor() } = command.opts<{ actor?: string }>();
    checkText('--actor', actor);
    const place = placeOf(command);
    const registry = await loadRegistry(place, 'ignore-missing');
    refuseDeclared(registry, id);
    const { openUsers } = await import('../../security/users/open-users.ts');
    await withCurrentStore(registry, place, async (store) => {
      const access = { registry, users: openUsers({ store, actor }), location: store.location };
      await work(access, id, ...(rest as unknown as Rest));
    });
  });
}

/**
 * Makes the command show users of the configured database, which is neither created nor changed. It ends with an error when
 * the database is not up to date.
 * @param work gets the arguments of the command line
 */
export function showsUsers(
  command: Command,
  work: (access: ReadAccess, json: true | undefined, args: readonly string[]) => Promise<void>,
): void {
  command.option('--json', AS_JSON).action(async () => {
    const place = placeOf(command);
    const registry = await loadRegistry(place, 'ignore-missing');
    const [{ readUsers }, { readTrails }] = await Promise.all([
      import('../../security/users/rows.ts'),
      import('../../security/trail.ts'),
    ]);
    await readTables(registry, place, (db) =>
      work(
        { registry, users: readUsers(async () => db), trails: readTrails(async () => db) },
        command.opts<{ json?: true }>().json,
        command.args,
      ),
    );
  });
}

/** The account that runs the command, and its machine. */
export function defaultActor(): string {
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

/** @throws CliFailure for a user of the definitions, which commands can't change */
export function refuseDeclared({ users }: Registry, id: string): void {
  const declared = users.get(id);
  if (declared === undefined) return;
  const { file, line } = declared.at;
  throw new CliFailure(`${id} is a user of the definitions (${file}:${line}) and can't be changed by a command`, {
    hint: `Edit ${file}. signalbox user hash prints the hash of a password or of a new API key for it.`,
  });
}

/** @throws CliFailure for a text with a control character, which could drive a terminal or break a line of the trail */
export function checkText(option: string, text: string | undefined): void {
  if (text !== undefined && /\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u.test(text))
    throw wrongUsage(`${option} contains a control character`);
}

/** @throws CliFailure for a role that is not declared */
export function checkRoles({ roles }: Registry, ids: readonly string[]): void {
  for (const id of ids) {
    if (!roles.has(id)) throw wrongUsage(`there is no role ${id} in the definitions`, propose(id, roles.keys()));
  }
}
