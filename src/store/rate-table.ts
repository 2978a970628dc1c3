import { CompiledQuery } from 'kysely';
import type { Store } from './store-port.ts';

/** The table in which the gateways of a fleet count calls for rate limits. */
export interface RateTable {
  readonly name: string;
  /** Runs a statement of the library that counts, on the gateway's own connections. @throws errors of the database */
  query(statement: RateStatement): Promise<{ readonly rows: readonly object[]; readonly rowCount: number }>;
}

/** A statement for the driver. Its name is ignored: not every pooler supports prepared statements. */
export interface RateStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** The table on PostgreSQL; `undefined` on SQLite, which has a single gateway. */
export async function openRateTable(store: Store): Promise<RateTable | undefined> {
  if (store.kind === 'sqlite') return undefined;
  const db = await store.tables();
  return {
    name: 'signalbox_rate',
    async query({ text, values = [] }) {
      const { rows, numAffectedRows } = await db.executeQuery<object>(CompiledQuery.raw(text, [...values]));
      return { rows, rowCount: Number(numAffectedRows ?? rows.length) };
    },
  };
}
