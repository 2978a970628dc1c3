import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Ended, wrongUsage } from '../../cli/failure.ts';
import { explain } from '../../cli/help.ts';
import { confirm } from '../../cli/operator.ts';
import { note, print, printResult, tableOf } from '../../cli/terminal.ts';
import { counted } from '../../wire/words.ts';
import { DELIVERY_ACTIONS } from '../operator.ts';
import type { Acted, DeliveryAction, HeldWhole, PartitionGiven } from '../run/index.ts';
import { type Acting, acts, reads } from './access.ts';
import { addFilter, type FilterOptions, filterOf } from './filter.ts';

interface Words {
  readonly description: string;
  readonly examples: readonly string[];
  readonly notes: readonly string[];
}

const ID = '0195a3f0-5d6c-7c8e-9d0a-2f6f0f6e7c11';

const WORDS: Readonly<Record<DeliveryAction, Words>> = {
  resubmit: {
    description: 'send deliveries again that failed or are held',
    examples: [
      `signalbox message resubmit ${ID}`,
      'signalbox message resubmit --all --node ERP --since 8h --rate 50 --yes',
    ],
    notes: [
      'A delivery gets all its attempts again and keeps its id, so that its target recognises a repetition. One that is held in a partition goes first there; any other goes behind those that wait. One whose payload was not kept is refused, and so is one that is Done.',
    ],
  },
  cancel: {
    description: 'cancel deliveries for good',
    examples: [`signalbox message cancel ${ID}`, 'signalbox message cancel --all --subscription TO_ERP --status Retry'],
    notes: [
      'A delivery that runs is aborted within a second. The next one of its partition begins, also behind one that is held.',
    ],
  },
  hold: {
    description: 'let deliveries wait, or all of a queue, a subscription, a node or a partition',
    examples: [
      'signalbox message hold --node ERP',
      'signalbox message hold --queue LOCATION_EVENTS --partition NYC01',
      `signalbox message hold ${ID}`,
    ],
    notes: [
      'Without ids and --all, the options name what is held as a whole: gateways begin none of its deliveries until it is released; new messages are entered and wait. A partition is held by its first delivery that waits. Deliveries that run go on.',
    ],
  },
  release: {
    description: 'let held deliveries go on, or what is held as a whole',
    examples: ['signalbox message release --node ERP', `signalbox message release ${ID}`],
    notes: ['A delivery that failed for good and is held gets all its attempts again.'],
  },
};

interface ActOptions extends FilterOptions {
  readonly all?: true;
  readonly partition?: readonly string[];
  readonly yes?: true;
  readonly rate?: number;
}

/** The command of an action. */
export function addAction(message: Command, action: DeliveryAction): void {
  const { description, examples, notes } = WORDS[action];
  const command = explain(message.command(action), { examples, notes })
    .description(description)
    .argument('[ids...]', 'ids of messages or deliveries')
    .option('--all', 'those deliveries of all messages that the other options find');
  addFilter(command)
    .addOption(new Option('--rate <number>', 'with --all: at most so many a second').argParser(readRate))
    .option('--yes', 'do not ask');
  const isWhole = action === 'hold' || action === 'release';
  if (isWhole)
    command.option(
      '--partition <value>',
      "with --queue: a partition, by the value of the queue's order; repeated for an order of several fields",
      (value: string, before: readonly string[] = []) => [...before, value],
    );
  acts(command, async (acting, ids: readonly string[], { all, yes, rate, partition, ...options }: ActOptions) => {
    const filter = filterOf(options);
    const isFiltered = Object.keys(filter).length > 0;
    if (partition !== undefined && (all !== undefined || ids.length > 0))
      throw wrongUsage('--partition names what is held as a whole; it needs --queue, and neither ids nor --all');
    if (all !== undefined && ids.length > 0) throw wrongUsage(`${action} takes ids, or --all`);
    if (all === undefined && rate !== undefined) throw wrongUsage('--rate needs --all');
    if (all !== undefined) return actOnAll(acting, action, filter, { yes, rate });
    if (ids.length === 0 && isWhole && isFiltered)
      return partition === undefined
        ? actOnWhole(acting, action, wholeOf(options))
        : actOnPartition(acting, action, { queue: queueOf(options), values: partition });
    if (partition !== undefined) throw wrongUsage('--partition needs --queue');
    if (isFiltered) throw wrongUsage('options that choose messages need --all');
    if (ids.length === 0)
      throw wrongUsage(
        `${action} takes ids of messages or deliveries, or --all`,
        `'signalbox message ${action} --help' shows both.`,
      );
    await actOnEach(acting, action, ids);
  });
}

function readRate(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 10_000)
    throw new InvalidArgumentError('It takes an integer from 1 to 10000.');
  return number;
}

/** What options name as a whole. */
function wholeOf(options: FilterOptions): HeldWhole {
  const { queue, subscription, node, ...others } = filterOf(options);
  const named = Object.entries({ queue, subscription, node }).filter(([, id]) => id !== undefined);
  const [first] = named as [kind: HeldWhole['kind'], id: string][];
  if (first === undefined || named.length > 1 || Object.keys(others).length > 0)
    throw wrongUsage(
      'to hold or release as a whole takes one of --queue, --subscription and --node, and no other option',
    );
  const [kind, id] = first;
  return { kind, id };
}

/** The queue whose partition options name. */
function queueOf(options: FilterOptions): string {
  const { kind, id } = wholeOf(options);
  if (kind !== 'queue') throw wrongUsage('--partition needs --queue');
  return id;
}

async function actOnWhole(
  { messages, actor, json }: Acting,
  action: 'hold' | 'release',
  what: HeldWhole,
): Promise<void> {
  const changed = await messages[action](what, actor);
  await printResult(
    { ...what, changed },
    json,
    () => `${what.kind} ${what.id} is ${changed ? '' : 'already '}${DELIVERY_ACTIONS[action].done}.\n`,
  );
}

async function actOnPartition(
  { messages, actor, json }: Acting,
  action: 'hold' | 'release',
  given: PartitionGiven,
): Promise<void> {
  const work = action === 'hold' ? messages.holdPartition : messages.releasePartition;
  const { queue, partition, deliveries } = await work(given, actor);
  const done = `${deliveries === 1 ? 'is' : 'are'} ${DELIVERY_ACTIONS[action].done}`;
  await printResult(
    { kind: 'partition', queue, partition, changed: deliveries },
    json,
    () => `${counted(deliveries, 'delivery', 'deliveries')} of partition ${partition} of ${queue} ${done}.\n`,
  );
}

/** Acts on messages and deliveries one by one. The others are done although one is refused; the command then fails. */
async function actOnEach(
  { messages, actor, json }: Acting,
  action: DeliveryAction,
  ids: readonly string[],
): Promise<void> {
  const all: Acted[] = [];
  for (const id of ids) all.push(await messages.act(action, id, actor));
  await report(action, { done: all.flatMap(({ done }) => done), refused: all.flatMap(({ refused }) => refused) }, json);
}

/** Deliveries that are counted before the question. */
const MOST_COUNTED = 10_000;
/** Deliveries of one step, without a rate. */
const STEP = 500;

async function actOnAll(
  { messages, actor, json }: Acting,
  action: DeliveryAction,
  filter: ReturnType<typeof filterOf>,
  { yes, rate }: { readonly yes: true | undefined; readonly rate: number | undefined },
): Promise<void> {
  const count = await messages.count(action, filter, MOST_COUNTED);
  const many = count === MOST_COUNTED ? `${MOST_COUNTED} or more deliveries` : counted(count, 'delivery', 'deliveries');
  await confirm({ question: `${action} ${many}?`, line: `${many} to ${action}.` }, count > 0 ? yes : true);
  const all: Acted[] = [];
  let after: string | undefined;
  do {
    const range = { most: rate ?? STEP, ...(after === undefined ? {} : { after }) };
    const [step] = await Promise.all([
      messages.actAll(action, filter, range, actor),
      rate === undefined ? undefined : sleep(1000),
    ]);
    all.push(step);
    after = step.next;
  } while (after !== undefined);
  const result = { done: all.flatMap(({ done }) => done), refused: all.flatMap(({ refused }) => refused) };
  if (json) return report(action, result, json);
  const { length } = result.done;
  await print(
    `${counted(length, 'delivery', 'deliveries')} ${length === 1 ? 'is' : 'are'} ${DELIVERY_ACTIONS[action].done}.\n`,
  );
  await refuse(result);
}

async function report(action: DeliveryAction, result: Acted, json: true | undefined): Promise<void> {
  await printResult(result, json, ({ done }) =>
    done
      .map(
        ({ message, subscription, was }) =>
          `${message} to ${subscription}, which was ${was}, is ${DELIVERY_ACTIONS[action].done}.\n`,
      )
      .join(''),
  );
  await refuse(result);
}

async function refuse({ refused }: Acted): Promise<void> {
  for (const { message, delivery, reason } of refused)
    note(`${delivery === undefined ? `Message ${message}` : `Delivery ${delivery}`} ${reason}.`);
  if (refused.length > 0) throw new Ended(1);
}

/** `signalbox message held`. */
export function addHeld(message: Command): void {
  const command = explain(message.command('held'), { examples: ['signalbox message held'] }).description(
    'list the queues, subscriptions and nodes that are held',
  );
  reads(command, async (messages, json) =>
    printResult(await messages.held(), json, (all) =>
      tableOf(all, { HELD: ({ what }) => what, SINCE: ({ since }) => since, BY: ({ actor }) => actor }),
    ),
  );
}

/** `signalbox message down`. */
export function addDown(message: Command): void {
  const command = explain(message.command('down'), {
    examples: ['signalbox message down', "signalbox message down --json | jq -r '.[].node'"],
    notes: ['A gateway tries one delivery from time to time; once it succeeds, the others follow.'],
  }).description('list the nodes that were down when a delivery was last tried, with the subscriptions that wait');
  reads(command, async (messages, json) =>
    printResult(await messages.down(), json, (all) =>
      tableOf(all, {
        NODE: ({ node }) => node,
        SUBSCRIPTION: ({ subscription }) => subscription,
        SINCE: ({ since }) => since,
        NEXT: ({ next }) => next,
        MESSAGE: ({ message: probe }) => probe,
      }),
    ),
  );
}
