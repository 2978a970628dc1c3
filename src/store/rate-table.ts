import { CompiledQuery } from 'kysely';
import type { Store } from './port.ts';

/** Where the gateways of a fleet count calls whose rate is limited. */
export interface RateTable {
  readonly name: string;
  /** Runs a statement of the library that counts, over the gateway's own connections. @throws errors of the database */
  query(statement: RateStatement): Promise<{ readonly rows: readonly object[]; readonly rowCount: number }>;
}

/** A statement as the driver takes it. Its name is left aside: a prepared one is not to be had behind every pooler. */
export interface RateStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** That of a PostgreSQL; undefined on SQLite, whose gateway is alone. */
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
