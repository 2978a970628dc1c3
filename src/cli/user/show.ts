import type { Command } from 'commander';
import type { User } from '../../model/security.ts';
import type { KeptUser, TrailLine } from '../../security/users/port.ts';
import { AS_JSON, explain } from '../help.ts';
import { coloursOf, jsonText, print, renderTable } from '../terminal.ts';
import { readUsers, type Seen } from './access.ts';
import { renderCertificates, renderKeys } from './credentials.ts';

/** A user of either place as it is shown. */
interface Shown extends Partial<Omit<KeptUser, 'id' | 'roles'>> {
  readonly id: string;
  readonly roles: readonly string[];
  /** `database`, or where its definition stands. */
  readonly from: string;
}

/** `signalbox user list`. */
export function addUserList(user: Command): void {
  explain(user.command('list'), { examples: ['signalbox user list', "signalbox user list --json | jq -r '.[].id'"] })
    .description('list the users of the database and of the definitions')
    .option('--json', AS_JSON)
    .action(async ({ json = false }: { json?: boolean }, command: Command) =>
      readUsers(command, async ({ registry, users }) => {
        const shown = [...(await users.list()).map(ofDatabase), ...[...registry.users.values()].map(ofDefinitions)];
        await print(json ? jsonText(shown) : renderUsers(shown));
      }),
    );
}

/** `signalbox user show`. */
export function addUserShow(user: Command): void {
  explain(user.command('show'), { examples: ['signalbox user show ada'] })
    .description('show a user, its keys and certificates, and nothing secret')
    .argument('<user>', 'its id')
    .option('--json', AS_JSON)
    .action(async (id: string, { json = false }: { json?: boolean }, command: Command) =>
      readUsers(command, async (access) => {
        const { shown, keys, certificates } = await find(access, id);
        if (json) {
          await print(jsonText({ ...shown, keys, certificates }));
          return;
        }
        const tables = [
          renderUsers([shown]),
          ...(keys.length === 0 ? [] : [renderKeys(keys)]),
          ...(certificates.length === 0 ? [] : [renderCertificates(certificates)]),
        ];
        await print(tables.join('\n'));
      }),
    );
}

/** `signalbox user log`. */
export function addUserLog(user: Command): void {
  explain(user.command('log'), {
    examples: ['signalbox user log', 'signalbox user log ada --json | jq -r .action'],
    notes: ['--json writes a line an entry.'],
  })
    .description('print what was done to users of the database, and by whom')
    .argument('[user]', 'of this one alone')
    .option('--json', AS_JSON)
    .action(async (id: string | undefined, { json = false }: { json?: boolean }, command: Command) =>
      readUsers(command, async ({ users }) => {
        if (id !== undefined) await users.get(id);
        const trail = await users.trail(id);
        await print(json ? trail.map((line) => `${JSON.stringify(line)}\n`).join('') : renderTrail(trail));
      }),
    );
}

async function find({ registry, users }: Seen, id: string) {
  const declared = registry.users.get(id);
  if (declared !== undefined) return { shown: ofDefinitions(declared), keys: [], certificates: [] };
  const [keys, certificates] = [await users.keys(id), await users.certificates(id)];
  return { shown: ofDatabase(await users.get(id)), keys, certificates };
}

function ofDatabase(user: KeptUser): Shown {
  return { ...user, from: 'database' };
}

function ofDefinitions({ id, description, roles, password, at }: User): Shown {
  return {
    id,
    ...(description === undefined ? {} : { description }),
    roles: roles.map((role) => role.id),
    disabled: false,
    hasPassword: password !== undefined,
    from: `${at.file}:${at.line}`,
  };
}

function renderUsers(users: readonly Shown[]): string {
  const rows = users.map(({ id, disabled, hasPassword, roles, from, description }) => [
    id,
    disabled === true ? 'disabled' : 'active',
    hasPassword === true ? 'yes' : 'no',
    roles.join(', '),
    from,
    description ?? '',
  ]);
  const heading = ['USER', 'STATE', 'PASSWORD', 'ROLES', 'FROM', 'DESCRIPTION'];
  return renderTable(heading, rows, { colours: coloursOf(process.stdout) });
}

function renderTrail(trail: readonly TrailLine[]): string {
  const rows = trail.map(({ sequence, at, actor, action, user, detail }) => [
    String(sequence),
    at,
    actor,
    action,
    user,
    Object.keys(detail).length === 0 ? '' : JSON.stringify(detail),
  ]);
  const heading = ['NUMBER', 'AT', 'ACTOR', 'ACTION', 'USER', 'DETAIL'];
  return renderTable(heading, rows, { colours: coloursOf(process.stdout), right: new Set([0]) });
}
