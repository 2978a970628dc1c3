import { type Html, html } from '../../console/html.ts';
import { badge, link, number, pathTo, shortId } from '../../console/parts.ts';
import type { MessageStatus } from '../../model/message.ts';
import type { Tone } from '../../operator/view.ts';
import { countsOf, STATUS_TONES } from '../operator.ts';
import type { KeptMessage } from '../run/index.ts';

export const toneOf = (status: MessageStatus): Tone => STATUS_TONES[status];

export const statusBadge = (status: MessageStatus): Html => badge(STATUS_TONES[status], status);

export const messagePath = (id: string): string => pathTo('messages', id);

/** A link to a message by its id. */
export const messageLink = (id: string): Html => link(messagePath(id), shortId(id));

/** How many deliveries of a message are in which status. */
export const deliveryCounts = ({ deliveries }: Pick<KeptMessage, 'deliveries'>): Html =>
  html`${countsOf({ deliveries }).map(
    ([status, count]) => html`<span class="count">${badge(STATUS_TONES[status], `${number(count)} ${status}`)}</span> `,
  )}`;

/** The first line of an error, cut where a table would grow. */
export function firstLine(text: string, most = 160): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
