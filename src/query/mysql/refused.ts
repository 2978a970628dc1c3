import { type SqlToken, scanSql } from '../../wire/sql.ts';
import { NOT_A_SELECT } from '../runner.ts';
import type { Refusal } from '../server/connection.ts';

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
