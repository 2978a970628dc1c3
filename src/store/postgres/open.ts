import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { errorCode, errorText, StoreError } from '../error.ts';
import type { PostgresAccess, Store, StoreOptions } from '../port.ts';
import { loadSampleData } from '../schema/sample-data.ts';
import { lacking, migrate, planOf, type SchemaAccess } from '../schema/schema.ts';
import type { Db, Tables } from '../tables.ts';
import { transactPatiently } from '../transaction.ts';
import { filesOf } from '../url.ts';
import { describePostgres } from './error.ts';
import { openPool, type Reached, readConfig } from './pool.ts';

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
    kind: 'postgres',
    location,
    applied: () => described(() => appliedSteps(db)),
    alone: (work) =>
      described(async () => {
        await makeStepTables(db);
        return locked(transaction, work);
      }),
  };
}

/** How often making the tables is tried. */
const TRIES = 10;

/** SQLSTATE of `create table if not exists` where another process makes the same table: it looks, then collides. */
const COLLIDED = new Set(['23505', '42P07', '42710', 'XX000', '40001']);

/** There is no such table. */
const UNDEFINED_TABLE = '42P01';

/** Names of the steps that the database has seen. */
async function appliedSteps(db: Db): Promise<string[]> {
  try {
    const rows = await db.selectFrom('signalbox_migration').select('name').execute();
    return rows.map((row) => row.name);
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** Makes what the steps themselves need, whoever else does so at the same time. */
async function makeStepTables(db: Db): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await make(db);
    } catch (error) {
      if (tries === TRIES || !COLLIDED.has(errorCode(error))) throw error;
      await pause(Math.random() * 20 * tries);
    }
  }
}

/**
 * Waits until no other process brings the schema up to date or loads sample data, and keeps others out until the
 * transaction ends. A row is locked, because advisory locks are not had on all engines.
 */
async function lockSteps(tx: Db): Promise<void> {
  await tx.selectFrom('signalbox_migration_lock').select('id').forUpdate().execute();
}

async function make(db: Db): Promise<void> {
  await db.schema
    .createTable('signalbox_migration')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('signalbox_migration_lock')
    .ifNotExists()
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .execute();
  await db
    .insertInto('signalbox_migration_lock')
    .values({ id: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
