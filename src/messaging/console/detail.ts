import { type Html, html, NOTHING, type Part } from '../../console/html.ts';
import {
  address,
  button,
  type Column,
  columnsOf,
  facts,
  heading,
  link,
  live,
  notice,
  number,
  section,
  shortId,
  table,
  tabs,
  time,
} from '../../console/parts.ts';
import { page, type Reply, type Visit } from '../../console/route.ts';
import type { MessageStatus } from '../../model/message.ts';
import { nodesOf } from '../../model/message.ts';
import { DELIVERIES, OFFERED } from '../operator.ts';
import type { KeptDelivery, MessageDetails } from '../run/index.ts';
import { timeline } from './timeline.ts';
import { firstLine, messageLink, messagePath, statusBadge } from './words.ts';

export const idOf = (visit: Visit): string => visit.params.id as string;

/** `/messages/:id`. */
export async function show(visit: Visit): Promise<Reply> {
  const message = await visit.ports.messages.get(idOf(visit));
  const held = await heldFor(visit, message);
  const isCall = message.queue === undefined;
  return page(
    `Message ${message.id}`,
    html`${headingOf(visit, message)}
${messageTabs(visit, message, '')}
${live(
  visit,
  'messages',
  'message',
  html`${held}${troubles(message)}${actionsOf(visit, message)}${factsOf(message)}
${isCall ? NOTHING : section('Deliveries', table('Deliveries', deliveryColumns(visit), message.subscribers, { empty: 'No subscription was for this message: none of the operation was active, or its “when” was not met.', key: ({ id }) => id }))}
${section(isCall ? 'Call' : 'Timeline', timeline(message))}`,
)}`,
  );
}

/** The head of all pages of a message. */
export const headingOf = (_: Visit, message: MessageDetails): Html =>
  heading(html`${message.operation}`, {
    about: html`${statusBadge(message.status)} ${message.queue === undefined ? 'Recorded call' : 'Message'} <code id="message-id">${message.id}</code> <button class="plain copy" type="button" data-copy="message-id">Copy</button>`,
  });

/** The views of a message. @param view the end of the path of the one that is shown */
export function messageTabs(visit: Visit, message: MessageDetails, view: '' | '/payload' | '/edit'): Html {
  const path = messagePath(message.id);
  const all = [
    [path, 'Details'] as const,
    ...(visit.may('payload') ? [[`${path}/payload`, 'Payload'] as const] : []),
    ...(visit.may('payload') && visit.may('act') && message.queue !== undefined
      ? [[`${path}/edit`, 'Edit'] as const]
      : []),
  ];
  return tabs('Message', all, `${path}${view}`);
}

/** What is held as a whole, and so holds this message up. */
async function heldFor(
  { ports: { messages, registry } }: Visit,
  { queue, subscribers }: MessageDetails,
): Promise<Html> {
  const open = subscribers.filter(({ ended }) => ended === undefined);
  if (open.length === 0) return NOTHING;
  const names = new Set([
    `queue ${queue}`,
    ...open.flatMap(({ subscription: id }) => {
      const subscription = registry.subscriptions.get(id);
      return [
        `subscription ${id}`,
        ...(subscription === undefined ? [] : nodesOf(subscription).map((node) => `node ${node.id}`)),
      ];
    }),
  ]);
  const held = (await messages.held()).filter(({ what }) => names.has(what));
  return html`${held.map(({ what, since, actor }) => notice('warn', html`The ${what} is held since ${time(since)} by ${actor}: no delivery of it begins. ${link('/messages/held', 'What is held')}`))}`;
}

/** What is wrong, before everything else. */
function troubles({ subscribers }: MessageDetails): Html {
  return html`${subscribers.flatMap(({ subscription, status, reason, waitsFor, behind = 0, firstBehind = [] }) => [
    ...(reason !== undefined && ['Error', 'Timeout', 'Hold', 'Retry'].includes(status)
      ? [
          notice(
            status === 'Retry' || status === 'Hold' ? 'warn' : 'bad',
            html`<strong>${subscription}</strong> is ${status}: ${firstLine(reason, 400)}`,
          ),
        ]
      : []),
    ...(waitsFor === undefined
      ? []
      : [
          notice(
            'warn',
            html`<strong>${subscription}</strong> is blocked behind ${messageLink(waitsFor.message)}, which is ${waitsFor.status} and has to end first: their queue keeps the order of this partition.`,
          ),
        ]),
    ...(behind === 0
      ? []
      : [
          notice(
            'warn',
            html`<strong>${subscription}</strong>: ${number(behind)}${behind >= 10_000 ? ' or more' : ''} ${behind === 1 ? 'message is' : 'messages are'} blocked behind this one: ${firstBehind.map(({ message }, n) => html`${n === 0 ? '' : ', '}${messageLink(message)}`)}${behind > firstBehind.length ? ', …' : ''}`,
          ),
        ]),
  ])}`;
}

/** What can be done with those deliveries of the message that an action is for. */
function actionsOf(visit: Visit, message: MessageDetails): Html {
  if (!visit.may('act') || message.queue === undefined || message.subscribers.length < 2) return NOTHING;
  const { actsOn } = visit.ports.messages;
  const buttons = OFFERED.flatMap(([action, { title, effect, isDangerous = false }]) => {
    const many = message.subscribers.filter(({ status }) => actsOn[action].includes(status)).length;
    // Of a single one there is a button at the delivery.
    if (many < 2) return [];
    const ask = html`Of ${many} deliveries that are ${actsOn[action].join(' or ')}. ${effect}`;
    return [button(visit, { text: `${title} ${many}`, to: `${messagePath(message.id)}/${action}`, ask, isDangerous })];
  });
  return buttons.length === 0 ? NOTHING : html`<div class="actions all">${buttons}</div>`;
}

const deliveryColumns = (visit: Visit): readonly Column<KeptDelivery>[] => [
  ...columnsOf(DELIVERIES, {
    status: ({ status }) => statusBadge(status),
    to: ({ target }) => target ?? html`<span class="faint">not defined any more</span>`,
    next: nextOf,
  }),
  ...(visit.may('act')
    ? [{ title: 'Actions', cell: (delivery: KeptDelivery) => deliveryActions(visit, delivery) }]
    : []),
];

function nextOf({ next, until, waitsFor, ended, actor }: KeptDelivery): Part {
  if (next !== undefined) return time(next);
  if (until !== undefined) return html`reply by ${time(until)}`;
  if (waitsFor !== undefined) return html`behind ${messageLink(waitsFor.message)}`;
  return ended === undefined
    ? ''
    : html`<span class="faint">ended</span> ${time(ended)}${actor === undefined ? NOTHING : html` <span class="faint">by ${actor}</span>`}`;
}

function deliveryActions(visit: Visit, { id, status }: KeptDelivery): Html {
  const path = messagePath(idOf(visit));
  const buttons = OFFERED.filter(([, { on }]) => on.includes(status)).map(
    ([action, { title, effect, isDangerous = false }]) =>
      button(visit, {
        ...{ text: title, to: `${path}/${action}`, fields: { delivery: id }, isDangerous },
        ...(isDangerous ? { ask: effect } : {}),
      }),
  );
  const edit =
    EDITED.includes(status) && visit.may('payload')
      ? html`<a class="button" href="${address(`${path}/edit`, { delivery: id })}">Edit</a>`
      : NOTHING;
  return html`<div class="actions">${buttons}${edit}</div>`;
}

/** Statuses of deliveries that an edited copy may replace. */
const EDITED: readonly MessageStatus[] = ['Error', 'Timeout', 'Hold', 'New', 'Retry', 'Cancelled'];

function factsOf(message: MessageDetails): Html {
  const {
    queue,
    partition,
    node,
    user,
    connector,
    code,
    size,
    requestId,
    trace,
    causedBy,
    editedFrom,
    caused,
    editedBy,
    fields,
    entered,
    ended,
  } = message;
  return facts([
    ['Queue', queue && link('/messages', queue, { queue })],
    ['Partition', partition],
    ['Node', node],
    ['Status of the reply', code],
    ['Entered', time(entered)],
    ['Ended', ended && time(ended)],
    ['User', user],
    ['Over', connector],
    ['Payload', `${number(size)} bytes`],
    ['Request', link('/messages', shortId(requestId), { request: requestId })],
    ['Trace', trace && link('/messages', shortId(trace), { trace })],
    ['Caused by', causedBy && messageLink(causedBy)],
    ['Caused', caused.length > 0 && linked(caused)],
    ['Edited from', editedFrom && messageLink(editedFrom)],
    ['Edited by', editedBy.length > 0 && linked(editedBy)],
    ...Object.entries(fields).map(
      ([name, value]) => [`${name} (search field)`, link('/messages', value, { [`field.${name}`]: value })] as const,
    ),
  ]);
}

const linked = (ids: readonly string[]): Html => html`${ids.map((id) => html`<div>${messageLink(id)}</div>`)}`;
