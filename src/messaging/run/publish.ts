import { createHash } from 'node:crypto';
import { compileConditions, compileMemberText } from '../../codec/conditions.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import type { MessageQueue, Subscription } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { User } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import { kindOfWork } from '../../model/work.ts';
import type { Db, JobQueue, NewJob, Store } from '../../store/index.ts';
import { type Cause, causeOf, continueTrace, currentTrace, hopsTo } from '../../trace/trace.ts';
import { type ContentOptions, type ContentPart, ContentWriter, discard, sizeLimit } from './content.ts';
import { compilePayload, messageFields, type PayloadCodec } from './payload.ts';
import type { PublishFacts } from './port.ts';
import { newId, REPLY_TO, REQUEST } from './store.ts';

/** Everything known about the messages of an operation before any of them comes. */
export interface Plan {
  readonly operation: Operation;
  readonly queue: MessageQueue;
  readonly payload: PayloadCodec;
  /** What keeps its order with others; `undefined` without order. */
  readonly partitionOf: ((value: DocumentValue) => string) | undefined;
  readonly searched: readonly { readonly name: string; readonly write: (value: DocumentValue) => string | undefined }[];
  readonly subscriptions: readonly PlannedSubscription[];
}

interface PlannedSubscription {
  readonly subscription: Subscription;
  readonly kind: string;
  readonly accepts: (value: DocumentValue) => boolean;
}

/** The kind of the deliveries of a subscription. */
export function kindOfSubscription({ id, operation, as, target }: Subscription): string {
  const lists = as === undefined ? operation.permissions : as.permissionLists;
  // A gateway that does not know of the reply would call again.
  const name = target.kind === 'call' && target.awaitsReply !== undefined ? `${id} with a reply` : id;
  return kindOfWork(name, messageFields(operation), [{ public: operation.public, permissions: [...lists] }]);
}

/** The plans of all operations whose answer is a queue. */
export function plansOf({ operations, subscriptions }: Registry): ReadonlyMap<string, Plan> {
  const plans = [...operations.values()].flatMap((operation): [string, Plan][] => {
    const { answer } = operation;
    if (answer.kind !== 'queue') return [];
    const own = [...subscriptions.values()].filter((each) => each.active && each.operation === operation);
    return [[operation.id, planOf(operation, answer.queue, own)]];
  });
  return new Map(plans);
}

function planOf(operation: Operation, queue: MessageQueue, subscriptions: readonly Subscription[]): Plan {
  const fields = new Map(messageFields(operation).map((field) => [field.name, field]));
  const found = (names: readonly string[]): Field[] => names.flatMap((name) => fields.get(name) ?? []);
  let payload: PayloadCodec | undefined;
  return {
    operation,
    queue,
    get payload() {
      payload ??= compilePayload(operation);
      return payload;
    },
    partitionOf:
      queue.order === undefined ? undefined : partitioning(queue.order === 'all' ? 'all' : found(queue.order)),
    searched: found(queue.search).map((field) => {
      const write = compileMemberText(field);
      return { name: field.name, write: (value) => searchText(write(value)) };
    }),
    subscriptions: subscriptions.map((subscription) => ({
      subscription,
      kind: kindOfSubscription(subscription),
      // A reply is delivered once it is there.
      accepts: subscription.target.kind === 'caller' ? () => false : compileConditions(subscription.when, fields),
    })),
  };
}

/** Characters of a search value: the database refuses longer keys of an index. */
const LONGEST_SEARCHED = 200;

/** A value as messages are found by it: the beginning of a long one. */
export function searchText<T extends string | undefined>(text: T): T {
  return (text === undefined || text.length <= LONGEST_SEARCHED ? text : text.slice(0, LONGEST_SEARCHED)) as T;
}

/** Characters of the longest partition that is kept as it is. */
const LONGEST_PARTITION = 200;

/** The partition of `order: all`. */
export const ALL_IN_ORDER = '*';

function partitioning(order: readonly Field[] | 'all'): (value: DocumentValue) => string {
  if (order === 'all') return () => ALL_IN_ORDER;
  const texts = order.map(compileMemberText);
  return (value) => writePartition(texts.map((each) => each(value) ?? null));
}

/** The partition of values, each in the form that is the same for all of its forms; `null` for a field without one. */
export function writePartition(texts: readonly (string | null)[]): string {
  const text = JSON.stringify(texts);
  if (text.length <= LONGEST_PARTITION) return text;
  return createHash('sha256').update(text).digest('base64url');
}

/** A message that can be entered. */
export interface Prepared {
  readonly id: string;
  readonly plan: Plan;
  readonly partition: string | null;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly contents: readonly ContentPart[];
  readonly deliveries: readonly PlannedSubscription[];
  /** Bytes of the payload, attachments included. */
  readonly size: number;
}

/** How a message is prepared. */
interface PrepareOptions extends Omit<ContentOptions, 'size' | 'key'> {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The value comes from code: it is checked as one that arrives. */
  readonly check: boolean;
  /** Where the reply is sent, as text. */
  readonly replyTo?: string | undefined;
}

/**
 * Checks a value and writes it.
 * @throws Fault BAD_BODY, BAD_PARAMETER, BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, STORAGE_FULL. Nothing is kept then
 */
export async function prepare(plan: Plan, given: DocumentValue, options: PrepareOptions): Promise<Prepared> {
  const content = new ContentWriter(newId(options.now), REQUEST, { ...options, ...sizeLimit(plan.queue) });
  try {
    const { payload } = plan;
    const described = await content.addAttachments(given);
    let value = given;
    let text = payload.write(given, described);
    if (options.check) {
      const attachments = [...described.keys()];
      value = payload.read(text, ({ number }) => attachments[number - 1] as Attachment);
      // With the defaults of fields that were left out.
      text = payload.write(value, described);
    }
    await content.add(text);
    const replyTo = new ContentWriter(content.id, REPLY_TO, { size: Number.POSITIVE_INFINITY, attachment: 0 });
    if (options.replyTo !== undefined) await replyTo.add(options.replyTo);
    return {
      id: content.id,
      plan,
      partition: plan.partitionOf?.(value) ?? null,
      fields: plan.searched.flatMap(({ name, write }) => {
        const found = write(value);
        return found === undefined ? [] : [{ name, value: found }];
      }),
      contents: [...content.parts, ...replyTo.parts],
      deliveries: plan.subscriptions.filter(({ accepts }) => accepts(value)),
      size: content.size,
    };
  } catch (error) {
    await discard(content.parts, options.blobs);
    throw error;
  }
}

/** Messages that may lead to one, one during the delivery of the other, also by calls from one gateway to another. */
const MOST_HOPS = 16;

/** Whose message it is, and how it came. */
export interface EnterFacts extends Pick<PublishFacts, 'requestId' | 'connector' | 'editedFrom'> {
  readonly user: Pick<User, 'id' | 'origin'> | undefined;
  /** The jobs whose places those of its deliveries take, by subscription. */
  readonly places?: ReadonlyMap<string, string>;
}

/**
 * Enters a message with its deliveries, as part of a transaction.
 * @throws Fault LOOP_DETECTED; CONFLICT when a job runs whose place is to be taken. The transaction must then be rolled back
 */
export async function enter(
  tx: Db,
  { queue, store: { kind } }: { readonly queue: EnteredQueue; readonly store: Pick<Store, 'kind'> },
  { id, plan, partition, fields, contents, deliveries, size }: Prepared,
  { user, requestId, connector, editedFrom, places }: EnterFacts,
  now: number,
): Promise<void> {
  const trace = currentTrace() ?? continueTrace({ requestId });
  const causing = trace.message;
  const hops = hopsTo(trace);
  if (hops > MOST_HOPS) throw await loopFault(tx, plan.operation, causing?.id);
  const { retention } = plan.queue;
  const isOver = deliveries.length === 0;
  const entered = deliveries.map((each) => ({ ...each, delivery: newId(now) }));
  const rows = {
    content: contents.map((each) => ({ message: id, ...each })),
    fields: fields.map((each) => ({ ...each, message: id })),
    deliveries: entered.map(({ delivery, subscription }) => ({
      ...{ id: delivery, message: id, subscription: subscription.id, partition, status: 'New', entered: now },
      ...{ ended: null, next: null, reason: null, actor: null },
    })),
  };
  const inserts: ((db: Db) => { execute(): Promise<unknown> })[] = [
    (db) => db.insertInto('signalbox_message_content').values(rows.content),
    ...(fields.length > 0 ? [(db: Db) => db.insertInto('signalbox_message_field').values(rows.fields)] : []),
    ...(isOver ? [] : [(db: Db) => db.insertInto('signalbox_delivery').values(rows.deliveries)]),
  ];
  // PostgreSQL inserts all of it with one statement; on SQLite a statement costs no round trip.
  const inOne = kind === 'postgres';
  const db = inOne ? inserts.reduce((to, insert, n) => to.with(`part${n}`, insert as never) as unknown as Db, tx) : tx;
  await db
    .insertInto('signalbox_message')
    .values({
      id,
      operation: plan.operation.id,
      queue: plan.queue.id,
      partition,
      node: null,
      status: isOver ? 'Done' : 'New',
      entered: now,
      ended: isOver ? now : null,
      expires: isOver ? now + retention.done : null,
      actor: user?.id ?? null,
      declared: user?.origin === 'definitions' ? 1 : 0,
      connector,
      request_id: requestId,
      trace: trace.traceId,
      caused_by: causing?.id ?? null,
      edited_from: editedFrom ?? null,
      hops,
      open: deliveries.length,
      size,
      code: null,
      reason: null,
    })
    .execute();
  if (!inOne) for (const insert of inserts) await insert(tx).execute();
  if (isOver) return;
  const cause: Cause = { ...causeOf(trace), message: { id, hops } };
  const jobs = entered.map(({ delivery, subscription, kind }) => {
    const key = partition === null ? {} : { key: partition };
    return { queue: subscription.id, id: delivery, data: { message: id }, kind, cause, ...key };
  });
  if (places === undefined) await queue.sendMany(tx, jobs);
  else await sendInPlace(tx, queue, jobs, places);
}

type EnteredQueue = Pick<JobQueue, 'send' | 'sendMany' | 'replace'>;

async function sendInPlace(
  tx: Db,
  queue: EnteredQueue,
  jobs: readonly (NewJob & { readonly id: string })[],
  places: ReadonlyMap<string, string>,
): Promise<void> {
  for (const job of jobs) {
    const before = places.get(job.queue);
    if (before === undefined) await queue.send(tx, job);
    else if (!(await queue.replace(tx, before, job)))
      throw Fault.of('CONFLICT', { what: `Delivery ${before}`, reason: 'runs at this moment' });
  }
}

/** The fault for a message that too many led to, with the operations of those before it that this database knows. */
async function loopFault(tx: Db, { id }: Operation, last: string | undefined): Promise<Fault> {
  const chain: string[] = [id];
  for (let at: string | null = last ?? null; at !== null && chain.length <= MOST_HOPS; ) {
    const row: { operation: string; caused_by: string | null } | undefined = await tx
      .selectFrom('signalbox_message')
      .select(['operation', 'caused_by'])
      .where('id', '=', at)
      .executeTakeFirst();
    if (row === undefined) break;
    chain.unshift(row.operation);
    at = row.caused_by;
  }
  return Fault.of('LOOP_DETECTED', { hops: MOST_HOPS, chain: chain.join(' > ') });
}
