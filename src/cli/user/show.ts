import type { Command } from 'commander';
import type { User } from '../../model/security.ts';
import { AUDIT_LOG, CERTIFICATES, USERS } from '../../operator/user.ts';
import type { TrailEntry, TrailSearch, Trails } from '../../security/trail.ts';
import type { KeptUser, TrailLine } from '../../security/users/user-port.ts';
import { explain, readMoment } from '../help.ts';
import { columnsOf } from '../operator.ts';
import { type Columns, print, printResult, tableOf } from '../terminal.ts';
import { type ReadAccess, showsUsers, userCommand } from './access.ts';
import { keyColumns } from './credentials.ts';

/** A user as it is shown, from the database or the definitions. */
interface Shown extends Partial<Omit<KeptUser, 'id' | 'roles'>> {
  readonly id: string;
  readonly roles: readonly string[];
  /** `database`, or the place of its definition. */
  readonly from: string;
}

/** `signalbox user list`. */
export function addUserList(user: Command): void {
  const command = explain(user.command('list'), {
    examples: ['signalbox user list', "signalbox user list --json | jq -r '.[].id'"],
  }).description('list the users of the database and of the definitions');
  showsUsers(command, async ({ registry, users }, json) => {
    const shown = [...(await users.list()).map(ofDatabase), ...[...registry.users.values()].map(ofDefinitions)];
    await printResult(shown, json, (all) => tableOf(all, columnsOf(USERS)));
  });
}

/** `signalbox user show`. */
export function addUserShow(user: Command): void {
  const command = userCommand(user, 'show', {
    description: 'show a user with its keys and certificates, without secrets',
    examples: ['signalbox user show ada'],
  });
  showsUsers(command, async (access, json, [id = '']) => {
    await printResult(await find(access, id), json, ({ keys, certificates, ...shown }) =>
      [
        tableOf([shown], columnsOf(USERS)),
        ...(keys.length === 0 ? [] : [tableOf(keys, keyColumns())]),
        ...(certificates.length === 0 ? [] : [tableOf(certificates, columnsOf(CERTIFICATES))]),
      ].join('\n'),
    );
  });
}

interface LogOptions {
  readonly json?: true;
  readonly by?: string;
  readonly action?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly all?: true;
}

/** `signalbox user log`. */
export function addUserLog(user: Command): void {
  const command = explain(user.command('log'), {
    examples: [
      'signalbox user log',
      'signalbox user log ada --json | jq -r .action',
      "signalbox user log --by ada --since '7 d' --all",
    ],
    notes: [
      '--json writes one line per entry.',
      'In the console, a user acts as console:ID; --by ID finds these entries too.',
      'With --all, the argument may also be a queue, the id of a job or message, or the number of a process request.',
    ],
  })
    .description('print the audit trail of users: their changes, and sign-ins to the console')
    .argument('[user]', 'print the entries of this user only')
    .option('--by <actor>', 'only what this person did: ada, console:ada, ada@host')
    .option('--action <action>', 'only this action: sign-in, role, disable')
    .option('--since <time>', "only the entries of the last time, as in '1h' or '7 d', or since a time", readMoment)
    .option('--until <time>', 'only the entries before that, likewise', readMoment)
    .option('--all', 'include what operators did to queues, jobs, messages and process requests');
  showsUsers(command, async ({ registry, users, trails }, json, [id]) => {
    const { by, action, since, until, all } = command.opts<LogOptions>();
    if ([all, by, action, since, until].some((each) => each !== undefined)) {
      const found = await readAll(trails, {
        ...(id === undefined ? {} : { subject: id }),
        ...(by === undefined ? {} : { actor: by }),
        ...(action === undefined ? {} : { action }),
        ...(since === undefined ? {} : { since }),
        ...(until === undefined ? {} : { until }),
      });
      const shown = all === undefined ? found.filter(({ user: whom }) => whom !== undefined) : found;
      await print(json ? linesOf(shown) : tableOf(shown, columnsOf(AUDIT_LOG)));
      return;
    }
    const trail = await users.trail(id);
    // Users of the definitions, and those that tokens name, are there with their sign-ins only.
    if (id !== undefined && trail.length === 0 && !registry.users.has(id)) await users.get(id);
    await print(json ? linesOf(trail) : tableOf(trail, TRAIL_COLUMNS));
  });
}

const linesOf = (entries: readonly object[]): string => entries.map((each) => `${JSON.stringify(each)}\n`).join('');

/** The oldest line first. */
async function readAll(trails: Trails, which: Omit<TrailSearch, 'limit' | 'cursor'>): Promise<TrailEntry[]> {
  const found: TrailEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await trails.search({ ...which, limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.entries);
    cursor = page.next;
  } while (cursor !== undefined);
  return found.reverse();
}

async function find({ registry, users }: ReadAccess, id: string) {
  const declared = registry.users.get(id);
  if (declared !== undefined) return { ...ofDefinitions(declared), keys: [], certificates: [] };
  const [keys, certificates] = [await users.keys(id), await users.certificates(id)];
  return { ...ofDatabase(await users.get(id)), keys, certificates };
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

/** The trail of users alone numbers its lines without a gap. */
const TRAIL_COLUMNS: Columns<TrailLine> = { NUMBER: ({ sequence }) => sequence, ...columnsOf(AUDIT_LOG) };
