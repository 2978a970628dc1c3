import { type Datasource, engineOf } from '../model/query.ts';
import type { Engine } from '../model/scalar-traits.ts';
import type { Store } from '../store/index.ts';
import { databaseOf, type EngineAdapter, type QueryDatabase } from './engine.ts';
import { unavailable } from './errors.ts';
import { mysql } from './mysql/adapter.ts';
import { postgres } from './postgres/adapter.ts';
import type { Runner } from './runner.ts';
import { sqlite } from './sqlite/adapter.ts';

/** The adapter of each engine. */
const ADAPTERS = { sqlite, postgres, mysql } satisfies Record<Engine, EngineAdapter<unknown>>;

/** A datasource as it is reached. */
export interface ReachedDatasource {
  readonly datasource: Datasource;
  readonly database: QueryDatabase;
}

/** How the readers are kept. Times in milliseconds. */
export interface QueryOptions {
  readonly store: Pick<Store, 'location' | 'files' | 'postgres'>;
  /** Databases that queries name; none. They are reached with the first query of each. */
  readonly datasources?: readonly ReachedDatasource[];
  /** IANA zone that gives stored datetimes without an offset theirs. */
  readonly timezone: string;
  /** Where a query has none of its own. */
  readonly limits: {
    readonly rows: number;
    readonly timeout: number;
    /** Queries of one caller at the same time on one database; half of its readers or connections. */
    readonly queries?: number | undefined;
    /** Bytes that a query may write to a temporary file; 512 MiB. */
    readonly temporary?: number;
  };
  /** Readers that are always there; 2. */
  readonly readers?: number | undefined;
  /** Readers at most, while slow queries hold the others; 8, or `readers` where that is more. */
  readonly maxReaders?: number;
  /** Calls that may wait for a reader; 1000. */
  readonly maxWaiting?: number;
  /** How long a reader beyond `readers` stays without work; 30 s. */
  readonly idleTimeout?: number;
}

/** How much a database is given. */
interface Size {
  readonly readers: number;
  readonly maxReaders: number;
  readonly connections: number;
}

/** What one datasource is given: it is not the gateway's own. */
const DATASOURCE: Size = { readers: 1, maxReaders: 4, connections: 5 };

/** The default of `limits.temporary`. */
const LARGEST_FILE = 512 * 1024 ** 2;

/**
 * How a database is reached that a URL names; nothing is opened yet.
 * @param root folder that a relative path starts from
 * @param password in place of one in the URL
 * @throws StoreError for a URL that is not supported, and for a driver that is not installed
 */
export async function reachDatabase(url: string, root: string, password?: string): Promise<QueryDatabase> {
  // What is no URL of any engine is refused by the adapter of the default one, which says what works.
  const adapter: EngineAdapter<unknown> = ADAPTERS[engineOf(url) ?? 'sqlite'];
  return databaseOf(adapter, await adapter.reach(url, root, password));
}

/** The gateway's own database, as queries read it. */
export function ownDatabase({ location, postgres: access }: Pick<Store, 'location' | 'postgres'>): QueryDatabase {
  if (access === undefined) return databaseOf(sqlite, { location, access: location });
  return databaseOf(postgres, { location, access: access.config });
}

/** What runs queries: on the gateway's own database, which is opened now, and on each datasource, with its first query. */
export interface Runners {
  readonly main: Opened;
  opened(): readonly Runner[];
  /** @throws Fault UNAVAILABLE for a datasource that is not configured */
  of(datasource: Datasource | undefined): Opened;
}

/** A database, and what runs queries on it. */
interface Opened {
  readonly database: QueryDatabase;
  readonly runner: Runner;
}

export function openRunners(options: QueryOptions): Runners {
  const { store, readers = 2, maxReaders = 8, datasources = [] } = options;
  const connections = store.postgres?.connections.queries ?? 0;
  const main = open(ownDatabase(store), { readers, maxReaders: Math.max(readers, maxReaders), connections }, options);
  const reached = new Map(datasources.map(({ datasource, database }) => [datasource.id, database]));
  const others = new Map<string, Opened>();
  return {
    main,
    opened: () => [main, ...others.values()].map(({ runner }) => runner),
    of(datasource) {
      if (datasource === undefined) return main;
      const { id } = datasource;
      const database = reached.get(id);
      if (database === undefined) throw unavailable(`the datasource ${id} is not configured`);
      const opened = others.get(id) ?? open(database, DATASOURCE, options);
      others.set(id, opened);
      return opened;
    },
  };
}

function open(database: QueryDatabase, size: Size, options: QueryOptions): Opened {
  const { timezone, limits, maxWaiting = 1000, idleTimeout = 30_000 } = options;
  const { timeout, queries: share, temporary: largestFile = LARGEST_FILE } = limits;
  const folder = resultsFolder(options);
  const kept = { ...size, maxWaiting, share, idleTimeout, timezone, timeout, folder, largestFile };
  return { database, runner: database.open(kept) };
}

/** Where large results are put. */
export function resultsFolder({ store }: QueryOptions): string {
  return `${store.files}-results`;
}
