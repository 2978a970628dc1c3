import type { Store } from './store-port.ts';
import type { Db } from './tables.ts';

/** Records what may be accepted once, for all gateways that share a database. */
export interface Nonces {
  /**
   * Records a nonce.
   * @param hashes of its identifiers, each combined with its owner
   * @param until milliseconds since 1970, when it would be rejected for its age alone
   * @returns whether none of the hashes was recorded before @throws errors of the database
   */
  take(hashes: readonly string[], until: number): Promise<boolean>;
}

/** Milliseconds between two sweeps. */
const SWEEP_EVERY = 60_000;

/** @param clock milliseconds since 1970 */
export function openNonces(store: Pick<Store, 'tables'>, clock: () => number = Date.now): Nonces {
  let sweptAt = Number.NEGATIVE_INFINITY;

  /** Removes nonces that would be rejected for their age. A failure does not affect the caller: the next sweep removes them. */
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
      // One statement: of two gateways that get the same nonce at once, only one records it.
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
