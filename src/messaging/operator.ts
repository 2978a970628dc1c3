import { MESSAGE_STATUSES, type MessageStatus } from '../model/message.ts';
import type { OperatorAction, Tone, View } from '../operator/view.ts';
import type { DeliveryAction, KeptDelivery, KeptMessage } from './run/index.ts';

/** How a status of messages and deliveries is shown. */
export const STATUS_TONES: Readonly<Record<MessageStatus, Tone>> = {
  New: 'idle',
  Started: 'busy',
  Working: 'busy',
  Done: 'good',
  Retry: 'warn',
  Hold: 'warn',
  Timeout: 'bad',
  Edited: 'idle',
  Error: 'bad',
  Cancelled: 'idle',
};

/** An action on deliveries. */
interface DeliveryView extends OperatorAction {
  /**
   * Statuses in which it is possible on a single delivery, by its id; on a message as a whole, `actsOn` of its control
   * counts.
   */
  readonly on: readonly MessageStatus[];
}

/** In the order in which they are offered. `done` is a participle: `312 deliveries are …`. */
export const DELIVERY_ACTIONS: Readonly<Record<DeliveryAction, DeliveryView>> = {
  resubmit: {
    ...{ title: 'Resubmit', done: 'sent again', on: ['Error', 'Timeout', 'Hold', 'Retry', 'Cancelled'] },
    effect:
      'It is sent again with all its attempts, and keeps its id. One that is held in a partition goes first there.',
  },
  release: {
    ...{ title: 'Release', done: 'released', on: ['Hold'] },
    effect: 'It goes on. One that failed for good gets all its attempts again.',
  },
  hold: {
    ...{ title: 'Hold', done: 'held', on: ['New', 'Retry'] },
    effect: 'It waits until it is released, and so do those behind it in its partition.',
  },
  cancel: {
    ...{ title: 'Cancel', done: 'cancelled', isDangerous: true },
    on: ['New', 'Started', 'Working', 'Retry', 'Hold'],
    effect:
      'It is ended for good, and its partition goes on without it. One that runs is aborted within a second; its target may have got it.',
  },
};

/** The actions with their words. */
export const OFFERED = Object.entries(DELIVERY_ACTIONS) as readonly (readonly [DeliveryAction, DeliveryView])[];

/** How many deliveries of a message are in which status, in the order of statuses. */
export const countsOf = ({ deliveries }: Pick<KeptMessage, 'deliveries'>): (readonly [MessageStatus, number])[] =>
  MESSAGE_STATUSES.flatMap((status) => {
    const count = deliveries[status];
    return count === undefined ? [] : [[status, count] as const];
  });

/** What a recorded call was of: `call of ERP`. */
export const callWords = ({ node, connector }: Pick<KeptMessage, 'node' | 'connector'>): string =>
  `call ${node === undefined ? `over ${connector}` : `of ${node}`}`;

export const MESSAGES = {
  message: { title: 'Message', kind: 'id', value: ({ id }) => id },
  status: { title: 'Status', value: ({ status }) => status },
  operation: { title: 'Operation', value: ({ operation }) => operation },
  entered: { title: 'Entered', kind: 'moment', value: ({ entered }) => entered },
  user: { title: 'User', value: ({ user }) => user },
  deliveries: {
    title: 'Deliveries',
    value: (message) =>
      message.queue === undefined
        ? [callWords(message), message.code].filter((each) => each !== undefined).join(' ')
        : countsOf(message)
            .map(([status, count]) => `${count} ${status}`)
            .join(', '),
  },
} as const satisfies View<KeptMessage>;

/** The deliveries of a message. */
export const DELIVERIES = {
  delivery: { title: 'Delivery', kind: 'id', value: ({ id }) => id },
  subscription: { title: 'Subscription', value: ({ subscription }) => subscription },
  status: { title: 'Status', value: ({ status }) => status },
  to: { title: 'To', value: ({ target }) => target },
  attempts: { title: 'Attempts', kind: 'count', value: ({ tried }) => tried.length },
  next: {
    title: 'Next',
    value: ({ next, until }) => next ?? (until === undefined ? undefined : `reply by ${until}`),
  },
} as const satisfies View<KeptDelivery>;
