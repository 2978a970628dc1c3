import { Kysely, PostgresDialect } from 'kysely';
import { errorCode, errorText, StoreError } from '../error.ts';
import { planOf } from '../plan.ts';
import { lacking, migrate, type SchemaAccess } from '../schema.ts';
import type { PostgresAccess, Store, StoreOptions } from '../store.ts';
import type { Db, Tables } from '../tables.ts';
import { transactPatiently } from '../transaction.ts';
import { filesOf } from '../url.ts';
import { describePostgres } from './error.ts';
import { appliedSteps, lockSteps, makeStepTables } from './lock-row.ts';
import { openPool, type Reached, readConfig } from './pool.ts';
import { loadSampleData } from './sample-data.ts';

/** Opens a database of PostgreSQL. It is reached with the first use. @throws StoreError for a URL that can't be read */
export function openPostgres(options: StoreOptions): Store {
  const reached = read(options.url);
  const { location } = reached;
  const connections = share(options.connections ?? 20);
  const pool = openPool(reached, connections.tables, options.onError ?? (() => {}));
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const transaction: Store['transaction'] = (work) => transactPatiently(db, work);
  const schema = schemaOf(location, db, transaction);
  let closing: Promise<void> | undefined;
  return {
    kind: 'postgres',
    location,
    files: filesOf(reached.database, options.root),
    postgres: { config: reached.config, engine: options.engine ?? 'postgresql', connections },
    tables: async () => db,
    transaction,
    pending: async () => planOf(lacking(location, await schema.applied()), 'postgres'),
    migrate: (onStep) => migrate(schema, onStep),
    loadSampleData: (files) => loadSampleData(location, db, transaction, files),
    ready: () => pool.ready(),
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}

/** What the driver says against a URL may repeat it, with its password. */
function read(url: string): Reached {
  try {
    return readConfig(url);
  } catch (error) {
    const reason =
      errorText(error).includes('://') || errorCode(error) === 'ERR_INVALID_URL' ? '' : `: ${errorText(error)}`;
    throw new StoreError(
      '',
      `the database URL can't be read${reason}; write postgres://<user>:<password>@<host>/<database>`,
    );
  }
}

/** Connections by what they are for: four tenths for tables and for queries each, the rest for the queue. */
function share(connections: number): PostgresAccess['connections'] {
  const tables = Math.max(2, Math.floor(connections * 0.4));
  const queries = Math.max(2, Math.floor(connections * 0.4));
  return { tables, queries, queue: Math.max(2, connections - tables - queries) };
}

function schemaOf(location: string, db: Db, transaction: Store['transaction']): SchemaAccess {
  const described = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw describePostgres(location, error);
    }
  };
  return {
    location,
    applied: () => described(() => appliedSteps(db)),
    alone: (work) =>
      described(async () => {
        await makeStepTables(db);
        return transaction(async (tx) => {
          await lockSteps(tx);
          return work(tx);
        });
      }),
  };
}
