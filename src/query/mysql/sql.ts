import { type SqlToken, scanSql } from '../../wire/sql.ts';
import { neutralText } from '../connected/keys.ts';
import { NOT_A_SELECT } from '../runner.ts';
import type { ChildStatement, Keys, Refusal } from '../server/connection.ts';

/**
 * Functions that read files of the server, take lasting locks, wait for other servers, or run commands; the last ones belong to
 * extensions. Writes to tables and sequences are rejected by the read-only transaction itself.
 */
const FUNCTIONS =
  /^(?:load_file|get_lock|release_lock|release_all_locks|(?:master|source)_pos_wait|master_gtid_wait|wait_for_executed_gtid_set|wait_until_sql_thread_after_gtids|setval|sys_(?:exec|eval|set|get)|lib_mysqludf_\w+|spider_\w+|version_tokens_\w+|service_get_\w+_locks|service_release_locks)$/;

/** The keywords that a reading statement may begin with. */
const BEGINNINGS = new Set(['select', 'with', 'values']);

/**
 * Finds effects of a SELECT other than reading. A read-only transaction prevents writes to rows, but not a SELECT that writes
 * a file of the server, locks rows, or calls a function with side effects. Access to tables and to user-defined functions is
 * controlled by the privileges of the database's user, who should have SELECT only.
 */
export function findRefused(sql: string): Refusal | undefined {
  const tokens = scanSql(sql, 'mysql');
  const [first] = tokens;
  if (first?.kind !== 'word' || first.depth > 0 || !BEGINNINGS.has(first.text.toLowerCase()))
    return { message: NOT_A_SELECT, offset: 0 };
  for (const [index, token] of tokens.entries()) {
    const message = refusalOf(token, tokens[index + 1], sql);
    if (message !== undefined) return { message, offset: token.offset };
  }
  return undefined;
}

function refusalOf(token: SqlToken, next: SqlToken | undefined, sql: string): string | undefined {
  if (token.kind === 'executable')
    return 'the server runs what a comment like this one holds; write that without the comment, or leave it out';
  if (token.kind === 'semicolon' && next !== undefined) return 'there is more than one statement';
  const name = nameOf(token, sql);
  if (name === undefined) return undefined;
  if (FUNCTIONS.test(name) && isCalled(token.offset, sql)) return `the function ${name} does more than read`;
  if (token.kind !== 'word') return undefined;
  const following = next?.kind === 'word' ? next.text.toLowerCase() : '';
  if (name === 'into') return 'INTO does more than read; leave it out';
  if (name === 'for' && (following === 'update' || following === 'share'))
    return `FOR ${following.toUpperCase()} does more than read; leave it out`;
  if (name === 'lock' && following === 'in') return 'LOCK IN SHARE MODE does more than read; leave it out';
  return undefined;
}

/** A name in the form that the server compares. A quoted name can call a function too. */
function nameOf(token: SqlToken, sql: string): string | undefined {
  if (token.kind === 'word') return token.text.toLowerCase();
  if (token.kind !== 'other') return undefined;
  QUOTED.lastIndex = token.offset;
  return QUOTED.exec(sql)?.[1]?.replaceAll('``', '`').toLowerCase();
}

const QUOTED = /`((?:[^`]|``)*)`/y;
const CALLED = /(?:`(?:[^`]|``)*`|[\p{L}_][\p{L}\p{N}_$]*)(?:\s|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*\(/uy;

function isCalled(offset: number, sql: string): boolean {
  CALLED.lastIndex = offset;
  return CALLED.test(sql);
}

/** The largest number of rows in a LIMIT or a setting. */
export const ALL_ROWS = 18_446_744_073_709_551_615n;

/**
 * A child's statement, restricted to rows with one of the keys. The last key is repeated up to a power of two, so that few
 * statements are prepared. Each column is matched separately, which may find combinations that are not a key: the reader of the
 * rows drops these.
 */
export function childStatement(sql: string, columns: readonly string[], { values, kinds }: Keys): ChildStatement {
  const lists = kinds.map((kind, index) => [...new Set(values.map((key) => neutralText(kind, key[index] ?? null)))]);
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, ...lists.map((list) => list.length))));
  const places = Array.from({ length: count }, (_, place) => place);
  const signs = places.map(() => '?').join();
  const conditions = columns.map((name) => `signalbox_child.\`${name.replaceAll('`', '``')}\` in (${signs})`);
  return {
    sql: `select * from (\n${ordered(sql)}\n) as signalbox_child where ${conditions.join(' and ')}`,
    variant: `keys ${count}`,
    values: lists.flatMap((list) => places.map((place) => list[Math.min(place, list.length - 1)] ?? null)),
    kinds: kinds.flatMap((kind) => places.map(() => kind)),
  };
}

/**
 * A statement that keeps its row order as a subquery: there the server ignores ORDER BY without a LIMIT.
 */
function ordered(sql: string): string {
  const words = scanSql(sql, 'mysql').flatMap((token) =>
    token.kind === 'word' && token.depth === 0 ? [token.text.toLowerCase()] : [],
  );
  const order = words.findIndex((word, index) => word === 'order' && words[index + 1] === 'by');
  return order < 0 || words.includes('limit', order) ? sql : `${sql}\nlimit ${ALL_ROWS}`;
}
