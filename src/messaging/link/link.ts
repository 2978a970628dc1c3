import { placeOf } from '../../load/diagnostic/diagnostic.ts';
import { contentOf, documentOf } from '../../load/document/documents.ts';
import { typeWords } from '../../load/document/field-type.ts';
import { type Callee, type Calls, inputOf, resolveCall } from '../../load/flow/calls.ts';
import { fileNamedAs, type WantedFile } from '../../load/handlers.ts';
import {
  declarationsOf,
  type Linking,
  linkEach,
  refuseBoth,
  refuseKey,
  resolveKey,
  resolveOperation,
} from '../../load/linking.ts';
import { given } from '../../load/object.ts';
import type { InputFields } from '../../load/operation/request.ts';
import type { Declaration } from '../../load/read/declaration.ts';
import { defaultsOf } from '../../load/schema/json-schema.ts';
import { linkRetry } from '../../load/value/retry.ts';
import { linkDuration, linkSize, milliseconds } from '../../load/value/units.ts';
import type { Gateway } from '../../model/gateway.ts';
import {
  codeOfSubscription,
  type InputMap,
  isComparable,
  type MessageQueue,
  type Subscription,
} from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { DELIVERY_RETRY } from '../../model/retry.ts';
import type { Role } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import { linkAwaitedReply, REPLY_WITHIN } from './awaited-reply.ts';
import { linkConditions, linkInputMap } from './input-map.ts';
import {
  type MessageQueueDeclared,
  retention as retentionMap,
  type SubscriptionDeclared,
  subscription,
} from './schema.ts';

/** How long messages may be kept. Shorter than a minute, an operator could not see them. */
const KEPT = { least: 60_000, amount: milliseconds('36500 d'), words: 'from 1 m to 36500 d' };

const RETENTION = defaultsOf(retentionMap);
const DEFAULTS = defaultsOf(subscription);

/** Links every queue of messages. */
export function linkMessageQueues(linking: Linking, gateway: Gateway | undefined): Map<string, MessageQueue> {
  return linkEach<MessageQueueDeclared, MessageQueue>(linking, 'queue', ({ value }) => {
    const { retention = {} } = value;
    return {
      search: value.search ?? [],
      size: linkSize(linking, value, 'size', 'size') ?? gateway?.limits.body ?? 0,
      retention: {
        done: linkDuration(linking, retention, 'retention.done', KEPT) ?? milliseconds(RETENTION.done),
        failed: linkDuration(linking, retention, 'retention.failed', KEPT) ?? milliseconds(RETENTION.failed),
      },
      ...given({ order: value.order }),
    };
  });
}

/** The definitions that subscriptions refer to. */
interface SubscriptionSources {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly calls: Calls;
  readonly roles: ReadonlyMap<string, Role>;
}

/** The queues of jobs of every gateway. Those of deliveries have the ids of subscriptions. */
const OWN_QUEUES: ReadonlySet<string> = new Set(['events', 'processes', 'query-runs']);

/** Links every subscription. One without an operation or a target has been reported; it is left out. */
export function linkSubscriptions(linking: Linking, sources: SubscriptionSources): Map<string, Subscription> {
  return linkEach<SubscriptionDeclared, Subscription>(linking, 'subscription', (declaration) => {
    const { value } = declaration;
    const refuse = refusing(linking, declaration);
    if (OWN_QUEUES.has(declaration.id.toLowerCase()))
      refuse('has the name of a queue of the gateway itself', 'subscription');
    const as = resolveKey(linking, 'role', sources.roles, value, 'as');
    const retry = linkRetry(linking, value, DELIVERY_RETRY) ?? { ...DELIVERY_RETRY };
    const operation = linkPublished(linking, sources, declaration);
    const target = linkTarget(linking, sources.calls, declaration, operation);
    if (operation === undefined || target === undefined) return undefined;
    if (value['gives-reply'] === true) checkReplying(refuse, value, operation);
    else if (value.within !== undefined) refuse('has `within`, which needs `gives-reply: true`', 'within');
    return {
      operation,
      when: linkWhen(linking, declaration, operation),
      target,
      retry,
      concurrency: value.concurrency ?? DEFAULTS.concurrency,
      active: value.active ?? DEFAULTS.active,
      givesReply: value['gives-reply'] ?? DEFAULTS['gives-reply'],
      ...given({ as, within: linkDuration(linking, value, 'within', REPLY_WITHIN) }),
    };
  });
}

/** Refuses a subscription that can't reply to every message of its operation. */
function checkReplying(refuse: Refuse, { call, when }: SubscriptionDeclared, { id, answer }: Operation): void {
  if (answer.kind === 'queue' && answer.reply === undefined)
    refuse(`replies to ${id}, which has no \`response\``, 'gives-reply');
  if (call !== undefined) refuse('replies and has `call`; only code can reply', 'gives-reply');
  if (when !== undefined)
    refuse('replies and has `when`; messages that do not meet it would get no reply', 'gives-reply');
}

/** The files of code that messages are delivered to. */
export function subscriptionFiles({ doubt }: Linking, all: Iterable<Subscription>): WantedFile[] {
  return [...all].flatMap(({ id, target, at }) =>
    codeOfSubscription({ target }).map((file) => ({ id, file, unsure: doubt.about(target), at })),
  );
}

/** Reports an error at a key of a subscription. */
type Refuse = (reason: string, key: keyof SubscriptionDeclared | 'subscription') => void;

function refusing({ report, places }: Linking, { id, value }: Declaration<SubscriptionDeclared>): Refuse {
  return (reason, key) => report.raise('bad-subscription', { subscription: id, reason }, places.value(value, key));
}

/** The operation whose messages are delivered. */
function linkPublished(
  linking: Linking,
  { operations, calls }: SubscriptionSources,
  declaration: Declaration<SubscriptionDeclared>,
): Operation | undefined {
  const { value } = declaration;
  const refuse = refusing(linking, declaration);
  const at = linking.places.value(value, 'operation');
  const publishes = ({ id }: { readonly id: string }): boolean => operations.get(id)?.answer.kind === 'queue';
  const found = resolveOperation(linking, calls.names, value.operation, at, publishes);
  if (found === undefined) return undefined;
  const operation = operations.get(found.id);
  if (operation === undefined) refuse(`refers to ${found.id}, which is a call to another system`, 'operation');
  else if (operation.answer.kind !== 'queue' && !linking.doubt.about(operation.answer))
    refuse(`refers to ${operation.id}, which has no \`queue\`, so it publishes nothing`, 'operation');
  return operation?.answer.kind === 'queue' ? operation : undefined;
}

/** What messages are delivered to. */
function linkTarget(
  linking: Linking,
  calls: Calls,
  declaration: Declaration<SubscriptionDeclared>,
  operation: Operation | undefined,
): Subscription['target'] | undefined {
  const { id, value } = declaration;
  if (value['awaits-reply'] === undefined)
    refuseBoth(linking, value, 'call', 'handler', 'messages are delivered to one of them');
  if (value.call === undefined) {
    refuseKey(linking, value, 'awaits-reply', `subscription ${id}`, 'without `call` no reply comes');
    if (!linking.doubt.about(value, 'call'))
      refuseKey(linking, value, 'map', `subscription ${id}`, 'code gets the message as it is');
    const target: Subscription['target'] = { kind: 'handler', file: value.handler ?? fileNamedAs(id) };
    if (linking.doubt.about(value, 'handler', 'call')) linking.doubt.mark(target);
    return target;
  }
  if (value['awaits-reply'] === undefined || value.handler === undefined)
    refuseKey(linking, value, 'as', `subscription ${id}`, 'the subscription itself grants its call');
  const call = resolveCall(linking, calls, value.call, linking.places.value(value, 'call'));
  if (call === undefined || operation === undefined) return undefined;
  const refuse = refusing(linking, declaration);
  if (!call.active && value.active !== false) refuse(`calls ${call.id}, which is not active`, 'call');
  const awaitsReply = linkAwaitedReply(linking, value, call, refuse);
  const target: Subscription['target'] = {
    kind: 'call',
    call,
    input: linkInput(linking, declaration, operation, call),
    ...given({ awaitsReply }),
  };
  if (linking.doubt.about(value, 'handler', 'awaits-reply')) linking.doubt.mark(target);
  return target;
}

/** The fields of the messages of an operation. */
export function fieldsOf({ doubt }: Linking, { id, request, at }: Operation): InputFields {
  const document = documentOf(request);
  const fields = document?.fields ?? contentOf(request, { at: placeOf(at) });
  return {
    byName: new Map(fields.map((field) => [field.name, field])),
    complete: !doubt.about(document),
    of: `the messages of ${id}`,
  };
}

/** What fills the input of a call. */
function linkInput(
  linking: Linking,
  declaration: Declaration<SubscriptionDeclared>,
  operation: Operation,
  call: Callee,
): InputMap {
  const { report, places } = linking;
  const { id, value } = declaration;
  const at = places.value(value, 'call');
  const { fields, complete } = inputOf(linking, call);
  const from = { ...fieldsOf(linking, operation), id: operation.id };
  const to = { id: call.id, fields, complete, except: value['awaits-reply']?.to, noun: 'input' } as const;
  return linkInputMap(
    linking,
    value.map ?? {},
    { from, to, at, verb: 'calls' },
    {
      refuse: (reason, where) => report.raise('bad-subscription', { subscription: id, reason }, where),
      unknown: (name, known, where) => report.raise('unknown-input', { name, call: call.id, known }, where),
      mayNotFit: (input, reason, where) =>
        report.raise('delivery-may-not-fit', { subscription: id, input, reason }, where),
    },
  );
}

/** `when:` of a subscription. */
function linkWhen(
  linking: Linking,
  { id, value: { when = {} } }: Declaration<SubscriptionDeclared>,
  operation: Operation,
): Subscription['when'] {
  const { report } = linking;
  return linkConditions(linking, when, fieldsOf(linking, operation), {
    refuse: (reason, at) => report.raise('bad-subscription', { subscription: id, reason }, at),
    unknownCondition: (name, known, at) =>
      report.raise('unknown-message-field', { name, operation: operation.id, known }, at),
  });
}

/** Checks queues against the operations that publish to them. */
export function checkMessageQueues(
  linking: Linking,
  { messageQueues, operations }: Pick<Registry, 'messageQueues' | 'operations'>,
): void {
  const { report, places, declared, doubt } = linking;
  if (messageQueues.size === 0) return;
  // An operation that was rejected in part may publish to any queue.
  if (declared.rejected('operation').size > 0 || declared.rejected('service').size > 0) return;
  if ([...operations.values()].some(({ answer }) => doubt.about(answer))) return;
  const publishers = Map.groupBy(operations.values(), ({ answer }) =>
    answer.kind === 'queue' ? answer.queue.id : undefined,
  );
  for (const { id, value } of declarationsOf<MessageQueueDeclared>(linking, 'queue')) {
    const publishing = publishers.get(id);
    if (publishing === undefined) report.raise('unused-queue', { queue: id }, places.value(value, 'queue'));
    else checkSearch(linking, id, value.search ?? [], publishing);
  }
}

/** Checks that each field of `search` is one of the request of some operation, with single values in all that have it. */
function checkSearch(
  linking: Linking,
  queue: string,
  search: readonly string[],
  publishing: readonly Operation[],
): void {
  const { report, places } = linking;
  const requests = publishing.map((operation) => fieldsOf(linking, operation));
  if (requests.some(({ complete }) => !complete)) return;
  const all = requests.flatMap(({ byName }) => [...byName.values()]);
  for (const [index, name] of search.entries()) {
    const at = places.value(search, index);
    const found = all.filter((field) => field.name === name);
    const wrong = found.find((field) => !isComparable(field));
    if (found.length === 0) {
      const operation = publishing.map(({ id }) => id).join(' and ');
      const known = [...new Set(all.filter(isComparable).map((field) => field.name))];
      report.raise('unknown-message-field', { name, operation, known }, at);
    } else if (wrong !== undefined) {
      const reason = `is searched by ${name}, which is ${typeWords(wrong.type)}, not a single value`;
      report.raise('bad-queue', { queue, reason }, at);
    }
  }
}
