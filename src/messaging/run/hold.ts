import { Fault } from '../../model/fault.ts';
import { type MessageQueue, type MessageStatus, nodesOf, type Subscription } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { type Db, type JobQueue, noteAction, type Store } from '../../store/index.ts';
import { type PartitionGiven, partitionsGiven } from './partition.ts';
import { changeDelivery } from './store.ts';

/** What is held as a whole: no gateway begins a delivery of it until it is released; new messages are entered and wait. */
export interface HeldWhole {
  readonly kind: 'queue' | 'subscription' | 'node';
  readonly id: string;
}

/** A partition on which an operator has acted. */
export interface ActedPartition {
  readonly queue: string;
  /** @see KeptMessage.partition */
  readonly partition: string;
  /** The number of deliveries that are held, or that were released. */
  readonly deliveries: number;
}

/** Holds and releases parts of the messages. */
export interface MessageHolds {
  /**
   * Holds a queue, a subscription or a node (the subscriptions that deliver to it).
   * @returns whether it was not held before
   * @throws Fault NOT_FOUND for one that is not defined
   */
  hold(what: HeldWhole, actor: string): Promise<boolean>;
  /** @returns whether it was held before @throws Fault NOT_FOUND */
  release(what: HeldWhole, actor: string): Promise<boolean>;
  /**
   * Holds a partition of all subscriptions of its queue, by the first delivery of each that waits.
   * @throws Fault NOT_FOUND, BAD_PARAMETER for what names no partition; CONFLICT for one in which nothing waits
   */
  holdPartition(given: PartitionGiven, actor: string): Promise<ActedPartition>;
  /** @throws Fault NOT_FOUND, BAD_PARAMETER */
  releasePartition(given: PartitionGiven, actor: string): Promise<ActedPartition>;
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
    hold: (what, actor) => setHeld(what, actor, true),
    release: (what, actor) => setHeld(what, actor, false),
    holdPartition,
    releasePartition,
  };

  /** @throws Fault NOT_FOUND */
  async function setHeld({ kind, id }: HeldWhole, actor: string, isHeld: boolean): Promise<boolean> {
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
      await noteAction(tx, { action: isHeld ? 'hold' : 'release', actor, queue: name, at: time });
      return true;
    });
    return isChanged;
  }

  /** The subscriptions that have a partition, each with its form there. @throws Fault NOT_FOUND, BAD_PARAMETER */
  function subscriptionsWith(given: PartitionGiven) {
    const partitions = partitionsGiven(registry, given);
    return {
      subscriptions: [...registry.subscriptions.values()].flatMap(({ id, operation }) => {
        const partition = partitions.get(operation);
        return partition === undefined ? [] : [{ id, partition }];
      }),
      shown: [...new Set(partitions.values())].join(' and '),
    };
  }

  async function holdPartition(given: PartitionGiven, actor: string): Promise<ActedPartition> {
    const { subscriptions, shown } = subscriptionsWith(given);
    const deliveries = await store.transaction(async (tx) => {
      let count = 0;
      for (const { id, partition } of subscriptions) {
        if ((await queue.hold(tx, id, { key: partition }, actor)) === 0) continue;
        const [first] = await jobsIn(tx, id, partition, ['New', 'Retry']);
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
    if (deliveries > 0) return { queue: given.queue, partition: shown, deliveries };
    const reason = 'has no delivery that waits; hold the queue or a subscription instead';
    throw Fault.of('CONFLICT', { what: `Partition ${shown} of ${given.queue}`, reason });
  }

  async function releasePartition(given: PartitionGiven, actor: string): Promise<ActedPartition> {
    const { subscriptions, shown } = subscriptionsWith(given);
    const deliveries = await store.transaction(async (tx) => {
      let count = 0;
      for (const { id, partition } of subscriptions) {
        const held = await jobsIn(tx, id, partition, ['Hold']);
        if ((await queue.release(tx, id, { key: partition }, actor)) === 0) continue;
        for (const delivery of held)
          await changeDelivery(tx, delivery, { status: 'New', next: null, reason: null, actor }, undefined);
        count += held.length;
      }
      return count;
    });
    for (const { id } of subscriptions) queue.wake(id);
    return { queue: given.queue, partition: shown, deliveries };
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
