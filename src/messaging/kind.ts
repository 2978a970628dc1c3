import { defineKind } from '../kinds/kind.ts';

/** A queue of messages. */
export const queue = defineKind({
  members: {
    messageQueues: {
      word: 'queue',
      optional: true,
      pages: {
        title: 'Queues',
        path: 'queues',
        about: ({ search }) => (search.length === 0 ? [] : [`search ${search.join(', ')}`]),
      },
    },
  },
});

/** Who gets the messages of an operation. */
export const subscription = defineKind({
  code: true,
  members: {
    subscriptions: {
      word: 'subscription',
      optional: true,
      pages: {
        title: 'Subscriptions',
        path: 'subscriptions',
        about: ({ operation, target }) => [
          `${operation.id} > ${target.kind === 'handler' ? target.file : target.kind === 'call' ? target.call.id : target.node.id}`,
        ],
      },
    },
  },
});
