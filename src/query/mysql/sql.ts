import { type SqlToken, scanSql } from '../../wire/sql.ts';
import { neutralText } from '../connected/keys.ts';
import { NOT_A_SELECT } from '../runner.ts';
import type { ChildStatement, Keys, Refusal } from '../server/connection.ts';

/**
 * Functions that read files of the server, take locks that last, wait for other servers, or run commands; the last ones are
 * of extensions. What writes to tables, sequences included, a transaction that only reads refuses.
 */
const FUNCTIONS =
  /^(?:load_file|get_lock|release_lock|release_all_locks|(?:master|source)_pos_wait|master_gtid_wait|wait_for_executed_gtid_set|wait_until_sql_thread_after_gtids|setval|sys_(?:exec|eval|set|get)|lib_mysqludf_\w+|spider_\w+|version_tokens_\w+|service_get_\w+_locks|service_release_locks)$/;

/** What a statement that reads begins with. */
const BEGINNINGS = new Set(['select', 'with', 'values']);

/**
 * Looks for what a SELECT can do beside reading: a transaction that can only read stops what writes rows, but not a SELECT that
 * writes a file of the server, locks rows, or calls a function with an effect of its own. Which tables can be read, and what
 * functions do that the database's own people made, is the business of the database's user, who should hold SELECT alone.
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

/** A name as the server compares it. A quoted one calls a function as well. */
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

/** The most rows that a LIMIT or a setting can name. */
export const ALL_ROWS = 18_446_744_073_709_551_615n;

/**
 * The statement of a child with only the rows that have one of the keys. The number of keys is a power of two, so that few
 * statements are prepared; the last one is repeated. Each column is looked for by itself, which may find pairs that are no key:
 * whoever reads the rows drops them.
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
 * A statement whose rows stay in its own order when it becomes a part of another one: the server ignores ORDER BY there, unless
 * there is a LIMIT too.
 */
function ordered(sql: string): string {
  const words = scanSql(sql, 'mysql').flatMap((token) =>
    token.kind === 'word' && token.depth === 0 ? [token.text.toLowerCase()] : [],
  );
  const order = words.findIndex((word, index) => word === 'order' && words[index + 1] === 'by');
  return order < 0 || words.includes('limit', order) ? sql : `${sql}\nlimit ${ALL_ROWS}`;
}
