import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import type { DatabaseEngine } from '../../model/gateway.ts';
import { isOfTransactions, splitSql } from '../../wire/sql.ts';
import { deadlineIn, withDeadline } from '../deadline.ts';
import { StoreError } from '../error.ts';
import { type Lease, openLease } from '../lease.ts';
import { NOW } from '../queue/postgres-jobs.ts';
import { type MigrationSession, migrateProject, type ProjectAccess } from '../schema/project.ts';
import { isMissingTable } from '../schema/sample-data.ts';
import type { ProjectFiles, RehearsedStore, Store } from '../store-port.ts';
import type { Db, Tables } from '../tables.ts';
import { transact } from '../transaction.ts';
import { Connection } from './client.ts';
import type { ConnectionConfig } from './connection-config.ts';
import { describePostgres } from './error.ts';
import { openPool, valueTypes } from './pool.ts';

/** Runs work in a transaction during which no other process changes the schema or loads sample data. */
export function locked<T>(transaction: Store['transaction'], work: (tx: Db) => Promise<T>): Promise<T> {
  // A step may take as long as its tables need, and others wait for it. The database ends one whose process hangs.
  return withDeadline(deadlineIn(Number.POSITIVE_INFINITY), () =>
    transaction(async (tx) => {
      await sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`.execute(tx);
      await lockSteps(tx);
      return work(tx);
    }),
  );
}

/**
 * Waits until no other process changes the schema or loads sample data, and excludes others until the transaction ends. The
 * lock is a row, because advisory locks are not available on all engines.
 */
async function lockSteps(tx: Db): Promise<void> {
  await tx.selectFrom('signalbox_migration_lock').select('id').forUpdate().execute();
}

/** Runs work; what fails is described for an operator. */
export async function described<T>(location: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw describePostgres(location, error);
  }
}

/** The name of the right to run a migration without a transaction, for as long as one runs. */
const APART = 'project-migration';

/** Milliseconds for which that right outlives a process that ended or hangs. */
const HELD = 30_000;

/** Milliseconds between two tries to get it. */
const WAIT = 250;

/** From PostgreSQL 14 on, a server looks at the connection while a statement runs. */
const CHECKED_CLIENT = sql`select set_config(name, '1s', false) from pg_catalog.pg_settings
  where name = 'client_connection_check_interval'`;

/** The database that a project's migrations run on. */
interface ProjectDatabase {
  readonly location: string;
  readonly config: ConnectionConfig;
  /** For the gateway's own tables. */
  readonly db: Db;
  readonly engine: DatabaseEngine;
  readonly transaction: Store['transaction'];
}

/** The migrations of a project on a database of PostgreSQL. */
export function projectOf({ location, config, db, engine, transaction }: ProjectDatabase): ProjectAccess {
  /** Runs work with one connection of its own, whose settings and temporary tables end with it. */
  const separately = (work: (own: Db) => Promise<void>): Promise<void> =>
    described(location, async () => {
      const pool = openPool(config, 1, () => {});
      try {
        const own = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
        // Ends a statement that runs when this process dies, with its locks. Not available everywhere.
        await CHECKED_CLIENT.execute(own).catch(() => {});
        await work(own);
      } finally {
        await pool.end();
      }
    });
  return {
    kind: 'postgres',
    location,
    recorded: () =>
      described(location, () =>
        db.selectFrom('signalbox_project_migration').selectAll().orderBy('number').execute(),
      ).catch((error: unknown) => {
        if (error instanceof StoreError && isMissingTable(error.cause)) return [];
        throw error;
      }),
    alone: (work) =>
      separately(async (own) => {
        const run = (tx: Db): Promise<boolean> => runAlone(tx, { config, engine, work });
        while (!(await locked((inside) => transact(own, inside), run))) await pause(WAIT);
      }),
    apart: (work) =>
      separately(async (own) => {
        const lease = openLease({ kind: 'postgres', tables: async () => db }, APART, randomUUID());
        // Within the lock, so that none begins while a migration runs in a transaction.
        while (!(await locked(transaction, () => lease.hold(HELD)))) await pause(WAIT);
        await withDeadline(deadlineIn(Number.POSITIVE_INFINITY), () => runApart(own, { db, lease, work })).finally(() =>
          lease.release(),
        );
      }),
  };
}

/** @returns false while a migration without a transaction runs elsewhere */
async function runAlone(
  tx: Db,
  {
    config,
    engine,
    work,
  }: Pick<ProjectDatabase, 'config' | 'engine'> & { readonly work: Parameters<ProjectAccess['alone']>[0] },
): Promise<boolean> {
  const { rows } = await sql`select 1 from signalbox_lease where name = ${APART} and until > ${NOW}`.execute(tx);
  if (rows.length > 0) return false;
  // A statement that waits for a table makes all callers that need the table wait behind it.
  await sql`select set_config('lock_timeout', ${`${config.bounds.timeouts.lock}ms`}, true)`.execute(tx);
  // CockroachDB has no deferred constraints.
  const settle = async (): Promise<unknown> => engine === 'cockroachdb' || run(tx, 'set constraints all immediate');
  await work({ db: tx, run: (statement) => run(tx, statement), settle: async () => void (await settle()), offsetOf });
  return true;
}

/**
 * Runs a migration without a transaction while the lease is renewed. The lock can't be held meanwhile: `create index concurrently`
 * waits for every transaction, also for that of a process that waits for the lock.
 */
function runApart(
  own: Db,
  { db, lease, work }: { readonly db: Db; readonly lease: Lease; readonly work: Parameters<ProjectAccess['apart']>[0] },
): Promise<void> {
  let lost: Error | undefined;
  const renewing = setInterval(() => {
    const lose = (cause?: unknown): void => {
      lost = new Error('the right to run migrations was lost to another process', { cause });
    };
    lease.hold(HELD).then((held) => held || lose(), lose);
  }, HELD / 3);
  return own
    .connection()
    .execute(async (connection) => {
      await run(connection, 'set lock_timeout = 0; set statement_timeout = 0');
      const each = (statement: string): Promise<unknown> => {
        if (lost !== undefined) throw lost;
        return run(connection, statement);
      };
      await work({ db, run: each, settle: async () => {}, offsetOf });
    })
    .finally(() => clearInterval(renewing));
}

const run = (db: Db, statement: string): Promise<unknown> => db.executeQuery(CompiledQuery.raw(statement));

/** PostgreSQL counts characters from 1, not the units of UTF-16. */
const offsetOf: MigrationSession['offsetOf'] = (error, statement) => {
  const position = Number(error instanceof Error && 'position' in error ? error.position : Number.NaN);
  return position > 0 ? [...statement].slice(0, position - 1).join('').length : undefined;
};

/** Milliseconds that a rehearsal waits for a lock: until it has the lock, others wait behind it. */
const REHEARSAL_LOCK = 1000;

/** Milliseconds for a statement of a rehearsal, which may have a table locked. */
const REHEARSAL_STATEMENT = 5000;

/**
 * Runs work in a transaction that has run all that is pending, and rolls it back. Migrations without a transaction are left out:
 * what they do, such as building an index, does not change which statements are valid.
 */
export async function rehearse<T>(
  { location, config, engine }: Pick<ProjectDatabase, 'location' | 'config' | 'engine'>,
  { migrations = [], sampleData = [] }: ProjectFiles,
  migrate: (tx: Db) => Promise<void>,
  work: (rehearsed: RehearsedStore) => Promise<T>,
): Promise<T> {
  const client = new Connection({ ...config, types: valueTypes });
  const query = (...given: readonly unknown[]): unknown =>
    (client.query as (...all: readonly unknown[]) => unknown)(...given);
  const pool = { connect: async () => ({ query, release: () => {} }), end: async () => {} };
  const tx: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as never }) });
  try {
    await described(location, async () => {
      await client.connect();
      await run(tx, 'begin');
      await run(tx, `set local lock_timeout = ${REHEARSAL_LOCK}; set local statement_timeout = ${REHEARSAL_STATEMENT}`);
      await migrate(tx);
    });
    await migrateProject(rehearsalOf(tx, location, engine), migrations);
    const loaded = await tx.selectFrom('signalbox_sample_data').select('name').execute();
    for (const { name, sql: text } of sampleData) {
      const isLoaded = loaded.some((each) => each.name === name);
      // A file that ends the transaction is refused by a start.
      if (isLoaded || splitSql(text, 'postgres').some(isOfTransactions)) continue;
      await run(tx, 'savepoint signalbox_rehearsal');
      // It may depend on rows, and a start reports what fails.
      await run(tx, text).catch(() => run(tx, 'rollback to savepoint signalbox_rehearsal'));
    }
    const postgres = { config: { ...config, within: client }, replicas: undefined };
    return await work({ kind: 'postgres', location, tables: async () => tx, postgres });
  } finally {
    await run(tx, 'rollback').catch(() => {});
    await client.end().catch(() => {});
  }
}

function rehearsalOf(tx: Db, location: string, engine: DatabaseEngine): ProjectAccess {
  const settle = async (): Promise<void> => {
    if (engine !== 'cockroachdb') await run(tx, 'set constraints all immediate; set constraints all deferred');
  };
  const session: MigrationSession = { db: tx, run: (statement) => run(tx, statement), settle, offsetOf };
  return {
    kind: 'postgres',
    location,
    recorded: () => tx.selectFrom('signalbox_project_migration').selectAll().orderBy('number').execute(),
    alone: (work) => work(session),
    apart: (work) => work({ ...session, run: async () => {}, settle: async () => {} }),
  };
}
