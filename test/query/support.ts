import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, vi } from 'vitest';
import type { Field, FieldType } from '../../src/model/field.ts';
import type { Query } from '../../src/model/query.ts';
import type { ScalarKind } from '../../src/model/scalar.ts';
import { openQueries, type QueryOptions, type QueryPort, type QueryResult } from '../../src/query/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { field } from '../support/registry.ts';

/** Takes what is to be done when a test, or with vitest's `afterAll` a file of tests, has ended. */
type AtEnd = (task: () => Promise<void>) => void;

/** A real database in a folder that goes at the end, filled by SQL. */
export async function databaseOf(sql: string, atEnd: AtEnd = onTestFinished): Promise<Store> {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-test-'));
  const store = await openStore({ url: 'sqlite:box.db', root });
  atEnd(async () => {
    await store.close();
    rmSync(root, { recursive: true, force: true });
  });
  const database = new Database(store.location);
  database.exec(sql);
  database.close();
  return store;
}

/** Real readers on a database. */
export function readersOf(
  store: Store,
  options: Partial<Omit<QueryOptions, 'store'>> = {},
  atEnd: AtEnd = onTestFinished,
): QueryPort {
  const port = openQueries({ store, timezone: 'UTC', limits: { rows: 100_000, timeout: 20_000 }, ...options });
  atEnd(() => port.close());
  return port;
}

export type Types = Readonly<Record<string, ScalarKind | FieldType | Field>>;

/** A query as the loader makes it; `:NAME` in the SQL is a prompt (these statements have none in literals or comments). */
export function query(sql: string, columns: Types, prompts: Types = {}, more: Partial<Query> = {}): Query {
  const fields = (types: Types): Field[] =>
    Object.entries(types).map(([name, type]) =>
      typeof type === 'object' && 'name' in type ? type : field(name, type),
    );
  const declared = fields(prompts);
  const parts = sql.split(/:([A-Z]+)/);
  const used = parts
    .filter((_, index) => index % 2 === 1)
    .map((name) => {
      const prompt = declared.find((other) => other.name === name);
      if (prompt === undefined) throw new Error(`:${name} is not declared`);
      return prompt;
    });
  const texts = parts.filter((_, index) => index % 2 === 0);
  return {
    id: 'A_QUERY',
    sql,
    statement: { texts, prompts: used },
    prompts: declared,
    columns: fields(columns),
    children: [],
    permissions: [],
    public: true,
    at: { file: 'queries.yaml', line: 1, column: 1 },
    ...more,
  };
}

/** All bytes of a result, whose length must be the one that it says. */
export async function bytesOf(result: QueryResult): Promise<Buffer> {
  const { body } = result;
  const bytes = typeof body === 'function' ? Buffer.concat(await Array.fromAsync(body())) : Buffer.from(body);
  result.dispose?.();
  if (bytes.length !== result.length) throw new Error(`${bytes.length} bytes, said to be ${result.length}`);
  return bytes;
}

export async function textOf(result: QueryResult): Promise<string> {
  return (await bytesOf(result)).toString();
}

/** A query that never ends by itself. */
export const endless = query(
  'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) as n from c',
  {
    N: 'integer',
  },
);

/** Is there a process of this id? */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export const one = query('select 1 as n', { N: 'integer' });
export const quick = (port: QueryPort): Promise<unknown> => port.rows({ query: one, prompts: {} });
export const pids = (port: QueryPort): number[] => port.status().readers.map((reader) => reader.pid);
export const gone = (pid: number): Promise<void> =>
  vi.waitFor(() => expect(lives(pid)).toBe(false), { timeout: 15_000, interval: 5 });
