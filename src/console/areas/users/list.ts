import type { User } from '../../../model/security.ts';
import { type ShownUser, USERS, userState } from '../../../operator/user.ts';
import type { KeptUser } from '../../../security/users/user-port.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import {
  address,
  badge,
  type Column,
  columnsOf,
  field,
  filters,
  heading,
  input,
  link,
  more,
  select,
  table,
  time,
} from '../../parts.ts';
import { page, type Reply, type Visit } from '../../route.ts';
import { place, roleLink, userPath, views } from './shown.ts';

/** Users per page. */
const MOST = 100;
/** Maximum number of roles in a row. */
const MOST_ROLES = 4;

/** A user, and what a page shows besides the values of the user. */
interface Row extends ShownUser {
  readonly state: Html;
  readonly place: Html;
}

export const activity = (disabled: boolean): Html => badge(...userState({ disabled }));

/** A user of the sample can call only while sample users are served. */
export const activityOf = ({ ports: { sampleUsers } }: Visit, { sample }: User): Html =>
  sample && !sampleUsers ? badge('idle', 'not served') : activity(false);

const rowOfKept = (user: KeptUser): Row => ({
  ...{ ...user, from: 'database', state: activity(user.disabled), place: place(undefined) },
});

const rowOfDeclared = (visit: Visit, user: User): Row => ({
  ...{ id: user.id, description: user.description, state: activityOf(visit, user), place: place(user.at) },
  ...{ roles: user.roles.map(({ id }) => id), hasPassword: user.password !== undefined, from: 'definitions' },
});

/** What the address of the list asks for. */
interface Asked {
  readonly text: string | undefined;
  readonly role: string | undefined;
  readonly state: string | undefined;
  readonly from: string | undefined;
}

/** A field of the address, without NULs: texts of PostgreSQL can't contain them. */
export function askedFor({ query }: Visit, name: string): string | undefined {
  const value = query.get(name)?.replaceAll('\0', '').trim();
  return value === '' ? undefined : value;
}

/** The users of the definitions come before those of the database; a cursor is `definitions:ID` or `database:ID`. */
async function find(visit: Visit, { text, role, state, from }: Asked): Promise<{ rows: Row[]; next?: string }> {
  const { registry, people } = visit.ports;
  const [, origin = 'definitions', after = ''] =
    /^(definitions|database):(.*)$/s.exec(visit.query.get('after') ?? '') ?? [];
  const folded = text?.toLowerCase();
  const declared =
    origin === 'database' || from === 'database' || state === 'disabled'
      ? []
      : [...registry.users.values()]
          .filter(({ id }) => id > after)
          .filter(({ roles }) => role === undefined || roles.some(({ id }) => id === role))
          .filter(
            ({ id, description = '' }) =>
              folded === undefined || id.toLowerCase().includes(folded) || description.toLowerCase().includes(folded),
          )
          .sort((a, b) => (a.id < b.id ? -1 : 1));
  const first = declared.slice(0, MOST);
  const lastDeclared = first.at(-1);
  const rows = first.map((each) => rowOfDeclared(visit, each));
  if (declared.length > MOST && lastDeclared !== undefined) return { rows, next: `definitions:${lastDeclared.id}` };
  if (from === 'definitions') return { rows };
  const room = MOST - rows.length;
  const kept = await people.users(visit.actor).search({
    ...(text === undefined ? {} : { text }),
    ...(role === undefined ? {} : { role }),
    ...(state === undefined ? {} : { disabled: state === 'disabled' }),
    ...(origin === 'database' ? { after } : {}),
    limit: room + 1,
  });
  rows.push(...kept.slice(0, room).map(rowOfKept));
  const last = kept[room - 1];
  return { rows, ...(kept.length > room ? { next: last === undefined ? 'database:' : `database:${last.id}` } : {}) };
}

const COLUMNS = columnsOf<Row, typeof USERS>(USERS, {
  user: ({ id }) => link(userPath(id), id),
  state: ({ state }) => state,
  roles: ({ roles }) =>
    html`${roles.slice(0, MOST_ROLES).map((id, index) => html`${index === 0 ? '' : ', '}${roleLink(id)}`)}${
      roles.length > MOST_ROLES ? ` and ${roles.length - MOST_ROLES} more` : NOTHING
    }`,
  from: (row) => row.place,
});

const columns = (seen: ReadonlyMap<string, string>): readonly Column<Row>[] => [
  ...COLUMNS,
  { title: 'Last sign-in', cell: ({ id }) => time(seen.get(id)) },
];

/** The list, for those who may see it; others are led to their own page. */
export async function listUsers(visit: Visit): Promise<Reply> {
  if (!visit.may('users')) return { kind: 'redirect', to: '/users/me' };
  const { registry, people } = visit.ports;
  const asked: Asked = {
    ...{ text: askedFor(visit, 'q'), role: askedFor(visit, 'role') },
    ...{ state: askedFor(visit, 'state'), from: askedFor(visit, 'from') },
  };
  const { rows, next } = await find(visit, asked);
  const seen = await people.sessions.lastSignIns(rows.map(({ id }) => id));
  const { text, role, state, from } = asked;
  const isNarrowed = [text, role, state, from].some((each) => each !== undefined);
  const roles = [...registry.roles.keys()].sort();
  return page(
    'Users',
    html`${heading('Users', {
      about:
        'Who may call this gateway and use the console. Users of the definitions are changed in their files, those of the database here.',
      actions: html`<a class="button" href="${address('/users/new')}">Add a user</a>`,
    })}
${views(visit, '/users')}
${filters(
  'Users',
  '/users',
  html`${field('Search', 'q', input('q', text, 'search'))}
${field('Role', 'role', select('role', [['', 'any'], ...roles.map((id) => [id, id] as const)], role))}
${field(
  'State',
  'state',
  select(
    'state',
    [
      ['', 'any'],
      ['active', 'active'],
      ['disabled', 'disabled'],
    ],
    state,
  ),
)}
${field(
  'Declared in',
  'from',
  select(
    'from',
    [
      ['', 'either'],
      ['database', 'database'],
      ['definitions', 'definitions'],
    ],
    from,
  ),
)}`,
)}
${table('Users', columns(seen), rows, {
  empty: isNarrowed
    ? html`No user fits. ${link('/users', 'Show all users')}.`
    : html`There are no users yet. ${link('/users/new', 'Add a user')}.`,
})}
${more(next === undefined ? undefined : address('/users', { q: text, role, state, from, after: next }), 'More')}`,
  );
}
