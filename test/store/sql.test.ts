import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SqlTransaction } from '../../src/model/handler.ts';
import { type Store, sqlTransaction } from '../../src/store/index.ts';
import { describeEngines } from './engines.ts';

/** Runs work with SQL in a transaction. */
const within = <T>(store: Store, work: (sql: SqlTransaction) => Promise<T>): Promise<T> =>
  store.transaction((tx) => work(sqlTransaction(tx, store.kind)));

describeEngines('SQL', ({ place, kind }) => {
  const table = async (): Promise<Store> => {
    const { migrated, run } = await place();
    await run(
      'create table t (id integer primary key, words text, flag integer, big bigint, data ' +
        (kind === 'sqlite' ? 'blob)' : 'bytea)'),
    );
    return migrated();
  };
  const insert = 'insert into t (id, words, flag, big) values (:ID, :WORDS, :FLAG, :BIG)';
  const row = { ID: 1, WORDS: 'a', FLAG: true, BIG: null };

  it('binds values by name, and tells the rows that changed', async () => {
    const store = await table();
    await within(store, async (sql) => {
      expect(await sql.execute(insert, row)).toEqual({ rows: [], changed: 1 });
      await sql.execute(insert, { ...row, ID: 2 });
      expect(await sql.execute('update t set words = :W where words <> :W', { W: 'b' })).toMatchObject({ changed: 2 });
      const returned = await sql.execute('update t set flag = 0 where id = :ID returning id, flag', { ID: 2 });
      expect(returned).toEqual({ rows: [{ id: 2, flag: 0 }], changed: 1 });
      const all = await sql.execute('select id, words, flag, big from t order by id;');
      expect(all).toEqual({
        rows: [
          { id: 1, words: 'b', flag: 1, big: null },
          { id: 2, words: 'b', flag: 0, big: null },
        ],
        changed: 0,
      });
      expect(await sql.execute('delete from t where id > :ID', { ID: 0 })).toEqual({ rows: [], changed: 2 });
    });
  });

  it('leaves alone what only looks like a value', async () => {
    const store = await table();
    const text = `select ':A' as a, 'x' as ":B", :C as c -- :D
      /* :E */ from (select 1 as one) as s where :C = 'c'`;
    const { rows } = await within(store, (sql) =>
      sql.execute(text.replace(':C as c', 'cast(:C as text) as c'), { C: 'c' }),
    );
    expect(rows).toEqual([{ a: ':A', ':B': 'x', c: 'c' }]);
  });

  it('never makes a value part of the text', async () => {
    const store = await table();
    const hostile = "'); drop table t; --";
    await within(store, (sql) => sql.execute(insert, { ...row, WORDS: hostile }));
    const { rows } = await within(store, (sql) => sql.execute('select words from t'));
    expect(rows).toEqual([{ words: hostile }]);
  });

  it.each<[string, Parameters<SqlTransaction['execute']>[1], RegExp]>([
    ['select :A, :B', { A: 1 }, /uses :B, but it has no value/],
    ['select :A', { A: 1, B: 2 }, /there is a value for B, but the SQL does not use :B/],
    ['select :constructor', {}, /uses :constructor, but it has no value/],
    ['select 1; select 2', {}, /several statements/],
    ['select ?', {}, /placeholder \?.*:NAME/],
    ["select 'a", {}, /a literal that is not closed/],
    [' -- nothing', {}, /no statement/],
    ['COMMIT', {}, /begins with COMMIT; only the gateway begins and ends the transaction/],
    ['select :A', { A: 'a\0b' }, /A holds a NUL character/],
    ['select :A', { A: Number.NaN }, /value of :A is NaN/],
    ['select :A', { A: ['a'] }, /value of :A is not a text, number, boolean or null/],
    ['select :A', { A: new Date() as never }, /value of :A is not a text/],
    ['select :A', { A: { contentType: 'a/b', stream: async function* () {} } }, /value of :A is not a text/],
  ])('%j with %j is refused', async (text, values, reason) => {
    const store = await table();
    await expect(within(store, (sql) => sql.execute(text, values))).rejects.toThrow(reason);
  });

  it('keeps nothing where a later statement fails', async () => {
    const store = await table();
    const failing = within(store, async (sql) => {
      await sql.execute(insert, row);
      await sql.execute(insert, row);
    });
    await expect(failing).rejects.toThrow(/unique/i);
    expect((await within(store, (sql) => sql.execute('select id from t'))).rows).toEqual([]);
  });

  it('gives back what was stored: text in any script, whole numbers of eight bytes, booleans, nulls and bytes', async () => {
    const store = await table();
    const text = fc.string({ unit: 'binary' }).map((given) => given.replaceAll('\0', ''));
    const big = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const whole = fc.oneof(fc.maxSafeInteger(), big);
    const record = fc.record({
      words: fc.option(fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String))),
      flag: fc.option(fc.boolean()),
      big: fc.option(whole),
      data: fc.uint8Array({ maxLength: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(record, async ({ words, flag, big: number, data }) => {
        const hex = Buffer.from(data).toString('hex');
        const literal = kind === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`;
        const rows = await within(store, async (sql) => {
          await sql.execute('delete from t');
          await sql.execute(insert, { ID: 1, WORDS: words, FLAG: flag, BIG: number });
          await sql.execute(`update t set data = ${literal}`);
          return (await sql.execute('select words, flag, big, data from t')).rows;
        });
        const exact = number === null || !Number.isSafeInteger(Number(number)) ? number : Number(number);
        const bytes = Buffer.from(data);
        expect(rows).toEqual([{ words, flag: flag === null ? null : Number(flag), big: exact, data: bytes }]);
      }),
      { numRuns: 60 },
    );
  });
});
