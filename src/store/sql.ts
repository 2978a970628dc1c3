import { AsyncLocalStorage } from 'node:async_hooks';
import { CompiledQuery } from 'kysely';
import { Fault } from '../model/fault.ts';
import type { SqlTransaction, Transaction } from '../model/handler.ts';
import type { Value } from '../model/value.ts';
import { type SqlToken, scanSql } from '../wire/sql.ts';
import { untilAborted, withinTime } from '../wire/waiting.ts';
import { unhurried } from './deadline.ts';
import type { Store } from './store-port.ts';
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
    async execute<R extends object>(sql: string, values: Readonly<Record<string, Value>> = {}) {
      const cut = cutOnce(sql, kind);
      checkNames(cut, values);
      const bound = cut.names.map((name) => bind(name, values[name], kind));
      const query = CompiledQuery.raw(cut.sql, bound);
      const { rows, numAffectedRows } = await unhurried(() => tx.executeQuery<R>(query));
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

/** The transaction that code runs in; `undefined` outside of one. */
const current = new AsyncLocalStorage<Gate>();

/**
 * Refuses what would wait for a transaction of the calling code, or miss its writes.
 * @param what the method of the context, which {@link Transaction} has too, or replaces
 * @throws Error
 */
export function requireOutside(what: 'readComponent' | 'saveComponent' | 'transaction' | 'publish'): void {
  if (current.getStore()?.closed !== false) return;
  const remedy = what === 'transaction' ? 'use the transaction that is open' : `use ${what} of the transaction`;
  throw new Error(`context.${what} was called inside a transaction: ${remedy}`);
}

/** How long code may use a transaction. */
interface Bounds {
  /** Ends it when it aborts. */
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly limit: number;
  /** The error when they are over. */
  readonly late: () => Error;
}

/**
 * Runs code with a transaction. Its calls run one after the other. Once the code has ended or was abandoned, the transaction is
 * closed to it, and calls under way are awaited.
 * @throws what the code throws, or what a call throws that it did not await; `late`; the reason of the signal
 */
export async function runInTransaction<T>(
  transaction: Transaction,
  code: (transaction: Transaction) => T | Promise<T>,
  bounds?: Bounds,
): Promise<T> {
  const gate = new Gate(transaction);
  const run = async (): Promise<T> => {
    const done = await current.run(gate, async () => code(gate.open));
    await gate.close();
    return done;
  };
  try {
    if (bounds === undefined) return await run();
    return await withinTime(untilAborted(run(), bounds.signal), bounds.limit, bounds.late);
  } finally {
    // A save takes several statements: none may run after the end of the transaction, where it would be on its own.
    await gate.close().catch(() => undefined);
  }
}

/** Access to a transaction that can be closed. */
class Gate {
  readonly open: Transaction;
  readonly #begun = new Set<Promise<unknown>>();
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(inside: Transaction) {
    this.open = {
      execute: (...given) => this.#let(() => inside.execute(...given)) as never,
      query: (...given) => this.#let(() => inside.query(...given)),
      readComponent: (...given) => this.#let(() => inside.readComponent(...given)),
      saveComponent: (...given) => this.#let(() => inside.saveComponent(...given)),
      schedule: (...given) => this.#let(() => inside.schedule(...given)),
      publish: (...given) => this.#let(() => inside.publish(...given)),
    };
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Refuses new calls, and waits for those under way. @throws what these throw */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = await Promise.allSettled(this.#begun);
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  #let<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('the transaction is over: await everything that it does'));
    // The statements of two calls must not mix: a query has a savepoint of its own.
    const work = this.#last.then(begin, begin);
    this.#last = work;
    this.#begun.add(work);
    // Handling the rejection here keeps work that code does not await from ending the gateway.
    const over = (): unknown => this.#begun.delete(work);
    work.then(over, over);
    return work;
  }
}
