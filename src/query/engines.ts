import { type Datasource, engineOf } from '../model/query.ts';
import type { Engine } from '../model/scalar-traits.ts';
import { ONLY_POSTGRES, type RehearsedStore, type ReplicaAccess, type Store, StoreError } from '../store/index.ts';
import { databaseOf, type EngineAdapter, type QueryDatabase, type ReachOptions } from './engine.ts';
import { unavailable } from './errors.ts';
import { mysql } from './mysql/adapter.ts';
import { postgres } from './postgres/adapter.ts';
import type { Runner } from './runner.ts';
import { sqlite } from './sqlite/adapter.ts';

const ADAPTERS = { sqlite, postgres, mysql } satisfies Record<Engine, EngineAdapter<unknown>>;

/** A datasource with the means to reach it. */
export interface ReachedDatasource {
  readonly datasource: Datasource;
  readonly database: QueryDatabase;
}

/** Options of the readers. Times in milliseconds. */
export interface QueryOptions {
  readonly store: Pick<Store, 'location' | 'files' | 'postgres'>;
  /** Databases that queries name; default none. Each is opened with its first query. */
  readonly datasources?: readonly ReachedDatasource[];
  /** IANA zone of stored datetimes without an offset. */
  readonly timezone: string;
  /** Apply to queries without limits of their own. */
  readonly limits: {
    readonly rows: number;
    readonly timeout: number;
    /** Concurrent queries of one caller on one database; default half of its readers or connections. */
    readonly queries?: number | undefined;
    /** Bytes that a query may write to a temporary file; default 512 MiB. */
    readonly temporary?: number;
  };
  /** Readers that always run from the first query on; default 2. Until then there is one. */
  readonly readers?: number | undefined;
  /** Whether queries of the gateway's own database are declared; default true. Otherwise the first query starts its reader. */
  readonly declared?: boolean;
  /** Maximum of readers, reached while slow queries hold the others; default 8, or `readers` if that is more. */
  readonly maxReaders?: number;
  /** Calls that may wait for a reader; default 1000. */
  readonly maxWaiting?: number;
  /** How long a reader beyond `readers` may be idle; default 30 s. */
  readonly idleTimeout?: number;
  /** Called with a sentence for operators: a replica is left out, or used again. */
  readonly report?: (sentence: string) => void;
}

/** The resources of one database. */
interface Size {
  readonly readers: number;
  readonly maxReaders: number;
  readonly eager: boolean;
  readonly connections: number;
}

/** The resources of one datasource, as opposed to the gateway's own database. */
const DATASOURCE: Size = { readers: 1, maxReaders: 4, eager: true, connections: 5 };

/** The default of `limits.temporary`. */
const LARGEST_FILE = 512 * 1024 ** 2;

/**
 * Finds how to reach the database of a URL, without opening it.
 * @param root base folder of relative paths
 * @throws StoreError if the URL is not supported or the driver is not installed
 */
export async function reachDatabase(
  url: string,
  root: string,
  { replicas, ...options }: ReachOptions & { readonly replicas?: ReplicaAccess | undefined } = {},
): Promise<QueryDatabase> {
  // The default engine's adapter rejects a URL of an unknown engine with a message that lists the supported ones.
  const adapter: EngineAdapter<unknown> = ADAPTERS[engineOf(url) ?? 'sqlite'];
  const reached = await adapter.reach(url, root, { ...options, hasReplicas: replicas !== undefined });
  if (replicas === undefined) return databaseOf(adapter, reached);
  const { lag, urls } = replicas;
  const servers = await Promise.all(
    urls().map((each, index) => {
      if (![url, each].every((one) => engineOf(one) === 'postgres'))
        throw new StoreError(reached.location, ONLY_POSTGRES);
      const renewed = () => ({ url: urls()[index] ?? each, password: (options.renewed?.() ?? options).password });
      return adapter.reach(each, root, { ...options, renewed, isReplica: true });
    }),
  );
  return databaseOf(adapter, { ...reached, replicas: { lag, servers } });
}

/** The gateway's own database, as queries read it. */
export function ownDatabase({
  location,
  postgres: access,
}: Pick<RehearsedStore, 'location' | 'postgres'>): QueryDatabase {
  if (access === undefined) return databaseOf(sqlite, { location, access: location });
  const { config, replicas } = access;
  const servers = replicas?.configs.map((each) => ({ location: each.servers.location, access: each })) ?? [];
  return databaseOf(postgres, { location, access: config, replicas: replicas && { lag: replicas.lag, servers } });
}

/** The runners: that of the gateway's own database is opened now, those of datasources with their first query. */
export interface Runners {
  readonly main: OpenDatabase;
  opened(): readonly OpenDatabase[];
  /** All, those of replicas too. */
  named(): readonly Named[];
  /** @throws Fault UNAVAILABLE if the datasource is not configured */
  of(datasource: Datasource | undefined): OpenDatabase;
}

/** A database and its runner. */
interface OpenDatabase {
  readonly database: QueryDatabase;
  readonly runner: Runner;
}

/** A runner with a name for people: `queries` or `datasource HR`, and `queries replica 1`. */
interface Named {
  readonly name: string;
  readonly runner: Runner;
}

export function openRunners(options: QueryOptions): Runners {
  const { store, readers = 2, declared: eager = true, datasources = [] } = options;
  const maxReaders = Math.max(readers, options.maxReaders ?? 8);
  const connections = store.postgres?.connections.queries ?? 0;
  const main = open(ownDatabase(store), { readers, maxReaders, eager, connections }, options);
  const reached = new Map(datasources.map(({ datasource, database }) => [datasource.id, database]));
  const others = new Map<string, OpenDatabase>();
  return {
    main,
    opened: () => [main, ...others.values()],
    named: () => [
      ...withReplicas('queries', main),
      ...[...others].flatMap(([id, opened]) => withReplicas(`datasource ${id}`, opened)),
    ],
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

function withReplicas(name: string, { runner }: OpenDatabase): Named[] {
  const replicas = runner.replicas ?? [];
  return [{ name, runner }, ...replicas.map((each, index) => ({ name: `${name} replica ${index + 1}`, runner: each }))];
}

function open(database: QueryDatabase, size: Size, options: QueryOptions): OpenDatabase {
  const { timezone, limits, maxWaiting = 1000, idleTimeout = 30_000, report = () => {} } = options;
  const { timeout, queries: share, temporary: largestFile = LARGEST_FILE } = limits;
  const folder = resultsFolder(options);
  const kept = { ...size, maxWaiting, share, idleTimeout, timezone, timeout, folder, largestFile, report };
  return { database, runner: database.open(kept) };
}

/** The folder of large results. */
export function resultsFolder({ store }: QueryOptions): string {
  return `${store.files}-results`;
}
