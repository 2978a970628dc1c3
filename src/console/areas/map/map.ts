import { setTimeout as pause } from 'node:timers/promises';
import { counted } from '../../../wire/words.ts';
import { type Html, html, NOTHING, type Part } from '../../html.ts';
import {
  address,
  badge,
  field,
  filters,
  heading,
  input,
  link,
  live,
  number,
  pathTo,
  section,
  select,
  table,
} from '../../parts.ts';
import { type Area, page, pageRoute, type Reply, type Visit } from '../../route.ts';
import { type Filter, type Graph, type LineState, type MapLine, type Place, statesOf } from './graph.ts';
import { BOX, type Layout, partOf } from './layout.ts';

/** Maximum number of lines whose numbers are drawn; more would hide each other. */
const MOST_COUNTED = 60;
/** The period of the counted calls, in milliseconds. */
const HOUR = 3_600_000;
/** Maximum number of operations whose calls are counted, those with most calls first. */
const MOST_CALLED = 1000;
/** Maximum number of rows in the table. */
const MOST_ROWS = 500;
/** Maximum number of characters of a name in a box. */
const LONGEST = 19;

/**
 * A page waits for pictures with at most this many boxes, and for this many milliseconds, because the thread may be busy with a
 * large one. The live part, which a script fetches once the page is shown, waits for every picture.
 */
const FEW = 40;
const PATIENCE = 50;

const TITLE = 'Map';

/** The page that a box leads to. */
function pageOf({ kind, id, members }: Place): string | undefined {
  switch (kind) {
    case 'service':
    case 'called':
      return address(pathTo('registry', 'services', id));
    case 'services':
      return members && address('/map', { like: id });
    case 'datasource':
      return address(pathTo('registry', 'datasources', id));
    case 'queue':
      return address(pathTo('registry', 'queues', id));
    case 'subscription':
      return address(pathTo('registry', 'subscriptions', id));
    case 'flow':
      return address(pathTo('registry', 'flows', id));
    case 'node':
      return address(pathTo('registry', 'nodes', id));
    case 'code':
    case 'database':
      return undefined;
  }
}

/** Kinds of boxes in words. The title of a column with one kind only already states it. */
const WORDS: { readonly [K in Place['kind']]: string } = {
  service: 'service',
  services: 'services',
  code: '',
  database: '',
  datasource: 'datasource',
  queue: 'queue',
  subscription: 'subscription',
  flow: 'flow',
  called: 'service',
  node: 'node',
};

const nameOf = ({ id, members }: Place): string =>
  members === undefined ? id : `${members[0]} and ${members.length - 1} more`;

async function show(visit: Visit): Promise<Reply> {
  const given = (name: string): string | undefined => visit.query.get(name)?.trim() || undefined;
  const filter: Filter = { service: given('service'), node: given('node'), q: given('q'), like: given('like') };
  const { graph, layout } = await partOf(visit.ports.registry, filter);
  const [states, drawing] = await Promise.all([
    figuresOf(visit).then((figures) => statesOf(graph, ...figures)),
    visit.byScript ? layout : shortly(layout, graph.places.size),
  ]);
  const shown =
    drawing !== undefined
      ? picture(graph, drawing, states)
      : layout === undefined
        ? tooLarge(graph)
        : html`<p class="empty">The map is being drawn. ${link('/map', 'Load the page again', { ...filter })} if it does not appear.</p>`;
  const isFiltered = Object.values(filter).some((each) => each !== undefined);
  return page(
    TITLE,
    html`${heading(TITLE, { about: 'Services, what answers their operations, and the nodes behind them. The more calls in the last hour, the wider a line. A box leads to its definition.' })}
${filterForm(visit, filter)}
${
  isFiltered
    ? html`<p>${counted(graph.places.size, 'box', 'boxes')}${filter.like === undefined ? '' : html`, services that lead to the same places as ${filter.like}`}. ${link('/map', 'Show everything')}</p>`
    : NOTHING
}
${graph.isReduced === true ? html`<p class="hint">Code and the gateway's database are left out, and services that lead to the same places are one box: the map has many. Narrow it to see each.</p>` : NOTHING}
${live(visit, 'map', 'map', graph.places.size === 0 ? emptyMap(isFiltered) : html`${shown}${connections(graph, states)}`)}`,
  );
}

/** Calls of the last hour by operation, and the jobs of subscriptions. */
async function figuresOf({ ports: { statistics, queues, now } }: Visit) {
  const until = now();
  const [{ operations }, overview] = await Promise.all([
    statistics.byOperation({ since: until - HOUR, until, most: MOST_CALLED }),
    queues.overview(),
  ]);
  return [new Map(operations.map((each) => [each.operation, each])), overview] as const;
}

const emptyMap = (isFiltered: boolean): Html =>
  html`<p class="empty">${isFiltered ? 'Nothing on the map has this name.' : 'No service is declared. Add services to the folder of the definitions.'}</p>`;

function filterForm({ ports: { registry } }: Visit, { service, node, q, like }: Filter): Html {
  const options = (all: ReadonlyMap<string, unknown>): [string, string][] => [
    ['', 'all'],
    ...[...all.keys()].map((id): [string, string] => [id, id]),
  ];
  // A thousand services are too many to choose from; the search finds them.
  const few = registry.services.size <= 200;
  return filters(
    'Narrow the map',
    '/map',
    html`${field('Name', 'q', input('q', q, 'search'))}${
      few
        ? field('Service', 'service', select('service', options(registry.services), service))
        : field('Service', 'service', input('service', service))
    }${field('Node', 'node', select('node', options(registry.nodes), node))}${like === undefined ? NOTHING : html`<input type="hidden" name="like" value="${like}">`}`,
  );
}

/** A layout that is already there or, for few boxes, will be soon. */
function shortly(layout: Promise<Layout | undefined> | undefined, boxes: number): Promise<Layout | undefined> {
  return Promise.race([layout, boxes > FEW ? undefined : pause(PATIENCE, undefined, { ref: false })]);
}

const tooLarge = ({ places }: Graph): Html =>
  html`<p class="empty">${number(places.size)} boxes are too many to draw. Choose a service, a node or a name; the table below has all of them.</p>`;

/** The lines of a map, failing ones first. */
function connections(graph: Graph, states: ReadonlyMap<MapLine, LineState>): Html {
  const failing = [...states].filter(([, { reason }]) => reason !== undefined);
  const place = (key: string): Place => graph.places.get(key) as Place;
  const rows = [
    ...failing.map(([line]) => line),
    ...graph.lines.filter((line) => states.get(line)?.reason === undefined),
  ];
  const rest = rows.length - MOST_ROWS;
  return html`${section(
    'As a table',
    html`${table(
      'Connections',
      [
        { title: 'From', cell: ({ from }: MapLine) => boxLink(place(from)) },
        { title: 'To', cell: ({ to }: MapLine) => boxLink(place(to)) },
        { title: 'Operations', kind: 'number' as const, cell: ({ operations }: MapLine) => number(operations.size) },
        {
          title: 'State',
          cell: (line: MapLine) => {
            const reason = states.get(line)?.reason;
            return reason === undefined ? '' : badge('bad', reason);
          },
        },
      ],
      rows.slice(0, MOST_ROWS),
      { empty: 'Nothing leads anywhere.' },
    )}${rest > 0 ? html`<p class="hint">And ${number(rest)} more.</p>` : NOTHING}`,
    'connections',
  )}`;
}

function boxLink(place: Place): Html {
  const to = pageOf(place);
  const word = WORDS[place.kind];
  const name = nameOf(place);
  return html`${to === undefined ? name : html`<a href="${to}">${name}</a>`} ${word === '' ? NOTHING : html`<span class="faint">${word}</span>`}`;
}

function picture(
  { places, lines }: Graph,
  { width, height, boxes, paths, titles }: Layout,
  states: ReadonlyMap<MapLine, LineState>,
): Html {
  const hasCounts = lines.length <= MOST_COUNTED;
  const most = Math.max(0, ...[...states.values()].map(({ calls }) => calls));
  return html`<div class="scroll" role="region" aria-label="Map" tabindex="0"><svg class="map" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="group" aria-label="Services and what they lead to; the table below has the same">
${titles.map(({ text, x }) => html`<text class="layer" x="${x}" y="18">${text}</text>`)}
<g aria-hidden="true">${lines.map((line) => drawLine(line, places, paths.get(line) ?? [], { state: states.get(line), most, hasCounts }))}</g>
${[...places.values()].map((place) => drawBox(place, boxes.get(place.key) ?? { x: 0, y: 0 }))}
</svg></div>`;
}

interface LineLook {
  readonly state: LineState | undefined;
  /** Calls of the line with the most calls. */
  readonly most: number;
  /** Whether the number of operations is shown at each line. */
  readonly hasCounts: boolean;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function drawLine(
  { from, to, operations }: MapLine,
  places: ReadonlyMap<string, Place>,
  points: readonly { readonly x: number; readonly y: number }[],
  { state, most, hasCounts }: LineLook,
): Part {
  const [first, ...others] = points;
  if (first === undefined) return NOTHING;
  let before = first;
  let path = `M${round(first.x)} ${round(first.y)}`;
  for (const point of others) {
    const middle = round((before.x + point.x) / 2);
    path += `C${middle} ${round(before.y)} ${middle} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    before = point;
  }
  const name = (key: string): string => nameOf(places.get(key) as Place);
  const calls = state === undefined || state.calls === 0 ? '' : `, ${number(state.calls)} calls`;
  const title = `${name(from)} > ${name(to)}: ${counted(operations.size, 'operation')}${calls}${state?.reason === undefined ? '' : `, ${state.reason}`}`;
  const second = others[0] ?? first;
  const [x, y] = [round((first.x + second.x) / 2), round((first.y + second.y) / 2 + 4)];
  const isFailing = state?.reason !== undefined;
  const sign = isFailing
    ? html`<text class="sign" x="${x}" y="${y}">■</text>`
    : hasCounts && operations.size > 1
      ? html`<text class="count" x="${x}" y="${y}">${number(operations.size)}</text>`
      : NOTHING;
  return html`<g class="line-of${isFailing ? ' fails' : ''}"><title>${title}</title><path class="width-${widthOf(state?.calls ?? 0, most)}" d="${path}"/>${sign}</g>
`;
}

/** 1 for a line without calls, up to 5: each width stands for ten times as many calls as the one before. */
function widthOf(calls: number, most: number): number {
  if (calls === 0 || most === 0) return 1;
  return Math.max(2, Math.round(5 - Math.log10(most / calls)));
}

function drawBox(place: Place, { x, y }: { readonly x: number; readonly y: number }): Html {
  const [name, full] = [nameOf(place), `${WORDS[place.kind]} ${nameOf(place)}`];
  const [left, top] = [round(x - BOX.width / 2), round(y - BOX.height / 2)];
  const word = place.kind === 'queue' || place.kind === 'datasource' || place.kind === 'flow' ? `${place.kind} ` : '';
  const shown =
    place.members === undefined
      ? cut(name, LONGEST - word.length)
      : `${cut(place.id, 12)} + ${number(place.members.length - 1)}`;
  const box = html`<title>${full}</title><rect class="box ${place.kind}" x="${left}" y="${top}" width="${BOX.width}" height="${BOX.height}" rx="4"/><text x="${left + 10}" y="${round(y + 4)}">${
    word === '' ? NOTHING : html`<tspan class="kind">${word}</tspan>`
  }${shown}</text>`;
  const to = pageOf(place);
  // The name of a link contains its visible text, for people who operate it by voice (WCAG 2.2, 2.5.3).
  const label = full.includes(`${word}${shown}`) ? full : `${word}${shown}: ${full}`;
  return to === undefined ? html`<g>${box}</g>` : html`<a class="place" href="${to}" aria-label="${label}">${box}</a>`;
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** Services and what they lead to. */
export const mapArea: Area = {
  id: 'map',
  title: TITLE,
  path: '/map',
  grant: 'read',
  prepare: async (registry) => (await partOf(registry, {})).layout,
  topics: [
    {
      name: 'map',
      state: async ({ queues, statistics }) =>
        JSON.stringify([
          await statistics.latest(),
          ...(await queues.overview()).map(({ queue, paused, dead, held }) => [
            ...[queue, paused?.since, paused?.with, dead, held],
          ]),
        ]),
    },
  ],
  routes: [pageRoute('/map', show)],
};
