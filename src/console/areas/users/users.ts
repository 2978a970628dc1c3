import { Fault } from '../../../model/fault.ts';
import { html } from '../../html.ts';
import { address, field, filters, heading, input, link, more, table } from '../../parts.ts';
import { type Area, page, pageRoute, type Reply, type Visit } from '../../route.ts';
import { CHANGES, showNew } from './change.ts';
import { showCan, showWhoCan } from './grants.ts';
import { askedFor, listUsers } from './list.ts';
import { entryColumns, views } from './shown.ts';
import { showMe, showUser } from './user.ts';

/** Lines of the audit log per page. */
const MOST = 100;

/** The trails of users and of operators, merged. */
async function showLog(visit: Visit): Promise<Reply> {
  const names = ['actor', 'action', 'subject', 'since', 'until'] as const;
  const asked = Object.fromEntries(names.map((name) => [name, askedFor(visit, name)]));
  const { actor, action, subject } = asked;
  const [since, until] = [momentOf('From', asked.since), momentOf('To', asked.until)];
  const cursor = visit.query.get('after') ?? undefined;
  const { entries, next } = await visit.ports.people.trails.search({
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(subject === undefined ? {} : { subject }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(cursor === undefined ? {} : { cursor }),
    limit: MOST,
  });
  const isNarrowed = Object.values(asked).some((each) => each !== undefined);
  const utc = html` step="1"`;
  return page(
    'Audit log',
    html`${heading('Audit log', { about: 'Sign-ins, changes of users, and what operators did to queues, jobs, messages and process requests; the newest first.' })}
${views(visit, '/users/log')}
${filters(
  'Audit log',
  '/users/log',
  html`${field('By', 'actor', input('actor', actor, 'search', html` size="14"`))}${field('Action', 'action', input('action', action, 'search', html` list="actions" size="14"`))}<datalist id="actions">${ACTIONS.map((each) => html`<option value="${each}">`)}</datalist>${field('Of (user, queue, job, request)', 'subject', input('subject', subject, 'search', html` size="14"`))}${field('From (UTC)', 'since', input('since', asked.since, 'datetime-local', utc))}${field('To (UTC)', 'until', input('until', asked.until, 'datetime-local', utc))}`,
)}
${table('Audit log', entryColumns(visit), entries, {
  empty: isNarrowed
    ? html`No line fits: names are compared as a whole. ${link('/users/log', 'Show all')}.`
    : 'Nothing yet. Sign-ins and actions are recorded here.',
})}
${more(next === undefined ? undefined : address('/users/log', { ...asked, after: next }))}`,
  );
}

/** Suggestions; others can be entered. */
const ACTIONS = [
  ...['add', 'passwd', 'disable', 'enable', 'role', 'key-add', 'key-revoke', 'certificate-add', 'certificate-remove'],
  ...['sign-in', 'sign-out', 'session-end', 'pause', 'resume', 'resubmit', 'hold', 'release'],
  ...['cancel', 'edit', 'schedule', 'restart', 'delete'],
];

/** A time in UTC, as browsers send it from a field. @throws Fault BAD_PARAMETER */
function momentOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(/Z$/.test(text) || !text.includes('T') ? text : `${text}Z`);
  const year = moment.getUTCFullYear();
  if (Number.isNaN(year) || year < 1970 || year > 9999)
    throw Fault.of('BAD_PARAMETER', { name, reason: 'is not a time such as 2026-05-01T12:00' });
  return moment;
}

export const usersArea: Area = {
  id: 'users',
  title: 'Users',
  path: '/users',
  grant: 'read',
  routes: [
    pageRoute('/users', listUsers),
    pageRoute('/users/new', (visit) => showNew(visit), 'users'),
    pageRoute('/users/me', (visit) => showMe(visit)),
    pageRoute('/users/log', showLog, 'users'),
    pageRoute('/users/who-can', showWhoCan),
    pageRoute('/users/can', showCan),
    pageRoute('/users/id/:user', (visit) => showUser(visit), 'users'),
    ...CHANGES,
  ],
};
