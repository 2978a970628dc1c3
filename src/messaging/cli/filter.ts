import { type Command, InvalidArgumentError, Option } from 'commander';
import { readMoment } from '../../cli/help.ts';
import {
  CALL_REPLIES,
  type CallReply,
  MESSAGE_KINDS,
  MESSAGE_STATUSES,
  type MessageKind,
  type MessageStatus,
} from '../../model/message.ts';
import type { MessageFilter } from '../run/index.ts';

/** The options that choose messages. */
export interface FilterOptions {
  readonly kind?: MessageKind;
  readonly operation?: string;
  readonly queue?: string;
  readonly node?: string;
  readonly subscription?: string;
  readonly status?: MessageStatus;
  readonly reply?: CallReply;
  readonly since?: Date;
  readonly until?: Date;
  readonly field?: ReadonlyMap<string, string>;
  readonly trace?: string;
  readonly request?: string;
  readonly text?: string;
  readonly user?: string;
}

/** Adds the options that choose messages. */
export function addFilter(command: Command): Command {
  return command
    .addOption(oneOf(new Option('--kind <kind>', 'messages of queues, or recorded calls'), MESSAGE_KINDS))
    .option('--operation <id>', 'those of an operation')
    .option('--queue <id>', 'those of a queue')
    .option('--node <id>', 'those that a subscription delivers to a node, and calls of it')
    .option('--subscription <id>', 'those that are delivered to a subscription')
    .addOption(oneOf(new Option('--status <status>', 'those in a status, or with a delivery in it'), MESSAGE_STATUSES))
    .addOption(oneOf(new Option('--reply <reply>', 'recorded calls that failed or were refused'), CALL_REPLIES))
    .option('--since <time>', "those that were entered in the last time, as in '1h', or since a time", readMoment)
    .option('--until <time>', 'those that were entered before that, likewise', readMoment)
    .option('--field <name=value>', 'those with a value in a search field of the queue; can be repeated', addField)
    .option('--trace <id>', 'those of a trace')
    .option('--request <id>', 'those that a request published, and the call with that id')
    .option('--text <text>', 'those of an id, a part of a name, a value of a search field or a part of a recent error')
    .option('--user <id>', 'those that a user published or called');
}

/** Makes an option take one of some words, in any case as the delivered service does. */
function oneOf(option: Option, words: readonly string[]): Option {
  return option.choices(words).argParser((text) => {
    const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
    if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}.`);
    return found;
  });
}

function addField(text: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("It takes a field and its value, such as 'LOCATION=NYC01'.");
  if (before.has(name)) throw new InvalidArgumentError(`${name} has a value already; messages have one each.`);
  return new Map([...before, [name, value]]);
}

/** The filter of some options. */
export function filterOf(options: FilterOptions): MessageFilter {
  const { kind, operation, queue, node, subscription, status, reply, since, until, field, trace, request, text, user } =
    options;
  const given = {
    kind,
    operation,
    queue,
    node,
    subscription,
    status,
    reply,
    since,
    until,
    fields: field,
    trace,
    request,
    text,
    user,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
