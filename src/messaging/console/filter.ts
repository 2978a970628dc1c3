import { type Html, html, markup, NOTHING } from '../../console/html.ts';
import { field, filters, input, link, select } from '../../console/parts.ts';
import type { Visit } from '../../console/route.ts';
import { CALL_REPLIES, MESSAGE_STATUSES, type MessageKind, type MessageStatus } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { durationMeant } from '../../wire/duration.ts';
import { readMoment } from '../../wire/moment.ts';
import type { MessageFilter } from '../run/index.ts';

/** The parameters of an address that choose messages. Those of search fields begin with `field.`. */
const NAMES = [
  'text',
  'status',
  'kind',
  'reply',
  'queue',
  'subscription',
  'operation',
  'node',
  'since',
  'until',
  'user',
  'request',
  'trace',
] as const;
const FIELD = 'field.';

/** A filter as the address has it. */
export interface GivenFilter {
  readonly filter: MessageFilter;
  /** The parameters with a value, to be repeated in links and forms. */
  readonly given: Readonly<Record<string, string>>;
  /** Why a parameter can't be used; the filter lacks it. */
  readonly wrong?: string;
}

/** Reads the filter of a query or a form. */
export function readFilter(from: URLSearchParams, now: number): GivenFilter {
  const given: Record<string, string> = {};
  for (const [name, value] of from)
    if (value.trim() !== '' && (NAMES.includes(name as never) || name.startsWith(FIELD))) given[name] = value.trim();
  const { status, kind, reply, since, until } = given;
  const wrong: string[] = [];
  const moment = (name: string, text: string | undefined): Date | undefined => {
    const at = text === undefined ? undefined : readMoment(text, now);
    if (at === undefined && text !== undefined) {
      const [first = '1 h', second = '2 d'] = durationMeant(text);
      wrong.push(
        `“${name}” takes how long ago it was, such as ${first} or ${second}, or a time in UTC, such as 2026-03-01T12:00Z.`,
      );
    }
    return at;
  };
  if (status !== undefined && !MESSAGE_STATUSES.includes(status as MessageStatus))
    wrong.push(`There is no status ${status}.`);
  if (reply !== undefined && !CALL_REPLIES.includes(reply as never)) wrong.push(`“reply” is failed or refused.`);
  const fields = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    name.startsWith(FIELD) ? [[name.slice(FIELD.length), value]] : [],
  );
  const { text, queue, subscription, operation, node, user, request, trace } = given;
  const all: MessageFilter = {
    ...{ text, queue, subscription, operation, node, user, request, trace },
    ...{ since: moment('since', since), until: moment('until', until) },
    status: MESSAGE_STATUSES.find((each) => each === status),
    kind: (['message', 'call'] as const).find((each): each is MessageKind => each === kind),
    reply: CALL_REPLIES.find((each) => each === reply),
    fields: fields.length === 0 ? undefined : new Map(fields),
  } as MessageFilter;
  const filter = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { filter, given, ...(wrong.length === 0 ? {} : { wrong: wrong.join(' ') }) };
}

/** The filter in words, for the trails: `status=Error node=ERP`. */
export const filterText = (given: Readonly<Record<string, string>>): string =>
  Object.entries(given)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** The most names that are offered as a choice. */
const MOST_CHOICES = 200;

/** The form of the filter. */
export function filterForm({ ports: { registry } }: Visit, { given }: GivenFilter): Html {
  const rest = ['kind', 'reply', 'operation', 'node', 'until', 'user', 'request', 'trace'].some(
    (name) => given[name] !== undefined,
  );
  const any = Object.keys(given).length > 0;
  return filters(
    'Messages',
    '/messages',
    html`${field('Find', 'text', input('text', given.text, 'search', markup(' class="long" aria-describedby="text-hint"')))}
${field('Status', 'status', select('status', [['', 'any'], ...MESSAGE_STATUSES.map((each) => [each, each] as const)], given.status))}
${choice('Queue', 'queue', registry.messageQueues.keys(), given.queue)}
${choice('Subscription', 'subscription', registry.subscriptions.keys(), given.subscription)}
${field('Since', 'since', input('since', given.since, 'text', markup(' placeholder="1 h" class="short"')))}
${searchFields(registry, given)}
<details class="more"${rest ? markup(' open') : NOTHING}><summary>More</summary><div class="filters">
${field(
  'Kind',
  'kind',
  select(
    'kind',
    [
      ['', 'messages and calls'],
      ['message', 'messages'],
      ['call', 'recorded calls'],
    ],
    given.kind,
  ),
)}
${field(
  'Reply of a call',
  'reply',
  select('reply', [['', 'any'], ...CALL_REPLIES.map((each) => [each, each] as const)], given.reply),
)}
${choice('Operation', 'operation', registry.operations.keys(), given.operation)}
${choice('Node', 'node', registry.nodes.keys(), given.node)}
${field('Until', 'until', input('until', given.until, 'text', markup(' placeholder="2026-03-01T12:00Z"')))}
${field('User', 'user', input('user', given.user))}
${field('Request id', 'request', input('request', given.request))}
${field('Trace id', 'trace', input('trace', given.trace))}
</div></details>
${any ? html`<span class="clear">${link('/messages', 'Clear')}</span>` : NOTHING}
<p class="hint" id="text-hint">Find takes the id of a message, a delivery, a request or a trace; part of the name of an operation, a queue, a node or a subscription; the whole value of a search field; or part of an error, among the newest 1,000 failures of each status.</p>`,
  );
}

/** A field for a name, with a choice when there are few. */
function choice(label: string, name: string, ids: Iterable<string>, chosen: string | undefined): Html {
  const all = [...ids].sort();
  if (all.length > MOST_CHOICES) return field(label, name, input(name, chosen));
  // One that is not defined any more may be looked for.
  const known = chosen === undefined || all.includes(chosen) ? all : [chosen, ...all];
  return field(label, name, select(name, [['', 'any'], ...known.map((id) => [id, id] as const)], chosen));
}

/** A field for each search field of the chosen queue, and for those that the address has. */
function searchFields({ messageQueues }: Registry, given: Readonly<Record<string, string>>): Html {
  const of = messageQueues.get(given.queue ?? '')?.search ?? [];
  const others = Object.keys(given).flatMap((name) => (name.startsWith(FIELD) ? [name.slice(FIELD.length)] : []));
  const all = [...new Set([...of, ...others])];
  return html`${all.map((name) => field(name, FIELD + name, input(FIELD + name, given[FIELD + name], 'text', markup(' class="short"'))))}`;
}
