import { type Area, actionRoute, type Done, pageRoute, type Visit } from '../../console/route.ts';
import { DELIVERY_ACTIONS, OFFERED } from '../operator.ts';
import type { DeliveryAction } from '../run/index.ts';
import { idOf, show } from './detail.ts';
import { edit, sendEdited } from './edit.ts';
import { actOnPartition, actOnWhole, held } from './held.ts';
import { list } from './list.ts';
import { actOnMany, preview } from './many.ts';
import { download, payload } from './payload.ts';
import { messagePath } from './words.ts';

/** Acts on a message, or on the delivery that the form names. */
async function act(visit: Visit, action: DeliveryAction): Promise<Done> {
  const message = idOf(visit);
  const delivery = visit.form.get('delivery') ?? undefined;
  const { done, refused } = await visit.ports.messages.act(action, delivery ?? message, visit.actor);
  const to = done.map(({ subscription }) => subscription).join(', ');
  const notices = [
    ...(done.length === 0
      ? []
      : [
          `The ${done.length === 1 ? 'delivery' : 'deliveries'} to ${to} ${done.length === 1 ? 'is' : 'are'} ${DELIVERY_ACTIONS[action].done}.`,
        ]),
    ...refused.map(({ delivery: id, reason }) => `${id === undefined ? 'The message' : `Delivery ${id}`} ${reason}.`),
  ];
  return {
    ...{
      to: messagePath(message),
      notice: notices.join(' '),
      target: delivery === undefined ? message : `${message} ${delivery}`,
    },
    ...(refused.length === 0 ? {} : { partly: true as const }),
  };
}

/** Messages, their deliveries, and what an operator does about them. */
export const messagesArea: Area = {
  id: 'messages',
  title: 'Messages',
  path: '/messages',
  grant: 'read',
  topics: [{ name: 'messages', state: ({ messages }) => messages.news() }],
  routes: [
    pageRoute('/messages', list),
    pageRoute('/messages/held', held),
    pageRoute('/messages/:id', show),
    pageRoute('/messages/:id/payload', payload, 'payload'),
    pageRoute('/messages/:id/payload/:part', download, 'payload'),
    pageRoute('/messages/:id/edit', edit, 'act'),
    actionRoute('/messages/:id/edit', 'message.edit', sendEdited),
    actionRoute('/messages/held/hold', 'message.hold-whole', (visit) => actOnWhole(visit, 'hold')),
    actionRoute('/messages/held/release', 'message.release-whole', (visit) => actOnWhole(visit, 'release')),
    actionRoute('/messages/held/hold-partition', 'message.hold-partition', actOnPartition),
    ...OFFERED.flatMap(([action]) => [
      actionRoute(`/messages/:id/${action}`, `message.${action}`, (visit) => act(visit, action)),
      pageRoute(`/messages/all/${action}`, (visit) => preview(visit, action), 'act'),
      actionRoute(`/messages/all/${action}`, `message.${action}-all`, (visit) => actOnMany(visit, action)),
    ]),
  ],
};
