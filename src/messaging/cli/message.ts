import { type Command, Option } from 'commander';
import { explain } from '../../cli/help.ts';
import { columnsOf, readLimit, shortReason } from '../../cli/operator.ts';
import { type Columns, coloursOf, note, printable, printResult, tableOf } from '../../cli/terminal.ts';
import { DELIVERIES, MESSAGES } from '../operator.ts';
import type { KeptDelivery, KeptMessage, MessageDetails, MessagePayload } from '../run/index.ts';
import { reads } from './access.ts';
import { addAction, addDown, addHeld } from './act.ts';
import { addEdit } from './edit.ts';
import { addFilter, type FilterOptions, filterOf } from './filter.ts';

const help = {
  examples: [
    'signalbox message list --status Error --since 1d',
    'signalbox message list --operation LOCATION_CHANGED --field LOCATION=NYC01',
    'signalbox message show 0195a3f0-5d6c-7c8e-9d0a-2f6f0f6e7c11',
    'signalbox message resubmit --all --node ERP --since 8h',
    'signalbox message hold --node ERP',
  ],
  notes: [
    'The commands work on the configured database, also while gateways run. A message is delivered to each subscription of its operation; message and deliveries are New, Started (an attempt runs), Working, Done, Retry (tried again later), Hold, Timeout, Edited, Error (failed for good) or Cancelled. Sensitive values are masked. Each action is recorded; signalbox queue log prints the record.',
  ],
} as const;

/** `signalbox message`: the messages of queues, their deliveries, and what an operator does about them. */
export function addMessage(program: Command): void {
  const message = explain(program.command('message'), help).description('find messages and act on their deliveries');
  addList(message);
  addShow(message);
  for (const action of ['resubmit', 'cancel', 'hold', 'release'] as const) addAction(message, action);
  addEdit(message);
  addHeld(message);
  addDown(message);
}

interface ListOptions extends FilterOptions {
  readonly limit: number;
  readonly after?: string;
}

function addList(message: Command): void {
  const command = explain(message.command('list'), {
    examples: [
      'signalbox message list --status Error --since 1d',
      'signalbox message list --queue LOCATION_EVENTS --field LOCATION=NYC01 --field REGION=N',
      "signalbox message list --node ERP --status Hold --json | jq -r '.messages[].id'",
    ],
  }).description('list messages, the newest first');
  addFilter(command)
    .addOption(
      new Option('--limit <number>', 'the maximum number of messages, up to 1000').argParser(readLimit).default(50),
    )
    .option('--after <text>', 'go on after a part of the list, with the text that came with it');
  reads(command, async (messages, json, { limit, after: begin, ...options }: ListOptions & { json?: true }) => {
    const { json: _, ...chosen } = options;
    const found: KeptMessage[] = [];
    let after = begin;
    do {
      const range = { limit: limit - found.length, ...(after === undefined ? {} : { after }) };
      const page = await messages.list(filterOf(chosen), range);
      found.push(...page.messages);
      after = page.next;
    } while (after !== undefined && found.length < limit);
    const result = { messages: found, ...(after === undefined ? {} : { next: after }) };
    await printResult(result, json, () => tableOf(found, columnsOf(MESSAGES)));
    if (after !== undefined && !json) note(`There are more: add --after ${after}`);
  });
}

function addShow(message: Command): void {
  const command = explain(message.command('show'), {
    examples: ['signalbox message show 0195a3f0-5d6c-7c8e-9d0a-2f6f0f6e7c11'],
  })
    .description('show a message: its way to each subscription, and what it carries without sensitive values')
    .argument('<id>', 'the id of the message');
  reads(command, async (messages, json, id: string) => {
    const details = await messages.get(id);
    const payload = await messages.payload(id).catch(() => undefined);
    const { parts = {} } = payload ?? {};
    await printResult({ ...details, payload: parts }, json, () => renderMessage(details, payload));
  });
}

function renderMessage(message: MessageDetails, payload: MessagePayload | undefined): string {
  const { bold } = coloursOf(process.stdout);
  const facts: Readonly<Record<string, string | number | undefined>> = {
    status: message.status,
    operation: message.operation,
    queue: message.queue,
    partition: message.partition,
    node: message.node,
    code: message.code,
    reason: message.reason,
    request: message.requestId,
    trace: message.trace,
    'caused by': message.causedBy,
    caused: listed(message.caused),
    'edited from': message.editedFrom,
    'edited by': listed(message.editedBy),
    ...message.fields,
    ...(message.queue === undefined ? factsOfCall(message) : {}),
  };
  const lines = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(12)}${printable(String(value))}`],
  );
  const parts = Object.entries(payload?.parts ?? {}).map(
    ([part, value]) => `${bold(part)}\n${JSON.stringify(value, null, 2).split('\n').map(printable).join('\n')}\n`,
  );
  const kept = parts.length === 0 ? [`Its payload is not kept.\n`] : parts;
  // A recorded call is over: it has no way to subscriptions.
  if (message.queue === undefined) return [`${[bold(message.id), ...lines].join('\n')}\n`, ...kept].join('\n');
  const subscribers = message.subscribers.length === 0 ? [] : [tableOf(message.subscribers, DELIVERY_COLUMNS)];
  return [`${[bold(message.id), ...lines].join('\n')}\n`, ...subscribers, renderTimeline(message), ...kept].join('\n');
}

/** What a timeline shows of a message. */
function factsOfCall({ connector, user, entered, ended }: MessageDetails) {
  return { connector, user, began: entered, ended };
}

function listed(ids: readonly string[]): string | undefined {
  return ids.length === 0 ? undefined : ids.join(', ');
}

const DELIVERY_COLUMNS: Columns<KeptDelivery> = {
  ...columnsOf(DELIVERIES),
  REASON: (delivery) => shortReason(whyOf(delivery)),
};

/** Why a delivery is as it is. */
function whyOf({ reason, waitsFor, behind = 0, actor }: KeptDelivery): string {
  const whys = [
    ...(waitsFor === undefined ? [] : [`waits for ${waitsFor.message}, which is ${waitsFor.status}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(actor === undefined ? [] : [`by ${actor}`]),
    ...(behind === 0 ? [] : [`${behind} wait behind it`]),
  ];
  return whys.join('; ');
}

interface Event {
  readonly at: string;
  readonly subscription?: string;
  readonly gateway?: string | undefined;
  readonly what: string;
}

/** From the arrival of a message to its subscribers. */
function renderTimeline(message: MessageDetails): string {
  const { entered, user, connector, subscribers, actions } = message;
  const names = new Map(subscribers.map(({ id, subscription }) => [id, subscription]));
  const events: Event[] = [
    { at: entered, what: `entered over ${connector}${user === undefined ? '' : ` by ${user}`}` },
    ...subscribers.flatMap(eventsOf),
    ...actions.map(({ at, actor, action, delivery = '' }) => ({
      ...{ at, subscription: names.get(delivery) ?? '', what: `${action} by ${actor}` },
    })),
  ];
  return tableOf(
    events.toSorted((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))),
    {
      AT: ({ at }) => at,
      SUBSCRIPTION: ({ subscription }) => subscription,
      GATEWAY: ({ gateway }) => gateway,
      EVENT: ({ what }) => what,
    },
  );
}

function eventsOf({ subscription, tried, status, ended, replied }: KeptDelivery): readonly Event[] {
  const events = tried.map(({ attempt, gateway, began = '', ended: end, code, reason, uncertain, note }): Event => {
    const reply = code === undefined ? '' : `, status ${code}`;
    const result =
      end === undefined
        ? 'runs'
        : reason === undefined
          ? `succeeded${reply}${note === undefined ? '' : `; ${shortReason(note)}`}`
          : uncertain === true
            ? `is ${shortReason(reason)}`
            : `failed${reply}: ${shortReason(reason)}`;
    return { at: end ?? began, subscription, gateway, what: `attempt ${attempt} ${result}` };
  });
  return [
    ...events,
    ...(replied === undefined ? [] : [{ at: replied, subscription, what: 'the reply came' }]),
    ...(ended === undefined ? [] : [{ at: ended, subscription, what: status }]),
  ];
}
