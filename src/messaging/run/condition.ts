import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { compileSameText } from '../../codec/conditions.ts';
import { CodecError, compileText } from '../../codec/index.ts';
import { fieldsOf } from '../../codec/redact/declared.ts';
import { Fault } from '../../model/fault.ts';
import { type Field, isCollection } from '../../model/field.ts';
import {
  type CallReply,
  type MessageKind,
  type MessageStatus,
  nodesOf,
  type Subscription,
} from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Db } from '../../store/index.ts';
import { searchText } from './publish.ts';
import { matchesOf, type TextMatches, type TextPorts } from './text.ts';

/** Which messages are listed. All conditions hold; a message without a filter of some kind may have any value there. */
export interface MessageFilter {
  /** Messages of queues, or recorded calls. */
  readonly kind?: MessageKind;
  readonly operation?: string;
  readonly queue?: string;
  /** The node that was called, or that a subscription delivers to. */
  readonly node?: string;
  readonly subscription?: string;
  /** Of the message, or of one of its deliveries. */
  readonly status?: MessageStatus;
  /** Of a recorded call: as the figures by minute count it. */
  readonly reply?: CallReply;
  /** With a delivery in one of these; of the subscription, or to the node, that is given. */
  readonly deliveryIn?: readonly MessageStatus[];
  /** Entered then or later. */
  readonly since?: Date;
  /** Entered before then. */
  readonly until?: Date;
  /** Texts of search fields, by their names. */
  readonly fields?: ReadonlyMap<string, string>;
  /** The id of a trace: 32 hexadecimal digits. */
  readonly trace?: string;
  /** The id of the request that published it, or of the call. */
  readonly request?: string;
  readonly user?: string;
  /** Of what people remember of a message: see {@link matchesOf}. */
  readonly text?: string;
}

/** An index whose entries are the ids of messages, in their order. */
export interface Source {
  readonly table: string;
  readonly id: 'id' | 'message';
  readonly where: RawBuilder<SqlBool> | undefined;
}

/** A condition, and the indexes that lead to the messages which may meet it. */
interface Condition {
  readonly where: RawBuilder<SqlBool>;
  /** Absent when no index serves it. */
  readonly sources?: readonly Source[];
  /** All messages to which its sources lead meet it. */
  readonly isWhole?: true;
}

/** How the messages of a filter are found. */
interface FindPlan {
  /** The indexes that lead to them. Empty when there can be none. */
  readonly lead: readonly Source[];
  readonly where: RawBuilder<unknown>;
  /** All messages to which they lead are found. */
  readonly isWhole: boolean;
  /** The first id, and the first one after the last. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export async function planOf(db: Db, ports: TextPorts, filter: MessageFilter): Promise<FindPlan> {
  const { registry } = ports;
  await checkSubscription(db, registry, filter);
  // Few messages may be among many calls: their queues lead to them.
  const queues = filter.kind === 'message' ? await queuesIn(db) : [];
  const text = filter.text === undefined ? [] : [textIs(registry, await matchesOf(db, ports, filter.text))];
  const conditions = conditionsOf(registry, filter, { queues, text });
  const all = conditions.map((each) => each.where);
  return {
    lead: conditions.find(({ sources }) => sources !== undefined)?.sources ?? [ALL],
    where: all.length === 0 ? sql`1 = 1` : sql.join(all, sql` and `),
    isWhole: conditions.every((each, n) => n === 0 && each.isWhole === true),
    since: filter.since === undefined ? undefined : firstId(filter.since.getTime() - SLACK),
    until: filter.until === undefined ? undefined : firstId(filter.until.getTime() + SLACK),
  };
}

/** The queues that messages are of, also those that are not defined any more: one step in the index for each. */
async function queuesIn(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly queue: string }>`
    with recursive found(queue) as (
      select min(queue) from signalbox_message
      union all
      select (select min(m.queue) from signalbox_message m where m.queue > found.queue) from found where queue is not null
    ) select queue from found where queue is not null`.execute(db);
  return rows.map(({ queue }) => queue);
}

/** Milliseconds by which the time in an id may differ from when its message was entered. */
const SLACK = 60_000;

/** The first id of a time (RFC 9562, section 5.7). */
function firstId(time: number): string {
  const digits = Math.max(0, Math.min(time, 0xffff_ffff_ffff)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

const ALL: Source = { table: 'signalbox_message', id: 'id', where: undefined };

/** The conditions of a filter: those that few messages meet come first. */
function conditionsOf(
  registry: Registry,
  filter: MessageFilter,
  { queues, text }: { readonly queues: readonly string[]; readonly text: readonly Condition[] },
): readonly Condition[] {
  const { kind, operation, queue, node, subscription, status, reply, since, until, trace, request, user } = filter;
  const open = filter.deliveryIn;
  const found: Condition[] = [];
  if (request !== undefined) found.push(columnIs('request_id', request));
  if (trace !== undefined) found.push(columnIs('trace', trace.toLowerCase()));
  for (const [name, value] of filter.fields ?? []) found.push(fieldIs(registry, filter, name, value));
  found.push(...text);
  if (status !== undefined && status !== 'Done' && status !== 'New')
    found.push(kind === 'call' && isFailure(status) ? callIs(status, node) : statusIs(status));
  if (reply !== undefined) found.push(replyIs(reply, node));
  if (open !== undefined) found.push(hasDeliveryIn(open, deliveredTo(registry, filter)));
  if (subscription !== undefined) found.push(isFor([subscription]));
  if (node !== undefined) {
    known('node', node, registry.nodes);
    found.push(either([columnIs('node', node), isFor(subscriptionsTo(registry, node).map(({ id }) => id))]));
  }
  if (operation !== undefined) {
    if (!registry.consumers.has(operation)) known('operation', operation, registry.operations);
    found.push(kind === 'call' ? callOf(operation) : columnIs('operation', operation));
  }
  if (queue !== undefined) {
    known('queue', queue, registry.messageQueues);
    found.push(columnIs('queue', queue));
  }
  if (kind === 'call') found.push({ where: sql`m.queue is null` });
  if (kind === 'message')
    found.push({ ...either(queues.map((id) => columnIs('queue', id))), where: sql`m.queue is not null` });
  if (status === 'Done' || status === 'New') found.push(statusIs(status));
  if (user !== undefined) found.push({ where: sql`m.actor = ${user}` });
  if (since !== undefined) found.push({ where: sql`m.entered >= ${since.getTime()}` });
  if (until !== undefined) found.push({ where: sql`m.entered < ${until.getTime()}` });
  return found;
}

/** One that was removed is found as long as there are deliveries to it. @throws Fault NOT_FOUND */
async function checkSubscription(db: Db, { subscriptions }: Registry, { subscription }: MessageFilter): Promise<void> {
  if (subscription === undefined || subscriptions.has(subscription)) return;
  const found = db.selectFrom('signalbox_delivery').select('id').where('subscription', '=', subscription).limit(1);
  if ((await found.executeTakeFirst()) === undefined) known('subscription', subscription, subscriptions);
}

/** @throws Fault NOT_FOUND */
function known(kind: string, id: string, all: ReadonlyMap<string, unknown>): void {
  if (!all.has(id)) throw Fault.of('NOT_FOUND', { what: `${kind} ${id}` });
}

export function badParameter(name: string, reason: string): Fault {
  return Fault.of('BAD_PARAMETER', { name, reason });
}

function columnIs(column: 'trace' | 'request_id' | 'node' | 'operation' | 'queue', value: string): Condition {
  return {
    isWhole: true,
    where: sql`${sql.ref(`m.${column}`)} = ${value}`,
    sources: [{ table: 'signalbox_message', id: 'id', where: sql`${sql.ref(column)} = ${value}` }],
  };
}

function statusIs(status: MessageStatus): Condition {
  const has = (is: RawBuilder<unknown>) =>
    sql<SqlBool>`exists (select 1 from signalbox_delivery d where d.message = m.id ${is})`;
  if (status === 'Started') {
    const running = sql`select d.message from signalbox_job j, signalbox_delivery d where j.mark is not null and d.id = j.id`;
    return { where: sql`m.id in (${running})` };
  }
  return {
    where: sql`(${has(sql`and d.status = ${status}`)} or (m.status = ${status} and not ${has(sql``)}))`,
    sources: [
      { table: 'signalbox_delivery', id: 'message', where: sql`status = ${status}` },
      { table: 'signalbox_message', id: 'id', where: sql`status = ${status}` },
    ],
  };
}

/** As `CallCounter` counts: 408 is a failure, the other statuses from 400 to 499 are refusals. */
function replyIs(reply: CallReply, node: string | undefined): Condition {
  const { sources = [] } = either(FAILURES.map((status) => callIs(status, node)));
  const refused = sql<SqlBool>`coalesce(m.code between 400 and 499 and m.code <> 408, false)`;
  const is = reply === 'refused' ? refused : sql<SqlBool>`not ${refused}`;
  return { where: sql`(m.queue is null and m.status in ('Error', 'Timeout') and ${is})`, sources };
}

/** Has one of the ids, or is of one of the names, that a text stands for. */
function textIs(
  registry: Registry,
  { text, messages, operations, queues, nodes, subscriptions }: TextMatches,
): Condition {
  const values = [...searchFields(registry, undefined, undefined).keys()].flatMap((name) => {
    try {
      return [fieldIs(registry, {}, name, text)];
    } catch (error) {
      // The field has another type.
      if (error instanceof Fault) return [];
      throw error;
    }
  });
  return either([
    columnIs('request_id', text),
    ...(TRACE.test(text) ? [columnIs('trace', text.toLowerCase())] : []),
    ...(messages.length === 0 ? [] : [idIsOneOf(messages)]),
    ...operations.map((id) => columnIs('operation', id)),
    ...queues.map((id) => columnIs('queue', id)),
    ...nodes.map((id) => columnIs('node', id)),
    ...(subscriptions.length === 0 ? [] : [isFor(subscriptions)]),
    ...values,
  ]);
}

const TRACE = /^[0-9a-f]{32}$/i;

function idIsOneOf(messages: readonly string[]): Condition {
  const ids = sql.join(messages);
  return {
    where: sql`m.id in (${ids})`,
    sources: [{ table: 'signalbox_message', id: 'id', where: sql`id in (${ids})` }],
  };
}

/** Statuses of recorded calls that failed, as the index of failures has them. */
const FAILURES = ['Error', 'Timeout'] as const;
const isFailure = (status: MessageStatus): boolean => FAILURES.some((each) => each === status);

/** Is the record of a call that failed. SQLite uses the index where a statement has the index's own condition. */
function callIs(status: MessageStatus, node: string | undefined): Condition {
  const is = sql<SqlBool>`status = ${status} and status in ('Error', 'Timeout')`;
  return {
    where: sql`(m.status = ${status} and m.queue is null)`,
    sources: [{ table: 'signalbox_message', id: 'id', where: node === undefined ? is : sql`node = ${node} and ${is}` }],
  };
}

/** Is the record of a call of an operation. */
function callOf(operation: string): Condition {
  return {
    isWhole: true,
    where: sql`m.operation = ${operation}`,
    sources: [{ table: 'signalbox_message', id: 'id', where: sql`operation = ${operation} and queue is null` }],
  };
}

/** The subscriptions of whose deliveries a filter speaks; `undefined` for all. */
export function deliveredTo(registry: Registry, { subscription, node }: MessageFilter): readonly string[] | undefined {
  const toNode = node === undefined ? undefined : subscriptionsTo(registry, node).map(({ id }) => id);
  if (subscription === undefined) return toNode;
  return toNode === undefined || toNode.includes(subscription) ? [subscription] : [];
}

/** Statuses of deliveries that the index of failures has. */
const FAILED: readonly MessageStatus[] = ['Error', 'Timeout', 'Hold', 'Retry'];

/** The status of a delivery is one of these. SQLite uses the index of failures where a statement has the index's own condition. */
export function inStatuses(statuses: readonly MessageStatus[]): RawBuilder<SqlBool> {
  const isFailed = statuses.every((each) => FAILED.includes(each));
  const [one] = statuses;
  return sql`${statuses.length === 1 ? sql`status = ${one}` : sql`status in (${sql.join(statuses)})`}${
    isFailed ? sql` and status in ('Error', 'Timeout', 'Hold', 'Retry')` : sql``
  }`;
}

/** Has a delivery in one of some statuses, by its row. @param subscriptions of one of these; of any when absent */
function hasDeliveryIn(statuses: readonly MessageStatus[], subscriptions: readonly string[] | undefined): Condition {
  const of = subscriptions === undefined ? sql`` : sql`and d.subscription in (${sql.join(['', ...subscriptions])})`;
  return {
    where: sql`exists (select 1 from signalbox_delivery d where d.message = m.id and d.status in (${sql.join(statuses)}) ${of})`,
    sources: statuses.flatMap((status): Source[] => {
      const is = inStatuses([status]);
      const source = { table: 'signalbox_delivery', id: 'message' } as const;
      if (subscriptions === undefined) return [{ ...source, where: is }];
      return subscriptions.map((id) => ({ ...source, where: sql`subscription = ${id} and ${is}` }));
    }),
  };
}

/** Has a delivery for one of some subscriptions. */
function isFor(subscriptions: readonly string[]): Condition {
  if (subscriptions.length === 0) return { where: sql`1 = 0`, sources: [] };
  return {
    isWhole: true,
    where: sql`exists (select 1 from signalbox_delivery d where d.message = m.id and d.subscription in (${sql.join(subscriptions)}))`,
    sources: subscriptions.map((each) => ({
      table: 'signalbox_delivery',
      id: 'message',
      where: sql`subscription = ${each}`,
    })),
  };
}

function either(conditions: readonly Condition[]): Condition {
  return {
    ...(conditions.every(({ isWhole }) => isWhole === true) ? { isWhole: true } : {}),
    where: sql`(${sql.join(
      conditions.map(({ where }) => where),
      sql` or `,
    )})`,
    sources: conditions.flatMap(({ sources = [] }) => sources),
  };
}

/** The subscriptions that deliver to a node. */
function subscriptionsTo({ subscriptions }: Registry, node: string): readonly Subscription[] {
  return [...subscriptions.values()].filter((each) => nodesOf(each).some(({ id }) => id === node));
}

/**
 * Has a value in a search field. The fields of that name may have several types; the text counts for each that has it.
 * @throws Fault BAD_PARAMETER
 */
function fieldIs(registry: Registry, { operation, queue }: MessageFilter, name: string, text: string): Condition {
  const all = searchFields(registry, operation, queue);
  const fields = all.get(name);
  if (fields === undefined) {
    const names = [...all.keys()].sort();
    const which = names.length === 0 ? 'none has search fields' : `search fields: ${names.join(', ')}`;
    throw badParameter('Field', `${name} is not a field by which these messages are found; ${which}`);
  }
  const values = new Set<string>();
  let refusal: string | undefined;
  for (const field of fields) {
    try {
      values.add(searchText(compileSameText(field)(compileText(field)(text))));
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      refusal ??= error.reason;
    }
  }
  if (values.size === 0) throw badParameter(`Field ${name}`, refusal ?? 'has no value');
  const given = sql.join([...values]);
  return {
    isWhole: true,
    where: sql`exists (select 1 from signalbox_message_field f
      where f.name = ${name} and f.value in (${given}) and f.message = m.id)`,
    sources: [...values].map((value) => ({
      table: 'signalbox_message_field',
      id: 'message',
      where: sql`name = ${name} and value = ${value}`,
    })),
  };
}

/** The fields by which the messages of an operation, of a queue, or all are found. */
function searchFields(
  registry: Registry,
  operation: string | undefined,
  queue: string | undefined,
): ReadonlyMap<string, readonly Field[]> {
  const found = new Map<string, Field[]>();
  for (const each of registry.operations.values()) {
    if (each.answer.kind !== 'queue' || (operation !== undefined && each.id !== operation)) continue;
    if (queue !== undefined && each.answer.queue.id !== queue) continue;
    for (const name of each.answer.queue.search) {
      const field = fieldsOf(each.request).find((other) => other.name === name);
      if (field !== undefined && !isCollection(field.type)) found.set(name, [...(found.get(name) ?? []), field]);
    }
  }
  return found;
}
