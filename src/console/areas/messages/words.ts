import type { DeliveryAction, KeptMessage } from '../../../message/index.ts';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../model/message.ts';
import { type Html, html } from '../../html.ts';
import { badge, link, number, pathTo, shortId, type Tone } from '../../parts.ts';

/** How a status is shown. */
const TONES = {
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
} as const satisfies Record<MessageStatus, Tone>;

export const toneOf = (status: MessageStatus): Tone => TONES[status];

export const statusBadge = (status: MessageStatus): Html => badge(TONES[status], status);

/** An action on deliveries: its words, and the single deliveries that it is possible on. */
interface ActionWords {
  readonly action: DeliveryAction;
  readonly title: string;
  /** Of a delivery by its id; on a message as a whole {@link MessageControl.actsOn} counts. */
  readonly on: readonly MessageStatus[];
  /** What happens. */
  readonly effect: string;
  /** `312 deliveries ...`. */
  readonly done: string;
  readonly isDangerous?: true;
}

export const ACTIONS: readonly ActionWords[] = [
  {
    action: 'resubmit',
    title: 'Resubmit',
    on: ['Error', 'Timeout', 'Hold', 'Retry', 'Cancelled'],
    effect:
      'It is sent again with all its attempts, and keeps its id. One that is held in a partition goes first there.',
    done: 'sent again',
  },
  {
    action: 'release',
    title: 'Release',
    on: ['Hold'],
    effect: 'It goes on. One that failed for good gets all its attempts again.',
    done: 'released',
  },
  {
    action: 'hold',
    title: 'Hold',
    on: ['New', 'Retry'],
    effect: 'It waits until it is released, and so do those behind it in its partition.',
    done: 'held',
  },
  {
    action: 'skip',
    title: 'Skip',
    on: ['Hold'],
    effect: 'It is given up, and its partition goes on without it.',
    done: 'skipped',
    isDangerous: true,
  },
  {
    action: 'cancel',
    title: 'Cancel',
    on: ['New', 'Started', 'Working', 'Retry', 'Hold'],
    effect: 'It is ended for good. One that runs is aborted within a second; its target may have got it.',
    done: 'cancelled',
    isDangerous: true,
  },
];

export const wordsOf = (action: DeliveryAction): ActionWords =>
  ACTIONS.find((each) => each.action === action) as ActionWords;

export const messagePath = (id: string): string => pathTo('messages', id);

/** A link to a message by its id. */
export const messageLink = (id: string): Html => link(messagePath(id), shortId(id));

/** How many deliveries of a message are in which status. */
export const deliveryCounts = ({ deliveries }: Pick<KeptMessage, 'deliveries'>): Html =>
  html`${MESSAGE_STATUSES.flatMap((status) => {
    const count = deliveries[status];
    return count === undefined
      ? []
      : [html`<span class="count">${badge(TONES[status], `${number(count)} ${status}`)}</span> `];
  })}`;

/** The first line of an error, cut where a table would grow. */
export function firstLine(text: string, most = 160): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
