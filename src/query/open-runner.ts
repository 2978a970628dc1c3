import { Pool } from './pool.ts';
import type { QueryDatabase, QueryOptions } from './port.ts';
import { PostgresRunner } from './postgres/runner.ts';
import type { Runner } from './runner.ts';

/** How much a database is given. */
export interface RunnerSize {
  /** Reader processes that are always there, and at most. */
  readonly readers: number;
  readonly maxReaders: number;
  /** Connections to PostgreSQL at most. */
  readonly connections: number;
}

/** Opens what runs queries on a database. Its readers start at once; PostgreSQL is reached with the first query. */
export function openRunner(
  { kind, location, postgres }: QueryDatabase,
  { readers, maxReaders, connections }: RunnerSize,
  options: QueryOptions,
): Runner {
  const { timezone } = options;
  const temporary = resultsFolder(options);
  const maxWaiting = options.maxWaiting ?? 1000;
  const idleTimeout = options.idleTimeout ?? 30_000;
  if (kind === 'sqlite') {
    return new Pool({ reader: { location, timezone, temporary }, readers, maxReaders, maxWaiting, idleTimeout });
  }
  if (postgres === undefined) throw new TypeError(`${location} says nothing of how it is reached`);
  const statementTimeout = options.limits.timeout;
  return new PostgresRunner({
    ...{ config: postgres.config, timezone, statementTimeout },
    ...{ connections, maxWaiting, idleTimeout, temporary },
  });
}

/** Where large results are put. */
export function resultsFolder({ store }: QueryOptions): string {
  return `${store.files}-results`;
}
