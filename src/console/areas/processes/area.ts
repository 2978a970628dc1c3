import { RECURRENCES, REQUESTS, RUN_TONES } from '../../../operator/process.ts';
import type { ProcessLoad, RecurrenceTimes, RequestFilter } from '../../../process/index.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import {
  address,
  columnsOf,
  field,
  filters,
  heading,
  input,
  link,
  live,
  more,
  number,
  select,
  table,
  time,
} from '../../parts.ts';
import { type Area, page, pageRoute, type Reply, type Visit } from '../../route.ts';
import { processTabs, requestPath, rightsOf, scheduleLink, statusOf, WORDS } from './parts.ts';
import { requestActions, sendReport, showRequest } from './request.ts';
import { chooseProgram, scheduleAction, showForm } from './schedule.ts';

/** Maximum number of processes in the heat map; the others are counted in a last row. */
const MOST_BUSY = 30;

type Row = Pick<ProcessLoad['processes'][number], 'name' | 'hours' | 'total'> & { readonly type?: string };

const hourText = (hour: number): string => String(hour).padStart(2, '0');

/** The requests of the last days by process and hour of the day. */
async function showLoad(visit: Visit): Promise<Reply> {
  const load = await visit.ports.scheduler.load(visit.user);
  const { timezone } = visit.ports.registry.gateway;
  const shown =
    load.total === 0 ? html`<p class="empty">No request ran in the last seven days.</p>` : heatMap(load, timezone);
  return page(
    'Load of processes',
    html`${heading('Processes', { about: rightsOf(visit), actions: scheduleLink(visit) })}
${processTabs('/processes/load')}
<p>Run times of ${number(load.total)} requests since ${time(load.since)}, by process and hour of the day in ${timezone}.${load.truncated ? ' There were more in the last seven days: the newest are counted.' : ''}</p>
${shown}`,
  );
}

function heatMap({ processes }: ProcessLoad, timezone: string): Html {
  const rows = withRest(processes);
  const most = Math.max(...rows.flatMap(({ hours }) => hours));
  return html`<div class="scroll" role="region" aria-label="Load by process and hour" tabindex="0"><table class="heat"><caption class="hidden">Requests by process and hour of the day, ${timezone}</caption>
<thead><tr><th scope="col">Process</th>${Array.from({ length: 24 }, (_, hour) => html`<th scope="col" class="number">${hourText(hour)}</th>`)}<th scope="col" class="number">All</th></tr></thead>
<tbody>${rows.map(
    ({ type, name, hours, total }) =>
      html`<tr><th scope="row">${type === undefined ? name : link('/processes', name, { type, name, hours: 168 })}</th>${hours.map(
        (count) => html`<td class="number heat-${shadeOf(count, most)}">${count === 0 ? '' : number(count)}</td>`,
      )}<td class="number">${number(total)}</td></tr>
`,
  )}</tbody></table></div>
<p class="faint legend">Shades: ${[1, 2, 3, 4, 5].map((shade) => html`<span class="heat-${shade}">${shade === 1 ? 'fewest' : shade === 5 ? 'most' : ''}</span>`)}</p>`;
}

/** One of five shades. The square root separates small numbers, which would all look the same next to a large one. */
function shadeOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(1, Math.ceil(5 * Math.sqrt(count / most)));
}

function withRest(processes: ProcessLoad['processes']): readonly Row[] {
  const rest = processes.slice(MOST_BUSY);
  if (rest.length === 0) return processes;
  const hours = Array.from({ length: 24 }, (_, hour) => rest.reduce((sum, each) => sum + (each.hours[hour] ?? 0), 0));
  const total = rest.reduce((sum, each) => sum + each.total, 0);
  return [...processes.slice(0, MOST_BUSY), { name: `${rest.length} others`, hours, total }];
}

/** The recurrences with their next times. */
async function showRecurrences(visit: Visit): Promise<Reply> {
  const all = await visit.ports.scheduler.recurrences(visit.user);
  const empty = html`No recurrence is declared. A definition with the key <code>recurrence</code> declares one.`;
  return page(
    'Recurrences',
    html`${heading('Processes', { about: 'When processes recur by themselves, and what requests can recur by.', actions: scheduleLink(visit) })}
${processTabs('/processes/recurrences')}
${table('Recurrences', RECURRENCE_COLUMNS, all, { empty })}`,
  );
}

const RECURRENCE_COLUMNS = columnsOf(RECURRENCES, {
  schedule: ({ recurrence }) => html`<code>${recurrence.cron}</code>`,
  next: ({ next }) => (next.length === 0 ? 'never' : lines(next.map((each) => time(each)))),
  processes: ({ processes }) => lines(processes.map(processOf)),
});

const lines = (all: readonly Html[]): Html => html`${all.map((each) => html`<div>${each}</div>`)}`;

function processOf({ type, name, runAs, next }: RecurrenceTimes['processes'][number]): Html {
  const entered = next === undefined ? NOTHING : html`, next ${time(next)}`;
  return html`${link('/processes', name, { type, name })} <span class="faint">as ${runAs}${entered}</span>`;
}

/** Requests per page. */
const MOST = 50;

const COLUMNS = columnsOf(REQUESTS, {
  instance: ({ instance }) => link(requestPath(instance), instance),
  status: statusOf,
});

/** Periods of the list, in hours. */
const HOURS = [1, 4, 24, 72, 168] as const;

const FILTERS = ['user', 'type', 'name', 'status', 'hours', 'from', 'to'] as const;

async function list(visit: Visit) {
  const { scheduler } = visit.ports;
  const given = Object.fromEntries(FILTERS.map((name) => [name, visit.query.get(name) ?? '']));
  const found = await scheduler.find(filterOf(visit), visit.user);
  const shown = found.slice(0, MOST);
  const before = found.length > MOST ? shown.at(-1)?.instance : undefined;
  const isFiltered = Object.values(given).some((value) => value !== '');
  const empty = isFiltered
    ? html`No request passes this filter. ${link('/processes', 'Show all')}.`
    : html`There is no request yet.${visit.may('act') ? html` ${link('/processes/new', 'Schedule a process')}.` : NOTHING}`;
  return page(
    'Processes',
    html`${heading('Processes', { about: rightsOf(visit), actions: scheduleLink(visit) })}
${processTabs('/processes')}
${filterForm(visit)}
${live(
  visit,
  'processes',
  'requests',
  html`${table('Process requests', COLUMNS, shown, { empty })}${more(before === undefined ? undefined : address('/processes', { ...given, before }))}`,
)}`,
  );
}

const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;

function filterOf({ query, ports }: Visit): RequestFilter {
  const text = <K extends keyof RequestFilter>(key: K, name: string) => {
    const value = query.get(name)?.trim();
    return value === undefined || value === '' ? {} : { [key]: value };
  };
  const from = wholeNumber(query.get('from'));
  const before = wholeNumber(query.get('before'));
  const ends = [wholeNumber(query.get('to')), before === undefined ? undefined : before - 1];
  const to = Math.min(...ends.flatMap((end) => end ?? []));
  const hours = wholeNumber(query.get('hours'));
  return {
    ...text('operator', 'user'),
    ...text('type', 'type'),
    ...text('name', 'name'),
    ...text('runStatus', 'status'),
    ...(from === undefined ? {} : { from }),
    ...(to === Number.POSITIVE_INFINITY ? {} : { to }),
    ...(hours === undefined ? {} : { since: ports.now() - hours * 3_600_000 }),
    count: MOST + 1,
  };
}

function filterForm({ query, ports, user }: Visit): Html {
  const all = new Set(['PSQuery', ...[...ports.registry.processes.values()].map(({ type }) => type)]);
  const types = [...all].sort().map((type): [string, string] => [type, type]);
  const statuses = Object.keys(RUN_TONES).map((status): [string, string] => [status, WORDS[status] ?? status]);
  const hours = HOURS.map((each): [string, string] => [String(each), each < 72 ? `${each} h` : `${each / 24} days`]);
  const narrow = html` size="7" inputmode="numeric"`;
  return filters(
    'Filter of process requests',
    '/processes',
    html`${ports.scheduler.seesOthers(user) ? field('User', 'user', input('user', query.get('user'), 'text', html` size="8"`)) : NOTHING}
${field('Type', 'type', select('type', [['', 'All'], ...types], query.get('type')))}
${field('Name', 'name', input('name', query.get('name'), 'text', html` size="16"`))}
${field('Run status', 'status', select('status', [['', 'All'], ...statuses], query.get('status')))}
${field('Ran in the last', 'hours', select('hours', [['', 'Any time'], ...hours], query.get('hours')))}
${field('From instance', 'from', input('from', query.get('from'), 'text', narrow))}
${field('To instance', 'to', input('to', query.get('to'), 'text', narrow))}`,
  );
}

export const processesArea: Area = {
  id: 'processes',
  title: 'Processes',
  path: '/processes',
  grant: 'read',
  topics: [{ name: 'processes', state: ({ scheduler }) => scheduler.pulse() }],
  routes: [
    pageRoute('/processes', list),
    pageRoute('/processes/recurrences', showRecurrences),
    pageRoute('/processes/load', showLoad),
    pageRoute('/processes/new', chooseProgram, 'act'),
    pageRoute('/processes/new/:type/:name', showForm, 'act'),
    scheduleAction,
    pageRoute('/processes/:instance', showRequest),
    pageRoute('/processes/:instance/report', sendReport, 'payload'),
    ...requestActions,
  ],
};
