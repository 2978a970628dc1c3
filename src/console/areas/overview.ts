import { PAGED, slugOf } from '../../kinds/kinds.ts';
import type { CallReply } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { ConsolePorts } from '../console-port.ts';
import { callCharts, HOUR, MINUTE, periodOf } from '../figures.ts';
import { type Html, html, NOTHING, type Part } from '../html.ts';
import {
  badge,
  type Column,
  heading,
  length,
  link,
  live,
  number,
  pathTo,
  section,
  table,
  tabs,
  time,
} from '../parts.ts';
import { type Area, page, pageRoute, type Visit } from '../route.ts';
import { pathOf } from './registry/things.ts';

/** The periods of the charts, by their names in the address, with the step between two points. In milliseconds. */
const PERIODS = {
  hour: { text: 'Hour', of: HOUR, step: MINUTE },
  day: { text: 'Day', of: 24 * HOUR, step: 5 * MINUTE },
  week: { text: 'Week', of: 7 * 24 * HOUR, step: HOUR },
} as const;
type PeriodName = keyof typeof PERIODS;

/** Maximum number of operations in the table. */
const MOST = 25;
/** Maximum number of listed loads of definitions, and of names in each. */
const MOST_LOADED = 5;
const MOST_NAMES = 8;

/** A number that leads to the list that it counts. The cards are always the same twelve, in the same positions. */
interface Card {
  readonly value: string;
  readonly of: string;
  /** Relative to the console, or a part of the page. */
  readonly to: string;
  readonly tone?: 'bad' | 'warn' | undefined;
}

async function show(visit: Visit) {
  const asked = visit.query.get('period') ?? 'day';
  const period: PeriodName = Object.hasOwn(PERIODS, asked) ? (asked as PeriodName) : 'day';
  const { ports } = visit;
  const [work, calls, loaded] = await Promise.all([
    workCards(visit, PERIODS[period].of),
    callsOf(ports, period),
    ports.definitions(MOST_LOADED),
  ]);
  const views = (Object.entries(PERIODS) as [PeriodName, { text: string }][]).map(
    ([name, { text }]) => [name === 'day' ? '/overview' : `/overview?period=${name}`, text] as const,
  );
  return page(
    'Overview',
    html`${heading('Overview', { about: html`The last ${PERIODS[period].text.toLowerCase()} of all gateways over this database.` })}
${tabs('Period', views, period === 'day' ? '/overview' : `/overview?period=${period}`)}
${live(
  visit,
  'overview',
  'figures',
  html`<h2 class="hidden">Now</h2>${cards([...calls.cards, ...work])}
<div class="columns">${calls.charts}</div>
${section('Operations', calls.operations, 'operations')}
${section('Definitions', changes(loaded))}`,
)}`,
    { charts: true },
  );
}

const cards = (all: readonly Card[]): Html =>
  html`<div class="cards">${all.map(({ value, of, to, tone }) => {
    const text = html`<strong${tone === undefined ? NOTHING : html` class="${tone}"`}>${
      tone === undefined ? NOTHING : html`<span aria-hidden="true">${tone === 'bad' ? '■' : '▲'}</span> `
    }${value}</strong><span>${of}</span>`;
    return html`<a class="card" href="${to.startsWith('#') ? to : `/console${to}`}">${text}</a>`;
  })}</div>`;

/** Requests are counted up to this number. */
const MOST_REQUESTS = 300;

/** The background work and the nodes. @param of milliseconds in which failed processes count */
async function workCards({ ports, user }: Visit, of: number): Promise<Card[]> {
  const { queues, scheduler, messages, registry, nodes } = ports;
  const requests = (runStatus: string, since?: number): Promise<readonly unknown[]> =>
    scheduler.find({ runStatus, count: MOST_REQUESTS, ...(since === undefined ? {} : { since }) }, user);
  const [all, suspended, running, failed] = await Promise.all([
    queues.overview(),
    messages.down(),
    requests('Processing'),
    requests('Error', ports.now() - of),
  ]);
  const sum = (member: 'waiting' | 'held' | 'dead'): number => all.reduce((total, each) => total + each[member], 0);
  const ages = all.flatMap(({ oldestSeconds, queue }) => (oldestSeconds === undefined ? [] : { oldestSeconds, queue }));
  const oldest = ages.toSorted((a, b) => b.oldestSeconds - a.oldestSeconds)[0];
  const paused = all.filter(({ paused: by }) => by !== undefined).length;
  const open = [...registry.nodes.values()].filter((node) => (nodes.state(node)?.circuit ?? 'closed') !== 'closed');
  const down = new Set([...suspended.map(({ node }) => node), ...open.map(({ id }) => id)]).size;
  const hours = Math.round(of / HOUR);
  const counted = (list: readonly unknown[]): string =>
    `${number(list.length)}${list.length === MOST_REQUESTS ? ' or more' : ''}`;
  const alarming = (value: number, tone: 'bad' | 'warn'): Pick<Card, 'tone'> => ({
    tone: value > 0 ? tone : undefined,
  });
  return [
    { value: number(down), of: down === 1 ? 'node down' : 'nodes down', to: '/nodes', ...alarming(down, 'bad') },
    { value: counted(running), of: 'processes running', to: '/processes?status=Processing' },
    {
      ...{ value: counted(failed), of: 'processes failed', to: `/processes?status=Error&hours=${hours}` },
      ...alarming(failed.length, 'bad'),
    },
    { value: number(sum('waiting')), of: 'jobs waiting', to: '/queues?state=waiting' },
    {
      value: oldest === undefined ? '–' : length(oldest.oldestSeconds * 1000),
      of: oldest === undefined ? 'oldest job' : `oldest job, in ${oldest.queue}`,
      to: oldest === undefined ? '/queues' : pathTo('queues', oldest.queue),
    },
    { value: number(paused), of: 'queues paused', to: '/queues', ...alarming(paused, 'warn') },
    { value: number(sum('held')), of: 'jobs held', to: '/queues?state=held', ...alarming(sum('held'), 'warn') },
    { value: number(sum('dead')), of: 'dead letters', to: '/queues?state=dead', ...alarming(sum('dead'), 'bad') },
  ];
}

type Operations = Awaited<ReturnType<ConsolePorts['statistics']['byOperation']>>['operations'];

const columns = (registry: Registry): readonly Column<Operations[number]>[] => [
  { title: 'Operation', cell: ({ operation }) => link(pathTo('registry', 'operations', operation), operation) },
  { title: 'Direction', cell: ({ kind }) => (kind === 'called' ? 'called by us' : 'served') },
  { title: 'Calls', kind: 'number', cell: ({ calls }) => number(calls) },
  { title: 'Failed', kind: 'number', cell: (row) => failedCell(registry, row) },
  {
    title: 'Refused',
    kind: 'number',
    cell: ({ operation, refusals }) =>
      refusals === 0 ? html`<span class="none">0</span>` : linkTo({ operation, reply: 'refused' }, number(refusals)),
  },
  { title: 'p50', kind: 'number', cell: ({ p50 }) => length(p50) },
  { title: 'p95', kind: 'number', cell: ({ p95 }) => length(p95) },
  { title: 'p99', kind: 'number', cell: ({ p99 }) => length(p99) },
];

/** A link to the recorded calls of an operation. */
const linkTo = (of: { operation: string; reply: CallReply }, text: Part): Html =>
  link('/messages', text, { kind: 'call', ...of });

function failedCell(registry: Registry, { operation, kind, failures, calls }: Operations[number]): Part {
  if (failures === 0) return html`<span class="none">0</span>`;
  const text = badge('bad', number(failures));
  const { target } = (kind === 'called' && registry.consumers.get(operation)) || {};
  // Calls for deliveries are recorded with their messages. The page of the node lists both.
  const to =
    target === undefined ? linkTo({ operation, reply: 'failed' }, text) : link(pathTo('nodes', target.id), text);
  const share = `${((100 * failures) / calls).toFixed(failures === calls ? 0 : 1)} %`;
  return html`${to} <small>(${share})</small>`;
}

/** The calls of a period: totals, charts, and the called operations. */
async function callsOf({ statistics, now, registry }: ConsolePorts, name: PeriodName) {
  const { of, step } = PERIODS[name];
  const { since, until } = periodOf(now(), of);
  const [series, { operations }] = await Promise.all([
    statistics.series({ since, until, step }),
    statistics.byOperation({ since, until, most: MOST }),
  ]);
  const sum = (member: 'calls' | 'failures' | 'refusals'): number =>
    series.reduce((sum, each) => sum + each[member], 0);
  const failures = sum('failures');
  const [worst] = operations.toSorted((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0));
  const calls = `/messages?kind=call&since=${of / HOUR}+h`;
  const numbers: Card[] = [
    { value: number(sum('calls')), of: 'calls', to: '#operations' },
    {
      value: number(failures),
      of: 'calls failed',
      to: '#operations',
      tone: failures > 0 ? 'bad' : undefined,
    },
    { value: number(sum('refusals')), of: 'calls refused', to: `${calls}&reply=refused` },
    {
      value: length(worst?.p95),
      of: worst === undefined ? 'slowest p95' : `slowest p95, ${worst.operation}`,
      to: worst === undefined ? '#operations' : `${pathTo('registry', 'operations', worst.operation)}#figures`,
    },
  ];
  const shown = table('Operations', columns(registry), operations, {
    empty: 'No call in this period. The catalogue at / has commands to try.',
  });
  return { cards: numbers, charts: callCharts(series, step), operations: shown };
}

/** The changes in the definitions that were loaded last. */
function changes(loaded: Awaited<ReturnType<ConsolePorts['definitions']>>): Html {
  return table(
    'Definitions that were loaded',
    [
      { title: 'Loaded', cell: ({ loaded: at }) => time(at) },
      { title: 'By', cell: ({ gateway }) => gateway },
      { title: 'Version', kind: 'code', cell: ({ hash }) => html`<code>${hash}</code>` },
      { title: 'Added', kind: 'wide', cell: ({ added }) => names(added, true) },
      { title: 'Changed', kind: 'wide', cell: ({ changed }) => names(changed, true) },
      { title: 'Removed', kind: 'wide', cell: ({ removed }) => names(removed, false) },
    ],
    loaded,
    { empty: 'Nothing was recorded yet: it is when a gateway starts.' },
  );
}

function names(all: readonly string[], exist: boolean): Part {
  const shown = all.slice(0, MOST_NAMES).map((each, index) => {
    const [kind = '', ...rest] = each.split(' ');
    const to = exist ? pathOfPart(kind, rest.join(' ')) : undefined;
    return html`${index === 0 ? '' : ', '}${to === undefined ? each : link(to, each)}`;
  });
  return html`${shown}${all.length > MOST_NAMES ? ` and ${all.length - MOST_NAMES} more` : ''}`;
}

/** The page of a definition, by its kind and id in `fingerprintAll`. */
function pathOfPart(kind: string, id: string): string | undefined {
  if (kind === 'file') return pathTo('registry', 'files', id);
  const member = PAGED.find((each) => slugOf(each) === kind);
  return member && pathOf(member, id);
}

export const overviewArea: Area = {
  id: 'overview',
  title: 'Overview',
  path: '/overview',
  grant: 'read',
  topics: [
    {
      name: 'overview',
      state: async ({ statistics, queues }) => {
        const all = await queues.overview();
        const of = all.map(({ waiting, running, held, dead, paused }) => [waiting, running, held, dead, paused?.since]);
        return JSON.stringify([await statistics.latest(), of]);
      },
    },
  ],
  routes: [pageRoute('/overview', show)],
};
