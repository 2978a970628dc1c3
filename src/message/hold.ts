import { randomUUID } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import { type MessageQueue, type MessageStatus, nodesOf, type Subscription } from '../model/message.ts';
import type { Registry } from '../model/registry.ts';
import type { Db, JobQueue, Store } from '../store/index.ts';
import { changeDelivery } from './store.ts';

/** What is held as a whole: no gateway begins a delivery of it until it is released; new messages are entered and wait. */
export type HeldWhole =
  | { readonly kind: 'queue' | 'subscription' | 'node'; readonly id: string }
  /** All subscriptions of the queue have it. @see KeptMessage.partition */
  | { readonly kind: 'partition'; readonly queue: string; readonly partition: string };

/** Holds and releases parts of the messages. */
export interface MessageHolds {
  /**
   * Holds a queue, a subscription, a node (the subscriptions that deliver to it) or a partition.
   * @returns whether it was not held before; of a partition the number of its first deliveries that are held now
   * @throws Fault NOT_FOUND for one that is not defined; CONFLICT for a partition in which nothing waits
   */
  hold(what: HeldWhole, actor: string): Promise<boolean | number>;
  /** @returns whether it was held before; of a partition the number of deliveries that were released @throws Fault NOT_FOUND */
  release(what: HeldWhole, actor: string): Promise<boolean | number>;
}

interface HoldOptions {
  readonly registry: Registry;
  readonly store: Store;
  readonly queue: JobQueue;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Opens what an operator holds as a whole. */
export function openHolds({ registry, store, queue, now = Date.now }: HoldOptions): MessageHolds {
  return {
    hold: (what, actor) => (what.kind === 'partition' ? holdPartition(what, actor) : setHeld(what, actor, true)),
    release: (what, actor) => (what.kind === 'partition' ? releasePartition(what, actor) : setHeld(what, actor, false)),
  };

  /** @throws Fault NOT_FOUND */
  async function setHeld(
    { kind, id }: Exclude<HeldWhole, { kind: 'partition' }>,
    actor: string,
    isHeld: boolean,
  ): Promise<boolean> {
    const all = { queue: registry.messageQueues, subscription: registry.subscriptions, node: registry.nodes }[kind];
    if (!all.has(id)) throw Fault.of('NOT_FOUND', { what: `${kind} ${id}` });
    // A subscription is a queue of deliveries of its own.
    const name = kind === 'subscription' ? id : pauseName(kind, id);
    const isChanged = await store.transaction(async (tx) => {
      const time = new Date(now()).toISOString();
      const { changed } = isHeld
        ? await tx
            .insertInto('signalbox_paused_queue')
            .values({ queue: name, actor, paused: time })
            .onConflict((conflict) => conflict.column('queue').doNothing())
            .executeTakeFirst()
            .then(({ numInsertedOrUpdatedRows: changed }) => ({ changed }))
        : await tx
            .deleteFrom('signalbox_paused_queue')
            .where('queue', '=', name)
            .executeTakeFirst()
            .then(({ numDeletedRows: changed }) => ({ changed }));
      if (changed !== 1n) return false;
      await note(tx, { action: isHeld ? 'hold' : 'release', actor, queue: name, now: now() });
      return true;
    });
    return isChanged;
  }

  /** The subscriptions of a queue. @throws Fault NOT_FOUND */
  function subscriptionsOf(id: string): readonly Subscription[] {
    if (!registry.messageQueues.has(id)) throw Fault.of('NOT_FOUND', { what: `queue ${id}` });
    return [...registry.subscriptions.values()].filter(
      ({ operation: { answer } }) => answer.kind === 'queue' && answer.queue.id === id,
    );
  }

  async function holdPartition(
    { queue: id, partition }: { readonly queue: string; readonly partition: string },
    actor: string,
  ): Promise<number> {
    const subscriptions = subscriptionsOf(id);
    const held = await store.transaction(async (tx) => {
      let count = 0;
      for (const subscription of subscriptions) {
        if ((await queue.hold(tx, subscription.id, { key: partition }, actor)) === 0) continue;
        const [first] = await jobsIn(tx, subscription.id, partition, ['New', 'Retry']);
        if (first === undefined) continue;
        await changeDelivery(
          tx,
          first,
          { status: 'Hold', next: null, reason: 'held by an operator', actor },
          undefined,
        );
        count += 1;
      }
      return count;
    });
    if (held > 0) return held;
    const reason = 'has no delivery that waits; hold the queue or a subscription instead';
    throw Fault.of('CONFLICT', { what: `Partition ${partition} of ${id}`, reason });
  }

  async function releasePartition(
    { queue: id, partition }: { readonly queue: string; readonly partition: string },
    actor: string,
  ): Promise<number> {
    const subscriptions = subscriptionsOf(id);
    const released = await store.transaction(async (tx) => {
      let count = 0;
      for (const subscription of subscriptions) {
        const held = await jobsIn(tx, subscription.id, partition, ['Hold']);
        if ((await queue.release(tx, subscription.id, { key: partition }, actor)) === 0) continue;
        for (const delivery of held)
          await changeDelivery(tx, delivery, { status: 'New', next: null, reason: null, actor }, undefined);
        count += held.length;
      }
      return count;
    });
    for (const { id: name } of subscriptions) queue.wake(name);
    return released;
  }
}

/** A queue, a subscription or a node that is held. */
export interface Held {
  /** `node ERP` */
  readonly what: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly since: string;
  readonly actor: string;
}

/** What is held as a whole, but for partitions. */
export async function readHeld(db: Db, registry: Registry): Promise<readonly Held[]> {
  const rows = await db.selectFrom('signalbox_paused_queue').selectAll().orderBy('queue').execute();
  return rows.flatMap(({ queue: name, paused: since, actor }) => {
    if (registry.subscriptions.has(name)) return [{ what: `subscription ${name}`, since, actor }];
    return /^(?:queue|node) /.test(name) ? [{ what: name, since, actor }] : [];
  });
}

/** The name by which a queue or a node is paused. */
function pauseName(kind: 'queue' | 'node', id: string): string {
  return `${kind} ${id}`;
}

/** The names by which the deliveries of a subscription are paused too: of its queue, and of the nodes that it calls. */
export function pausedAs(subscription: Subscription, { id }: MessageQueue): readonly string[] {
  return [pauseName('queue', id), ...nodesOf(subscription).map((node) => pauseName('node', node.id))];
}

/** The deliveries of a partition in some statuses that wait in the queue, the first first. */
async function jobsIn(
  tx: Db,
  subscription: string,
  partition: string,
  statuses: readonly MessageStatus[],
): Promise<readonly string[]> {
  const rows = await tx
    .selectFrom('signalbox_job')
    .innerJoin('signalbox_delivery', 'signalbox_delivery.id', 'signalbox_job.id')
    .select('signalbox_job.id')
    .where('signalbox_job.queue', '=', subscription)
    .where('signalbox_job.key', '=', partition)
    // By its own status one that runs is still New.
    .where('signalbox_job.mark', 'is', null)
    .orderBy('signalbox_job.place')
    .where('signalbox_delivery.status', 'in', statuses)
    .orderBy('signalbox_job.sequence')
    .execute();
  return rows.map(({ id }) => id);
}

/** Adds a line to the trail of what operators did. */
export async function note(
  tx: Db,
  {
    now,
    job = null,
    ...line
  }: {
    readonly action: string;
    readonly actor: string;
    readonly queue: string;
    readonly job?: string | null;
    readonly now: number;
  },
): Promise<void> {
  await tx
    .insertInto('signalbox_job_audit')
    .values({ id: randomUUID(), at: new Date(now).toISOString(), job, ...line })
    .execute();
}
