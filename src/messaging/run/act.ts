import type { BlobStore } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { MessageStatus } from '../../model/message.ts';
import { type Db, type JobQueue, noteAction, type Store } from '../../store/index.ts';
import { deliveredTo, inStatuses, type MessageFilter, planOf } from './condition.ts';
import { type DeliveryOf, findDelivery, type MessageEditor, openEditor } from './edit.ts';
import { findRows } from './find.ts';
import { type MessageHolds, openHolds } from './hold.ts';
import { BLOBS } from './port.ts';
import { kindOfSubscription } from './publish.ts';
import { findMessage, type MessageReader, type MessageReaderOptions, readMessages } from './show.ts';
import { causeOfMessage, changeDelivery, endDelivery, REQUEST, reopenDelivery, UNDEFINED } from './store.ts';

/** What an operator does with a delivery. */
export const DELIVERY_ACTIONS = ['resubmit', 'cancel', 'hold', 'release'] as const;
export type DeliveryAction = (typeof DELIVERY_ACTIONS)[number];

/** A delivery on which an operator has acted. */
export interface ActedDelivery {
  readonly message: string;
  readonly delivery: string;
  readonly subscription: string;
  /** Its status before. */
  readonly was: MessageStatus;
}

/** The result of an action. */
export interface Acted {
  readonly done: readonly ActedDelivery[];
  /** Deliveries, and messages without any, on which the action is not possible. */
  readonly refused: readonly { readonly message: string; readonly delivery?: string; readonly reason: string }[];
  /** Present when there are more: `after` of the call that goes on. */
  readonly next?: string;
}

/** Reads messages and acts on them. Each action on a delivery is one transaction with its line of the trail. */
export interface MessageControl extends MessageReader, MessageHolds, MessageEditor {
  /** Statuses of deliveries that an action on a message, or on many, is for. */
  readonly actsOn: Readonly<Record<DeliveryAction, readonly MessageStatus[]>>;
  /**
   * Acts on a delivery, or on those deliveries of a message that the action is for: `resubmit` on those that failed or are held,
   * `release` on those that are held, `hold` on those that wait, `cancel` on all that have not ended.
   * @param id of a delivery or a message
   * @throws Fault NOT_FOUND
   */
  act(action: DeliveryAction, id: string, actor: string): Promise<Acted>;
  /**
   * The same on the deliveries of messages that a filter finds, from the newest message on. The filter's status, subscription
   * and node choose among the deliveries of a message too.
   * @param range `most`: the number of deliveries to try; `after`: {@link Acted.next} of the call before
   * @throws Fault NOT_FOUND, BAD_PARAMETER for a filter that names what does not exist, or a status that the action is not for
   */
  actAll(
    action: DeliveryAction,
    filter: MessageFilter,
    range: { readonly most: number; readonly after?: string },
    actor: string,
  ): Promise<Acted>;
  /**
   * {@link actAll} step by step, until nothing is left, `most` deliveries were tried, `seconds` have passed or `gone` aborts. The
   * trail says when it began and how it ended, also for an operator who has gone away; a beginning without an end is that of a
   * gateway that died.
   */
  actOnMany(
    action: DeliveryAction,
    filter: MessageFilter,
    range: {
      readonly most: number;
      readonly seconds: number;
      readonly after?: string;
      readonly gone: AbortSignal;
    },
    actor: string,
  ): Promise<Acted>;
  /** The number of deliveries that {@link actAll} would try, counted up to `most`. */
  count(action: DeliveryAction, filter: MessageFilter, most: number): Promise<number>;
}

export interface MessageControlOptions extends Omit<MessageReaderOptions, 'tables' | 'blobs'> {
  readonly blobs: BlobStore;
  readonly store: Store;
  readonly queue: JobQueue;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Statuses of deliveries that an action on a message, or on many, is for. */
const FOR: Readonly<Record<DeliveryAction, readonly MessageStatus[]>> = {
  resubmit: ['Error', 'Timeout', 'Hold'],
  cancel: ['New', 'Working', 'Retry', 'Hold'],
  hold: ['New', 'Retry'],
  release: ['Hold'],
};

/** What a filter can ask of deliveries alone, which are counted without their messages. */
const OF_DELIVERIES: ReadonlySet<string> = new Set([
  'status',
  'subscription',
  'node',
] satisfies (keyof MessageFilter)[]);

/** Messages that are looked at in one part. */
const PART = 200;
/** Messages of a part that are only counted. */
const COUNTED_PART = 2000;
/** Deliveries of one step. */
const STEP = 50;

/** Opens the messages of a database for an operator. */
export function openMessageControl(options: MessageControlOptions): MessageControl {
  const { registry, store, queue, now = Date.now } = options;
  const blobs = options.blobs.scope(BLOBS);
  const reader = readMessages({ ...options, blobs, tables: () => store.tables() });

  const act = async (action: DeliveryAction, row: DeliveryOf, actor: string): Promise<Acted> => {
    const { id: delivery, message, subscription, status } = row;
    const reason = await store.transaction((tx) => ACTIONS[action]({ tx, row, actor, ...parts }));
    if (reason !== undefined) return { done: [], refused: [{ message, delivery, reason }] };
    queue.wake(subscription);
    return { done: [{ message, delivery, subscription, was: status }], refused: [] };
  };
  const parts = { registry, queue, now };
  const together = (all: readonly Acted[]): Acted => ({
    done: all.flatMap(({ done }) => done),
    refused: all.flatMap(({ refused }) => refused),
  });
  /** The deliveries that an action is for, by the part of a filter that chooses among those of a message. */
  const deliveriesFor = (db: Db, action: DeliveryAction, filter: MessageFilter) => {
    const statuses = FOR[action].filter((each) => filter.status === undefined || each === filter.status);
    const to = deliveredTo(registry, filter);
    const rows = db.selectFrom('signalbox_delivery').where(inStatuses(statuses));
    return to === undefined ? rows : rows.where('subscription', 'in', ['', ...to]);
  };
  /** The deliveries of messages that an action is for. */
  const chosen = async (
    action: DeliveryAction,
    messages: readonly string[],
    filter: MessageFilter,
  ): Promise<DeliveryOf[]> => {
    if (messages.length === 0) return [];
    const rows = deliveriesFor(await store.tables(), action, filter)
      .select(['id', 'message', 'subscription', 'partition', 'status'])
      .where('message', 'in', messages);
    return (await rows.orderBy('message', 'desc').orderBy('id').execute()) as DeliveryOf[];
  };
  /** The filter of messages with deliveries that an action is for: recorded calls may have failed too. */
  const messagesFor = (action: DeliveryAction, { status, ...others }: MessageFilter): MessageFilter => {
    if (status !== undefined && !FOR[action].includes(status)) {
      const reason = `can't be ${status}: ${action} is for deliveries that are ${FOR[action].join(' or ')}`;
      throw Fault.of('BAD_PARAMETER', { name: 'Status', reason });
    }
    return { ...others, deliveryIn: status === undefined ? FOR[action] : [status] };
  };
  const texts = { registry, blobs, redactor: options.redactor };
  /** The deliveries of all messages of a filter, in parts, each with where the next one begins. */
  async function* chosenBy(
    action: DeliveryAction,
    filter: MessageFilter,
    { begin, part }: { readonly begin?: string | undefined; readonly part: number },
  ) {
    const wanted = messagesFor(action, filter);
    let after = begin;
    do {
      const range = { limit: part, ...(after === undefined ? {} : { after }) };
      const { rows, next } = await findRows(await store.tables(), texts, wanted, range);
      yield await chosen(
        action,
        rows.map(({ id }) => id),
        filter,
      );
      after = next;
    } while (after !== undefined);
  }

  const actAll: MessageControl['actAll'] = async (action, filter, { most, after }, actor) => {
    const all: Acted[] = [];
    let left = most;
    let last: string | undefined;
    for await (const rows of chosenBy(action, filter, { begin: after, part: PART })) {
      for (const row of rows) {
        // All deliveries of a message are in the same part.
        if (left <= 0 && row.message !== last)
          return { ...together(all), ...(last === undefined ? {} : { next: last }) };
        all.push(await act(action, row, actor));
        left -= 1;
        last = row.message;
      }
    }
    return together(all);
  };

  return {
    ...reader,
    ...openHolds(options),
    ...openEditor(options),
    actsOn: FOR,
    actAll,
    async actOnMany(action, filter, { most, seconds, after: begin, gone }, actor) {
      const line = { actor, queue: filter.subscription ?? filter.queue ?? 'messages' };
      const say = async (result: string): Promise<void> =>
        noteAction(await store.tables(), {
          ...line,
          action: `${action} many: ${result}`,
          at: new Date(now()).toISOString(),
        });
      const end = performance.now() + seconds * 1000;
      await say('begins');
      let all: Acted = { done: [], refused: [] };
      let next = begin;
      let result = 'failed';
      try {
        do {
          const step = Math.min(STEP, most - all.done.length - all.refused.length);
          const acted = await actAll(
            action,
            filter,
            { most: step, ...(next === undefined ? {} : { after: next }) },
            actor,
          );
          all = together([all, acted]);
          next = acted.next;
        } while (
          next !== undefined &&
          !gone.aborted &&
          all.done.length + all.refused.length < most &&
          performance.now() < end
        );
        result = next === undefined ? 'complete' : 'stopped, more are left';
      } finally {
        await say(`${result}, ${all.done.length} done, ${all.refused.length} refused`);
      }
      return { ...all, ...(next === undefined ? {} : { next }) };
    },
    async act(action, id, actor) {
      const db = await store.tables();
      const row = await findDelivery(db, id);
      if (row !== undefined) return act(action, row, actor);
      const message = await findMessage(db, id);
      const rows = await chosen(action, [message.id], {});
      if (rows.length === 0) {
        const reason =
          message.queue === null
            ? 'is the record of a call, which has no deliveries; only its caller can repeat it'
            : `has no delivery that is ${FOR[action].join(' or ')}`;
        return { done: [], refused: [{ message: message.id, reason }] };
      }
      const all: Acted[] = [];
      for (const each of rows) all.push(await act(action, each, actor));
      return together(all);
    },
    async count(action, filter, most) {
      if (Object.keys(filter).every((name) => OF_DELIVERIES.has(name))) {
        const db = await store.tables();
        // It refuses a filter that names what does not exist.
        await planOf(db, texts, messagesFor(action, filter));
        const rows = deliveriesFor(db, action, filter).select('id').limit(most).as('few');
        const { many } = await db
          .selectFrom(rows)
          .select(({ fn }) => fn.countAll<number | string>().as('many'))
          .executeTakeFirstOrThrow();
        return Number(many);
      }
      let count = 0;
      for await (const rows of chosenBy(action, filter, { part: COUNTED_PART })) {
        count += rows.length;
        if (count >= most) return most;
      }
      return count;
    },
  };
}

/** What an action works with. */
interface Acting {
  readonly tx: Db;
  readonly row: DeliveryOf;
  readonly actor: string;
  readonly registry: MessageControlOptions['registry'];
  readonly queue: JobQueue;
  readonly now: () => number;
}

/** Acts on a delivery in a transaction. @returns why that is not possible; then it has changed nothing */
type Act = (acting: Acting) => Promise<string | undefined>;

const NOT_KEPT = 'its payload was not kept, or its time is past';

const ACTIONS: Readonly<Record<DeliveryAction, Act>> = {
  async resubmit(acting) {
    const { tx, row, actor, registry, queue } = acting;
    const { id, message, subscription: name, partition } = row;
    const subscription = registry.subscriptions.get(name);
    if (subscription === undefined) return `subscription ${name} is not defined`;
    const job = await jobOf(tx, row);
    if (job === 'running') return 'runs at this moment';
    const status = await statusOf(tx, id);
    if (status === 'Done') return 'is Done';
    if (status === 'Edited') return 'was replaced by an edited message';
    if (status === 'Working') return 'was delivered, and its reply is awaited; cancel it first';
    if (status === 'New' && job !== undefined) return 'waits already';
    const content = await tx
      .selectFrom('signalbox_message_content')
      .select('part')
      .where('message', '=', message)
      .where('part', '=', REQUEST)
      .executeTakeFirst();
    if (content === undefined) return NOT_KEPT;
    if (job !== undefined) {
      // It begins with all attempts, where it is held at its place.
      await queue.hold(tx, name, { id });
      if ((await queue.release(tx, name, { id })) === 0) return 'runs at this moment';
      await changeDelivery(tx, id, { status: 'New', next: null, reason: null, actor }, undefined);
    } else {
      const isThere =
        (await reopenDelivery(tx, id, message, actor)) ||
        (await changeDelivery(tx, id, { status: 'New', next: null, reason: null, actor }, undefined));
      // It was removed meanwhile.
      if (!isThere) return NOT_KEPT;
      await queue.cancel(tx, name, id);
      const key = partition === null ? {} : { key: partition };
      const cause = await causeOfMessage(tx, message);
      await queue.send(tx, {
        ...{ queue: name, id, data: { message }, kind: kindOfSubscription(subscription), cause },
        ...key,
      });
    }
    await noteAt(acting, 'resubmit');
    return undefined;
  },
  cancel: end,
  async hold({ tx, row: { id, subscription }, queue, actor }) {
    const status = await statusOf(tx, id);
    if (status !== 'New' && status !== 'Retry') return `is ${status}; only one that waits can be held`;
    if ((await queue.hold(tx, subscription, { id }, actor)) === 0) return 'runs at this moment';
    await changeDelivery(tx, id, { status: 'Hold', next: null, reason: 'held by an operator', actor }, undefined);
    return undefined;
  },
  async release({ tx, row: { id, subscription }, queue, actor }) {
    const status = await statusOf(tx, id);
    if (status !== 'Hold') return `is ${status}, not Hold`;
    if ((await queue.release(tx, subscription, { id }, actor)) === 0)
      return 'is not in the queue any more; resubmit it instead';
    await changeDelivery(tx, id, { status: 'New', next: null, reason: null, actor }, undefined);
    return undefined;
  },
};

/** Ends a delivery for good; the next of its partition begins. */
async function end(acting: Acting): Promise<string | undefined> {
  const { tx, row, actor, registry, queue, now } = acting;
  const { id: delivery, message, subscription } = row;
  const status = await statusOf(tx, delivery);
  if (status === 'Done' || status === 'Edited' || status === 'Cancelled') return `is ${status} already`;
  await queue.cancel(tx, subscription, delivery);
  // One that has failed for good has ended; it ends otherwise now.
  if (status === 'Error' || status === 'Timeout') await reopenDelivery(tx, delivery, message, actor);
  const cancelled = { delivery, message, status: 'Cancelled', reason: 'cancelled by an operator', actor } as const;
  // Its worker may have ended it meanwhile.
  if (!(await endDelivery(tx, cancelled, retentionOf(registry, subscription), now())))
    return `is ${(await statusOf(tx, delivery)) ?? 'not kept'} already`;
  await noteAt(acting, 'cancel');
  return undefined;
}

function retentionOf({ subscriptions }: MessageControlOptions['registry'], id: string) {
  const answer = subscriptions.get(id)?.operation.answer;
  return answer?.kind === 'queue' ? answer.queue : UNDEFINED;
}

/** The status of a delivery, as it is by now. */
async function statusOf(tx: Db, id: string): Promise<MessageStatus | undefined> {
  const row = await tx.selectFrom('signalbox_delivery').select('status').where('id', '=', id).executeTakeFirst();
  return row?.status as MessageStatus | undefined;
}

/** Whether the job of a delivery waits or runs; `undefined` when it has none, or a dead letter. */
async function jobOf(tx: Db, { id, subscription }: DeliveryOf): Promise<'waiting' | 'running' | undefined> {
  const job = await tx
    .selectFrom('signalbox_job')
    .select('mark')
    .where('queue', '=', subscription)
    .where('id', '=', id)
    .executeTakeFirst();
  if (job === undefined) return undefined;
  return job.mark === null ? 'waiting' : 'running';
}

function noteAt({ tx, row, actor, now }: Acting, action: string): Promise<void> {
  return noteAction(tx, { action, actor, queue: row.subscription, job: row.id, at: new Date(now()).toISOString() });
}
