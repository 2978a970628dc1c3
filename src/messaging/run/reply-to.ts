import { sql } from 'kysely';
import { type ErrorPlace, Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import { replySubscriptionId, type Subscription } from '../../model/message.ts';
import type { Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { afterCommit, type Db } from '../../store/index.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';
import { invalidHeader, type ReplyAddressing, type ReplyEndpoint } from '../../wire/soap/addressing.ts';
import { FAULT, REPLY } from './answer.ts';
import { readContent } from './content.ts';
import { pack } from './payload.ts';
import type { MessagesOptions, PublishFacts } from './port.ts';
import { kindOfSubscription } from './publish.ts';
import { newId, REPLY_TO, reopenDelivery } from './store.ts';

/** An address that the caller named, below that of a node. */
interface Destination extends ReplyEndpoint {
  readonly node: string;
}

/** Where the reply to a message is sent, and its faults, as it is kept. */
export interface KeptReplyTo {
  /** Absent for a reply over REST. */
  readonly soap?: Pick<ReplyAddressing, 'version' | 'namespace' | 'messageId'>;
  readonly reply?: Destination;
  readonly fault?: Destination;
  /** The message that the caller knows; absent when it is this one. */
  readonly message?: string;
}

/**
 * Finds where the reply to a message is sent, before anything of the message is stored.
 * @returns a {@link KeptReplyTo} as text; `undefined` when its caller named no address
 * @throws Fault BAD_PARAMETER, BAD_REQUEST for an address elsewhere
 */
export type FindReplyTo = (value: DocumentValue, facts: PublishFacts) => Promise<string | undefined>;

/** Compiles it; `undefined` for an operation whose replies are only kept. */
export function compileReplyTo(
  operation: Operation,
  { outbound }: Pick<MessagesOptions, 'outbound'>,
): FindReplyTo | undefined {
  const { answer } = operation;
  if (answer.kind !== 'queue' || answer.replyTo === undefined) return undefined;
  const { nodes, field } = answer.replyTo;

  async function nodeOf(address: string, requestId: string): Promise<string | undefined> {
    for (const node of nodes) if (await outbound.reaches(node, address, requestId)) return node.id;
    return undefined;
  }

  async function byAddressing(given: ReplyAddressing, requestId: string): Promise<string> {
    const { version, namespace, messageId } = given;
    const found = async (endpoint: ReplyEndpoint | undefined): Promise<Destination | undefined> => {
      if (endpoint === undefined) return undefined;
      const node = await nodeOf(endpoint.address, requestId);
      if (node !== undefined) return { ...endpoint, node };
      const header = endpoint === given.reply ? 'wsa:ReplyTo' : 'wsa:FaultTo';
      const cause = invalidHeader({ version }, `${header} ${ELSEWHERE}`);
      throw Fault.of('BAD_REQUEST', { reason: cause.reason }, { cause });
    };
    const [reply, fault] = [await found(given.reply), await found(given.fault)];
    const kept: KeptReplyTo = {
      soap: { version, namespace, messageId },
      ...(reply && { reply }),
      ...(fault && { fault }),
    };
    return JSON.stringify(kept);
  }

  return async (value, { replyTo, requestId }) => {
    if (replyTo !== undefined) return byAddressing(replyTo, requestId);
    const address = field && value[field.name];
    if (field === undefined || typeof address !== 'string' || address === '') return undefined;
    const node = await nodeOf(address, requestId);
    if (node === undefined)
      throw Fault.of('BAD_PARAMETER', { name: field.name, reason: ELSEWHERE }, { at: placeOf(operation, field) });
    const destination = { node, address, parameters: '' };
    return JSON.stringify({ reply: destination, fault: destination } satisfies KeptReplyTo);
  };
}

const ELSEWHERE = 'is not an address to which replies of this operation are sent';

function placeOf({ requestHeaders, uris, request }: Operation, { name, jsonName }: Field): ErrorPlace {
  const header = requestHeaders.find(({ field }) => field.name === name)?.header;
  if (header !== undefined) return { header };
  const variable = uris.flatMap(({ variables }) => variables).find(({ field }) => field.name === name);
  if (variable !== undefined) return { parameter: variable.wireName };
  const label = request.kind === 'document' && request.document.root ? [request.document.id] : [];
  return { pointer: jsonPointer([...label, jsonName]) };
}

/** Where the reply to a message is sent; `undefined` when it is only kept. */
export async function readReplyTo(db: Db, message: string): Promise<KeptReplyTo | undefined> {
  const rows = await db
    .selectFrom('signalbox_message_content')
    .selectAll()
    .where('message', '=', message)
    .where('part', '=', REPLY_TO)
    .execute();
  const kept = await readContent(rows, REPLY_TO, undefined);
  return kept && (JSON.parse(kept.text) as KeptReplyTo);
}

/** Lets the reply to an edited copy be sent to the caller of the original, unless that has had its answer. */
export async function passReplyTo(
  tx: Db,
  { answer, ...operation }: Operation,
  original: string,
  copy: string,
): Promise<void> {
  const replyTo = await readReplyTo(tx, original);
  if (replyTo === undefined || answer.kind !== 'queue') return;
  const own = answer.replyTo?.nodes.map((node) => replySubscriptionId(operation, node)) ?? [];
  const sent = await tx
    .selectFrom('signalbox_delivery')
    .select('id')
    .where('message', '=', original)
    .where('subscription', 'in', ['', ...own])
    .where('status', '=', 'Done')
    .executeTakeFirst();
  if (sent !== undefined) return;
  const kept: KeptReplyTo = { ...replyTo, message: replyTo.message ?? original };
  const packed = await pack(Buffer.from(JSON.stringify(kept)));
  await tx
    .insertInto('signalbox_message_content')
    .values({ message: copy, part: REPLY_TO, ...packed, blob: null })
    .execute();
}

/**
 * Enters the delivery of a reply that is kept to the address that the caller named, as the last part of the transaction that keeps
 * it. A caller gets one answer: nothing is entered for a message whose reply, or fault, was sent before or waits to be sent.
 */
export async function enterReplyDelivery(
  tx: Db,
  { queue, registry, onWarning }: Pick<MessagesOptions, 'queue' | 'registry' | 'onWarning'>,
  { operation }: Pick<Subscription, 'operation'>,
  message: string,
  now: number,
): Promise<void> {
  const { answer } = operation;
  if (answer.kind !== 'queue') return;
  const replyTo = await readReplyTo(tx, message);
  if (replyTo === undefined) return;
  const replies = await tx
    .selectFrom('signalbox_message_content')
    .select('part')
    .where('message', '=', message)
    .where('part', 'in', [REPLY, FAULT])
    .execute();
  const to = replies.some(({ part }) => part === REPLY) ? replyTo.reply : replyTo.fault;
  if (to === undefined) return;
  const subscription = registry.subscriptions.get(replySubscriptionId(operation, { id: to.node }));
  if (answer.replyTo === undefined || subscription === undefined) {
    const words = `The reply to a message of ${operation.id} is only kept: its "reply-to" does not name node ${to.node} any more.`;
    onWarning(words, { message, operation: operation.id, node: to.node });
    return;
  }
  const own = answer.replyTo.nodes.map((node) => replySubscriptionId(operation, node));
  const entered = await tx
    .selectFrom('signalbox_delivery')
    .select(['id', 'subscription', 'status', 'ended'])
    .where('message', '=', message)
    .where('subscription', 'in', own)
    .execute();
  const before = entered.find((each) => each.subscription === subscription.id);
  // One that waits sends what is kept by then.
  if (before?.ended === null || entered.some(({ status }) => status === 'Done')) return;
  const id = before?.id ?? newId(now);
  if (before !== undefined) {
    await queue.cancel(tx, subscription.id, id);
    await reopenDelivery(tx, id, message);
  } else {
    await tx
      .updateTable('signalbox_message')
      .set({
        open: sql<number>`open + 1`,
        ended: null,
        expires: null,
        status: sql<string>`case when status = 'Done' then 'New' else status end`,
      })
      .where('id', '=', message)
      .execute();
    await tx
      .insertInto('signalbox_delivery')
      .values({
        ...{ id, message, subscription: subscription.id, partition: null, status: 'New', entered: now },
        ...{ ended: null, next: null, reason: null, actor: null },
      })
      .execute();
  }
  const { entered: published } = await tx
    .selectFrom('signalbox_message')
    .select('entered')
    .where('id', '=', message)
    .executeTakeFirstOrThrow();
  const early = Number(published) + HEAD_START - now;
  const job = { queue: subscription.id, id, data: { message }, kind: kindOfSubscription(subscription) };
  await queue.send(tx, early > 0 ? { ...job, after: new Date(now + early) } : job);
  if (early > 0) afterCommit(tx, () => setTimeout(() => queue.wake(subscription.id), early + MARGIN).unref());
}

/**
 * Milliseconds from when a message was published before which its reply is not sent. Clients that get the reply while they still read
 * the 202 take that for the reply (CXF: `HTTPConduit` sets it as the reply of the exchange), or do not know its message yet.
 */
const HEAD_START = 250;
/** Milliseconds by which a job is looked for later than it is due: clocks differ by a little. */
const MARGIN = 20;
