import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { type DatabaseEngine, schemaFault } from '../../model/gateway.ts';
import { deadlineIn, withDeadline } from '../deadline.ts';
import { errorCode, StoreError } from '../error.ts';
import { type Lease, openLease } from '../lease.ts';
import type { PostgresAccess, ReplicaAccess, Store, StoreOptions } from '../port.ts';
import { NOW } from '../queue/postgres-jobs.ts';
import {
  baseline,
  type MigrationSession,
  migrateProject,
  type ProjectAccess,
  pendingProject,
} from '../schema/project.ts';
import { isMissingTable, loadSampleData, pendingSampleData, type SampleDataAccess } from '../schema/sample-data.ts';
import { lacking, migrate, planOf, type SchemaAccess } from '../schema/schema.ts';
import { statementSpans } from '../spans.ts';
import type { AppliedStep, Db, Tables } from '../tables.ts';
import { Lines, transact, transactPatiently } from '../transaction.ts';
import { filesOf } from '../url.ts';
import type { ConnectionConfig } from './client.ts';
import { describePostgres } from './error.ts';
import { Installation } from './installation.ts';
import { configOf, FAMILY, openPool } from './pool.ts';
import { replicaServers, Servers, unverified } from './servers.ts';

/** Opens a database of PostgreSQL, and connects at its first use. @throws StoreError for a URL that can't be read */
export function openPostgres(options: StoreOptions): Store {
  const { url, renewed = () => url, root } = options;
  checkSchema(options.schema);
  const servers = new Servers(renewed, { root, target: 'read-write' });
  const { location } = servers;
  const config = configOf(servers, { bounds: options.bounds, schema: options.schema });
  const replicas = options.replicas && {
    lag: options.replicas.lag,
    configs: replicaConfigs(options, options.replicas),
  };
  const connections = share(options.connections ?? 20);
  const pool = openPool(config, connections.tables, options.onError ?? (() => {}));
  const db: Db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: statementSpans('postgresql'),
  });
  const lines = new Lines();
  const transaction: Store['transaction'] = (work, about) =>
    about === undefined ? transactPatiently(db, work) : lines.run(about, () => transactPatiently(db, work));
  const schema = schemaOf(location, db, transaction);
  const { engine = 'postgresql' } = options;
  const access: PostgresAccess = { config, engine, connections, replicas, queue: () => installation.queue() };
  const installation = new Installation({
    ...{ location, db, engine, schema: options.schema, applied: appliedSteps, alone: schema.alone },
  });
  const sampleData: SampleDataAccess = {
    ...{ location, db },
    alone: (work) => locked(transaction, work),
    run: (tx, sql) => tx.executeQuery(CompiledQuery.raw(sql)),
    isGone: (error) => NO_SAVEPOINT.has(errorCode(error)),
    describe: (error) => describePostgres(location, error),
  };
  const project = projectOf({ location, config, db, engine, transaction });
  let closing: Promise<void> | undefined;
  return {
    kind: 'postgres',
    location,
    files: filesOf(servers.database, root),
    postgres: access,
    tables: async () => db,
    transaction,
    pending: async (files = {}) => {
      const applied = await schema.applied();
      const steps = await planOf(lacking(location, applied), 'postgres', applied);
      const [before, after] = await described(location, async () => [
        await installation.pendingSchema(),
        await installation.pendingQueue(),
      ]);
      const own = await pendingProject(project, files);
      return [...before, ...steps, ...after, ...own, ...(await pendingSampleData(sampleData, files.sampleData ?? []))];
    },
    async migrate(onStep = () => {}) {
      await described(location, () => installation.createSchema(onStep));
      await migrate(schema, onStep);
      await described(location, () => installation.createQueue(onStep));
    },
    migrateProject: (files, onFile) => migrateProject(project, files, onFile),
    baseline: (files, upTo, onFile) => baseline(project, files, upTo, onFile),
    loadSampleData: (files, onFile) => loadSampleData(sampleData, files, onFile),
    async warnings(gateways) {
      if (gateways === 0) return [];
      const { tables, queries, queue } = connections;
      // One more listens, and one asks how far replicas may be behind.
      const need = { gateways, each: tables + queries + queue + (replicas === undefined ? 1 : 2) };
      const all = [servers, ...(replicas?.configs ?? []).map((each) => each.servers)];
      return [...all.map(unverified), await tooFew(db, location, need)].filter((each) => each !== undefined);
    },
    ready: () => pool.ready(),
    pool: () => pool.status(),
    close() {
      closing ??= pool.end();
      return closing;
    },
  };
}

function replicaConfigs({ root, bounds, schema }: StoreOptions, { urls }: ReplicaAccess): ConnectionConfig[] {
  return urls().map((each, index) =>
    configOf(
      replicaServers(() => urls()[index] ?? each, root),
      { bounds, schema },
    ),
  );
}

/** The limits that apply to connections, and who holds some. Other users' sessions show no name to a user without privileges. */
interface Connections {
  /** `max_connections` without those for superusers, or a lower limit of the role or the database. */
  readonly most: number;
  /** Of other gateways, and of anyone else. */
  readonly gateways: number;
  readonly others: number;
}

const CONNECTIONS = sql<Connections>`
  with held as (
    select coalesce(application_name, '') as name from pg_catalog.pg_stat_activity
    where datid is not null and coalesce(backend_type, 'client backend') = 'client backend'
  )
  select
    least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0),
      (select nullif(rolconnlimit, -1) from pg_catalog.pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_catalog.pg_database where datname = current_database())
    ) as most,
    (select count(*)::int from held where name like 'signalbox %' and split_part(split_part(name, ' ', 3), '/', 1) <> ${FAMILY}) as gateways,
    (select count(*)::int from held where name not like 'signalbox %') as others`;

/** Warns when the gateways of this machine may need more connections than are left. */
async function tooFew(
  db: Db,
  location: string,
  { gateways, each }: { readonly gateways: number; readonly each: number },
): Promise<string | undefined> {
  const { rows } = await CONNECTIONS.execute(db);
  const found = rows[0] as Connections;
  const need = gateways * each;
  if (need + found.gateways + found.others <= found.most) return undefined;
  const own = gateways === 1 ? `this gateway may take ${each}` : `these ${gateways} gateways may take ${each} each`;
  return `${location} allows ${found.most} connections, which may not be enough: ${own}, other gateways hold ${found.gateways} now, and other programs ${found.others}. Raise max_connections, or a limit of the role or the database, or lower \`connections\` of \`database:\`.`;
}

/** SQLSTATE of a savepoint that does not exist, or of no transaction that could have one. */
const NO_SAVEPOINT = new Set(['3B001', '25P01']);

/** Runs work in a transaction during which no other process changes the schema or loads sample data. */
function locked<T>(transaction: Store['transaction'], work: (tx: Db) => Promise<T>): Promise<T> {
  // A step may take as long as its tables need, and others wait for it. The database ends one whose process hangs.
  return withDeadline(deadlineIn(Number.POSITIVE_INFINITY), () =>
    transaction(async (tx) => {
      await sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`.execute(tx);
      await lockSteps(tx);
      return work(tx);
    }),
  );
}

/** @throws StoreError */
function checkSchema(schema: string | undefined): void {
  const fault = schema === undefined ? undefined : schemaFault(schema);
  if (fault !== undefined) throw new StoreError('', `the schema of the database can't be used: ${fault}`);
}

/** Divides the connections: four tenths for tables, four for queries, the rest for the queue. */
function share(connections: number): PostgresAccess['connections'] {
  const tables = Math.max(2, Math.floor(connections * 0.4));
  const queries = Math.max(2, Math.floor(connections * 0.4));
  return { tables, queries, queue: Math.max(2, connections - tables - queries) };
}

/** Runs work; what fails is described for an operator. */
async function described<T>(location: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw describePostgres(location, error);
  }
}

function schemaOf(location: string, db: Db, transaction: Store['transaction']): SchemaAccess {
  return {
    kind: 'postgres',
    location,
    applied: () => described(location, () => appliedSteps(db)),
    alone: (work) =>
      described(location, async () => {
        await makeStepTables(db);
        return locked(transaction, work);
      }),
  };
}

/** The name of the right to run a migration without a transaction, for as long as one runs. */
const APART = 'project-migration';

/** Milliseconds for which that right outlives a process that ended or hangs. */
const HELD = 30_000;

/** Milliseconds between two tries to get it. */
const WAIT = 250;

/** The database that a project's migrations run on. */
interface ProjectDatabase {
  readonly location: string;
  readonly config: ConnectionConfig;
  /** For the gateway's own tables. */
  readonly db: Db;
  readonly engine: DatabaseEngine;
  readonly transaction: Store['transaction'];
}

function projectOf({ location, config, db, engine, transaction }: ProjectDatabase): ProjectAccess {
  /** Runs work with one connection of its own, whose settings and temporary tables end with it. */
  const separately = (work: (own: Db) => Promise<void>): Promise<void> =>
    described(location, async () => {
      const pool = openPool(config, 1, () => {});
      try {
        await work(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }));
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

/** How often creating the tables is tried. */
const TRIES = 10;

/** SQLSTATE of `create table if not exists` when another process creates the same table at the same time. */
const COLLIDED = new Set(['23505', '42P07', '42710', 'XX000', '40001']);

/** SQLSTATE of a table that does not exist. */
const UNDEFINED_TABLE = '42P01';

/** The steps that were run on the database. */
async function appliedSteps(db: Db): Promise<AppliedStep[]> {
  try {
    return await db.selectFrom('signalbox_migration').selectAll().execute();
  } catch (error) {
    if (errorCode(error) === UNDEFINED_TABLE) return [];
    throw error;
  }
}

/** Creates the tables that the steps themselves need, even when other processes do so at the same time. */
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
 * Waits until no other process changes the schema or loads sample data, and excludes others until the transaction ends. The
 * lock is a row, because advisory locks are not available on all engines.
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
  await sql`alter table signalbox_migration add column if not exists compatible_with text`.execute(db);
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
