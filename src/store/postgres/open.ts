import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { errorCode, errorText, StoreError } from '../error.ts';
import type { PostgresAccess, Store, StoreOptions } from '../port.ts';
import { planOf } from '../schema/plan.ts';
import { loadSampleData } from '../schema/sample-data.ts';
import { lacking, migrate, type SchemaAccess } from '../schema/schema.ts';
import type { Db, Tables } from '../tables.ts';
import { transactPatiently } from '../transaction.ts';
import { filesOf } from '../url.ts';
import { describePostgres } from './error.ts';
import { openPool, type Reached, readConfig } from './pool.ts';
import { appliedSteps, lockSteps, makeStepTables } from './steps.ts';

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
    loadSampleData: (files) =>
      loadSampleData(
        {
          ...{ location, db },
          alone: (work) => locked(transaction, work),
          run: (tx, sql) => tx.executeQuery(CompiledQuery.raw(sql)),
          isGone: (error) => NO_SAVEPOINT.has(errorCode(error)),
          describe: (error) => describePostgres(location, error),
        },
        files,
      ),
    ready: () => pool.ready(),
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}

/** There is no such savepoint, or no transaction that could have one. */
const NO_SAVEPOINT = new Set(['3B001', '25P01']);

/** A transaction that no other process brings the schema up to date or loads sample data in. */
function locked<T>(transaction: Store['transaction'], work: (tx: Db) => Promise<T>): Promise<T> {
  return transaction(async (tx) => {
    await lockSteps(tx);
    return work(tx);
  });
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
        return locked(transaction, work);
      }),
  };
}
