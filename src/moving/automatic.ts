import { sql } from 'kysely';
import type { Db, Store } from '../store/index.ts';
import { quoted } from './catalogue.ts';
import { MoveError } from './refusals.ts';
import { type MovedTable, run } from './rows.ts';

/**
 * Suspends, for the rest of a transaction, what a database does by itself when rows are written: the triggers of the project,
 * which have done their work on the other database, and foreign keys, which rows fulfil once all of them are there.
 * @returns what restores it, and checks the foreign keys
 */
export async function suspend(
  tx: Db,
  { kind, location }: Pick<Store, 'kind' | 'location'>,
  tables: readonly MovedTable[],
): Promise<() => Promise<void>> {
  const names = tables.map((table) => table.tables[kind].name);
  return kind === 'sqlite' ? suspendSqlite(tx, names, location) : suspendPostgres(tx, names, location);
}

/** Of a foreign key that rows do not fulfil once all are there. */
function dangling(location: string, what: string, cause?: unknown): MoveError {
  return new MoveError(`${what} in ${location}, which would not be there`, {
    hint: 'Nothing was moved. Move the tables of both without --without, or correct the rows first.',
    cause,
  });
}

interface Trigger {
  readonly name: string;
  readonly sql: string;
}

async function suspendSqlite(tx: Db, tables: readonly string[], location: string): Promise<() => Promise<void>> {
  // They are checked at the commit.
  await run(tx, 'pragma defer_foreign_keys = on');
  // A trigger has the name of its table as its statement wrote it.
  const { rows } = await sql<Trigger>`
    select name, sql from sqlite_schema where type = 'trigger' and tbl_name collate nocase in (${sql.join(tables)})`.execute(
    tx,
  );
  for (const { name } of rows) await run(tx, `drop trigger ${quoted(name)}`);
  return async () => {
    for (const trigger of rows) await run(tx, trigger.sql);
    const { rows: broken } = await sql<{ table: string; parent: string }>`
      select t.name as "table", f.parent from pragma_table_list t, pragma_foreign_key_check(t.name) f
      where t.schema = 'main' and t.type = 'table' and t.name not like 'signalbox\\_%' escape '\\' limit 1`.execute(tx);
    const [first] = broken;
    if (first !== undefined)
      throw dangling(location, `rows of ${first.table} refer by a foreign key to rows of ${first.parent}`);
  };
}

/** SQLSTATE foreign_key_violation (PostgreSQL's manual, appendix A). */
const FOREIGN_KEY = '23503';

interface Suspended {
  readonly suspend: string;
  readonly restore: string;
  /** The name of a foreign key, of what and to what. */
  readonly key?: string;
}

async function suspendPostgres(tx: Db, tables: readonly string[], location: string): Promise<() => Promise<void>> {
  const own = sql`pg_catalog.pg_class t join unnest(${tables}::text[]) as own (name) on own.name = t.relname
    and t.relnamespace = (select relnamespace from pg_catalog.pg_class where oid = to_regclass('signalbox_migration'))`;
  // Rows are written to partitions, which may have triggers of their own, and other states of those of their table.
  const below = sql`with recursive below (oid) as (
    select t.oid from ${own} union select i.inhrelid from pg_catalog.pg_inherits i join below b on b.oid = i.inhparent)`;
  // A constraint of a partition goes with that of its table.
  const { rows: keys } = await sql<Suspended>`
    ${below} select format('alter table %s drop constraint %I', t.oid::regclass, c.conname) as suspend,
      format('alter table %s add constraint %I %s', t.oid::regclass, c.conname, pg_get_constraintdef(c.oid)) as restore,
      format('rows of %s refer by the foreign key %s to rows of %s', t.oid::regclass, c.conname, c.confrelid::regclass) as key
    from pg_catalog.pg_constraint c join below t on t.oid = c.conrelid
    where c.contype = 'f' and c.conparentid = 0`.execute(tx);
  const { rows: triggers } = await sql<Suspended>`
    ${below} select format('alter table only %s disable trigger %I', t.oid::regclass, g.tgname) as suspend,
      format('alter table only %s enable %s trigger %I', t.oid::regclass, case g.tgenabled when 'A' then 'always' else '' end, g.tgname)
        as restore
    from pg_catalog.pg_trigger g join below t on t.oid = g.tgrelid
    where not g.tgisinternal and g.tgenabled in ('O', 'A')`.execute(tx);
  const { rows: rules } = await sql<Suspended>`
    ${below} select format('alter table %s disable rule %I', t.oid::regclass, r.rulename) as suspend,
      format('alter table %s enable %s rule %I', t.oid::regclass, case r.ev_enabled when 'A' then 'always' else '' end, r.rulename)
        as restore
    from pg_catalog.pg_rewrite r join below t on t.oid = r.ev_class
    where r.ev_type <> '1' and r.ev_enabled in ('O', 'A')`.execute(tx);
  const all = [...keys, ...triggers, ...rules];
  for (const { suspend } of all) await run(tx, suspend);
  return async () => {
    for (const { restore, key } of all)
      await run(tx, restore).catch((error: unknown) => {
        throw key !== undefined && (error as { code?: unknown }).code === FOREIGN_KEY
          ? dangling(location, key, error)
          : error;
      });
    const { rows: views } = await sql<{ name: string }>`
      with recursive reads (reader, source) as (
        select distinct r.ev_class, d.refobjid from pg_catalog.pg_rewrite r join pg_catalog.pg_depend d
          on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
        where d.refobjid <> r.ev_class
      ), ranked (oid, rank) as (
        select oid, 0 from pg_catalog.pg_class where relkind = 'm'
        union select reader, rank + 1 from ranked join reads on source = ranked.oid
      )
      select v.oid::regclass::text as name from pg_catalog.pg_class v join ranked on ranked.oid = v.oid
      where v.relkind = 'm' and v.relispopulated
        and v.relnamespace = (select relnamespace from pg_catalog.pg_class where oid = to_regclass('signalbox_migration'))
      group by v.oid order by max(rank), v.oid`.execute(tx);
    for (const { name } of views) await run(tx, `refresh materialized view ${name}`);
  };
}

/** The last numbers that a database gave by itself, by tables and columns in lower case; `*` is the column of row ids. */
type Numbers = ReadonlyMap<string, bigint>;

/** Reads the last numbers given. */
export async function readNumbers(tx: Db, kind: Store['kind'], tables: readonly MovedTable[]): Promise<Numbers> {
  const numbers = new Map<string, bigint>();
  if (kind === 'sqlite') {
    if (!(await countsRowIds(tx))) return numbers;
    const { rows } = await sql<{ name: string; seq: number | bigint }>`select name, seq from sqlite_sequence`.execute(
      tx,
    );
    for (const { name, seq } of rows) numbers.set(`${name.toLowerCase()}.*`, BigInt(seq));
    return numbers;
  }
  for (const { table, column, sequence } of await sequencesOf(tx, tables)) {
    const { rows } = await sql<{ last: string; given: boolean }>`
      select last_value::text as last, is_called as given from ${sql.raw(sequence)}`.execute(tx);
    if (rows[0]?.given) numbers.set(`${table.toLowerCase()}.${column.toLowerCase()}`, BigInt(rows[0].last));
  }
  return numbers;
}

/** Lets a database go on after the last number that the other gave, and after the greatest that is there. */
export async function continueNumbers(
  tx: Db,
  kind: Store['kind'],
  tables: readonly MovedTable[],
  numbers: Numbers,
): Promise<void> {
  if (kind === 'sqlite') return continueRowIds(tx, tables, numbers);
  // Several columns may take their numbers from one sequence.
  const columns = Map.groupBy(await sequencesOf(tx, tables), ({ sequence }) => sequence);
  for (const [sequence, of] of columns) {
    const lasts = of.map(({ table, column }) => {
      const name = table.toLowerCase();
      const given = numbers.get(`${name}.${column.toLowerCase()}`) ?? numbers.get(`${name}.*`);
      const greatest = sql`(select max(${sql.ref(column)})::bigint from ${sql.table(table)})`;
      return given === undefined ? greatest : sql`${greatest}, ${String(given)}::bigint`;
    });
    await sql`select setval(${sequence}::text::regclass, last) from (
        select greatest(${sql.join(lasts)}, case when is_called then last_value end) as last from ${sql.raw(sequence)}) as numbers
      where last > 0`.execute(tx);
  }
}

async function countsRowIds(tx: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from sqlite_schema where name = 'sqlite_sequence'`.execute(tx);
  return rows.length > 0;
}

/** A table with AUTOINCREMENT never gives the number of a row that was deleted. */
async function continueRowIds(tx: Db, tables: readonly MovedTable[], numbers: Numbers): Promise<void> {
  if (!(await countsRowIds(tx))) return;
  const { rows: counting } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'`.execute(tx);
  for (const { name } of counting) {
    const moved = tables.find((table) => table.tables.sqlite.name === name);
    const given = moved?.columns.map(({ names }) => numbers.get(`${moved.name}.${names.postgres.toLowerCase()}`));
    const last = given?.find((each) => each !== undefined);
    if (last === undefined) continue;
    await sql`insert into sqlite_sequence (name, seq) select ${name}, 0
      where not exists (select 1 from sqlite_sequence where name = ${name})`.execute(tx);
    await sql`update sqlite_sequence set seq = max(seq, ${last}) where name = ${name}`.execute(tx);
  }
}

interface Sequence {
  readonly table: string;
  readonly column: string;
  /** As in SQL. */
  readonly sequence: string;
}

/** The sequences of identity columns, of serial ones, and of defaults. */
async function sequencesOf(tx: Db, tables: readonly MovedTable[]): Promise<readonly Sequence[]> {
  const names = tables.map((table) => table.tables.postgres.name);
  const { rows } = await sql<Sequence>`
    with used as (
      select d.refobjid as "table", d.refobjsubid as "column", d.objid as sequence from pg_catalog.pg_depend d
      where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')
      union
      select f.adrelid, f.adnum, d.refobjid from pg_catalog.pg_attrdef f join pg_catalog.pg_depend d
        on d.classid = 'pg_attrdef'::regclass and d.objid = f.oid and d.refclassid = 'pg_class'::regclass
    )
    select t.relname as "table", a.attname as "column", format('%I.%I', n.nspname, s.relname) as sequence
    from used join pg_catalog.pg_class s on s.oid = used.sequence and s.relkind = 'S'
      join pg_catalog.pg_namespace n on n.oid = s.relnamespace
      join pg_catalog.pg_class t on t.oid = used."table"
      join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = used."column"
    where t.relname = any(${names}::text[])
      and t.relnamespace = (select relnamespace from pg_catalog.pg_class where oid = to_regclass('signalbox_migration'))`.execute(
    tx,
  );
  return rows;
}
