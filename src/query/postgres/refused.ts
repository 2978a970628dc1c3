import { NOT_A_SELECT } from '../runner.ts';
import type { Refusal } from '../server/connection.ts';
import { readNames } from './called-names.ts';

/** Returns the names of functions that may have side effects among the given lower-case names. */
type AskVolatile = (names: readonly string[]) => Promise<readonly string[]>;

/** Volatile functions that only compute, read the clock, or return sizes. */
const HARMLESS = new Set([
  'clock_timestamp',
  'gen_random_bytes',
  'gen_random_uuid',
  'gen_salt',
  'normal_rand',
  'pg_column_compression',
  'pg_database_size',
  'pg_indexes_size',
  'pg_is_in_recovery',
  'pg_relation_size',
  'pg_sleep',
  'pg_sleep_for',
  'pg_sleep_until',
  'pg_table_size',
  'pg_tablespace_size',
  'pg_total_relation_size',
  'random',
  'random_normal',
  'timeofday',
  'uuid_generate_v1',
  'uuid_generate_v1mc',
  'uuid_generate_v4',
  'uuidv4',
  'uuidv7',
]);

/** The keywords that a reading statement may begin with. */
const BEGINNINGS = new Set(['select', 'with', 'values']);

/** Functions that run a text as SQL, or wait on another connection, whatever they are declared as. */
const RUNS_TEXT = /^(?:query_to_xml.*|cursor_to_xml.*|crosstab.*|connectby|xpath_table|ts_stat|ts_rewrite|dblink.*)$/;

/**
 * Selects the volatile functions of the server and its extensions among some names. User-defined functions are excluded, as are
 * functions with an `internal` parameter, which no statement can call: `system`, of TABLESAMPLE, is a common column name.
 */
const VOLATILE_FUNCTIONS = `
  select distinct p.proname::text from pg_catalog.pg_proc p
  where p.proname = any ($1::text[]) and p.provolatile = 'v' and 'pg_catalog.internal'::regtype <> all (p.proargtypes) and (
    p.pronamespace = (select oid from pg_catalog.pg_namespace where nspname = 'pg_catalog')
    or exists (select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'))`;

/** Runs the gateway's own statements. */
interface Asking {
  ask(text: string, values: readonly unknown[]): Promise<readonly (readonly unknown[])[]>;
}

/** Those of some names that are volatile functions of the server. @throws errors of the database and of the connection */
export async function volatileAmong(session: Asking, names: readonly string[]): Promise<string[]> {
  return (await session.ask(VOLATILE_FUNCTIONS, [names])).map(([name]) => String(name));
}

/**
 * Finds effects of a SELECT other than reading: a read-only transaction prevents writes to rows, and nothing else.
 * Functions that change a setting of the session, end other sessions, take locks that last, move sequences, read files of the
 * server, send notifications or run a text as SQL are refused, by one rule: PostgreSQL has to know every function with such
 * an effect as volatile, so all volatile ones of the server and of its extensions are, but for those that are known to do
 * no harm.
 *
 * The rest is controlled by the privileges of the database's role, which should have SELECT only and not be a superuser: access
 * to tables and views, and the effects of functions that are user-defined or called by a view.
 */
export async function findRefused(sql: string, askVolatile: AskVolatile): Promise<Refusal | undefined> {
  const { called, clause, escaped, first } = readNames(sql);
  if (!BEGINNINGS.has(first)) return { message: NOT_A_SELECT, offset: 0 };
  if (escaped !== undefined)
    return {
      message: "a name with Unicode escapes can't be looked through; write its letters",
      offset: escaped.offset,
    };
  if (clause !== undefined)
    return { message: `${clause.text} does more than read; leave it out`, offset: clause.offset };
  const names = [...new Set(called.map(({ name }) => name))].filter((name) => !HARMLESS.has(name));
  const refused = new Set(names.filter((name) => RUNS_TEXT.test(name)));
  if (names.length > 0) for (const name of await askVolatile(names)) refused.add(name);
  const found = called.find(({ name }) => refused.has(name));
  return found && { message: `the function ${found.name} does more than read`, offset: found.offset };
}
