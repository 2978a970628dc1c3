import { Fault } from '../../../model/fault.ts';
import {
  ANYONE,
  type CallerFacts,
  callerOfRole,
  callerOfUser,
  findThings,
  judge,
  listTokens,
  nameOf,
  THING_KINDS,
  type Thing,
  whatIsMissing,
  whoMay,
  wordOf,
} from '../../../security/grants.ts';
import { counted } from '../../../wire/words.ts';
import { thingsOf } from '../../built.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import {
  address,
  badge,
  type Column,
  field,
  filters,
  heading,
  input,
  link,
  more,
  number,
  section,
  select,
  table,
} from '../../parts.ts';
import { page, type Reply, type Visit } from '../../route.ts';
import { askedFor } from './list.ts';
import { chainTable, heldBy, place, thingLink, userLink, views } from './shown.ts';
import { lookUp } from './user.ts';

/** Callers and things per page. */
const MOST = 200;

/** Who may use a thing, and by which definitions. */
export async function showWhoCan(visit: Visit): Promise<Reply> {
  const asked = askedFor(visit, 'thing');
  const { all: things } = await thingsOf(visit.ports.registry);
  const found = asked === undefined ? [] : findThings(things, asked);
  const callers = found.length === 0 ? [] : await callersOf(visit);
  return page(
    asked === undefined ? 'Who can' : `Who can use ${asked}`,
    html`${heading('Who can', { about: 'Who may use an operation, a query or another thing, and the line of the definitions that grants it. Credentials are not considered.' })}
${views(visit, '/users/who-can')}
${filters('Things', '/users/who-can', field('Thing', 'thing', input('thing', asked, 'search', html` placeholder="LOCATIONS_GET, query:… or console:act"`)))}
${found.length === 0 ? candidates(things, asked) : found.slice(0, 10).map((thing) => whoSection(visit, callers, thing))}`,
    asked !== undefined && found.length === 0 ? { status: 404 } : {},
  );
}

/** The callers that a page may name: roles and tokens for everyone, users only for those who manage them. */
async function callersOf(visit: Visit): Promise<readonly Caller[]> {
  const { registry, people } = visit.ports;
  const tokens = listTokens(registry).map(({ id, caller }) => ({
    caller,
    shown: link('/users/can', caller.name, { user: id }),
  }));
  if (!visit.may('users'))
    return [
      ...[...registry.roles.values()].map((role) => ({
        caller: callerOfRole(role),
        shown: link('/users/can', `role ${role.id}`, { user: `role:${role.id}` }),
      })),
      ...tokens,
    ];
  const kept = (await people.users(visit.actor).list()).filter(({ disabled }) => !disabled);
  return [
    ...[...registry.users.values()].map((user) => ({ caller: callerOfUser(user), shown: userLink(visit, user.id) })),
    ...kept.map(({ id, roles }) => ({
      caller: { name: id, roles: roles.flatMap((role) => registry.roles.get(role) ?? []) },
      shown: undefined,
    })),
    ...tokens,
  ];
}

interface Caller {
  readonly caller: CallerFacts;
  readonly shown: Part;
}

/** Users with the same roles are permitted the same. */
function thoseWhoMay(callers: readonly Caller[], thing: Thing): readonly Caller[] {
  const judged = new Map<string, boolean>();
  return callers.filter(({ caller }) => {
    const roles = caller.roles.map(({ id }) => id).join(' ');
    const before = judged.get(roles);
    if (before !== undefined) return before;
    const { may } = judge(caller, thing);
    judged.set(roles, may);
    return may;
  });
}

function whoSection(visit: Visit, callers: readonly Caller[], thing: Thing): Html {
  const { registry } = visit.ports;
  const permitted = thoseWhoMay(callers, thing);
  const answer = whoMay(
    registry,
    permitted.slice(0, MOST).map(({ caller }) => caller),
    thing,
  );
  const open = judge(ANYONE, thing);
  const why = [{ chains: open.needs.flatMap(({ chains }) => chains) }];
  const names = new Map(permitted.slice(0, MOST).map(({ caller, shown }) => [caller.name, shown]));
  const body = (): Html => {
    if (answer.public) return html`<p>Everyone, without credentials.</p>${chainTable('Why everyone may', why)}`;
    if (answer.operations !== undefined)
      return html`<p>No list restricts it: whoever may call ${
        answer.operations.length === 0
          ? 'code that reaches it'
          : answer.operations
              .slice(0, 20)
              .map((id, index) => html`${index === 0 ? '' : ', '}${thingLink({ kind: 'operation', id })}`)
      } may use it.</p>${chainTable('Why it is not restricted', why)}`;
    if (answer.callers.length === 0)
      return html`<p>No one. Needed:</p>${chainTable('What is needed', [{ chains: whatIsMissing(registry, thing, open) }])}`;
    const shown = answer.callers.map(({ caller, needs }) => ({
      who: names.get(caller) ?? userLink(visit, caller),
      chains: needs.flatMap(({ chains }) => chains),
    }));
    const what = visit.may('users')
      ? counted(permitted.length, 'caller')
      : counted(permitted.length, 'role or token', 'roles and tokens');
    return html`<p>${what}${permitted.length > MOST ? `, of which the first ${MOST} are shown; signalbox who-can lists all` : ''}.</p>${chainTable('Who may use it', shown)}`;
  };
  const reached =
    answer.reached.length === 0
      ? NOTHING
      : html`<h3>Operations that run as a role use it too</h3>${chainTable('Operations that use it as a role', [{ chains: answer.reached }])}`;
  return section(nameOf(thing), html`${body()}${reached}`);
}

/** Things whose name contains the entered text. */
function candidates(things: readonly Thing[], asked: string | undefined): Html {
  const folded = asked?.replace(new RegExp(`^(?:${THING_KINDS.join('|')}):`), '').toLowerCase();
  const fit = things.filter(({ kind, id }) =>
    folded === undefined ? kind === 'console' : id.toLowerCase().includes(folded),
  );
  const intro =
    asked === undefined
      ? html`<p>Write the id of an operation, query, process, component or flow, or follow a link. The grants of the console:</p>`
      : html`<p>Nothing that is granted has the id <strong>${asked}</strong>.${fit.length === 0 ? '' : ' Similar:'}</p>`;
  return html`${intro}${
    fit.length === 0
      ? NOTHING
      : html`<ul class="plainlist">${fit.slice(0, MOST).map((thing) => html`<li>${thingLink(thing)} <span class="faint">${wordOf(thing.kind)}</span></li>`)}</ul>`
  }`;
}

/** What a user, role or token may use, or whether it may use one thing. */
export async function showCan(visit: Visit): Promise<Reply> {
  const id = askedFor(visit, 'user') ?? visit.user.id;
  const thing = askedFor(visit, 'thing');
  const { caller, shown } = await callerNamed(visit, id);
  const things = thing === undefined ? [] : findThings((await thingsOf(visit.ports.registry)).all, thing);
  return page(
    `What ${id} can use`,
    html`${heading(html`What ${shown} can use`, { about: 'By grants alone; credentials are not considered. Write role:ID for anyone with a role, SCHEME:VALUE for a token.' })}
${views(visit, '/users/can')}
${filters(
  'Grants',
  '/users/can',
  html`${field('User, role or token', 'user', input('user', id))}${field('Thing', 'thing', input('thing', thing, 'search'))}${field(
    'Kind',
    'kind',
    select('kind', [['', 'all'], ...THING_KINDS.map((each) => [each, wordOf(each)] as const)], askedFor(visit, 'kind')),
  )}`,
)}
${
  thing === undefined || things.length === 0
    ? await allOf(visit, { id, caller, text: thing })
    : things.map((each) => verdictSection(visit, caller, each))
}`,
  );
}

/** @throws Fault NOT_FOUND; FORBIDDEN for another user if the reader does not manage users */
async function callerNamed(visit: Visit, id: string): Promise<Caller> {
  const { registry } = visit.ports;
  const role = id.startsWith('role:') ? id.slice('role:'.length) : undefined;
  if (role !== undefined) {
    const found = registry.roles.get(role);
    if (found === undefined) throw Fault.of('NOT_FOUND', { what: `role ${role}` });
    return { caller: callerOfRole(found), shown: html`the role ${role}` };
  }
  const token = listTokens(registry).find((each) => each.id === id);
  if (token !== undefined) return { caller: token.caller, shown: token.caller.name };
  if (id === visit.user.id) return { caller: callerOfUser(visit.user), shown: userLink(visit, id) };
  if (!visit.may('users')) throw Fault.of('FORBIDDEN', { user: visit.user.id, what: 'what is known of other users' });
  const { declared, roles } = await lookUp(visit, id);
  const caller = declared === undefined ? { name: id, roles } : callerOfUser(declared);
  return { caller, shown: userLink(visit, id) };
}

function verdictSection({ ports: { registry } }: Visit, caller: CallerFacts, thing: Thing): Html {
  const verdict = judge(caller, thing);
  const chains = verdict.may ? verdict.needs.flatMap((each) => each.chains) : whatIsMissing(registry, thing, verdict);
  return section(
    nameOf(thing),
    html`<p>${verdict.may ? badge('good', 'may use it') : html`${badge('bad', 'may not use it')} Needed:`} · ${link('/users/who-can', 'Who can', { thing: `${thing.kind}:${thing.id}` })}</p>
${chainTable(verdict.may ? 'Why' : 'What is needed', [{ chains }])}`,
  );
}

/** Everything that a caller may use, by kind and id. */
async function allOf(
  visit: Visit,
  { id, caller, text }: { id: string; caller: CallerFacts; text: string | undefined },
): Promise<Html> {
  const kind = askedFor(visit, 'kind');
  const folded = text?.toLowerCase();
  const held = (await heldBy(visit, caller)).filter(
    (each) =>
      (kind === undefined || each.kind === kind) && (folded === undefined || each.id.toLowerCase().includes(folded)),
  );
  const from = Math.max(0, held.findIndex((each) => `${each.kind}:${each.id}` === visit.query.get('after')) + 1);
  const shown = held.slice(from, from + MOST);
  const last = shown.at(-1);
  const lastLink = (thing: Thing) => judge(caller, thing).needs[0]?.chains[0]?.at(-1);
  const columns: readonly Column<Thing>[] = [
    { title: 'Kind', cell: (each) => wordOf(each.kind) },
    { title: 'Thing', cell: (each) => link('/users/can', each.id, { user: id, thing: `${each.kind}:${each.id}` }) },
    { title: 'Because', kind: 'wide', cell: (each) => lastLink(each)?.because ?? '' },
    {
      title: 'Where',
      kind: 'code',
      cell: (each) => {
        const link = lastLink(each);
        return link === undefined ? '' : place(link.at);
      },
    },
  ];
  const next =
    last !== undefined && held.length > from + MOST
      ? address('/users/can', { user: id, thing: text, kind, after: `${last.kind}:${last.id}` })
      : undefined;
  return html`<p>${caller.name} may use ${number(held.length)} ${held.length === 1 ? 'thing' : 'things'}${text === undefined ? '' : html` with “${text}” in their ids`}.</p>
${table('Things', columns, shown, { empty: html`Nothing fits. ${link('/users/who-can', 'Who can')} shows what a thing needs.` })}${more(next, 'More')}`;
}
