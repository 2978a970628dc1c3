import { CompiledQuery } from 'kysely';
import { Fault } from '../model/fault.ts';
import type { SqlTransaction } from '../model/handler.ts';
import type { Value } from '../model/value.ts';
import { type SqlToken, scanSql } from '../wire/sql.ts';
import type { Store } from './port.ts';
import type { Db } from './tables.ts';

/** Texts that are kept cut. */
const MOST_STATEMENTS = 500;

/** Words that a statement which begins or ends a transaction begins with. */
const OF_TRANSACTIONS = new Set([
  'begin',
  'start',
  'commit',
  'end',
  'rollback',
  'abort',
  'savepoint',
  'release',
  'prepare',
]);

/** A statement with its placeholders cut out. */
interface Cut {
  /** In the notation of the engine. */
  readonly sql: string;
  /** Names of what is bound, in order; one that occurs twice is there twice. */
  readonly names: readonly string[];
  /** Each row that comes back was changed. */
  readonly returning: boolean;
}

/** The last one used is the last. */
const cuts = new Map<string, Cut>();

/** SQL inside a transaction of the gateway's database, with named values: see {@link SqlTransaction}. */
export function sqlTransaction(tx: Db, kind: Store['kind']): SqlTransaction {
  return {
    async execute(sql, values = {}) {
      const cut = cutOnce(sql, kind);
      checkNames(cut, values);
      const bound = cut.names.map((name) => bind(name, values[name], kind));
      const { rows, numAffectedRows } = await tx.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(cut.sql, bound),
      );
      return { rows, changed: Number(numAffectedRows ?? (cut.returning ? rows.length : 0)) };
    },
  };
}

function cutOnce(sql: string, kind: Store['kind']): Cut {
  const key = `${kind} ${sql}`;
  const cut = cuts.get(key) ?? cutStatement(sql, kind);
  cuts.delete(key);
  cuts.set(key, cut);
  const [oldest] = cuts.keys();
  if (cuts.size > MOST_STATEMENTS && oldest !== undefined) cuts.delete(oldest);
  return cut;
}

/** @throws Error where the text is not one whole statement, or one that a transaction can't hold */
function cutStatement(sql: string, kind: Store['kind']): Cut {
  const tokens = scanSql(sql);
  refuse(tokens);
  const names: string[] = [];
  let text = '';
  let from = 0;
  for (const token of tokens) {
    if (token.kind !== 'prompt') continue;
    names.push(token.name);
    text += sql.slice(from, token.offset) + (kind === 'sqlite' ? '?' : `$${names.length}`);
    from = token.end;
  }
  const words = tokens.filter((token) => token.kind === 'word');
  const returning = words.some(({ text: word, depth }) => depth === 0 && word.toLowerCase() === 'returning');
  return { sql: text + sql.slice(from), names, returning };
}

function refuse(tokens: readonly SqlToken[]): void {
  const end = tokens.findIndex((token) => token.kind === 'semicolon');
  if (end >= 0 && tokens.slice(end).some((token) => token.kind !== 'semicolon'))
    throw new Error('the SQL holds several statements; run each on its own');
  for (const token of tokens) {
    if (token.kind === 'unterminated') throw new Error(`the SQL holds ${token.what} that is not closed`);
    if (token.kind === 'foreign')
      throw new Error(`the SQL holds the placeholder ${token.text}; values are written as :NAME`);
  }
  const first = tokens[0];
  if (first === undefined || first.kind === 'semicolon') throw new Error('the SQL holds no statement');
  if (first.kind === 'word' && OF_TRANSACTIONS.has(first.text.toLowerCase()))
    throw new Error(`the SQL begins with ${first.text}; the transaction is the gateway's to begin and to end`);
}

function checkNames({ names }: Cut, values: Readonly<Record<string, Value>>): void {
  for (const name of names)
    if (!Object.hasOwn(values, name)) throw new Error(`the SQL names :${name}, and no value is given for it`);
  for (const name of Object.keys(values))
    if (!names.includes(name)) throw new Error(`a value is given for ${name}, and the SQL names no :${name}`);
}

/**
 * A value as both drivers take it and store the same.
 * @throws Fault BAD_PARAMETER for a text that no database holds; TypeError for what is no single value
 */
function bind(name: string, value: Value, kind: Store['kind']): string | number | bigint | null {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'string':
      if (value.includes('\0')) throw Fault.of('BAD_PARAMETER', { name, reason: 'holds a NUL character' });
      return value;
    case 'boolean':
      // PostgreSQL reads a digit for a boolean and for an integer alike.
      return value ? 1 : 0;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`the value of :${name} is ${value}, which is no number of SQL`);
      // The driver of SQLite binds a number that has more than 32 bits as a real one.
      return kind === 'sqlite' && Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'bigint':
      return value;
    default:
      if (value === null) return null;
      throw new TypeError(`the value of :${name} is no text, number, boolean or null; make a text of it`);
  }
}
