import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import type { Query } from '../../src/model/query.ts';
import type { QueryCall, ResultFormat } from '../../src/query/index.ts';
import { planOf } from '../../src/query/plan.ts';
import type { NestedRow } from '../../src/query/render/index.ts';
import { sqlite } from '../../src/query/sqlite/adapter.ts';
import { ConnectedReader } from '../../src/query/sqlite/connected.ts';
import { Executor } from '../../src/query/sqlite/execute.ts';
import { Output } from '../../src/query/sqlite/output.ts';
import { RowsSource } from '../../src/query/sqlite/statement.ts';
import { compileZone } from '../../src/wire/timezone.ts';
import { below } from './connected-support.ts';
import { databaseOf, query, readersOf, textOf } from './support.ts';

const store = await databaseOf(
  `create table customer (id integer, name text, region text);
   insert into customer values (1, 'Ana', 'N'), (2, 'Bo', 'S'), (3, 'Cy', 'N'), (null, 'Nobody', null);
   create table orders (number integer, customer text, total text);
   insert into orders values (10, '1', '5.00'), (12, '1', '7.50'), (11, '1', '2.25'), (20, '3', '1.00'), (99, null, '0.00');
   create table line (number integer, total, product text);
   insert into line values (10, 5, 'nut'), (10, 5.0, 'bolt'), (12, '7.5', 'gear'), (12, 7, 'wrong total'), (20, 1, 'nut');
   create table many (parent integer, n integer);
   insert into many with recursive c(x) as (select 0 union all select x + 1 from c where x < 2999) select x / 3, x from c;`,
  afterAll,
);
const port = readersOf(store, { readers: 1 }, afterAll);

const lines = query(
  'select product, number, total from line where product <> :NOT or :NOT is null order by product desc',
  { PRODUCT: 'string', NUMBER: 'integer', TOTAL: 'decimal' },
  { NOT: 'string' },
  { id: 'LINES' },
);
const orders = below(
  query(
    'select number, customer, total from orders order by number',
    {
      NUMBER: 'integer',
      CUSTOMER: 'integer',
      TOTAL: 'decimal',
    },
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
  {
    id: 'NEIGHBOURS',
  },
);
const customers = below(
  below(
    query('select id, name, region from customer order by name', { ID: 'integer', NAME: 'string', REGION: 'string' }),
    orders,
    {
      CUSTOMER: 'ID',
    },
  ),
  neighbours,
  { REGION: 'REGION' },
);

const run = (call: Partial<QueryCall> = {}) =>
  port.run({ query: customers, prompts: {}, format: 'json', connected: true, ...call });

describe('a connected query', () => {
  it('holds the rows of its children under each row, in their own order', async () => {
    const result = await run({ fields: ['NAME'] });
    const order = (number: number, total: string, products: readonly [string, string][], at: number) =>
      `{"attr:rownumber":${at},"NUMBER":${number},"CUSTOMER":CC,"TOTAL":${total},"LINES":[${products
        .map(
          ([product, of], index) =>
            `{"attr:rownumber":${index + 1},"PRODUCT":"${product}","NUMBER":${number},"TOTAL":${of}}`,
        )
        .join()}]}`;
    const ana = [
      order(
        10,
        '5.00',
        [
          ['nut', '5'],
          ['bolt', '5'],
        ],
        1,
      ),
      order(11, '2.25', [], 2),
      order(12, '7.50', [['gear', '7.5']], 3),
    ]
      .join()
      .replaceAll('CC', '1');
    const cy = order(20, '1.00', [['nut', '1']], 1).replaceAll('CC', '3');
    const north = '{"attr:rownumber":1,"NAME":"Ana","REGION":"N"},{"attr:rownumber":2,"NAME":"Cy","REGION":"N"}';
    expect(await textOf(result)).toBe(
      '{"status":"success","data":{"query":{"numrows":4,"queryname=":"A_QUERY","rows":[' +
        `{"attr:rownumber":1,"NAME":"Ana","ORDERS":[${ana}],"NEIGHBOURS":[${north}]},` +
        '{"attr:rownumber":2,"NAME":"Bo","ORDERS":[],"NEIGHBOURS":[{"attr:rownumber":1,"NAME":"Bo","REGION":"S"}]},' +
        `{"attr:rownumber":3,"NAME":"Cy","ORDERS":[${cy}],"NEIGHBOURS":[${north}]},` +
        '{"attr:rownumber":4,"NAME":"Nobody","ORDERS":[],"NEIGHBOURS":[]}]}}}',
    );
    expect(result).toMatchObject({ rows: 4, truncated: false });
  });

  it('has an element a child in XML', async () => {
    const text = await textOf(await run({ format: 'xmlp', maxrows: 2 }));
    expect(text).toContain(
      '<NAME><![CDATA[Ana]]></NAME><REGION><![CDATA[N]]></REGION><ORDERS><row rownumber="1"><NUMBER>10</NUMBER>' +
        '<CUSTOMER>1</CUSTOMER><TOTAL>5.00</TOTAL><LINES><row rownumber="1"><PRODUCT><![CDATA[nut]]></PRODUCT>',
    );
    expect(text).toMatch(/<NAME><!\[CDATA\[Bo]]><\/NAME>.*<ORDERS><\/ORDERS><NEIGHBOURS><row rownumber="1">/);
  });

  it('is the query alone where nobody asks for its members', async () => {
    expect(await textOf(await run({ connected: false, format: 'csv' }))).toBe(
      'ID,NAME,REGION\r\n1,Ana,N\r\n2,Bo,S\r\n3,Cy,N\r\n,Nobody,\r\n',
    );
  });

  it('gives each member its own prompts', async () => {
    const { data } = JSON.parse(await textOf(await run({ members: { LINES: { NOT: 'nut' } } })));
    expect(data.query.rows[0].ORDERS[0].LINES.map((line: { PRODUCT: string }) => line.PRODUCT)).toEqual(['bolt']);
    await expect(run({ members: { LINE: {} } })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: 'LINE is not a member of A_QUERY.',
    });
    await expect(run({ members: { LINES: { NOTE: 'x' } } })).rejects.toMatchObject({
      message: 'NOTE is not a prompt of LINES.',
    });
  });

  it('names the member whose required prompt is missing', async () => {
    const [NOT] = lines.prompts;
    if (NOT === undefined) throw new Error('there is no prompt');
    const required = { ...lines, prompts: [{ ...NOT, required: true }] };
    const parent = below(query('select 1 as number', { NUMBER: 'integer' }), required, { NUMBER: 'NUMBER' });
    await expect(run({ query: parent })).rejects.toMatchObject({
      code: 'MISSING_PARAMETER',
      message: 'Prompt NOT of LINES is missing.',
    });
  });

  it.each<ResultFormat>(['csv', 'html', 'xlsx', 'webrowset'])('has no place in %s', async (format) => {
    await expect(run({ format })).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: `${format} has no place for the rows of a connected query; json and xmlp have.`,
    });
  });

  it('is refused where there are no members', async () => {
    await expect(run({ query: neighbours })).rejects.toMatchObject({ message: 'NEIGHBOURS is not a connected query.' });
  });
});

describe('the cap of a member', () => {
  it('holds under each row, and says where it cut', async () => {
    const few = { ...neighbours, rows: 1 };
    const parent = below(query('select region from customer order by name', { REGION: 'string' }), few, {
      REGION: 'REGION',
    });
    const result = await run({ query: parent });
    expect(result).toMatchObject({ truncated: true, rows: 4, headers: { 'Rows-Truncated': 'true' } });
    const { data } = JSON.parse(await textOf(result));
    const names = (row: { NEIGHBOURS: { NAME: string }[] }) => row.NEIGHBOURS.map((each) => each.NAME);
    expect(data.query.rows.map(names)).toEqual([['Ana'], ['Bo'], ['Ana'], []]);
  });

  it('is not met by as many rows', async () => {
    const two = { ...neighbours, rows: 2 };
    const parent = below(query('select region from customer', { REGION: 'string' }), two, { REGION: 'REGION' });
    expect(await run({ query: parent })).toMatchObject({ truncated: false });
  });

  it("is the gateway's in all under one row, where they would not fit", async () => {
    const all = query('select 1 as one, n from many', { ONE: 'integer', N: 'integer' }, {}, { id: 'ALL', rows: 90 });
    const middle = below(query('select 1 as one from many', { ONE: 'integer' }, {}, { id: 'MIDDLE', rows: 90 }), all, {
      ONE: 'ONE',
    });
    const top = below(query('select 1 as one', { ONE: 'integer' }), middle, { ONE: 'ONE' });
    const small = readersOf(store, { readers: 1, limits: { rows: 8189, timeout: 20_000 } });
    const call = { query: top, prompts: {}, format: 'json', connected: true } as const;
    await expect(small.run(call)).rejects.toMatchObject({
      code: 'BAD_PARAMETER',
      message: 'The result has more below one row than is possible: 8189 rows, or 67108864 bytes.',
    });
    const larger = readersOf(store, { readers: 1, limits: { rows: 8190, timeout: 20_000 } });
    expect(await larger.run(call)).toMatchObject({ rows: 1, truncated: true });
  });
});

describe('reading', () => {
  const thirds = query('select parent, n from many', { PARENT: 'integer', N: 'integer' }, {}, { id: 'THIRDS' });
  const seconds = below(
    query('select parent, n from many', { PARENT: 'integer', N: 'integer' }, {}, { id: 'SECONDS' }),
    thirds,
    {
      PARENT: 'PARENT',
    },
  );
  const firsts = below(query('select distinct parent from many', { PARENT: 'integer' }), seconds, { PARENT: 'PARENT' });

  function read(top: Query): { statements: string[]; rows: NestedRow[]; total: number } {
    const statements: string[] = [];
    const database = new Database(store.location, {
      readonly: true,
      verbose: (sql) => void statements.push(String(sql)),
    });
    try {
      const plan = planOf(top, 1, sqlite.dialect);
      const source = new RowsSource(database, plan.sql);
      const columns = plan.columns.map((column, at) => ({ ...column, at }));
      const reader = new ConnectedReader(database, plan, columns);
      const rows: NestedRow[] = [];
      let total = 0;
      const batches = reader.start({ values: [[], []], rows: 100_000 }, (row, count) => {
        rows.push(row);
        total += 1 + count;
      });
      for (const cells of source.read([], 100_000)) batches.add(cells);
      batches.end();
      return { statements, rows, total };
    } finally {
      database.close();
    }
  }

  it('takes a handful of statements for 1,000 rows and 12,000 below them on two more levels', () => {
    const { statements, rows, total } = read(firsts);
    expect(rows).toHaveLength(1000);
    expect(total).toBe(1000 + 3000 + 9000);
    expect(statements).toHaveLength(3);
  });

  it('divides a batch below which too much stands, and loses nothing', () => {
    const wide = query(
      "select parent, n, printf('%.*c', 10000, 'x') as text from many",
      { PARENT: 'integer', N: 'integer', TEXT: 'text' },
      {},
      { id: 'WIDE' },
    );
    const top = below(query('select distinct parent from many', { PARENT: 'integer' }), wide, { PARENT: 'PARENT' });
    const { statements, rows, total } = read(top);
    expect(statements.length).toBeGreaterThan(2);
    expect(statements.length).toBeLessThan(20);
    expect(total).toBe(4000);
    expect(rows.map((row) => row.below[0]?.map((child) => child.cells[0]))).toEqual(
      rows.map((row) => [row.cells[0], row.cells[0], row.cells[0]]),
    );
  });

  it('sees one state of the database, whatever is written meanwhile', async () => {
    const other = await databaseOf('create table t (n integer); insert into t values (1), (2);');
    const writer = new Database(other.location);
    let written = false;
    // The statement of the child is about to begin, and that of the parent has been read.
    const verbose = (sql: unknown): void => {
      if (written || !String(sql).includes('signalbox_child')) return;
      writer.exec('insert into t values (1); delete from t where n = 2');
      written = true;
    };
    const database = new Database(other.location, { readonly: true, verbose });
    const reply = join(dirname(other.location), 'reply');
    const socket = openSync(reply, 'w');
    const child = query('select n from t', { N: 'integer' }, {}, { id: 'CHILD' });
    const top = below(query('select n from t', { N: 'integer' }), child, { N: 'N' });
    const run = (id: number): string => {
      const command = {
        plan: id,
        define: planOf(top, id, sqlite.dialect),
        format: 'raw',
        values: [],
        limit: 10,
        probe: true,
      } as const;
      const output = new Output(socket, dirname(reply), 'spill');
      new Executor(database, compileZone('UTC')).run({ ...command, members: { values: [[]], rows: 10 } }, output);
      return readFileSync(reply, 'utf8');
    };
    const before = run(1);
    expect(written).toBe(true);
    expect(before).toMatch(/\[1,\[\[1\]\]\]\n\[2,\[\[2\]\]\]\n$/);
    expect(run(2).slice(before.length)).toMatch(/\[1,\[\[1\],\[1\]\]\]\n\[1,\[\[1\],\[1\]\]\]\n$/);
    closeSync(socket);
    writer.close();
    database.close();
  });
});
