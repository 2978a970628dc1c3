import type { Datasource } from '../model/query.ts';
import { unavailable } from './errors.ts';
import type { QueryDatabase, QueryOptions } from './port.ts';
import { PostgresRunner } from './postgres/runner.ts';
import type { Runner } from './runner.ts';
import { Pool } from './sqlite/pool.ts';

/** How much a database is given. */
interface Size {
  /** Reader processes that are always there, and at most. */
  readonly readers: number;
  readonly maxReaders: number;
  /** Connections to PostgreSQL at most. */
  readonly connections: number;
}

/** Bytes of a temporary file where nothing is said. */
const LARGEST_FILE = 512 * 1024 ** 2;

/** What one datasource is given: it is not the gateway's own. */
const DATASOURCE: Size = { readers: 1, maxReaders: 4, connections: 5 };

/** What runs queries: on the gateway's own database, which is opened now, and on each datasource, with its first query. */
export interface Runners {
  readonly main: Runner;
  opened(): readonly Runner[];
  /** @throws Fault UNAVAILABLE for a datasource that is not configured */
  of(datasource: Datasource | undefined): Runner;
}

export function openRunners(options: QueryOptions): Runners {
  const { store, readers = 2, maxReaders = 8, datasources = [] } = options;
  const connections = store.postgres?.connections.queries ?? 0;
  const main = open(store, { readers, maxReaders: Math.max(readers, maxReaders), connections }, options);
  const reached = new Map(datasources.map(({ datasource, database }) => [datasource.id, database]));
  const others = new Map<string, Runner>();
  return {
    main,
    opened: () => [main, ...others.values()],
    of(datasource) {
      if (datasource === undefined) return main;
      const { id } = datasource;
      const database = reached.get(id);
      if (database === undefined) throw unavailable(`the datasource ${id} is not configured`);
      const runner = others.get(id) ?? open(database, DATASOURCE, options);
      others.set(id, runner);
      return runner;
    },
  };
}

/** Opens what runs queries on a database. Its readers start at once; PostgreSQL is reached with the first query. */
function open({ kind, location, postgres }: QueryDatabase, size: Size, options: QueryOptions): Runner {
  const { readers, maxReaders, connections } = size;
  const { timezone, limits, maxWaiting = 1000, idleTimeout = 30_000 } = options;
  const most = kind === 'sqlite' ? maxReaders : connections - 1;
  const waiting = { maxWaiting, share: shareOf(most, limits.queries) };
  const temporary = resultsFolder(options);
  const { temporary: largestFile = LARGEST_FILE } = limits;
  if (kind === 'sqlite') {
    return new Pool({
      reader: { location, timezone, temporary, largestFile },
      readers,
      maxReaders,
      waiting,
      idleTimeout,
    });
  }
  if (postgres === undefined) throw new TypeError(`${location} says nothing of how it is reached`);
  const session = { config: postgres.config, timezone, statementTimeout: limits.timeout, temporaryLimit: largestFile };
  return new PostgresRunner({ ...session, connections, waiting, idleTimeout, temporary });
}

/** Readers that one caller may hold: whatever is declared, one is left for the others where there are several. */
function shareOf(most: number, declared = Math.ceil(most / 2)): number {
  return Math.max(1, Math.min(declared, most - 1));
}

/** Where large results are put. */
export function resultsFolder({ store }: QueryOptions): string {
  return `${store.files}-results`;
}
