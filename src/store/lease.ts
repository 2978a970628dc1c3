import { sql } from 'kysely';
import { NOW } from './queue/postgres-jobs.ts';
import type { Store } from './store-port.ts';

/** A right that one gateway of a database has at a time, by the clock of the database. */
export interface Lease {
  /**
   * Takes the right if no other gateway has it, or keeps it.
   * @returns whether this gateway has it for the next `ms` milliseconds @throws errors of the database
   */
  hold(ms: number): Promise<boolean>;
  /** Gives it up, so that another can take it at once. A right that is not held stays where it is. */
  release(): Promise<void>;
}

/**
 * @param name of the right
 * @param holder of this gateway; gateways with the same one have the right together
 */
export function openLease(store: Pick<Store, 'kind' | 'tables'>, name: string, holder: string): Lease {
  if (store.kind === 'sqlite') return { hold: async () => true, release: async () => {} };
  let held = false;
  return {
    async hold(ms) {
      // One statement, which commits by itself: a gateway that is stopped in the middle locks nothing.
      const { rows } = await sql`
        insert into signalbox_lease (name, holder, until) values (${name}, ${holder}, ${NOW} + ${Math.ceil(ms)}::bigint)
        on conflict (name) do update set holder = excluded.holder, until = excluded.until
        where signalbox_lease.holder = excluded.holder or signalbox_lease.until < ${NOW}
        returning holder
      `.execute(await store.tables());
      held = rows.length > 0;
      return held;
    },
    async release() {
      if (!held) return;
      held = false;
      const db = await store.tables();
      await db.deleteFrom('signalbox_lease').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}
