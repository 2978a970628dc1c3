import { SqliteAdapter } from 'kysely';
import type { Store } from '../port.ts';
import type { Db } from '../tables.ts';

/** The kind of database that a query builder writes for, also one that only records what it would run. */
export function kindOf(db: Db): Store['kind'] {
  return db.getExecutor().adapter instanceof SqliteAdapter ? 'sqlite' : 'postgres';
}
