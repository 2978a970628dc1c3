import type { Command } from 'commander';
import { CliFailure, wrongUsage } from '../failure.ts';
import { explain } from '../help.ts';
import { print } from '../terminal.ts';
import { changeUser, checkRoles, checkText, withActor } from './access.ts';
import { addUserCertificate, addUserKey } from './credentials.ts';
import { addUserHash, newPassword, type PasswordOptions, printDone, withPassword } from './password.ts';
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
    "They are kept in the configured database, while gateways run on it; each of a fleet notices a change within 2 s. A password has at least 8 characters, and is not the user's id. A user is disabled, never removed: what belongs to it stays its own, and nobody else gets its id. Users of the definitions are changed by an edit alone.",
  ],
} as const;

/** `signalbox user`: the users that the database keeps, their API keys, and the trail of what was done to them. */
export function addUser(program: Command): void {
  const user = explain(program.command('user'), help).description(
    'manage users, their API keys and their certificates',
  );
  for (const add of [addUserAdd, addUserPasswd, addUserDisable, addUserRole, addUserList, addUserShow]) add(user);
  for (const add of [addUserKey, addUserCertificate, addUserLog, addUserHash]) add(user);
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];

/** `signalbox user add`. */
function addUserAdd(user: Command): void {
  const command = explain(user.command('add'), {
    examples: [
      'signalbox user add ada --role SAMPLE_ALL',
      'signalbox user add nightly --no-password --role SAMPLE_ALL',
    ],
  })
    .description('add a user; a password is asked for')
    .argument('<user>', 'its id')
    .option('--role <role>', 'a role that it holds; once for each', collect, [])
    .option('--description <text>', 'who or what it is');
  withActor(withPassword(command)).action(
    async (id: string, options: PasswordOptions & { role: string[]; description?: string }, run: Command) =>
      changeUser(run, id, async ({ registry, users, location }) => {
        await checkId(id);
        checkText('--description', options.description);
        checkRoles(registry, options.role);
        const known = (await users.list()).some((each) => each.id === id);
        // Before a password is asked for in vain; what was added meanwhile is refused all the same.
        if (known) throw new CliFailure(`there is a user ${id} in the database already`);
        const password = await newPassword(id, options);
        const { description } = options;
        await users.add({
          id,
          roles: [...new Set(options.role)],
          ...(password.hash === undefined ? {} : { password: password.hash }),
          ...(description === undefined ? {} : { description }),
        });
        await printDone(`${id} was added to ${location}.`, password);
      }),
  );
}

async function checkId(id: string): Promise<void> {
  const { ID_PATTERN } = await import('../../load/schema/security.ts');
  if (!new RegExp(ID_PATTERN).test(id))
    throw wrongUsage(`${JSON.stringify(id)} is no id`, 'Letters, digits, and after the first _ . @ - make one.');
}

/** `signalbox user passwd`. */
function addUserPasswd(user: Command): void {
  const command = explain(user.command('passwd'), {
    examples: ['signalbox user passwd ada', 'pass show gateway/ada | signalbox user passwd ada --password-stdin'],
  })
    .description('give a user another password; the old one is refused within 2 s')
    .argument('<user>', 'its id');
  withActor(withPassword(command)).action(async (id: string, options: PasswordOptions, run: Command) =>
    changeUser(run, id, async ({ users }) => {
      await users.get(id);
      const password = await newPassword(id, options);
      await users.setPassword(id, password.hash);
      const has = password.hash === undefined ? 'has no password any more' : 'has another password';
      await printDone(`${id} ${has}.`, password);
    }),
  );
}

/** `signalbox user disable` and `signalbox user enable`. */
function addUserDisable(user: Command): void {
  for (const [name, disabled, description] of [
    ['disable', true, 'let a user call no more, within 2 s; what belongs to it stays'],
    ['enable', false, 'let a disabled user call again'],
  ] as const) {
    const command = explain(user.command(name), { examples: [`signalbox user ${name} ada`] })
      .description(description)
      .argument('<user>', 'its id');
    withActor(command).action(async (id: string, _: object, run: Command) =>
      changeUser(run, id, async ({ users }) => {
        const changed = await users.setDisabled(id, disabled);
        const state = disabled ? 'disabled' : 'enabled';
        await print(changed ? `${id} is ${state}.\n` : `${id} is ${state} already.\n`);
      }),
    );
  }
}

/** `signalbox user role`. */
function addUserRole(user: Command): void {
  const command = explain(user.command('role'), { examples: ['signalbox user role ada --add SAMPLE_ALL'] })
    .description('give roles to a user, or take them')
    .argument('<user>', 'its id')
    .option('--add <role>', 'one to give; once for each', collect, [])
    .option('--remove <role>', 'one to take; once for each', collect, []);
  withActor(command).action(async (id: string, { add, remove }: { add: string[]; remove: string[] }, run: Command) => {
    if (add.length + remove.length === 0) throw wrongUsage('--add or --remove says which role');
    const both = add.find((role) => remove.includes(role));
    if (both !== undefined) throw wrongUsage(`${both} can't be both given and taken`);
    await changeUser(run, id, async ({ registry, users }) => {
      checkRoles(registry, add);
      const changed = await users.changeRoles(id, { add: [...new Set(add)], remove });
      const { roles } = await users.get(id);
      const held = roles.length === 0 ? 'no role' : roles.join(', ');
      await print(changed ? `${id} holds ${held}.\n` : `${id} holds ${held} already.\n`);
    });
  });
}
