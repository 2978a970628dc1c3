import { setTimeout as pause } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { schemaFault } from '../../model/gateway.ts';
import { errorCode, StoreError } from '../error.ts';
import { baseline, migrateProject, pendingProject } from '../schema/project.ts';
import { provenanceOf, rebuildProject } from '../schema/rebuild.ts';
import { loadSampleData, pendingSampleData, type SampleDataAccess } from '../schema/sample-data.ts';
import { lacking, migrate, planOf, type SchemaAccess } from '../schema/schema.ts';
import { statementSpans } from '../spans.ts';
import type { DatabaseCondition, PostgresAccess, ReplicaAccess, Store, StoreOptions } from '../store-port.ts';
import type { AppliedStep, Db, Tables } from '../tables.ts';
import { Lines, transactPatiently } from '../transaction.ts';
import { filesOf } from '../url.ts';
import type { ConnectionConfig } from './connection-config.ts';
import { describePostgres } from './error.ts';
import { Installation } from './installation.ts';
import { configOf, FAMILY, openPool, type TablePool } from './pool.ts';
import { described, locked, projectOf, rehearse } from './project.ts';
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
  const builderOver = (each: TablePool): Db =>
    new Kysely<Tables>({ dialect: new PostgresDialect({ pool: each }), log: statementSpans('postgresql') });
  const db = builderOver(pool);
  // One connection, opened when it is needed, and closed after ten seconds without use.
  const single = openPool(config, 1, options.onError ?? (() => {}));
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
    // A read of the relatives waits for rows that a transaction has not committed.
    ...(engine === 'postgresql' ? { apart: builderOver(single) } : {}),
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
    migrateProject: (files, onFile, by) => migrateProject(project, files, onFile, by),
    provenance: async () => provenanceOf(await project.recorded()),
    rebuild: (options) => rebuildProject(project, options),
    baseline: (files, upTo, onFile) => baseline(project, files, upTo, onFile),
    rehearse: (files, work) =>
      rehearse(
        { location, config, engine },
        files,
        async (tx) => {
          for (const { statements } of await installation.pendingSchema())
            await tx.executeQuery(CompiledQuery.raw(statements.join('\n')));
          const alone: SchemaAccess['alone'] = (steps) => make(tx).then(() => steps(tx));
          await migrate({ kind: 'postgres', location, applied: schema.applied, alone });
        },
        work,
      ),
    loadSampleData: (files, onFile) => loadSampleData(sampleData, files, onFile),
    async warnings(gateways) {
      if (gateways === 0) return [];
      const { tables, queries, queue } = connections;
      // One more listens, one is apart, and one asks how far replicas may be behind.
      const need = { gateways, each: tables + queries + queue + (replicas === undefined ? 2 : 3) };
      const all = [servers, ...(replicas?.configs ?? []).map((each) => each.servers)];
      return [...all.map(unverified), await tooFew(db, location, need)].filter((each) => each !== undefined);
    },
    condition: () => described(location, () => conditionOf(db, installation)),
    ready: () => pool.ready(),
    pool: () => pool.status(),
    close() {
      closing ??= Promise.all([pool.end(), single.end()]).then(() => {});
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

const RIGHTS = sql<Pick<DatabaseCondition, 'user' | 'creates'> & { readonly migrated: boolean }>`
  select
    current_user as "user",
    coalesce(
      pg_catalog.has_schema_privilege(pg_catalog.current_schema(), 'create'),
      pg_catalog.has_database_privilege(pg_catalog.current_database(), 'create')
    ) as creates,
    pg_catalog.to_regclass('signalbox_migration') is not null as migrated`;

async function conditionOf(db: Db, installation: Installation): Promise<DatabaseCondition> {
  const { migrated, ...rights } = (await RIGHTS.execute(db)).rows[0]!;
  const locked = migrated ? await lockedTables(db, await installation.queue()) : [];
  // The connection is open by now, so that the time of the reply is short.
  const before = Date.now();
  const { rows } = await sql<{ now: string }>`
    select extract(epoch from pg_catalog.clock_timestamp()) * 1000 as now`.execute(db);
  const here = (before + Date.now()) / 2;
  return { ...rights, locked, ahead: Math.round(Number(rows[0]?.now) - here) };
}

/** Tables of the installation, which has one owner, that this user can't read and write. */
async function lockedTables(db: Db, queue: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname in (pg_catalog.current_schema(), ${queue}) and c.relkind in ('r', 'p')
      and c.relowner = (select relowner from pg_catalog.pg_class where oid = pg_catalog.to_regclass('signalbox_migration'))
      and not (
        pg_catalog.has_schema_privilege(n.oid, 'usage')
        and pg_catalog.has_table_privilege(c.oid, 'select') and pg_catalog.has_table_privilege(c.oid, 'insert')
        and pg_catalog.has_table_privilege(c.oid, 'update') and pg_catalog.has_table_privilege(c.oid, 'delete'))
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** SQLSTATE of a savepoint that does not exist, or of no transaction that could have one. */
const NO_SAVEPOINT = new Set(['3B001', '25P01']);

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
