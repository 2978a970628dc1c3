import type { Command } from 'commander';
import { CliFailure, wrongUsage } from '../failure.ts';
import { explain } from '../help.ts';
import { print } from '../terminal.ts';
import { changesUser, checkRoles, checkText, userCommand } from './access.ts';
import { addUserCertificate, addUserKey } from './credentials.ts';
import { addUserHash, newPassword, type PasswordOptions, printDone, withPassword } from './password.ts';
import { addUserSession } from './session.ts';
import { addUserList, addUserLog, addUserShow } from './show.ts';

const help = {
  examples: [
    'signalbox user add ada --role SAMPLE_ALL',
    'signalbox user list',
    "signalbox user key add ada --expires '90 d'",
    'signalbox user disable ada',
    'signalbox user log ada',
  ],
  notes: [
    "Users are stored in the configured database. Gateways may run meanwhile: every gateway of a fleet notices a change within 2 s. A password has at least 8 characters and differs from the user's id. A user is disabled, never removed: it keeps what belongs to it, and its id is never given to anyone else. Users of the definitions can't be changed by these commands: edit the definitions instead.",
  ],
} as const;

/** `signalbox user`: the users of the database, their API keys and certificates, sessions of the console, and the audit trail. */
export function addUser(program: Command): void {
  const user = explain(program.command('user'), help).description(
    'manage users, their API keys, certificates and sessions',
  );
  for (const add of [addUserAdd, addUserPasswd, addUserDisable, addUserRole, addUserList, addUserShow]) add(user);
  for (const add of [addUserKey, addUserCertificate, addUserSession, addUserLog, addUserHash]) add(user);
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];

interface AddOptions extends PasswordOptions {
  readonly role: readonly string[];
  readonly description?: string;
}

/** `signalbox user add`. */
function addUserAdd(user: Command): void {
  const command = userCommand(user, 'add', {
    description: 'add a user; prompts for a password',
    examples: [
      'signalbox user add ada --role SAMPLE_ALL',
      'signalbox user add nightly --no-password --role SAMPLE_ALL',
    ],
  })
    .option('--role <role>', 'a role of the user; repeat for more than one', collect, [])
    .option('--description <text>', 'who or what it is');
  changesUser(withPassword(command), async ({ registry, users, location }, id, options: AddOptions) => {
    const { role, description } = options;
    await checkId(id);
    checkText('--description', description);
    checkRoles(registry, role);
    const known = (await users.list()).some((each) => each.id === id);
    // Checked before the password is prompted for; `add` refuses a user that was added meanwhile.
    if (known) throw new CliFailure(`user ${id} already exists in the database`);
    const password = await newPassword(id, options);
    await users.add({
      id,
      roles: [...new Set(role)],
      ...(password.hash === undefined ? {} : { password: password.hash }),
      ...(description === undefined ? {} : { description }),
    });
    await printDone(`${id} was added to ${location}.`, password);
  });
}

async function checkId(id: string): Promise<void> {
  const { ID_PATTERN } = await import('../../model/security.ts');
  if (!new RegExp(ID_PATTERN).test(id))
    throw wrongUsage(
      `${JSON.stringify(id)} is not a valid id`,
      'An id consists of letters and digits, and after the first character also of _ . @ -',
    );
}

/** `signalbox user passwd`. */
function addUserPasswd(user: Command): void {
  const command = userCommand(user, 'passwd', {
    description: "change a user's password; the old one is refused within 2 s",
    examples: ['signalbox user passwd ada', 'pass show gateway/ada | signalbox user passwd ada --password-stdin'],
  });
  changesUser(withPassword(command), async ({ users }, id, options: PasswordOptions) => {
    await users.get(id);
    const password = await newPassword(id, options);
    await users.setPassword(id, password.hash);
    await printDone(`${id} has ${password.hash === undefined ? 'no password any more' : 'a new password'}.`, password);
  });
}

/** `signalbox user disable` and `signalbox user enable`. */
function addUserDisable(user: Command): void {
  for (const [name, disabled, description] of [
    ['disable', true, 'refuse calls of a user, within 2 s; what belongs to the user is kept'],
    ['enable', false, 'let a disabled user call again'],
  ] as const) {
    const command = userCommand(user, name, { description, examples: [`signalbox user ${name} ada`] });
    changesUser(command, async ({ users }, id) => {
      const changed = await users.setDisabled(id, disabled);
      await print(`${id} is ${changed ? '' : 'already '}${name}d.\n`);
    });
  }
}

interface RoleOptions {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** `signalbox user role`. */
function addUserRole(user: Command): void {
  const command = userCommand(user, 'role', {
    description: 'give roles to a user, or take them away',
    examples: ['signalbox user role ada --add SAMPLE_ALL'],
  })
    .option('--add <role>', 'a role to give; repeat for more than one', collect, [])
    .option('--remove <role>', 'a role to take away; repeat for more than one', collect, [])
    .hook('preAction', (self) => checkRoleOptions(self.opts()));
  changesUser(command, async ({ registry, users }, id, { add, remove }: RoleOptions) => {
    checkRoles(registry, add);
    const changed = await users.changeRoles(id, { add: [...new Set(add)], remove });
    const { roles } = await users.get(id);
    const held = roles.length === 0 ? 'no role' : roles.join(', ');
    await print(`${id} ${changed ? 'now' : 'already'} has ${held}.\n`);
  });
}

function checkRoleOptions({ add, remove }: RoleOptions): void {
  if (add.length + remove.length === 0) throw wrongUsage('a role is missing', 'Name it with --add or --remove.');
  const both = add.find((role) => remove.includes(role));
  if (both !== undefined) throw wrongUsage(`${both} can't be both given and taken away`);
}
