import { CompiledQuery } from 'kysely';
import { Fault } from '../model/fault.ts';
import type { SqlTransaction } from '../model/handler.ts';
import type { Value } from '../model/value.ts';
import { type SqlToken, scanSql } from '../wire/sql.ts';
import { unhurried } from './deadline.ts';
import type { Store } from './port.ts';
import type { Db } from './tables.ts';

/** The number of parsed statements to keep. */
const MOST_STATEMENTS = 500;

/** The first words of statements that begin or end a transaction. */
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

/** A statement whose named placeholders were replaced. */
interface Cut {
  /** With the placeholders of the engine. */
  readonly sql: string;
  /** The names of the bound values in order; a name that occurs twice is listed twice. */
  readonly names: readonly string[];
  /** Whether the rows of the result are those that were changed. */
  readonly returning: boolean;
}

/** The least recently used first. */
const cuts = new Map<string, Cut>();

/** SQL inside a transaction of the gateway's database, with named values: see {@link SqlTransaction}. */
export function sqlTransaction(tx: Db, kind: Store['kind']): SqlTransaction {
  return {
    async execute(sql, values = {}) {
      const cut = cutOnce(sql, kind);
      checkNames(cut, values);
      const bound = cut.names.map((name) => bind(name, values[name], kind));
      const query = CompiledQuery.raw(cut.sql, bound);
      const { rows, numAffectedRows } = await unhurried(() => tx.executeQuery<Record<string, unknown>>(query));
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

/** @throws Error when the text is not one complete statement, or not allowed inside a transaction */
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
    throw new Error('the SQL contains several statements; run each on its own');
  for (const token of tokens) {
    if (token.kind === 'unterminated') throw new Error(`the SQL contains ${token.what} that is not closed`);
    if (token.kind === 'foreign')
      throw new Error(`the SQL contains the placeholder ${token.text}; write a value as :NAME`);
  }
  const first = tokens[0];
  if (first === undefined || first.kind === 'semicolon') throw new Error('the SQL contains no statement');
  if (first.kind === 'word' && OF_TRANSACTIONS.has(first.text.toLowerCase()))
    throw new Error(`the SQL begins with ${first.text}; only the gateway begins and ends the transaction`);
}

function checkNames({ names }: Cut, values: Readonly<Record<string, Value>>): void {
  for (const name of names)
    if (!Object.hasOwn(values, name)) throw new Error(`the SQL uses :${name}, but it has no value`);
  for (const name of Object.keys(values))
    if (!names.includes(name)) throw new Error(`there is a value for ${name}, but the SQL does not use :${name}`);
}

/**
 * Converts a value so that both drivers accept it and store the same.
 * @throws Fault BAD_PARAMETER for a text that no database can store; TypeError for anything but a single value
 */
function bind(name: string, value: Value, kind: Store['kind']): string | number | bigint | null {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'string':
      if (value.includes('\0')) throw Fault.of('BAD_PARAMETER', { name, reason: 'holds a NUL character' });
      return value;
    case 'boolean':
      // PostgreSQL accepts a digit for both a boolean and an integer.
      return value ? 1 : 0;
    case 'number':
      if (!Number.isFinite(value))
        throw new TypeError(`the value of :${name} is ${value}, which is not a number in SQL`);
      // The driver of SQLite binds a number with more than 32 bits as a real.
      return kind === 'sqlite' && Number.isSafeInteger(value) ? BigInt(value) : value;
    case 'bigint':
      return value;
    default:
      if (value === null) return null;
      throw new TypeError(`the value of :${name} is not a text, number, boolean or null; convert it to text`);
  }
}
