import { linkCallText } from '../../load/consumer/input.ts';
import { placeOf } from '../../load/diagnostic/diagnostic.ts';
import { contentOf, documentOf } from '../../load/document/documents.ts';
import { hasOwnValue, isNeeded } from '../../load/document/field.ts';
import { typeWords } from '../../load/document/field-type.ts';
import { fills, fitValue } from '../../load/document/fit.ts';
import { restrictionBroken, restrictionOf, spelled } from '../../load/document/restriction.ts';
import { unprovenRestriction } from '../../load/document/unproven.ts';
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
import type { Field } from '../../model/field.ts';
import type { Gateway } from '../../model/gateway.ts';
import {
  codeOfSubscription,
  type InputMap,
  type InputSource,
  isComparable,
  type MessageQueue,
  type Subscription,
} from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { DELIVERY_RETRY } from '../../model/retry.ts';
import { isAnyText } from '../../model/scalar.ts';
import type { Role } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { Value } from '../../model/value.ts';
import { linkAwaitedReply, REPLY_WITHIN } from './awaited-reply.ts';
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
    if (value.replies === true) checkReplying(refuse, value, operation);
    else if (value.within !== undefined) refuse('has `within`, which needs `replies: true`', 'within');
    return {
      operation,
      when: linkConditions(linking, declaration, operation),
      target,
      retry,
      concurrency: value.concurrency ?? DEFAULTS.concurrency,
      active: value.active ?? DEFAULTS.active,
      replies: value.replies ?? DEFAULTS.replies,
      ...given({ as, within: linkDuration(linking, value, 'within', REPLY_WITHIN) }),
    };
  });
}

/** Refuses a subscription that can't reply to every message of its operation. */
function checkReplying(refuse: Refuse, { call, when }: SubscriptionDeclared, { id, answer }: Operation): void {
  if (answer.kind === 'queue' && answer.reply === undefined)
    refuse(`replies to ${id}, which has no \`response\``, 'replies');
  if (call !== undefined) refuse('replies and has `call`; only code can reply', 'replies');
  if (when !== undefined) refuse('replies and has `when`; messages that do not meet it would get no reply', 'replies');
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
  if (value.reply === undefined) refuseBoth(linking, value, 'call', 'handler', 'messages are delivered to one of them');
  if (value.call === undefined) {
    refuseKey(linking, value, 'reply', `subscription ${id}`, 'without `call` no reply comes');
    if (!linking.doubt.about(value, 'call'))
      refuseKey(linking, value, 'map', `subscription ${id}`, 'code gets the message as it is');
    const target: Subscription['target'] = { kind: 'handler', file: value.handler ?? fileNamedAs(id) };
    if (linking.doubt.about(value, 'handler', 'call')) linking.doubt.mark(target);
    return target;
  }
  if (value.reply === undefined || value.handler === undefined)
    refuseKey(linking, value, 'as', `subscription ${id}`, 'the subscription itself grants its call');
  const call = resolveCall(linking, calls, value.call, linking.places.value(value, 'call'));
  if (call === undefined || operation === undefined) return undefined;
  const refuse = refusing(linking, declaration);
  if (!call.active && value.active !== false) refuse(`calls ${call.id}, which is not active`, 'call');
  const reply = linkAwaitedReply(linking, value, call, refuse);
  const target: Subscription['target'] = {
    kind: 'call',
    call,
    input: linkInput(linking, declaration, operation, call),
    ...given({ reply }),
  };
  if (linking.doubt.about(value, 'handler', 'reply')) linking.doubt.mark(target);
  return target;
}

/** The fields of a message. */
function fieldsOf({ doubt }: Linking, { id, request, at }: Operation): InputFields {
  const document = documentOf(request);
  const fields = document?.fields ?? contentOf(request, { at: placeOf(at) });
  return {
    byName: new Map(fields.map((field) => [field.name, field])),
    complete: !doubt.about(document),
    messagesOf: id,
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
  const message = fieldsOf(linking, operation);
  const { fields, complete } = inputOf(linking, call);
  const { map = {} } = value;
  const names = fields.map((field) => field.name);
  const mapped = new Map(Object.entries(map));
  for (const name of mapped.keys()) {
    if (names.includes(name) || !complete) continue;
    report.raise('unknown-input', { name, call: call.id, known: names }, places.key(map, name));
  }
  return fields.flatMap((field): InputMap => {
    if (field.name === value.reply?.to) return [];
    const said = mapped.get(field.name);
    const at = said === undefined ? places.value(value, 'call') : places.value(map, field.name);
    const refuse = (reason: string): [] => {
      report.raise('bad-subscription', { subscription: id, reason }, at);
      return [];
    };
    const from = said === undefined ? byName(field, message) : linkSource(linking, map, field, message);
    if (from === undefined) {
      const isMissing = said === undefined && isNeeded(field) && complete && message.complete;
      return isMissing
        ? refuse(
            `calls ${call.id}, whose input ${field.name} is required, but ${operation.id} has no such field; fill it with \`map\``,
          )
        : [];
    }
    const reason = from.kind === 'field' ? whyNotFilled(field, from.field, operation, call) : undefined;
    if (reason !== undefined) return refuse(reason);
    const unproven =
      from.kind === 'field' ? unprovenRestriction(field, { own: from.field, values: undefined }) : undefined;
    if (unproven !== undefined) {
      const input = `${field.name} of ${call.id}`;
      report.raise('delivery-may-not-fit', { subscription: id, input, reason: unproven.reason }, at);
    }
    return [{ field, from }];
  });
}

function byName({ name }: Field, message: InputFields): InputSource | undefined {
  const field = message.byName.get(name);
  return field && { kind: 'field', field };
}

function whyNotFilled(field: Field, from: Field, operation: Operation, call: Callee): string | undefined {
  const input = `the input ${field.name} of ${call.id}`;
  const own = `${from.name} of ${operation.id}`;
  if (!fills(from.type, field.type))
    return `fills ${input}, which is ${typeWords(field.type)}, with ${own}, which is ${typeWords(from.type)}`;
  if (!isNeeded(field)) return undefined;
  if (!from.required && !hasOwnValue(from)) return `fills ${input}, which is required, with ${own}, which is optional`;
  if (from.nullable === true && field.nullable !== true)
    return `fills ${input}, which is required, with ${own}, which may be null`;
  return undefined;
}

/** An entry of `map:`; `undefined` when it can't fill the field, which has been reported. */
function linkSource(
  linking: Linking,
  map: NonNullable<SubscriptionDeclared['map']>,
  field: Field,
  message: InputFields,
): InputSource | undefined {
  const { report, places } = linking;
  const said = map[field.name] as string | number | boolean;
  const at = places.value(map, field.name);
  const whole = typeof said === 'string' ? message.byName.get(/^\{([^{}]+)\}$/.exec(said)?.[1] ?? '') : undefined;
  if (whole !== undefined) return { kind: 'field', field: whole };
  if (typeof said === 'string') {
    const text = linkCallText(linking, said, message, (offset, length) =>
      places.inText(map, field.name, offset, length),
    );
    const names = said.match(/\{[^{}]+\}/g) ?? [];
    if (text.parts.some(({ kind }) => kind === 'value')) {
      if (isAnyText(field.type)) return { kind: 'built', text };
      report.raise('map-text', { name: field.name, type: typeWords(field.type) }, at);
      return undefined;
    }
    // What it names has been reported.
    if (names.length > 0) return undefined;
  }
  const value = fitTo(linking, field, said, 'map value', { container: map, key: field.name });
  return value === undefined ? undefined : { kind: 'value', value };
}

/** A value of a definition in the form of a field's type. One that does not fit is reported. */
function fitTo(
  { report, places }: Linking,
  field: Field,
  value: string | number | boolean,
  option: string,
  { container, key }: { readonly container: object; readonly key: string | number },
): Value {
  const written = places.written(container, key) ?? String(value);
  const at = places.value(container, key);
  const { type } = field;
  if (!isComparable(field) || type.kind === 'document' || type.kind === 'list' || type.kind === 'map') {
    report.raise('value-does-not-fit', { option, value: written, reason: `${field.name} is ${typeWords(type)}` }, at);
    return undefined;
  }
  const fitted = fitValue({ value, written }, type);
  const by = restrictionOf(field);
  const found = fitted.fits ? spelled(fitted.value, by) : undefined;
  const reason = fitted.fits ? restrictionBroken(found ?? fitted.value, type, by) : fitted.reason;
  if (reason === undefined) return found;
  report.raise('value-does-not-fit', { option, value: written, reason }, at);
  return undefined;
}

/** `when:`, of which a message has one value each. */
function linkConditions(
  linking: Linking,
  { id, value: { when = {} } }: Declaration<SubscriptionDeclared>,
  operation: Operation,
): Subscription['when'] {
  const { report, places } = linking;
  const message = fieldsOf(linking, operation);
  return Object.entries(when).flatMap(([name, said]) => {
    const field = message.byName.get(name);
    const at = places.key(when, name);
    if (field === undefined) {
      const known = [...message.byName.values()].filter(isComparable).map((each) => each.name);
      if (message.complete) report.raise('unknown-message-field', { name, operation: operation.id, known }, at);
      return [];
    }
    if (!isComparable(field)) {
      const reason = `has the condition ${name}, which is ${typeWords(field.type)}, not a single value`;
      report.raise('bad-subscription', { subscription: id, reason }, at);
      return [];
    }
    const listed = Array.isArray(said)
      ? (said as readonly (string | number | boolean)[]).map((each, key) =>
          fitTo(linking, field, each, 'condition', { container: said, key }),
        )
      : [fitTo(linking, field, said as string, 'condition', { container: when, key: name })];
    return { field: name, values: listed.filter((each) => each !== undefined) };
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
