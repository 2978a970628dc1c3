import { randomUUID } from 'node:crypto';
import type { Store } from '../store-port.ts';

/**
 * A process seems dead when so many consecutive looks find the same count. Looks are counted rather than time, so that neither a
 * clock nor an unavailable database makes a process seem dead.
 */
export const LOOKS = 4;

/** What the last looks found of a process. */
interface Seen {
  readonly beats: number;
  readonly looks: number;
}

/** Shows which processes that write or read blobs are alive: each increments a row of its own. */
export class Leases {
  /** The id of this process, never used by another. */
  readonly id = randomUUID();
  readonly #store: Store;
  #held: Promise<void> | undefined;
  #isKnown = false;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Records this process, once. */
  hold(): Promise<void> {
    this.#held ??= this.#enter().catch((error: unknown) => {
      this.#held = undefined;
      throw error;
    });
    return this.#held;
  }

  /** Gives a sign of life. */
  async beat(): Promise<void> {
    if (!this.#isKnown) return;
    const db = await this.#store.tables();
    const counted = await db
      .updateTable('signalbox_blob_lease')
      .set((row) => ({ beats: row('beats', '+', 1) }))
      .where('id', '=', this.id)
      .executeTakeFirst();
    // It seemed dead to others, for example after a long pause.
    if (counted.numUpdatedRows === 0n) await this.#enter();
  }

  /** Looks at the other processes. @returns the ids of those that seem dead */
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

  /** Removes the record of a process. */
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
