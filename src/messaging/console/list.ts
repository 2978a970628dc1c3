import { type Html, html, NOTHING } from '../../console/html.ts';
import {
  address,
  type Column,
  columnsOf,
  heading,
  link,
  live,
  more,
  notice,
  number,
  table,
} from '../../console/parts.ts';
import { page, type Reply, type Visit } from '../../console/route.ts';
import { Fault } from '../../model/fault.ts';
import { counted } from '../../wire/words.ts';
import { callWords, MESSAGES, OFFERED } from '../operator.ts';
import type { KeptMessage } from '../run/index.ts';
import { filterForm, type GivenFilter, readFilter } from './filter.ts';
import { deliveryCounts, firstLine, messageLink, statusBadge } from './words.ts';

/** Messages of one page. */
const MOST = 50;
/** Messages that are counted. */
const MOST_COUNTED = 10_000;

const FAILED = ['Error', 'Timeout', 'Hold', 'Retry'] as const;

type Errors = ReadonlyMap<string, string>;

/** The columns of messages. @param errors those that deliveries ended with, by message */
export const messageColumns = (errors: Errors): readonly Column<KeptMessage>[] => [
  ...columnsOf(MESSAGES, {
    message: ({ id }) => messageLink(id),
    status: ({ status }) => statusBadge(status),
    deliveries: (message) =>
      message.queue === undefined
        ? html`<span class="faint">${callWords(message)}</span>${message.code === undefined ? NOTHING : html` ${message.code}`}`
        : deliveryCounts(message),
  }),
  { title: 'Queue', cell: ({ queue }) => queue ?? '' },
  { title: 'Error', kind: 'wide', cell: ({ id, reason }) => firstLine(errors.get(id) ?? reason ?? '') },
];

/** The errors of those messages that a delivery of has failed. */
export const errorsOf = ({ ports }: Visit, messages: readonly KeptMessage[]): Promise<Errors> =>
  ports.messages.errors(
    messages.filter(({ deliveries }) => FAILED.some((each) => deliveries[each] !== undefined)).map(({ id }) => id),
  );

/** `/messages`. */
export async function list(visit: Visit): Promise<Reply> {
  const given = readFilter(visit.query, visit.ports.now());
  const { body, wrong } = await found(visit, given).then(
    (shown) => ({ body: shown, wrong: given.wrong }),
    (error: unknown) => {
      // The filter is the reader's own: it stays in the form.
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      return { body: NOTHING, wrong: error.message };
    },
  );
  return page(
    'Messages',
    html`${heading('Messages', {
      about: 'Published messages with their deliveries, and recorded calls.',
      actions: html`<a class="button" href="${address('/messages/held')}">Held</a>`,
    })}
${filterForm(visit, given)}
${wrong === undefined ? NOTHING : notice('bad', wrong)}
${body}`,
    wrong === undefined ? {} : { status: 400 },
  );
}

async function found(visit: Visit, given: GivenFilter): Promise<Html> {
  if (given.wrong !== undefined) return NOTHING;
  const { messages } = visit.ports;
  const after = visit.query.get('after') ?? undefined;
  const { messages: all, next } = await messages.list(given.filter, {
    limit: MOST,
    ...(after === undefined ? {} : { after }),
  });
  const older = next === undefined ? undefined : address('/messages', { ...given.given, after: next });
  const isFiltered = Object.keys(given.given).length > 0;
  const empty =
    next !== undefined
      ? 'None among the newest 20,000 or so that were looked at. Older ones may match.'
      : isFiltered
        ? html`No message matches. ${link('/messages', 'Show all')}`
        : 'No message was published yet. An operation with “queue:” publishes one for each request; calls are recorded as “log:” of their routing says.';
  const shown = html`<p class="result"><span>${after === undefined ? await countOf(visit, given, { shown: all.length, next }) : 'Older messages'}</span>${manyActions(visit, given)}</p>
${table('Messages', messageColumns(await errorsOf(visit, all)), all, { empty })}${more(older)}${after === undefined ? NOTHING : html`<p>${link('/messages', '← Newest', given.given)}</p>`}`;
  // Older parts stay as they were read.
  return after === undefined ? live(visit, 'messages', 'message-list', shown) : shown;
}

/** How many match, where it is cheap to know. */
async function countOf(
  { ports: { messages } }: Visit,
  { filter }: GivenFilter,
  { shown, next }: { readonly shown: number; readonly next: string | undefined },
): Promise<string> {
  if (next === undefined) return counted(shown, 'message');
  if (shown < MOST || filter.text !== undefined) return `${shown} messages and more`;
  const { count, isLeast } = await messages.matches(filter, MOST_COUNTED);
  return `${number(Math.max(count, shown))}${isLeast ? '+' : ''} messages`;
}

/** Links to what can be done with all that match. */
function manyActions(visit: Visit, { filter, given }: GivenFilter): Html {
  const { status, kind } = filter;
  if (!visit.may('act') || kind === 'call' || Object.keys(given).length === 0) return NOTHING;
  const { actsOn } = visit.ports.messages;
  const possible = OFFERED.filter(([action]) => status === undefined || actsOn[action].includes(status));
  if (possible.length === 0) return NOTHING;
  return html`<span class="many">All that match: ${possible.map(([action, { title }]) => html`${link(`/messages/all/${action}`, `${title}…`, given)} `)}</span>`;
}
