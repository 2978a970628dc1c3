import { Fault } from '../../../model/fault.ts';
import { ID_PATTERN, type Role } from '../../../model/security.ts';
import { hashPassword, passwordFault } from '../../../security/password.ts';
import { fingerprintIn, refuseDeclaredCertificate } from '../../../security/users/certificate.ts';
import { UserError, type Users } from '../../../security/users/user-port.ts';
import { certificateName } from '../../../wire/certificate.ts';
import { counted } from '../../../wire/words.ts';
import { html, NOTHING } from '../../html.ts';
import { code, field, form, heading, input, link, notice } from '../../parts.ts';
import { type ActionRoute, actionRoute, type Done, page, type Reply, type Visit } from '../../route.ts';
import { grantsOf, question, userPath, views } from './shown.ts';
import { DAYS, passwordField, roleBoxes, showMe, showUser } from './user.ts';

const DAY = 86_400_000;
const LONGEST = 200;

interface Changing {
  readonly visit: Visit;
  readonly users: Users;
  readonly id: string;
}

/** An action on a user. What is refused is reported on the page of the user. */
const change = (path: string, name: string, run: (changing: Changing) => Promise<Done | Reply>): ActionRoute =>
  actionRoute(
    `/users/id/:user${path}`,
    name,
    async (visit) => {
      const id = visit.params.user as string;
      try {
        return await run({ visit, id, users: visit.ports.people.users(visit.actor) });
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return showUser(visit, sentence(error.message));
      }
    },
    'users',
  );

/** An action on a user of the database. */
const changeKept: typeof change = (path, name, run) =>
  change(path, name, (changing) => {
    refuseDeclared(changing.visit, changing.id);
    return run(changing);
  });

/** Capitalises a sentence unless it begins with an id. */
const sentence = (text: string): string =>
  `${text.replace(/^(?:the|there|an?|give|your|user) /, (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)}.`;

/** @throws UserError */
function refuseDeclared({ ports: { registry } }: Visit, id: string): void {
  const at = registry.users.get(id)?.at;
  if (at === undefined) return;
  throw new UserError(
    `${id} is a user of the definitions (${at.file}:${at.line}) and can’t be changed here: edit ${at.file}`,
  );
}

const done = (id: string, notice: string): Done => ({ to: userPath(id), target: id, notice });

/** A text of a form for people to read: a single line of limited length. @throws UserError */
function textOf({ form: sent }: Visit, name: string): string | undefined {
  const text = sent.get(name)?.trim() ?? '';
  if (/\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u.test(text)) throw new UserError(`the ${name} has a control character`);
  if (text.length > LONGEST) throw new UserError(`the ${name} has more than ${LONGEST} characters`);
  return text === '' ? undefined : text;
}

/** The hash of an entered password; `undefined` if none was entered. @throws UserError */
async function passwordOf({ form: sent }: Visit, id: string): Promise<string | undefined> {
  const text = sent.get('password') ?? '';
  if (text === '') return undefined;
  const fault = passwordFault(text, id);
  if (fault !== undefined) throw new UserError(`the password ${fault}`);
  return hashPassword(text);
}

/** Roles by their ids. @throws UserError for a role that the definitions do not have */
function rolesOf({ ports: { registry } }: Visit, ids: readonly string[]): Role[] {
  return ids.map((id) => {
    const role = registry.roles.get(id);
    if (role === undefined) throw new UserError(`there is no role ${id} in the definitions`);
    return role;
  });
}

/** The form for a new user. @param problem why the user was not added; everything entered is kept, except the password */
export function showNew(visit: Visit, problem?: string, asksAbout?: string): Reply {
  const { form: sent, ports } = visit;
  const all = [...ports.registry.roles.values()].map((role) => ({ id: role.id, role }));
  const consent =
    asksAbout === undefined
      ? NOTHING
      : html`<p><label><input type="checkbox" name="sure" value="${asksAbout}" required> Yes, the user gets these grants of the console: ${asksAbout}.</label></p>`;
  return page(
    'Add a user',
    html`${heading('Add a user', { about: 'To the database. A user is never removed, only disabled: its id is given to no one else.' })}
${views(visit, '/users', { isBelow: true })}
${problem === undefined ? NOTHING : notice(asksAbout === undefined ? 'bad' : 'warn', problem)}
${form(
  visit,
  '/users/new',
  html`${field('Id', 'id', input('id', sent.get('id'), 'text', html` required maxlength="128" autocomplete="username" spellcheck="false"`), 'Letters and digits, and after the first character also _ . @ -')}
${passwordField('Password')}<p class="hint">Leave it empty for a system that calls with keys or certificates only.</p>
${field('Description', 'description', input('description', sent.get('description'), 'text', html` maxlength="${LONGEST}"`))}
${roleBoxes(all, new Set(sent.getAll('role')))}
${consent}<p><button class="primary">Add the user</button> ${link('/users', 'Cancel')}</p>`,
  'form',
)}`,
    problem === undefined ? {} : asksAbout === undefined ? { status: 422 } : { isQuestion: true },
  );
}

const add = actionRoute(
  '/users/new',
  'user.add',
  async (visit) => {
    const { form: sent, ports, actor } = visit;
    const id = (sent.get('id') ?? '').trim();
    try {
      if (!new RegExp(ID_PATTERN).test(id) || id.length > 128)
        throw new UserError('an id has up to 128 letters and digits, and after the first one also _ . @ -');
      refuseDeclared(visit, id);
      const roles = rolesOf(visit, [...new Set(sent.getAll('role'))]);
      const description = textOf(visit, 'description');
      const password = await passwordOf(visit, id);
      const grants = grantsOf(roles).join(', ');
      if (grants !== '' && sent.get('sure') !== grants)
        return showNew(
          visit,
          `${id} can use the console with these roles. Confirm it below, and type the password again.`,
          grants,
        );
      await ports.people.users(actor).add({
        ...{ id, roles: roles.map((role) => role.id) },
        ...(password === undefined ? {} : { password }),
        ...(description === undefined ? {} : { description }),
      });
      return done(id, `${id} is added.`);
    } catch (error) {
      if (error instanceof UserError) return showNew(visit, sentence(error.message));
      throw error;
    }
  },
  'users',
);

const disable = changeKept('/disable', 'user.disable', async ({ visit, users, id }) => {
  if (id === visit.user.id && visit.form.get('sure') !== id)
    return page(
      'Disable yourself?',
      question(visit, {
        title: 'Disable yourself?',
        asks: [`You are ${id}. You are signed out at once and can’t sign in again until someone enables you.`],
        ...{ to: `${userPath(id)}/disable`, fields: { sure: id }, text: 'Disable me', back: '/users/me' },
      }),
      { isQuestion: true },
    );
  const changed = await users.setDisabled(id, true);
  return done(id, changed ? `${id} is disabled, and its sessions have ended.` : `${id} was disabled already.`);
});

const enable = changeKept('/enable', 'user.enable', async ({ users, id }) => {
  const changed = await users.setDisabled(id, false);
  return done(id, changed ? `${id} is enabled.` : `${id} was enabled already.`);
});

/** The ids in one field of a form. */
const words = (text: string | null): string[] => (text ?? '').split(' ').filter((each) => each !== '');

/**
 * The form contains the roles that the user had when it was shown, so that two people who change roles do not undo each other's
 * changes.
 */
const roles = changeKept('/roles', 'user.roles', async ({ visit, users, id }) => {
  const { form: sent, ports, user } = visit;
  const had = words(sent.get('had'));
  const chosen = sent.has('roles') ? words(sent.get('roles')) : [...new Set(sent.getAll('role'))];
  const added = chosen.filter((each) => !had.includes(each));
  const removed = had.filter((each) => !chosen.includes(each));
  const given = rolesOf(visit, added);
  const now = (await users.get(id)).roles;
  const rest = now.filter((each) => !removed.includes(each)).flatMap((each) => ports.registry.roles.get(each) ?? []);
  const before = grantsOf(now.flatMap((each) => ports.registry.roles.get(each) ?? []));
  const after = grantsOf([...rest, ...given]);
  const gained = after.filter((each) => !before.includes(each));
  const asks = [
    ...(gained.length > 0
      ? [
          `${id} gets grants of the console: ${gained.join(', ')}.${gained.includes('users') ? ' With `users`, it can give itself and others any role.' : ''}`,
        ]
      : []),
    ...(id === user.id && before.includes('users') && !after.includes('users')
      ? ['This is you: you lose the grant `users`, and can’t undo it yourself.']
      : []),
  ];
  const sure = [...added.map((each) => `+${each}`), ...removed.map((each) => `-${each}`)].join(' ');
  if (asks.length > 0 && sent.get('sure') !== sure)
    return page(
      'Change these roles?',
      question(visit, {
        ...{ title: `Change the roles of ${id}?`, asks, to: `${userPath(id)}/roles`, back: userPath(id) },
        ...{ fields: { had: had.join(' '), roles: chosen.join(' '), sure }, text: 'Change the roles' },
      }),
      { isQuestion: true },
    );
  const changed = await users.changeRoles(id, { add: added, remove: removed });
  const held = (await users.get(id)).roles;
  return done(id, `${id} ${changed ? 'now' : 'already'} has ${held.length === 0 ? 'no role' : held.join(', ')}.`);
});

const password = changeKept('/password', 'user.password', async ({ visit, users, id }) => {
  const hash = await passwordOf(visit, id);
  if (hash === undefined) throw new UserError('the new password is missing');
  await users.setPassword(id, hash);
  return done(id, `${id} has a new password.`);
});

const removePassword = changeKept('/password/remove', 'user.password-remove', async ({ users, id }) => {
  await users.setPassword(id, undefined);
  return done(id, `${id} has no password any more.`);
});

/** The key is shown on the page that replies, and nowhere else. */
const addKey = changeKept('/keys', 'user.key-add', async ({ visit, users, id }) => {
  const { form: sent, ports } = visit;
  const description = textOf(visit, 'description');
  const days = DAYS.find((each) => each === sent.get('days'));
  const expires = days === undefined ? undefined : new Date(ports.now() + Number(days) * DAY);
  const made = await users.addKey(id, {
    ...(description === undefined ? {} : { description }),
    ...(expires === undefined ? {} : { expires }),
  });
  const headers = [...ports.registry.schemes.values()].flatMap((each) => (each.kind === 'api-key' ? each.header : []));
  const [header] = headers;
  return page(
    `New API key of ${id}`,
    html`${heading(html`New API key of ${link(userPath(id), id)}`, { about: expires === undefined ? 'It does not expire.' : `It expires at ${expires.toISOString()}.` })}
${notice('warn', 'It is shown only this once, and only its SHA-256 is stored. Copy it before you leave this page.')}
${code(made.key, 'API key')}
${
  header === undefined
    ? notice('bad', 'No scheme of the definitions accepts API keys yet: declare one of kind api-key.')
    : html`<p>Callers send it in the header <code>${header}</code>.</p>`
}
<p>${link(userPath(id), `Back to ${id}`)}</p>`,
  );
});

const revokeKey = changeKept('/keys/revoke', 'user.key-revoke', async ({ visit, users, id }) => {
  const key = visit.form.get('key') ?? '';
  const changed = await users.revokeKey(id, key);
  return { ...done(id, `Key ${key} of ${id} is ${changed ? '' : 'already '}revoked.`), target: `${id} ${key}` };
});

const addCertificate = changeKept('/certificates', 'user.certificate-add', async ({ visit, users, id }) => {
  const file = visit.files.get('file');
  const typed = visit.form.get('fingerprint')?.trim() ?? '';
  if ((file === undefined) === (typed === '')) throw new UserError('give either a file or a fingerprint');
  const fingerprint = file === undefined ? typedFingerprint(typed) : await uploaded(file);
  refuseDeclaredCertificate(visit.ports.registry, fingerprint);
  const added = await users.addCertificate(id, fingerprint, textOf(visit, 'description'));
  return done(id, `The certificate ${fingerprint} ${added ? 'now' : 'already'} belongs to ${id}.`);
});

async function uploaded(file: File): Promise<string> {
  try {
    return fingerprintIn(Buffer.from(await file.arrayBuffer()));
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`the file ${error.message}`);
    throw error;
  }
}

function typedFingerprint(typed: string): string {
  const fingerprint = /^sha256:/i.test(typed) ? certificateName(typed) : certificateName(`sha256:${typed}`);
  if (typeof fingerprint === 'string' && fingerprint.startsWith('sha256:')) return fingerprint;
  throw new UserError('a fingerprint is sha256: and 64 hex digits');
}

const removeCertificate = changeKept(
  '/certificates/remove',
  'user.certificate-remove',
  async ({ visit, users, id }) => {
    const fingerprint = visit.form.get('fingerprint') ?? '';
    await users.removeCertificate(id, fingerprint);
    return done(id, `The certificate ${fingerprint} no longer belongs to ${id}.`);
  },
);

/** Ends a session of the user. @throws UserError */
async function endSession({ ports, actor, form: sent }: Visit, user: string): Promise<string> {
  const id = sent.get('session') ?? '';
  const { sessions } = ports.people;
  const isOwn = (await sessions.list({ user })).some((each) => each.id === id);
  if (!isOwn || !(await sessions.endById(id, actor)))
    throw new UserError(`${user} has no session ${id} that can be used`);
  return id;
}

const endOne = change('/sessions/end', 'session.end', async ({ visit, id }) => {
  const session = await endSession(visit, id);
  return { ...done(id, `Session ${session} of ${id} has ended.`), target: `${id} ${session}` };
});

const endAll = change('/sessions/end-all', 'session.end-all', async ({ visit, id }) => {
  const ended = await visit.ports.people.sessions.endAll(id, visit.actor);
  return done(id, `${counted(ended, 'session')} of ${id} ended.`);
});

/** Actions of the signed-in user on the own account. */
const own = (path: string, name: string, run: (visit: Visit) => Promise<Done>): ActionRoute =>
  actionRoute(
    `/users/me${path}`,
    name,
    async (visit) => {
      try {
        return await run(visit);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return showMe(visit, sentence(error.message));
      }
    },
    'read',
  );

const endOwn = own('/sessions/end', 'session.end', async (visit) => {
  const session = await endSession(visit, visit.user.id);
  return { to: '/users/me', target: `${visit.user.id} ${session}`, notice: `Session ${session} has ended.` };
});

const changeOwnPassword = own('/password', 'user.password', async (visit) => {
  const { user, ports, form: sent, actor } = visit;
  if (user.origin !== 'database') throw new UserError('your password is not in the database and can’t be changed here');
  if ((sent.get('password') ?? '') === '') throw new UserError('the new password is missing');
  try {
    await ports.people.checkPassword({ id: user.id, password: sent.get('current') ?? '' });
  } catch (error) {
    if (error instanceof Fault && error.code === 'UNAUTHENTICATED')
      throw new UserError('the current password is wrong');
    throw error;
  }
  await ports.people.users(actor).setPassword(user.id, await passwordOf(visit, user.id));
  return { to: '/users/me', target: user.id, notice: 'You have a new password.' };
});

export const CHANGES: readonly ActionRoute[] = [
  ...[add, disable, enable, roles, password, removePassword, addKey, revokeKey, addCertificate, removeCertificate],
  ...[endOne, endAll, endOwn, changeOwnPassword],
];
