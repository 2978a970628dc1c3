import { sql } from 'kysely';
import { StoreError } from '../error.ts';
import type { Provenance, RebuildOptions, Store } from '../store-port.ts';
import { type Db, isOwnTable, OWN_TABLES, type ProjectMigrationTable } from '../tables.ts';
import type { ProjectAccess } from './project.ts';

/** Who ran the migrations of a project on a database. */
export function provenanceOf(rows: readonly ProjectMigrationTable[]): Provenance {
  if (rows.length === 0) return 'none';
  return rows.every(({ state }) => state === 'dev') ? 'dev' : 'released';
}

/**
 * Removes everything that the migrations and the sample data of a project made, in one transaction, so that they run again from
 * the first. What they made in other schemas of PostgreSQL stays.
 * @throws StoreError for a database that `signalbox dev` did not build, without `force`
 */
export async function rebuildProject(
  access: ProjectAccess,
  { everything, force = false }: RebuildOptions,
): Promise<void> {
  const { kind, location } = access;
  await access.alone(async ({ db, run }) => {
    const drops = await (kind === 'sqlite' ? sqliteDrops(db) : postgresDrops(db));
    if (!force && !(await isDevelopment(db, drops.length > 0)))
      throw new StoreError(
        location,
        `the tables of ${location} were not made by signalbox dev: to remove them and all of their rows, add --force`,
      );
    for (const statement of drops) await run(statement);
    const emptied = everything
      ? (await tablesOf(db, kind)).filter((table) => isOwnTable(table) && !KEPT.has(table))
      : [];
    for (const table of emptied) await run(`delete from ${table}`);
    await db.deleteFrom('signalbox_project_migration').execute();
    await db.deleteFrom('signalbox_sample_data').execute();
  });
}

/** Whether all that there is was made by migrations that dev ran, or by sample data alone. */
async function isDevelopment(db: Db, hasObjects: boolean): Promise<boolean> {
  const provenance = provenanceOf(await db.selectFrom('signalbox_project_migration').selectAll().execute());
  if (provenance !== 'none') return provenance === 'dev';
  return !hasObjects || (await db.selectFrom('signalbox_sample_data').select('name').execute()).length > 0;
}

const KEPT: ReadonlySet<string> = new Set(
  Object.entries(OWN_TABLES)
    .filter(([, { rebuild }]) => rebuild === 'kept')
    .map(([table]) => table),
);

interface Named {
  readonly name: string;
}

async function tablesOf(db: Db, kind: Store['kind']): Promise<string[]> {
  const { rows } =
    kind === 'sqlite'
      ? await sql<Named>`select name from sqlite_schema where type = 'table'`.execute(db)
      : await sql<Named>`select tablename as name from pg_catalog.pg_tables where schemaname = current_schema()`.execute(
          db,
        );
  return rows.map(({ name }) => name);
}

/** A virtual table takes its own tables along; indexes go with their tables. */
async function sqliteDrops(db: Db): Promise<string[]> {
  const { rows } = await sql<Named & { readonly type: string }>`
    select s.name, s.type from sqlite_schema s left join pragma_table_list t on t.name = s.name and t.schema = 'main'
    where s.type in ('table', 'view', 'trigger') and coalesce(t.type, '') <> 'shadow' and s.name not like 'sqlite\\_%' escape '\\'
    order by case s.type when 'trigger' then 0 when 'view' then 1 else 2 end`.execute(db);
  return rows
    .filter(({ name }) => !isOwnTable(name))
    .map(({ type, name }) => `drop ${type} if exists "${name.replaceAll('"', '""')}"`);
}

/** Objects of the installation's schema, without those of extensions and of the gateway. */
async function postgresDrops(db: Db): Promise<string[]> {
  const { rows } = await sql<Named & { readonly statement: string }>`
    with here as (select oid from pg_catalog.pg_namespace where nspname = current_schema()),
    of_extension as (select objid from pg_catalog.pg_depend where deptype = 'e')
    select c.relname as name, format('drop %s if exists %I.%I cascade',
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'f' then 'foreign table' else 'table' end,
      current_schema(), c.relname) as statement, 1 as place
    from pg_catalog.pg_class c where c.relnamespace in (select oid from here) and c.relkind in ('v', 'm', 'S', 'f', 'r', 'p')
      and c.oid not in (select objid from of_extension)
    union all
    select p.proname, format('drop %s if exists %s cascade',
      case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end, p.oid::regprocedure), 2
    from pg_catalog.pg_proc p where p.pronamespace in (select oid from here) and p.oid not in (select objid from of_extension)
    union all
    select t.typname, format('drop type if exists %I.%I cascade', current_schema(), t.typname), 3
    from pg_catalog.pg_type t where t.typnamespace in (select oid from here) and t.typtype in ('e', 'd', 'r')
      and t.oid not in (select objid from of_extension)
    order by place`.execute(db);
  return rows.filter(({ name }) => !isOwnTable(name)).map(({ statement }) => statement);
}
