import { randomUUID } from 'node:crypto';
import type { Store } from '../port.ts';

/**
 * Looks in a row at which a process must not have counted on to be taken for dead. Looks are counted rather than time, so
 * that neither a clock nor a database that was away for a while buries anybody.
 */
export const LOOKS = 4;

/** What was seen of a process. */
interface Seen {
  readonly beats: number;
  readonly looks: number;
}

/** Which processes live that write or read blobs: each counts up a row of its own. */
export class Leases {
  /** Of this process; no other's, ever. */
  readonly id = randomUUID();
  readonly #store: Store;
  #held: Promise<void> | undefined;
  #isKnown = false;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Makes this process known, once. */
  hold(): Promise<void> {
    this.#held ??= this.#enter().catch((error: unknown) => {
      this.#held = undefined;
      throw error;
    });
    return this.#held;
  }

  /** Counts on. */
  async beat(): Promise<void> {
    if (!this.#isKnown) return;
    const db = await this.#store.tables();
    const counted = await db
      .updateTable('signalbox_blob_lease')
      .set((row) => ({ beats: row('beats', '+', 1) }))
      .where('id', '=', this.id)
      .executeTakeFirst();
    // It was taken for dead, after a long pause say.
    if (counted.numUpdatedRows === 0n) await this.#enter();
  }

  /** Looks at the others. @returns those that seem dead */
  async look(): Promise<string[]> {
    const db = await this.#store.tables();
    const leases = await db.selectFrom('signalbox_blob_lease').selectAll().where('id', '<>', this.id).execute();
    const named = await db
      .selectFrom('signalbox_loose_blob')
      .select('process as id')
      .where('process', 'not in', ['', this.id])
      .union(db.selectFrom('signalbox_blob_reader').select('process as id').where('process', '<>', this.id))
      .execute();
    const beats = new Map(named.map(({ id }) => [id, -1]));
    for (const lease of leases) beats.set(lease.id, lease.beats);
    const seen = new Map<string, Seen>();
    for (const [id, count] of beats) {
      const before = this.#seen.get(id);
      seen.set(id, { beats: count, looks: before?.beats === count ? before.looks + 1 : 1 });
    }
    this.#seen = seen;
    return [...seen].filter(([, { looks }]) => looks > LOOKS).map(([id]) => id);
  }

  /** Strikes a process. */
  async end(id: string): Promise<void> {
    const db = await this.#store.tables();
    await db.deleteFrom('signalbox_blob_reader').where('process', '=', id).execute();
    await db.deleteFrom('signalbox_blob_lease').where('id', '=', id).execute();
  }

  async #enter(): Promise<void> {
    const db = await this.#store.tables();
    await db.insertInto('signalbox_blob_lease').values({ id: this.id, beats: 0 }).execute();
    this.#isKnown = true;
  }
}
