import { type Html, html, NOTHING } from '../../console/html.ts';
import { facts, form, heading, hidden, link, notice, number, section, table } from '../../console/parts.ts';
import { page, type Reply, type Visit } from '../../console/route.ts';
import { DELIVERY_ACTIONS } from '../operator.ts';
import type { Acted, DeliveryAction } from '../run/index.ts';
import { filterText, type GivenFilter, readFilter } from './filter.ts';
import { errorsOf, messageColumns } from './list.ts';
import { messageLink } from './words.ts';

/** Deliveries that are counted beforehand. */
const MOST_COUNTED = 5000;
/** Messages of the preview. */
const MOST_SHOWN = 10;
/** Deliveries that one request acts on, and the seconds that it takes. */
const MOST = 5000;
const SECONDS = 10;
/** Refusals that a report lists. */
const MOST_REFUSED = 100;

/** `/messages/all/<action>`: what would be done. */
export async function preview(visit: Visit, action: DeliveryAction): Promise<Reply> {
  const { title, effect, isDangerous } = DELIVERY_ACTIONS[action];
  const given = readFilter(visit.query, visit.ports.now());
  const head = heading(`${title} all that match`, { about: aboutFilter(given) });
  if (given.wrong !== undefined) return page(title, html`${head}${notice('bad', given.wrong)}`, { status: 400 });
  const { messages } = visit.ports;
  const { filter } = given;
  const { status, ...others } = filter;
  const wanted = { ...others, deliveryIn: status === undefined ? messages.actsOn[action] : [status] };
  const [count, { messages: first }] = await Promise.all([
    messages.count(action, filter, MOST_COUNTED),
    messages.list(wanted, { limit: MOST_SHOWN }),
  ]);
  const on = status ?? messages.actsOn[action].join(' or ');
  return page(
    `${title} all`,
    html`${head}
${facts([
  ['Deliveries', html`<strong class="large">${manyOf(count)}</strong> that are ${on}`],
  ['What happens to each', effect],
])}
${
  count === 0
    ? html`<p class="empty">No delivery that is ${on} matches. ${link('/messages', 'Back to the list', given.given)}</p>`
    : html`${section(first.length < MOST_SHOWN ? 'Their messages' : 'The newest of their messages', table('Messages', messageColumns(await errorsOf(visit, first)), first, { empty: '' }))}
${form(
  visit,
  `/messages/all/${action}`,
  html`${hidden(given.given)}<p>The newest come first. One run ends after ${number(MOST)} deliveries or ${SECONDS} s; its report lists what was refused, and offers to go on.</p>
<button class="${isDangerous === true ? 'danger' : 'primary'}">${title} ${manyOf(count)} ${count === 1 ? 'delivery' : 'deliveries'}</button>`,
  'broad',
)}`
}`,
  );
}

const manyOf = (count: number): string => `${number(count)}${count >= MOST_COUNTED ? '+' : ''}`;

const aboutFilter = ({ given }: GivenFilter): Html =>
  Object.keys(given).length === 0
    ? html`<strong>All messages: there is no filter.</strong>`
    : html`Of messages with <code>${filterText(given)}</code>. ${link('/messages', 'Change', given)}`;

/** Does a part of it, and reports. A reader who goes away ends it after the step at hand; the trail says where it stopped. */
export async function actOnMany(visit: Visit, action: DeliveryAction): Promise<Reply> {
  const { title, done: words } = DELIVERY_ACTIONS[action];
  // Times that are relative count from when the first part began.
  const began = Number(visit.form.get('began') ?? visit.ports.now());
  const given = readFilter(visit.form, Number.isFinite(began) ? began : visit.ports.now());
  const target = `${action} ${filterText(given.given)}`;
  if (given.wrong !== undefined) return { ...page(title, notice('bad', given.wrong), { status: 400 }), target };
  const after = visit.form.get('after') ?? undefined;
  const acted = await visit.ports.messages.actOnMany(
    action,
    given.filter,
    { most: MOST, seconds: SECONDS, gone: visit.gone, ...(after === undefined ? {} : { after }) },
    visit.actor,
  );
  const before = { done: countIn(visit, 'done'), refused: countIn(visit, 'refused') };
  const all = { done: before.done + acted.done.length, refused: before.refused + acted.refused.length };
  const isEnd = acted.next === undefined;
  const summary = html`${number(all.done)} ${all.done === 1 ? 'delivery is' : 'deliveries are'} ${words}${all.refused === 0 ? '' : `, ${number(all.refused)} refused`}.`;
  return {
    ...page(
      `${title} all`,
      html`${heading(isEnd ? `${title}: done` : `${title}: more are left`, { about: aboutFilter(given) })}
${notice(isEnd && all.refused === 0 ? 'good' : 'warn', html`${summary} ${isEnd ? 'Nothing is left.' : 'It has stopped here; older ones are left as they were.'}`)}
${
  isEnd
    ? html`<p>${link('/messages', 'Back to the list', given.given)}</p>`
    : form(
        visit,
        `/messages/all/${action}`,
        html`${hidden({ ...given.given, after: acted.next, began: `${began}`, done: `${all.done}`, refused: `${all.refused}` })}<p>It goes on with older messages than <code>${acted.next}</code>.</p><button class="primary">Go on</button>`,
        'broad',
      )
}
${refusals(acted)}`,
    ),
    target: `${target}: ${acted.done.length} done, ${acted.refused.length} refused${isEnd ? '' : ', more are left'}`,
  };
}

const countIn = (visit: Visit, name: string): number =>
  Math.max(0, Number.parseInt(visit.form.get(name) ?? '0', 10) || 0);

function refusals({ refused }: Acted): Html {
  if (refused.length === 0) return NOTHING;
  const columns = [
    { title: 'Message', kind: 'code', cell: (row: Refusal) => messageLink(row.message) },
    { title: 'Delivery', kind: 'code', cell: (row: Refusal) => row.delivery ?? '' },
    { title: 'Why', kind: 'wide', cell: (row: Refusal) => row.reason },
  ] as const;
  const shown = refused.slice(0, MOST_REFUSED);
  return section(
    'Refused',
    html`${table('Refused', columns, shown, { empty: '' })}${shown.length < refused.length ? html`<p class="hint">And ${number(refused.length - shown.length)} more.</p>` : NOTHING}`,
  );
}

type Refusal = Acted['refused'][number];
