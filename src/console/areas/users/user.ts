import { Fault } from '../../../model/fault.ts';
import type { Role, User } from '../../../model/security.ts';
import { CERTIFICATES, keyState, keysView } from '../../../operator/user.ts';
import { callerOfUser, type Thing } from '../../../security/grants.ts';
import { type KeptCertificate, type KeptKey, type KeptUser, UserError } from '../../../security/users/user-port.ts';
import { exact, type Html, html, NOTHING, type Part } from '../../html.ts';
import {
  badge,
  button,
  type Column,
  columnsOf,
  facts,
  field,
  heading,
  input,
  link,
  notice,
  number,
  section,
  select,
  table,
  time,
} from '../../parts.ts';
import { page, type Reply, type Visit } from '../../route.ts';
import { activity, activityOf } from './list.ts';
import { entryColumns, grantsOf, heldBy, place, roleLink, sessionTable, userLink, userPath, views } from './shown.ts';

/** Lines of the trail on the page of a user. */
const MOST_LINES = 20;
/** Maximum number of characters of a description. */
const LONGEST = 200;

/** A user, whatever the source. */
export interface KnownUser {
  readonly id: string;
  readonly declared?: User;
  readonly kept?: KeptUser;
  readonly roles: readonly Role[];
  /** Ids of roles that the definitions no longer have. */
  readonly lost: readonly string[];
}

/** @throws Fault NOT_FOUND */
export async function lookUp({ ports, actor, user }: Visit, id: string): Promise<KnownUser> {
  const declared = ports.registry.users.get(id);
  if (declared !== undefined) return { id, declared, roles: declared.roles, lost: [] };
  // The console knows a user of tokens only while the user has a session.
  if (id === user.id && user.origin === 'token') return { id, roles: user.roles, lost: [] };
  if (id.includes(':') && ports.registry.schemes.get(id.split(':', 1)[0] ?? '')?.kind === 'bearer')
    return { id, roles: [], lost: [] };
  if (id.includes('\0')) throw Fault.of('NOT_FOUND', { what: 'such user' });
  try {
    const kept = await ports.people.users(actor).get(id);
    const roles = kept.roles.flatMap((role) => ports.registry.roles.get(role) ?? []);
    return { id, kept, roles, lost: kept.roles.filter((role) => !ports.registry.roles.has(role)) };
  } catch (error) {
    if (error instanceof UserError) throw Fault.of('NOT_FOUND', { what: `user ${id}` });
    throw error;
  }
}

/** @param problem why an action was not done */
export async function showUser(visit: Visit, problem?: string): Promise<Reply> {
  const known = await lookUp(visit, visit.params.user as string);
  const { id, declared, kept } = known;
  const { sessions, trails, users } = visit.ports.people;
  const reader = users(visit.actor);
  const keys = kept === undefined ? [] : await reader.keys(id);
  const certificates = kept === undefined ? [] : await reader.certificates(id);
  const open = await sessions.list({ user: id });
  const seen = (await sessions.lastSignIns([id])).get(id);
  const trail = await trails.search({ subject: id, limit: MOST_LINES });
  const ofUser = trail.entries.filter(({ user }) => user !== undefined);
  const state = kept === undefined ? declared && activityOf(visit, declared) : activity(kept.disabled);
  return page(
    id,
    html`${heading(id, {
      about: html`${state ?? badge('idle', 'known by its tokens')} ${declared === undefined ? (kept === undefined ? '' : 'in the database') : html`of the definitions, ${place(declared.at)}`}${id === visit.user.id ? html` · ${link('/users/me', 'this is you')}` : NOTHING}`,
      actions: kept === undefined ? NOTHING : actionsOf(visit, kept),
    })}
${views(visit, id === visit.user.id && !visit.may('users') ? '/users/me' : '/users', { isBelow: true })}
${problem === undefined ? NOTHING : notice('bad', problem)}
${declared === undefined ? NOTHING : notice('idle', html`Users of the definitions can’t be changed here: edit ${place(declared.at)}. <code>signalbox user hash</code> prints the hash of a password or of an API key for it.`)}
${facts([
  ['Description', kept?.description ?? declared?.description],
  ['Password', kept?.hasPassword === true || declared?.password !== undefined ? 'yes' : 'none'],
  ['Last sign-in to the console', time(seen)],
  ['Created', kept && time(kept.created)],
  ['Changed', kept && time(kept.changed)],
])}
${section('Roles', html`${roleTable(known)}${kept === undefined ? NOTHING : html`<div class="inplace">${roleForm(visit, known)}</div>`}`)}
${await mayUse(visit, known)}
${declared === undefined ? NOTHING : credentialsOf(declared)}
${kept === undefined ? NOTHING : section('API keys', html`${table('API keys', keyColumns(visit, id), keys, { empty: 'No API key. A key lets a program call in the name of this user.' })}<div class="inplace">${keyForm(visit, id)}</div>`)}
${kept === undefined ? NOTHING : section('Certificates', html`${table('Certificates', certificateColumns(visit, id), certificates, { empty: 'No certificate. One lets a system call over TLS in the name of this user.' })}<div class="inplace">${certificateForm(visit, id)}</div>`)}
${section(
  'Sessions of the console',
  html`${sessionTable(visit, open, `${userPath(id)}/sessions/end`)}${
    open.length === 0
      ? NOTHING
      : html`<div class="inplace">${button(visit, {
          text: 'End all sessions',
          to: `${userPath(id)}/sessions/end-all`,
          ask: html`<strong>${id}</strong> has to sign in again in every browser.${id === visit.user.id ? ' That is you: you are signed out now.' : ''}`,
          isDangerous: true,
        })}</div>`
  }`,
)}
${section('Audit log', html`${table('What was done to this user', entryColumns(visit), ofUser, { empty: 'Nothing yet.' })}<p>${link('/users/log', 'All about this user', { subject: id })} · ${link('/users/log', 'All that this user did', { actor: id })}</p>`)}`,
    problem === undefined ? {} : { status: 422 },
  );
}

function actionsOf(visit: Visit, { id, disabled, hasPassword }: KeptUser): Html {
  const own = id === visit.user.id;
  const turn = disabled
    ? button(visit, { text: 'Enable', to: `${userPath(id)}/enable` })
    : button(visit, {
        text: 'Disable',
        to: `${userPath(id)}/disable`,
        // The question is the consent; without `sure`, the action asks again.
        fields: own ? { sure: id } : {},
        ask: own
          ? html`<strong>This is you.</strong> You are signed out at once and can’t sign in again: someone else has to enable you, or a command.`
          : html`<strong>${id}</strong> is signed out everywhere, and its calls are refused within 2 s. What belongs to it is kept.`,
        isDangerous: true,
      });
  return html`${button(visit, {
    text: hasPassword ? 'Change password' : 'Set a password',
    to: `${userPath(id)}/password`,
    ask: `All sessions of ${id} end.${own ? ' You are signed out and sign in with the new password.' : ''}`,
    more: passwordField('New password', id),
  })}${
    hasPassword
      ? button(visit, {
          text: 'Remove password',
          to: `${userPath(id)}/password/remove`,
          ask: html`<strong>${id}</strong> can’t sign in with a password any more, and its sessions end.${own ? ' That is you.' : ''} Keys and certificates stay.`,
          isDangerous: true,
        })
      : NOTHING
  }${turn}`;
}

/** A field for a new password. @param user whose password it is, for password managers; not for a form that has the id */
export const passwordField = (label: string, user?: string): Html =>
  html`${user === undefined ? NOTHING : html`<input type="text" autocomplete="username" value="${exact(user)}" readonly hidden>`}${field(
    label,
    'password',
    html`<input id="password" name="password" type="password" autocomplete="new-password" maxlength="1024">`,
    'At least 8 characters.',
  )}`;

interface HeldRole {
  readonly id: string;
  readonly role: Role | undefined;
}

const grantsText = (role: Role): Part => {
  const grants = grantsOf([role]);
  return grants.length === 0 ? '' : html`<span class="faint">console: ${grants.join(', ')}</span>`;
};

const ROLE_COLUMNS: readonly Column<HeldRole>[] = [
  {
    title: 'Role',
    cell: ({ id, role }) => (role === undefined ? html`${id} ${badge('warn', 'not defined any more')}` : roleLink(id)),
  },
  { title: 'Grants of the console', cell: ({ role }) => (role === undefined ? '' : grantsText(role)) },
  { title: 'Declared in', kind: 'code', cell: ({ role }) => (role === undefined ? '' : place(role.at)) },
  { title: 'Description', kind: 'wide', cell: ({ role }) => role?.description ?? '' },
];

const roleTable = ({ roles, lost }: Pick<KnownUser, 'roles' | 'lost'>): Html =>
  table(
    'Roles',
    ROLE_COLUMNS,
    [...roles.map((role) => ({ id: role.id, role })), ...lost.map((id) => ({ id, role: undefined }))],
    { empty: 'No role: only what is public may be used.' },
  );

/** Check boxes for roles. @param chosen the checked ones */
export const roleBoxes = (all: readonly HeldRole[], chosen: ReadonlySet<string>): Html =>
  html`<fieldset class="boxes"><legend>Roles</legend>${all.map(({ id, role }) => {
    const mark = chosen.has(id) ? html` checked` : NOTHING;
    return html`<label><input type="checkbox" name="role" value="${id}"${mark}> ${id} ${role === undefined ? badge('warn', 'not defined any more') : grantsText(role)}</label>`;
  })}</fieldset>`;

function roleForm(visit: Visit, { id, roles, lost }: KnownUser): Html {
  const held = new Set([...roles.map((role) => role.id), ...lost]);
  const all = [
    ...[...visit.ports.registry.roles.values()].map((role) => ({ id: role.id, role })),
    ...lost.map((each) => ({ id: each, role: undefined })),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
  return button(visit, {
    text: 'Change roles',
    to: `${userPath(id)}/roles`,
    fields: { had: [...held].join(' ') },
    more: roleBoxes(all, held),
  });
}

const KIND_TITLES = {
  operation: 'Operations',
  consumer: 'Called operations',
  flow: 'Flows',
  query: 'Queries',
  process: 'Processes',
  component: 'Components',
  'related-content': 'Related content',
  console: 'Grants of the console',
} as const satisfies Record<Thing['kind'], string>;

/** How much the user may use, by kind. */
async function mayUse(visit: Visit, { id, roles, declared }: KnownUser): Promise<Html> {
  const held = await heldBy(visit, declared === undefined ? { name: id, roles } : callerOfUser(declared));
  const kinds = Map.groupBy(held, ({ kind }: Thing) => kind);
  return section(
    'May use',
    held.length === 0
      ? html`<p class="empty">Nothing. A role gives permission lists, and these grant operations and queries.</p>`
      : html`${facts([...kinds].map(([kind, things]) => [KIND_TITLES[kind], link('/users/can', number(things.length), { user: id, kind })] as const))}`,
  );
}

/** The definitions have only hashes of keys, and names of certificates. */
const credentialsOf = ({ apiKeys, certificates }: User): Html =>
  section(
    'Credentials',
    facts([
      ['API keys', number(apiKeys.length)],
      ['Certificates', certificates.length === 0 ? '0' : certificates.map((each) => html`<code>${each}</code> `)],
    ]),
  );

const keyColumns = (visit: Visit, user: string): readonly Column<KeptKey>[] => [
  ...columnsOf(keysView(visit.ports.now()), {
    key: ({ id }) => html`<code>${id}</code>`,
    state: (key) => badge(...keyState(key, visit.ports.now())),
  }),
  {
    title: 'Action',
    cell: ({ id, revoked }) =>
      revoked !== undefined
        ? ''
        : button(visit, {
            text: 'Revoke',
            to: `${userPath(user)}/keys/revoke`,
            fields: { key: id },
            ask: 'The key is refused within 2 s, for good.',
            isDangerous: true,
          }),
  },
];

const described = (id: string): Html =>
  field('Description', id, html`<input id="${id}" name="description" maxlength="${LONGEST}">`, 'What it is for.');

/** Choices of how long a new key is valid, in days. */
export const DAYS = ['30', '90', '365'] as const;

const keyForm = (visit: Visit, user: string): Html =>
  button(visit, {
    text: 'Add an API key',
    to: `${userPath(user)}/keys`,
    ask: 'The key is shown once, on the next page.',
    more: html`${described('key-description')}${field('Valid for', 'days', select('days', [...DAYS.map((each) => [each, `${each} days`] as const), ['', 'ever']], '90'))}`,
  });

const certificateColumns = (visit: Visit, user: string): readonly Column<KeptCertificate>[] => [
  ...columnsOf(CERTIFICATES, { certificate: ({ fingerprint }) => html`<code>${fingerprint}</code>` }),
  {
    title: 'Action',
    cell: ({ fingerprint }) =>
      button(visit, {
        text: 'Remove',
        to: `${userPath(user)}/certificates/remove`,
        fields: { fingerprint },
        ask: 'Calls with this certificate are refused within 2 s.',
        isDangerous: true,
      }),
  },
];

/** A form with a file, which browsers send as multipart. */
const certificateForm = (visit: Visit, user: string): Html =>
  html`<details class="ask"><summary class="plain">Add a certificate…</summary><form method="post" action="/console${userPath(user)}/certificates" class="question" enctype="multipart/form-data"><input type="hidden" name="token" value="${visit.token}">
<p>Only its fingerprint is stored. Give a file, or the fingerprint.</p>
${field('File (PEM or DER)', 'file', html`<input id="file" name="file" type="file" accept=".pem,.crt,.cer,.der">`)}
${field('Fingerprint', 'fingerprint', input('fingerprint', '', 'text', html` placeholder="sha256:…" spellcheck="false"`))}
${described('certificate-description')}<button class="plain">Add a certificate</button></form></details>`;

/** The page of the signed-in user. @param problem why an action was not done */
export async function showMe(visit: Visit, problem?: string): Promise<Reply> {
  const { user, ports } = visit;
  const open = await ports.people.sessions.list({ user: user.id });
  const grants = grantsOf(user.roles);
  return page(
    'Me',
    html`${heading(user.id, { about: html`Signed in as ${visit.may('users') ? userLink(visit, user.id) : user.id}.`, actions: user.origin === 'database' && user.password !== undefined ? ownPassword(visit) : NOTHING })}
${views(visit, '/users/me')}
${problem === undefined ? NOTHING : notice('bad', problem)}
${facts([
  [
    'In the console you may',
    GRANT_WORDS.filter(([grant]) => grants.includes(grant))
      .map(([, word]) => word)
      .join(', '),
  ],
  ['Password', passwordWords(visit)],
])}
${section('Roles', roleTable({ roles: user.roles, lost: [] }))}
${await mayUse(visit, { id: user.id, roles: user.roles, lost: [], ...(user.origin === 'definitions' ? { declared: user } : {}) })}
${section('Your sessions', sessionTable(visit, open, '/users/me/sessions/end'))}`,
    problem === undefined ? {} : { status: 422 },
  );
}

const GRANT_WORDS = [
  ['read', 'see everything but payloads'],
  ['payload', 'see payloads'],
  ['act', 'change what runs'],
  ['users', 'manage users'],
] as const;

function passwordWords({ user }: Visit): Part {
  if (user.origin === 'definitions') return html`in the definitions: ${place(user.at)}`;
  return user.origin === 'token' ? 'that of the provider' : user.password === undefined ? 'none' : 'in the database';
}

const ownPassword = (visit: Visit): Html =>
  button(visit, {
    text: 'Change password',
    to: '/users/me/password',
    ask: 'All your sessions end, this one too: sign in again with the new password.',
    more: html`${field('Current password', 'current', html`<input id="current" name="current" type="password" autocomplete="current-password" required maxlength="1024">`)}${passwordField('New password', visit.user.id)}`,
  });
