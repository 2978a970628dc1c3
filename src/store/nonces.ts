import type { Store } from './port.ts';
import type { Db } from './tables.ts';

/** Remembers what may be seen once, for all gateways that share a database. */
export interface Nonces {
  /**
   * Records that something was seen.
   * @param hashes of what it is known by, each together with whose it is
   * @param until milliseconds since 1970, from when on it would be refused for its age alone
   * @returns whether none of the hashes was recorded before @throws errors of the database
   */
  take(hashes: readonly string[], until: number): Promise<boolean>;
}

/** Milliseconds between two sweeps. */
const SWEEP_EVERY = 60_000;

/** @param clock milliseconds since 1970 */
export function openNonces(store: Pick<Store, 'tables'>, clock: () => number = Date.now): Nonces {
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Forgets what is too old to be taken anyway. Where that fails, what was taken is taken, and the next sweep does it. */
  async function sweep(db: Db): Promise<void> {
    const now = clock();
    if (now - sweptAt < SWEEP_EVERY) return;
    sweptAt = now;
    const old = db.deleteFrom('signalbox_nonce').where('until', '<', new Date(now).toISOString());
    await old.execute().catch(() => undefined);
  }

  return {
    async take(hashes, until) {
      const db = await store.tables();
      const rows = hashes.map((hash) => ({ hash, until: new Date(until).toISOString() }));
      // One statement: of two gateways that get the same at once, one alone enters it.
      const [entered] = await db
        .insertInto('signalbox_nonce')
        .values(rows)
        .onConflict((conflict) => conflict.column('hash').doNothing())
        .execute();
      await sweep(db);
      return entered?.numInsertedOrUpdatedRows === BigInt(rows.length);
    },
  };
}
