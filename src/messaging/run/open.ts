import { createHmac, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { compileMasked } from '../../codec/redact/declared.ts';
import type { Blobs } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { MessageQueue } from '../../model/message.ts';
import { MASK } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { DocumentValue } from '../../model/value.ts';
import {
  afterCommit,
  type Batch,
  type Db,
  type JobOwner,
  type OwnedJob,
  type Removed,
  type Retained,
  type Store,
} from '../../store/index.ts';
import { compileReply, type ReadReply } from './answer.ts';
import { discard } from './content.ts';
import { type DeliveryData, deliveryWorker } from './deliver.ts';
import { Gates } from './gate.ts';
import { pausedAs } from './hold.ts';
import { compileInput } from './input.ts';
import { shownPartition } from './kept.ts';
import { compilePayload, messageFields } from './payload.ts';
import { BLOBS, type Messages, type MessagesOptions } from './port.ts';
import { enter, type Plan, plansOf, prepare } from './publish.ts';
import { WHOLE } from './recorded.ts';
import { hasReplied, LaterReplies } from './reply.ts';
import { compileReplyTo } from './reply-to.ts';
import { changeDelivery, endDelivery, readMessage, reopenDelivery, UNDEFINED } from './store.ts';

/** Opens the messages and registers the workers of active subscriptions at the queue, which must not be started yet. */
export function openMessages(options: MessagesOptions): Messages {
  const { registry, store, queue, directory, now = Date.now, onPublished } = options;
  const blobs = options.blobs.scope(BLOBS);
  const { attachment } = registry.gateway.limits;
  const plans = plansOf(registry);
  const gates = new Gates();
  for (const plan of plans.values())
    for (const { subscription } of plan.subscriptions)
      queue.work(subscription.id, deliveryWorker(subscription, plan, options, gates));
  const replyTo = new Map([...plans].map(([id, { operation }]) => [id, compileReplyTo(operation, options)]));
  const readers = new Map<string, ReadReply>();
  const planOf = (id: string): Plan => {
    const plan = plans.get(id);
    if (plan === undefined) throw new TypeError(`${id} has no queue`);
    return plan;
  };
  const wake = (ids: Iterable<string>): void => {
    for (const id of ids) for (const { subscription } of planOf(id).subscriptions) queue.wake(subscription.id);
  };
  const publishInside: Messages['publishInside'] = async (tx, operation, value, facts) => {
    const prepared = await prepare(planOf(operation.id), value, {
      ...{ now: now(), check: true, attachment },
      replyTo: await replyTo.get(operation.id)?.(value, facts),
    });
    facts.signal?.throwIfAborted();
    await enter(tx, options, prepared, facts, now());
    afterCommit(tx, () => onPublished?.(operation.id));
    return prepared.id;
  };
  return {
    later: new LaterReplies(options),
    async publish(operation, value, facts) {
      const plan = planOf(operation.id);
      // Handlers run for the user later.
      if (facts.user !== undefined && plan.subscriptions.length > 0) await directory.keep(facts.user);
      const prepared = await prepare(plan, value, {
        ...{ now: now(), check: isCode(facts.connector), attachment, blobs },
        replyTo: await replyTo.get(operation.id)?.(value, facts),
      });
      try {
        await store.transaction(async (tx) => {
          await enter(tx, options, prepared, facts, now());
          await facts.takeEffect?.(tx);
        });
      } catch (error) {
        // When the connection was lost, it may have been committed: then its blobs stay, and expire without their message.
        if (error instanceof Fault) await discard(prepared.contents, blobs);
        throw error;
      }
      onPublished?.(operation.id);
      wake([operation.id]);
      return prepared.id;
    },
    publishInside,
    publisherOf({ operation, input }) {
      const fill = compileInput(input);
      return (tx, saved, facts) => publishInside(tx, operation, fill(saved), { ...facts, connector: 'component' });
    },
    async reply(operation, message, user) {
      const read = readers.get(operation) ?? compileReply(planOf(operation), blobs);
      readers.set(operation, read);
      return read(await store.tables(), message, user);
    },
    wake,
    retained: [retainedMessages(blobs, store.kind)],
    busy: publishersWaiting,
  };
}

function isCode(connector: string): boolean {
  return connector !== 'rest' && connector !== 'soap' && connector !== 'http';
}

/** Callers that a token named are kept as long as one of their messages is not delivered: handlers run for them. */
async function publishersWaiting(tx: Db, users: readonly string[]): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('signalbox_message')
    .select('actor')
    .distinct()
    .where('actor', 'in', users)
    // As the index has it.
    .where(sql<boolean>`open > 0 and declared = 0`)
    .execute();
  return rows.flatMap(({ actor }) => actor ?? []);
}

/** Messages that have ended, and the fields, content, deliveries and attempts that belong to them. Each has its own time. */
export function retainedMessages(blobs: Blobs, kind: Store['kind']): Retained {
  return { kind: 'published', keep: 0, remove: (tx, batch) => removeMessages(tx, { blobs, kind }, batch) };
}

/** Blobs of messages that were not entered, because their gateway died before, are removed after a day. */
const ABANDONED = 86_400_000;

async function removeMessages(
  tx: Db,
  { blobs, kind }: { readonly blobs: Blobs; readonly kind: Store['kind'] },
  { before, most }: Batch,
): Promise<Removed> {
  const now = Date.parse(before);
  const expired = tx
    .selectFrom('signalbox_message')
    .select('id')
    .where('expires', '<', now)
    .orderBy('expires')
    .limit(most);
  // What an operator sends again at this moment stays, and waits for nothing.
  const old = await (kind === 'postgres' ? expired.forUpdate().skipLocked() : expired).execute();
  const ids = old.map(({ id }) => id);
  const more = ids.length === most;
  if (ids.length === 0) {
    const abandoned = await abandonedBefore(tx, now - ABANDONED);
    return { count: 0, more, afterwards: () => blobs.expire(abandoned) };
  }
  const stored = await tx
    .selectFrom('signalbox_message_content')
    .select('blob')
    .where('message', 'in', ids)
    .where('blob', 'is not', null)
    .execute();
  const attempts = tx
    .deleteFrom('signalbox_delivery_attempt')
    .where('delivery', 'in', ({ selectFrom }) =>
      selectFrom('signalbox_delivery').select('id').where('message', 'in', ids),
    );
  await attempts.execute();
  await tx.deleteFrom('signalbox_reply_address').where('message', 'in', ids).execute();
  await tx.deleteFrom('signalbox_delivery').where('message', 'in', ids).execute();
  await tx.deleteFrom('signalbox_message_field').where('message', 'in', ids).execute();
  await tx.deleteFrom('signalbox_message_content').where('message', 'in', ids).execute();
  const { numDeletedRows } = await tx.deleteFrom('signalbox_message').where('id', 'in', ids).executeTakeFirst();
  return {
    count: Number(numDeletedRows),
    more,
    async afterwards() {
      for (const { blob } of stored) if (blob !== null) await blobs.delete(blob);
    },
  };
}

/** The time before which all blobs belong to no message: those of a message were stored shortly before it was entered. */
async function abandonedBefore(tx: Db, before: number): Promise<Date> {
  const { entered } = await tx
    .selectFrom('signalbox_message_content')
    .innerJoin('signalbox_message', 'id', 'message')
    .select(({ fn }) => fn.min('entered').as('entered'))
    .where('blob', 'is not', null)
    .executeTakeFirstOrThrow();
  return new Date(entered === null ? before : Math.min(before, Number(entered) - ABANDONED));
}

/** The queues of deliveries, by the ids of their subscriptions. */
export function deliveryJobs(registry: Registry): [queue: string, owner: JobOwner][] {
  return [...registry.subscriptions.values()].map((subscription) => {
    const { id, operation } = subscription;
    const { answer } = operation;
    const mask = compileMasked(messageFields(operation));
    let payload: ReturnType<typeof compilePayload> | undefined;
    const owner: JobOwner = {
      async onResubmitted(tx, job, actor) {
        const { message } = job.data as DeliveryData;
        if (!(await isKept(tx, message))) return `message ${message} is not kept any more`;
        const row = await tx
          .selectFrom('signalbox_delivery')
          .select('status')
          .where('id', '=', job.id)
          .executeTakeFirst();
        if (row?.status === 'Working' && !(await hasReplied(tx, message, id)))
          return `delivery ${job.id} awaits its reply; cancel it instead`;
        const isOpen = await changeDelivery(tx, job.id, { status: 'New', next: null, actor }, undefined);
        if (!isOpen) await reopenDelivery(tx, job.id, message, actor);
        return undefined;
      },
      async onCancelled(tx, { id: delivery, data }, actor) {
        if (answer.kind === 'queue') await cancelDelivery(tx, { id: delivery, data, actor }, answer.queue);
      },
      keyOf: (key) => shownKey(key, shownPartition(registry, operation.id, key)),
      pausedAs: answer.kind === 'queue' ? pausedAs(subscription, answer.queue) : [],
      async read(db, data) {
        const { message } = data as DeliveryData;
        const found = await readMessage(db, undefined, message).catch(() => undefined);
        if (found === undefined) return { payload: { message }, secrets: [] };
        payload ??= compilePayload(operation);
        const value: DocumentValue = payload.read(found.text, found.open);
        return { payload: { message, request: mask(value, WHOLE) }, secrets: [] };
      },
    };
    return [id, owner];
  });
}

/** The owner of deliveries to a subscription that is not defined any more: an operator ends them. */
export function removedJobs(subscription: string): JobOwner {
  return {
    onResubmitted: async () => `subscription ${subscription} is not defined`,
    onCancelled: (tx, { id, data }, actor) => cancelDelivery(tx, { id, data, actor }, UNDEFINED),
    keyOf: (key) => shownKey(key, key === '*' ? key : MASK),
    read: async (_, { message }) => ({ payload: { message }, secrets: [] }),
  };
}

const SALT = randomBytes(16);

/** A partition that is masked is told apart from others, for as long as this process runs. */
function shownKey(key: string, shown: string): string {
  return shown === MASK ? `${MASK} ${createHmac('sha256', SALT).update(key).digest('hex').slice(0, 8)}` : shown;
}

/** Ends the delivery whose job was cancelled. */
async function cancelDelivery(
  tx: Db,
  { id, data, actor }: Pick<OwnedJob, 'id' | 'data'> & { readonly actor: string },
  queue: Pick<MessageQueue, 'retention'>,
): Promise<void> {
  const { message } = data as DeliveryData;
  const end = { delivery: id, message, status: 'Cancelled', reason: 'cancelled by an operator', actor } as const;
  await endDelivery(tx, end, queue, Date.now());
}

async function isKept(tx: Db, message: string): Promise<boolean> {
  const found = await tx.selectFrom('signalbox_message').select('id').where('id', '=', message).executeTakeFirst();
  return found !== undefined;
}
