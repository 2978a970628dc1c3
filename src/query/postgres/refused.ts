import { NOT_A_SELECT } from '../runner.ts';
import type { Refusal } from '../server/connection.ts';

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

// The lexical structure of SQL as PostgreSQL reads it (its manual, section 4.1, and src/backend/parser/scan.l): what the
// scan that serves both engines leaves open, such as comments inside comments, decides here what is a name and what is text.

/** A name that something is called by. */
interface CalledName {
  /** As the database reads it: in lower case unless it was quoted. */
  readonly name: string;
  readonly offset: number;
}

/** A name in a statement. */
interface Name extends CalledName {
  readonly end: number;
  readonly quoted: boolean;
  /**
   * Stands behind a dot: a column, a field, or a function that is called with what stands before, be that a value, `('a').f`,
   * or the alias of a table or of a function's result, `a.f` (section 8.16.3). Which of them it is the database alone knows.
   */
  readonly selected: boolean;
}

const SPACE = /[ \t\n\r\f\v]+|--[^\n\r]*/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const PLAIN = /'(?:[^']|'')*'?/y;
const ESCAPED = /'(?:[^'\\]|''|\\[\s\S])*'?/y;
const QUOTED = /"(?:[^"]|"")*"?/y;
const NUMBER = /\d+/y;

function lengthAt(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0].length ?? 0;
}

/** Behind white space and comments, which may stand inside each other. */
function behindSpace(sql: string, start: number): number {
  let at = start;
  for (;;) {
    const space = lengthAt(SPACE, sql, at);
    if (space > 0) at += space;
    else if (sql.startsWith('/*', at)) at = behindComment(sql, at);
    else return at;
  }
}

function behindComment(sql: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < sql.length) {
    if (sql.startsWith('/*', at)) {
      depth += 1;
      at += 2;
    } else if (sql.startsWith('*/', at)) {
      depth -= 1;
      at += 2;
      if (depth === 0) return at;
    } else at += 1;
  }
  return at;
}

/** Behind a literal that begins at a quote or a dollar; the same place where there is none. */
function behindLiteral(sql: string, at: number): number {
  if (sql[at] === "'") return at + lengthAt(PLAIN, sql, at);
  const mark = lengthAt(DOLLAR, sql, at);
  if (mark === 0) return at;
  const end = sql.indexOf(sql.slice(at, at + mark), at + mark);
  return end < 0 ? sql.length : end + mark;
}

/** Every name and keyword of a statement, in order. */
function namesIn(sql: string): Name[] {
  const names: Name[] = [];
  let isBehindDot = false;
  let at = behindSpace(sql, 0);
  while (at < sql.length) {
    const offset = at;
    const found = nameAt(sql, at);
    if (found === undefined) {
      at = behindOther(sql, at);
      isBehindDot = sql[offset] === '.';
    } else {
      at = found.end;
      names.push({ ...found, offset, selected: isBehindDot });
      isBehindDot = false;
    }
    at = behindSpace(sql, at);
  }
  return names;
}

/** The name that begins at a place. */
function nameAt(sql: string, at: number): Pick<Name, 'name' | 'end' | 'quoted'> | undefined {
  if (sql[at] === '"') {
    const end = at + lengthAt(QUOTED, sql, at);
    return { name: sql.slice(at + 1, end - 1).replaceAll('""', '"'), end, quoted: true };
  }
  const end = at + lengthAt(WORD, sql, at);
  if (end === at || isEscaped(sql, at, end)) return undefined;
  return { name: sql.slice(at, end).toLowerCase(), end, quoted: false };
}

/** A letter right before a quote says how the literal is written. */
function isEscaped(sql: string, at: number, end: number): boolean {
  return sql[end] === "'" && /^e$/i.test(sql.slice(at, end));
}

/** Behind a literal, a number or a sign. */
function behindOther(sql: string, at: number): number {
  if (isEscaped(sql, at, at + 1)) return at + 1 + lengthAt(ESCAPED, sql, at + 1);
  const literal = behindLiteral(sql, at);
  return literal > at ? literal : at + Math.max(1, lengthAt(NUMBER, sql, at));
}

/** The names that a statement calls, and the constructs that are forbidden in any query. */
interface Names {
  /** Names before a parenthesis, and behind a dot: functions, and keywords, columns and fields that look like them. */
  readonly called: readonly CalledName[];
  /** `select ... into`, `for update` and their like. */
  readonly clause: { readonly text: string; readonly offset: number } | undefined;
  /** The first word, in lower case; empty if it begins with something else. */
  readonly first: string;
  /** A name with Unicode escapes, which could be any name. */
  readonly escaped: { readonly offset: number } | undefined;
}

const LOCKS = new Set(['update', 'share', 'no', 'key']);

/** Reads the names of a statement. */
export function readNames(sql: string): Names {
  const names = namesIn(sql);
  const clauseAt = names.findIndex(
    ({ name, quoted }, index) =>
      !quoted && (name === 'into' || (name === 'for' && LOCKS.has(names[index + 1]?.name ?? ''))),
  );
  const clause = names[clauseAt];
  const escaped = names.find(({ quoted, offset }) => quoted && /u&$/i.test(sql.slice(Math.max(0, offset - 2), offset)));
  return {
    called: names.filter(({ end, selected }) => selected || sql[behindSpace(sql, end)] === '('),
    clause: clause && {
      text: clause.name === 'into' ? 'INTO' : `FOR ${names[clauseAt + 1]?.name.toUpperCase()}`,
      offset: clause.offset,
    },
    first: sql.startsWith('(', behindSpace(sql, 0)) ? '' : (names[0]?.name ?? ''),
    escaped,
  };
}
