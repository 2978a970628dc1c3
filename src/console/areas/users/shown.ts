import type { Position } from '../../../model/definition.ts';
import { CONSOLE_GRANTS, type ConsoleGrant, type Role } from '../../../model/security.ts';
import { AUDIT_LOG, SESSIONS } from '../../../operator/user.ts';
import { consoleGrants, listsOf } from '../../../security/authorise.ts';
import { type CallerFacts, type Chain, type Link, permittedTo, type Thing } from '../../../security/grants.ts';
import type { KeptSession } from '../../../security/sign-in/session-rows.ts';
import type { TrailEntry } from '../../../security/trail.ts';
import { thingsOf } from '../../built.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import { badge, button, type Column, columnsOf, hidden, link, pathTo, shortId, table, tabs } from '../../parts.ts';
import type { Visit } from '../../route.ts';
import { placeLink } from '../registry/sources.ts';

// Parts that the pages of users and of grants share.

export const userPath = (id: string): string => pathTo('users', 'id', id);

/** A user; a link for those who may see users. */
export function userLink(visit: Visit, id: string): Part {
  if (visit.may('users')) return link(userPath(id), id);
  return id === visit.user.id ? link('/users/me', id) : id;
}

const requestLink = (request: number): Html => link(pathTo('processes', String(request)), `request ${request}`);

export const roleLink = (id: string): Html => link('/users/can', id, { user: `role:${id}` });

export const thingLink = ({ kind, id }: Pick<Thing, 'kind' | 'id'>): Html =>
  link('/users/who-can', id, { thing: `${kind}:${id}` });

/** The place of a definition, as a link. */
export const place = (at: Position | undefined): Html =>
  at === undefined ? html`<span class="faint">database</span>` : placeLink(at);

/** Links between the pages of the area. @param current the path of the page that is shown, or of the page above it */
export const views = (visit: Visit, current: string, options?: { isBelow: boolean }): Html =>
  tabs(
    'Users and grants',
    [
      ...(visit.may('users') ? ([['/users', 'Users']] as const) : []),
      ['/users/who-can', 'Who can'],
      ['/users/can', 'What one can'],
      ...(visit.may('users') ? ([['/users/log', 'Audit log']] as const) : []),
      ['/users/me', 'Me'],
    ],
    current,
    options,
  );

/** The union of the console grants of some roles. */
export function grantsOf(roles: readonly Role[]): readonly ConsoleGrant[] {
  const held = consoleGrants({ permissionLists: listsOf(roles) });
  return CONSOLE_GRANTS.filter((each) => held.has(each));
}

/** What a caller may use. Components without grants of their own are left out: the listed operations lead to them. */
export async function heldBy({ ports }: Pick<Visit, 'ports'>, caller: CallerFacts): Promise<readonly Thing[]> {
  const may = permittedTo(caller);
  const { all } = await thingsOf(ports.registry);
  return all.filter(
    (thing) => may(thing) && !(thing.kind === 'component' && thing.needs.every(({ granted }) => granted.public)),
  );
}

interface ChainRow extends Partial<Link> {
  readonly who?: Part;
}

/** Chains of grants, each link with its place. @param who is shown in the first row of each group */
export function chainTable(of: string, groups: readonly { readonly who?: Part; readonly chains: readonly Chain[] }[]) {
  const rows = groups.flatMap(({ who, chains }) =>
    chains.flat().map((each, index): ChainRow => ({ ...each, who: index === 0 ? who : '' })),
  );
  const columns: readonly Column<ChainRow>[] = [
    ...(groups.some(({ who }) => who !== undefined)
      ? [{ title: 'Who', cell: ({ who }: ChainRow) => who ?? '' } as const]
      : []),
    { title: 'Because', kind: 'wide', cell: ({ because }) => because ?? '' },
    { title: 'Where', kind: 'code', cell: ({ at }) => place(at) },
  ];
  return table(of, columns, rows, { empty: 'Nothing grants it.' });
}

/** Patterns of browsers. One whose text also names other browsers comes before these. */
const BROWSERS = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\bChromium\/(\d+)/, 'Chromium'],
  [/\b(?:Headless)?Chrome\/(\d+)|\bCriOS\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[^ ]* .*Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** A browser in a few words; what it sent is shown on hover. An unknown browser is shown as it was sent. */
function browserOf(agent: string): Html {
  const found = BROWSERS.flatMap(([pattern, name]) => {
    const [all, ...versions] = pattern.exec(agent) ?? [];
    return all === undefined ? [] : `${name} ${versions.find((each) => each !== undefined)}`;
  })[0];
  if (found === undefined) return html`${agent}`;
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  return html`<span title="${agent}">${found}${system === undefined ? '' : ` on ${system}`}</span>`;
}

/** Sessions of one user that can be used. @param to the path of the action that ends one */
export function sessionTable(visit: Visit, sessions: readonly KeptSession[], to: string): Html {
  const { user: _, ...ofOne } = SESSIONS;
  return table<KeptSession>(
    'Sessions',
    [
      ...columnsOf(ofOne, {
        session: ({ id }) =>
          id === visit.session ? html`<code>${id}</code> ${badge('good', 'this one')}` : html`<code>${id}</code>`,
        address: ({ address }) => html`<code>${address}</code>`,
        browser: ({ agent }) => browserOf(agent),
      }),
      {
        title: 'Action',
        cell: ({ id }) =>
          button(visit, {
            text: 'End',
            to,
            fields: { session: id },
            ...(id === visit.session ? { ask: 'This is the session that you use now: you are signed out.' } : {}),
          }),
      },
    ],
    sessions,
    { empty: 'No session can be used.' },
  );
}

/** The columns of the audit log, with links to its subjects. */
export const entryColumns = (visit: Visit): readonly Column<TrailEntry>[] =>
  columnsOf(AUDIT_LOG, {
    actor: ({ actor }) => link('/users/log', actor, { actor }),
    action: ({ action }) => html`<span class="word">${action}</span>`,
    of: ({ user, queue, job, request }) =>
      user === undefined
        ? html`<span class="linked">${link(pathTo('queues', queue ?? ''), queue ?? '')}${job === undefined ? NOTHING : html` ${shortId(job)}`}${request === undefined ? NOTHING : html` ${requestLink(request)}`}</span>`
        : userLink(visit, user),
    detail: ({ detail }) => detailText(detail),
  });

function detailText(detail: TrailEntry['detail']): Part {
  const texts = Object.entries(detail ?? {}).flatMap(([name, value]) => {
    if (value === '' || (Array.isArray(value) && value.length === 0)) return [];
    if (name === 'agent') return html`agent: ${browserOf(String(value))}`;
    return html`${name}: ${Array.isArray(value) ? value.join(', ') : value === true ? 'yes' : value === false ? 'no' : String(value)}`;
  });
  return texts.map((each, index) => html`${index === 0 ? '' : ' · '}${each}`);
}

interface Question {
  readonly title: string;
  readonly asks: readonly Part[];
  /** The path of the action, which runs when the fields are sent to it again. */
  readonly to: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly text: string;
  /** The target of the link that cancels. */
  readonly back: string;
}

/** The question that an action asks before it runs. */
export const question = (visit: Visit, { title, asks, to, fields, text, back }: Question): Html =>
  html`<h1>${title}</h1>${asks.map((each) => html`<p>${each}</p>`)}
<form method="post" action="/console${to}" class="question"><input type="hidden" name="token" value="${visit.token}">${hidden(fields)}
<button class="danger">${text}</button> ${link(back, 'Cancel')}</form>`;
