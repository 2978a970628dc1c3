import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RetentionPeriod } from '../model/gateway.ts';
import type { Store } from './store-port.ts';
import type { Db } from './tables.ts';

/** Data that is removed some time after it was last of use. */
export interface Retained {
  /** Its key in `signalbox_retention`: `process-requests`. */
  readonly kind: string;
  /** How long it is kept, in milliseconds. */
  readonly keep: RetentionPeriod;
  /** Removes a batch, as part of a transaction. Never what is still needed, however old it is. */
  remove(tx: Db, batch: Batch): Promise<Removed>;
}

/** What one transaction may remove. */
export interface Batch {
  /** Only data that was last of use before. UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly before: string;
  /** Entries that one transaction may look at. */
  readonly most: number;
  /** Where the batch before ended, as that one returned it; null at first. */
  readonly cursor: string | null;
}

export interface Removed {
  /** Entries that were removed. */
  readonly count: number;
  /** Whether more can be left to remove. */
  readonly more: boolean;
  /** Where the next batch goes on, also that of a later sweep; as before when absent. */
  readonly cursor?: string;
  /** Removes what is not part of the transaction, after its commit. */
  readonly afterwards?: () => Promise<unknown>;
}

/** Removes expired data. */
export interface Retention {
  /** Removes all that has expired. Does nothing for kinds that another gateway is removing. @throws errors of the database */
  sweep(): Promise<void>;
  /** Entries removed since the database was created, by kind. */
  removed(): Promise<ReadonlyMap<string, number>>;
  /** Ends a sweep after its current batch. */
  close(): Promise<void>;
}

export interface RetentionOptions {
  readonly store: Pick<Store, 'tables' | 'transaction'>;
  readonly kinds: readonly Retained[];
  /** Called at the end of a sweep of a kind that removed entries. */
  readonly onRemoved?: (kind: string, count: number) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Entries of one batch; 500. */
  readonly most?: number;
}

/** Entries of one batch: a transaction of some ten milliseconds. */
const MOST = 500;
/** Milliseconds between two batches, so that other work comes between. */
const PAUSE = 20;
/** Milliseconds without a batch after which another gateway goes on. */
const LEASE = 120_000;

/** Thrown inside a batch that comes after another gateway has taken over. */
const TAKEN_OVER = new Error('another gateway has taken over');

export function openRetention(options: RetentionOptions): Retention {
  const { store, kinds, onRemoved, now = Date.now, most = MOST } = options;
  const holder = randomUUID();
  let closed = false;
  let sweeping: Promise<void> | undefined;

  /** Whether no other gateway is removing entries of this kind. */
  async function take(kind: string): Promise<boolean> {
    const db = await store.tables();
    const row = { kind, removed: 0, cursor: null, holder: null, until: 0 };
    await db
      .insertInto('signalbox_retention')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const { numUpdatedRows } = await db
      .updateTable('signalbox_retention')
      .set({ holder, until: now() + LEASE })
      .where('kind', '=', kind)
      .where((row) => row.or([row('until', '<', now()), row('holder', '=', holder)]))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async function batchOf({ kind, remove }: Retained, before: string): Promise<Removed> {
    return store.transaction(async (tx) => {
      const { cursor } = await tx
        .selectFrom('signalbox_retention')
        .select('cursor')
        .where('kind', '=', kind)
        .executeTakeFirstOrThrow();
      const removed = await remove(tx, { before, most, cursor });
      // Last: a gateway that hangs in a batch must not keep others from the row, nor commit once one has taken over.
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_retention')
        .set(({ eb }) => ({
          removed: eb('removed', '+', removed.count),
          until: now() + LEASE,
          ...(removed.cursor !== undefined && { cursor: removed.cursor }),
        }))
        .where('kind', '=', kind)
        .where('holder', '=', holder)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) throw TAKEN_OVER;
      return removed;
    });
  }

  async function sweepKind(retained: Retained): Promise<void> {
    const { kind, keep } = retained;
    if (keep === 'forever' || !(await take(kind))) return;
    const before = new Date(now() - keep).toISOString();
    let count = 0;
    try {
      for (let more = true; more && !closed; ) {
        const removed = await batchOf(retained, before);
        count += removed.count;
        more = removed.more;
        await removed.afterwards?.();
        if (more) await pause(PAUSE);
      }
    } catch (error) {
      if (error !== TAKEN_OVER) throw error;
    } finally {
      if (count > 0) onRemoved?.(kind, count);
    }
    const db = await store.tables();
    const free = db.updateTable('signalbox_retention').set({ until: 0 });
    await free.where('kind', '=', kind).where('holder', '=', holder).execute();
  }

  /** A kind that can't be removed does not keep others from it. */
  async function sweepAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const retained of kinds) await sweepKind(retained).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  return {
    sweep() {
      if (closed) return Promise.resolve();
      sweeping ??= sweepAll().finally(() => {
        sweeping = undefined;
      });
      return sweeping;
    },
    async removed() {
      const db = await store.tables();
      const rows = await db.selectFrom('signalbox_retention').select(['kind', 'removed']).execute();
      return new Map(rows.map((row) => [row.kind, Number(row.removed)]));
    },
    async close() {
      closed = true;
      await sweeping?.catch(() => {});
    },
  };
}
