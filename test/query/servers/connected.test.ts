import { afterAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/model/query.ts';
import type { QueryCall, QueryPort } from '../../../src/query/index.ts';
import { below } from '../connected-support.ts';
import { databaseOf, query, readersOf, textOf } from '../support.ts';
import { SERVERS } from './support.ts';

const content = `
  insert into customer values (1, 'Ana "A" \\', 'N'), (2, 'Bo', 'S'), (3, 'Cy', 'N'), (null, 'Nobody', null);
  insert into orders values (10, 1, 5.00, '2026-01-01'), (12, 1, 7.50, '2026-01-02'), (11, 1, 2.25, null), (99, null, 0, null);
  insert into line values (10, 5.00, 'nut'), (10, 5.00, 'bolt'), (12, 7.50, 'gear'), (12, 5.00, 'no line'), (11, 7.50, 'none');
  insert into keyed values ('0f8fad5b-d9cb-469f-a165-70867728950e', 'a'), ('0f8fad5b-d9cb-469f-a165-70867728950e', 'b'),
  ('00000000-0000-0000-0000-000000000001', 'c'), (null, 'd');`;

const lines = query(
  'select product, number, total from line where product <> :NOT or :NOT is null order by product desc',
  { PRODUCT: 'string', NUMBER: 'integer', TOTAL: 'decimal' },
  { NOT: 'string' },
  { id: 'LINES' },
);
const orders = below(
  query(
    'select number, customer, total, day from orders order by number -- in order',
    { NUMBER: 'integer', CUSTOMER: 'integer', TOTAL: 'decimal', DAY: 'date' },
    {},
    { id: 'ORDERS' },
  ),
  lines,
  { NUMBER: 'NUMBER', TOTAL: 'TOTAL' },
);
const neighbours = query(
  'select name, region from customer order by name',
  { NAME: 'string', REGION: 'string' },
  {},
  { id: 'NEIGHBOURS' },
);
const customers = below(
  below(
    query('select id, name, region from customer order by name', { ID: 'integer', NAME: 'string', REGION: 'string' }),
    orders,
    { CUSTOMER: 'ID' },
  ),
  neighbours,
  { REGION: 'REGION' },
);
const keyed = query('select id, name from keyed order by name', { ID: 'uuid', NAME: 'string' }, {}, { id: 'KEYED' });
const same = below(keyed, { ...keyed, id: 'SAME' }, { ID: 'ID' });
const self = below(neighbours, { ...neighbours, id: 'SAME' }, { NAME: 'NAME' });

for (const kind of SERVERS) {
  describe.skipIf(!kind.isThere)(`a connected query on ${kind.name}`, async () => {
    if (!kind.isThere) return;
    const small = readersOf(
      await databaseOf(
        `create table customer (id integer, name text, region text); create table orders (number integer, customer integer, total, day);
       create table line (number integer, total, product text); create table keyed (id text, name text); ${content}`,
        afterAll,
      ),
      { readers: 1 },
      afterAll,
    );
    const database = await kind.databaseOf(
      `create table customer (id int, name varchar(20), region char(1)); create table orders (number bigint, customer int, total numeric(8, 2), day date);
     create table line (number int, total numeric(8, 2), product text); create table keyed (id uuid, name text);
     create table many (n int); insert into many ${kind.sql.numbers(2500)}; ${kind.sql.escaped(content)}`,
      afterAll,
    );
    const port = await database.open();
    const run = (on: QueryPort, of: Query, more: Partial<QueryCall> = {}) =>
      on.run({ query: of, prompts: {}, format: 'xmlp', connected: true, ...more });

    it.each<[string, Query, Partial<QueryCall>]>([
      ['three levels', customers, {}],
      ['a prompt of a member', customers, { members: { LINES: { NOT: 'nut' } } }],
      ['columns of the query', customers, { fields: ['NAME'], maxrows: 2 }],
      ['texts with quotes', self, {}],
      ['UUIDs', same, {}],
    ])('is what SQLite makes of the same content: %s', async (_, of, more) => {
      const result = await run(port, of, more);
      // SQLite keeps 5.00 as 5; what counts is that the same rows stand in the same places.
      const plain = (text: string): string => text.replace(/(\.\d*?)0+</g, '$1<').replaceAll('.<', '<');
      expect(plain(await textOf(result))).toBe(plain(await textOf(await run(small, of, more))));
    });

    it('names query, row and column of a value of a row below that does not fit', async () => {
      const [declared, value] = kind.sql.odd.find(([, each]) => /infinity|0000/.test(each)) ?? (['date', ''] as const);
      const odd = query(`select 2 as n, ${value} as v`, { N: 'integer', V: declared }, {}, { id: 'ODD' });
      const top = below(query(`select n from many where n <= 3 order by n`, { N: 'integer' }), odd, { N: 'N' });
      await expect(run(port, top)).rejects.toMatchObject({
        code: 'INTERNAL',
        message: 'Query A_QUERY (row 2, column V) failed because of an internal error.',
      });
    });

    it('reads in batches, and cuts where the caps say so', async () => {
      const child = query('select n from many where n % 2 = 0', { N: 'integer' }, {}, { id: 'CHILD', rows: 1 });
      const top = below(query('select n from many order by n', { N: 'integer' }), child, { N: 'N' });
      const whole = await run(port, top, { format: 'raw' });
      expect(whole).toMatchObject({ rows: 2500, truncated: false });
      const rows = (await textOf(whole)).trimEnd().split('\n');
      expect(rows).toEqual(
        rows.map((_, index) => ((index + 1) % 2 === 0 ? `[${index + 1},[[${index + 1}]]]` : `[${index + 1},[]]`)),
      );
      for (const [rowCap, truncated] of [
        [2500, false],
        [2499, true],
        [500, true],
      ] as const) {
        expect(await run(port, { ...top, rows: rowCap })).toMatchObject({ rows: rowCap, truncated });
      }
      const twice = below(
        query('select 1 as n', { N: 'integer' }),
        { ...child, sql: '', statement: { texts: ['select 1 as n from many'], prompts: [] } },
        { N: 'N' },
      );
      expect(await run(port, twice)).toMatchObject({ rows: 1, truncated: true });
    });

    it('leaves the session as it was, whatever went wrong', async () => {
      const one = await database.open({ connections: 1 });
      const wrong = query(
        kind.sql.failing.replace('from t', 'from many').replaceAll('id', 'n'),
        { N: 'integer' },
        {},
        { id: 'WRONG' },
      );
      const top = below(query('select n from many limit 3', { N: 'integer' }), wrong, { N: 'N' });
      await expect(run(one, top)).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(await run(one, customers)).toMatchObject({ rows: 4 });
      expect(await run(one, customers)).toMatchObject({ rows: 4 });
    });
  });
}
