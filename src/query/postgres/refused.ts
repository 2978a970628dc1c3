import { NOT_A_SELECT } from '../sqlite/statement.ts';
import { readNames } from './names.ts';

/** What a query must not say, and where in its statement that stands. */
export interface Refusal {
  /** A sentence without an end, for the author. */
  readonly message: string;
  /** In the statement as PostgreSQL is given it, from 0. */
  readonly offset: number;
}

/** Answers which of some names are those of functions that may do more than compute: `procs` in small letters. */
export type AskVolatile = (names: readonly string[]) => Promise<readonly string[]>;

/** Volatile functions that only compute, look at the clock, or tell sizes. */
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

/** What a statement that reads begins with. */
const BEGINNINGS = new Set(['select', 'with', 'values']);

/** Functions that run a text as SQL, or wait on another connection, whatever they are declared as. */
const RUNS_TEXT = /^(?:query_to_xml.*|cursor_to_xml.*|crosstab.*|connectby|xpath_table|ts_stat|ts_rewrite|dblink.*)$/;

/**
 * The volatile functions of the server and its extensions among some names; what people made themselves is not looked at. Nor
 * is what takes an `internal` value, which no statement can have: `system`, of TABLESAMPLE, is a name that columns have too.
 */
export const VOLATILE_FUNCTIONS = `
  select distinct p.proname::text from pg_catalog.pg_proc p
  where p.proname = any ($1::text[]) and p.provolatile = 'v' and 'pg_catalog.internal'::regtype <> all (p.proargtypes) and (
    p.pronamespace = (select oid from pg_catalog.pg_namespace where nspname = 'pg_catalog')
    or exists (select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'))`;

/**
 * Looks for what a SELECT can do beside reading: a transaction that can only read stops what writes rows, and nothing else.
 * Functions that change a setting of the session, end other sessions, take locks that last, move sequences, read files of the
 * server, send notifications or run a text as SQL are refused, by one rule: PostgreSQL has to know every function with such
 * an effect as volatile, so all volatile ones of the server and of its extensions are, but for those that are known to do
 * no harm.
 *
 * The rest is the business of the database's role, which should hold SELECT alone and be no superuser: which tables and
 * views can be seen, and what functions do that the database's own people made, or a view calls.
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
