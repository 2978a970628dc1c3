import { type Html, html, NOTHING, type Part } from '../../console/html.ts';
import { code, length, time } from '../../console/parts.ts';
import type { Tone } from '../../operator/view.ts';
import type { KeptDelivery, MessageDetails } from '../run/index.ts';
import { firstLine, messageLink, toneOf } from './words.ts';

/** Something that happened to a message, or will. */
interface Event {
  /** Absent for what is waited for without a time. */
  readonly at?: string;
  readonly tone: Tone;
  readonly what: Part;
  readonly subscription?: string | undefined;
  readonly gateway?: string | undefined;
  /** The error, in full. */
  readonly error?: string;
  /** Attempts that failed likewise follow each other: those between the first and the last are counted. */
  readonly like?: string;
}

/** Attempts of one error in a row from which only the first and the last are shown. */
const MANY = 4;

/** From the arrival of a message to its subscribers, the oldest first; then what it waits for. */
export function timeline(message: MessageDetails): Html {
  const { subscribers, actions } = message;
  const names = new Map(subscribers.map(({ id, subscription }) => [id, subscription]));
  const past = [
    arrival(message),
    ...subscribers.flatMap((delivery) => eventsOf(delivery, message)),
    ...actions.map(
      ({ at, actor, action, delivery }): Event => ({
        ...{ at, tone: 'idle', what: html`<strong>${action}</strong> by ${actor}` },
        subscription: delivery === undefined ? undefined : names.get(delivery),
      }),
    ),
  ].toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : Number((a.at ?? '') > (b.at ?? ''))));
  return html`<ol class="timeline">${shortened(past).map((event, index, all) => entry(event, all[index - 1]))}${subscribers
    .flatMap(awaited)
    .map((event) => entry(event, undefined))}</ol>`;
}

function arrival({
  entered,
  user,
  connector,
  queue,
  node,
  subscribers,
  ended,
  code: status,
  reason,
  status: end,
}: MessageDetails): Event {
  const by = user === undefined ? '' : ` by ${user}`;
  if (queue === undefined) {
    const took = ended === undefined ? '' : `, ended after ${length(Date.parse(ended) - Date.parse(entered))}`;
    const what = `called ${node === undefined ? `over ${connector}` : `at ${node}`}${by}${status === undefined ? '' : `, status ${status}`}${took}`;
    return { at: entered, tone: toneOf(end), what, ...(reason === undefined ? {} : { error: reason }) };
  }
  const first = subscribers.filter((each) => each.entered === entered).map(({ subscription }) => subscription);
  const to = first.length === 0 ? '' : `, for ${first.join(', ')}`;
  return { at: entered, tone: 'idle', what: html`<strong>entered</strong> over ${connector}${by}${to}` };
}

function eventsOf(delivery: KeptDelivery, message: MessageDetails): readonly Event[] {
  const { subscription, tried, status, entered, ended, replied, reason } = delivery;
  const own = { subscription };
  const last = tried.at(-1);
  const attempts = tried.map(({ attempt, gateway, began, ended: end, code: status, ...tried }): Event => {
    const { reason: error, uncertain, note } = tried;
    const took =
      began === undefined || end === undefined ? '' : ` after ${length(Date.parse(end) - Date.parse(began))}`;
    const reply = status === undefined ? '' : `, status ${status}`;
    if (end === undefined)
      return { ...own, ...at(began), gateway, tone: 'busy', what: html`<strong>attempt ${attempt} runs</strong>` };
    if (error === undefined)
      return {
        ...own,
        ...at(end),
        gateway,
        tone: 'good',
        what: html`attempt ${attempt} succeeded${took}${reply}${note === undefined ? '' : `; ${note}`}`,
      };
    return {
      ...{ ...own, ...at(end), gateway, error, like: `${subscription} ${status} ${error}` },
      ...{
        tone: 'bad',
        what: html`attempt ${attempt} <strong>${uncertain === true ? 'is uncertain' : 'failed'}</strong>${took}${reply}`,
      },
    };
  });
  return [
    ...(entered === message.entered ? [] : [{ ...own, at: entered, tone: 'idle', what: 'delivery entered' } as const]),
    ...attempts,
    ...(replied === undefined ? [] : [{ ...own, at: replied, tone: 'good', what: 'the reply came' } as const]),
    ...(ended === undefined
      ? []
      : [
          {
            ...{ ...own, at: ended, tone: toneOf(status), what: html`<strong>${status}</strong>` },
            ...(reason === undefined || reason === last?.reason ? {} : { error: reason }),
          },
        ]),
  ];
}

const at = (time: string | undefined): Pick<Event, 'at'> => (time === undefined ? {} : { at: time });

/** What a delivery that has not ended waits for. */
function awaited({
  subscription,
  status,
  next,
  until,
  waitsFor,
  reason,
  behind = 0,
  tried,
}: KeptDelivery): readonly Event[] {
  const own = { subscription };
  const found: Event[] = [];
  if (next !== undefined) found.push({ ...own, tone: 'warn', what: html`next attempt at ${time(next)}` });
  if (until !== undefined) found.push({ ...own, tone: 'busy', what: html`its reply is awaited until ${time(until)}` });
  if (status === 'Hold')
    found.push({
      ...{ ...own, tone: 'warn', what: html`<strong>held</strong>: an operator releases, resubmits or cancels it` },
      ...(reason === undefined || reason === tried.at(-1)?.reason ? {} : { error: reason }),
    });
  if (waitsFor !== undefined)
    found.push({
      ...own,
      tone: 'warn',
      what: html`<strong>blocked behind</strong> ${messageLink(waitsFor.message)}, which is ${waitsFor.status}`,
    });
  else if (status === 'New') found.push({ ...own, tone: 'idle', what: 'waits for its turn' });
  if (behind > 0) found.push({ ...own, tone: 'warn', what: `${behind} wait behind it` });
  return found;
}

/** Long rows of one error are cut in their middle. */
function shortened(events: readonly Event[]): readonly Event[] {
  const found: Event[] = [];
  for (let from = 0; from < events.length; ) {
    const first = events[from] as Event;
    let end = from + 1;
    while (first.like !== undefined && events[end]?.like === first.like) end += 1;
    const row = events.slice(from, end);
    const last = row.at(-1) as Event;
    if (row.length < MANY) found.push(...row);
    else
      found.push(
        first,
        {
          ...first,
          ...at(row[1]?.at),
          what: html`<span class="faint">${row.length - 2} more attempts failed with the same error, until ${time(row.at(-2)?.at)}</span>`,
          error: '',
        },
        last,
      );
    from = end;
  }
  return found;
}

const SIGNS: Readonly<Record<Tone, string>> = { good: '●', busy: '◐', warn: '▲', bad: '■', idle: '○' };

function entry({ at, tone, what, subscription, gateway, error = '' }: Event, before: Event | undefined): Html {
  const waited = at === undefined || before?.at === undefined ? 0 : Date.parse(at) - Date.parse(before.at);
  return html`<li><span class="when">${at === undefined ? html`<span class="faint">now</span>` : time(at)}${waited >= 1000 ? html`<small>+${length(waited)}</small>` : NOTHING}</span>
<span class="sign ${tone}" aria-hidden="true">${SIGNS[tone]}</span>
<div class="what">${subscription === undefined ? NOTHING : html`<span class="of">${subscription}</span> `}${what}${gateway === undefined ? NOTHING : html` <small>at ${gateway}</small>`}${errorOf(error)}</div></li>
`;
}

/** An error of one line is shown whole, a longer one on request. */
function errorOf(text: string): Html {
  if (text === '') return NOTHING;
  const line = firstLine(text);
  if (line === text) return html`<p class="error">${text}</p>`;
  return html`<details class="error"><summary>${line}</summary>${code(text, 'The whole error')}</details>`;
}
