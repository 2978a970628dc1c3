import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RowsSource } from '../../src/query/sqlite/statement.ts';

function databaseOf(rows: number): Database.Database {
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
  database.exec(`
    create table t (id integer primary key, name text);
    insert into t with recursive c(x) as (select 1 union all select x + 1 from c where x < ${rows}) select x, 'n' || x from c;`);
  return database;
}

/** The first column of the rows, and whether they were read at once. */
function read(source: RowsSource, wanted: number, values: readonly unknown[] = []): { at: bigint[]; once: boolean } {
  const rows = source.read(values, wanted);
  const at: bigint[] = [];
  for (const [id] of rows) at.push(BigInt(String(id)));
  return { at, once: Array.isArray(rows) };
}

const upTo = (count: number): bigint[] => Array.from({ length: count }, (_, index) => BigInt(index + 1));

describe('reading at once', () => {
  it.each([
    'select id from t order by id',
    'select id from t order by id;',
    'select id from t where id <= 400 union all select id from t where id > 400 order by id',
    'with c as (select id from t) select id from c order by id',
  ])('is bounded by a LIMIT of ours where few rows are wanted: %s', (sql) => {
    const source = new RowsSource(databaseOf(1000), sql);
    expect(read(source, 7)).toEqual({ at: upTo(7), once: true });
    expect(read(source, 256)).toEqual({ at: upTo(256), once: true });
    expect(read(source, 257)).toEqual({ at: upTo(1000), once: false });
  });

  it('binds the prompts beside it', () => {
    const source = new RowsSource(
      databaseOf(1000),
      'select id from t where id > cast(? as integer) and id < cast(? as integer)',
    );
    expect(read(source, 3, ['10', '20'])).toEqual({ at: [11n, 12n, 13n], once: true });
  });

  it.each([
    ['select id from t order by id limit 5', 5],
    ['select id from t order by id LIMIT 256 ;', 256],
  ])('trusts a small LIMIT of the statement: %s', (sql, count) => {
    const source = new RowsSource(databaseOf(1000), sql);
    expect(read(source, 100_000)).toEqual({ at: upTo(count), once: true });
  });

  it.each([
    ['select id from t order by id limit 257', 257],
    ['select id from t order by id limit 5 offset 0', 5],
    ['select id from t order by id limit 2 + 3', 5],
    ['select id from t order by id -- limit 5', 1000],
    ['select id from t order by id -- no more', 1000],
    ['select id from t order by id /* limit 5', 1000],
  ])('is left where nothing is sure to bound it: %s', (sql, count) => {
    const source = new RowsSource(databaseOf(1000), sql);
    expect(read(source, 5)).toEqual({ at: upTo(count), once: false });
  });

  it('is for queries that were small before, until one is large', () => {
    const source = new RowsSource(databaseOf(1000), 'select id from t where id <= cast(? as integer) order by id');
    expect(read(source, 100_000, [3])).toEqual({ at: upTo(3), once: false });
    source.learn(3, 100);
    expect(read(source, 100_000, [256])).toEqual({ at: upTo(256), once: true });
    expect(read(source, 100_000, [257])).toEqual({ at: upTo(257), once: false });
    expect(read(source, 100_000, [3])).toEqual({ at: upTo(3), once: false });
    source.learn(3, 100);
    expect(read(source, 100_000, [3]).once).toBe(false);
  });

  it('is not for few rows that are wide', () => {
    const source = new RowsSource(databaseOf(10), 'select id from t order by id');
    read(source, 100_000);
    source.learn(3, 1_000_000);
    expect(read(source, 100_000).once).toBe(false);
  });
});
