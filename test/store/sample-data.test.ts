import { readdirSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../src/store/index.ts';
import { temporaryFolder } from './support.ts';

async function open(root: string): Promise<Store> {
  const store = await openStore({ url: 'sqlite:box.db', root });
  onTestFinished(() => store.close());
  await store.migrate();
  return store;
}

function read<T>(store: Store, sql: string): T[] {
  const database = new Database(store.location, { readonly: true });
  try {
    return database.prepare<[], T>(sql).all();
  } finally {
    database.close();
  }
}

const one = { name: '1.sql', sql: 'create table t (a text); insert into t values (1);' };
const two = { name: '2.sql', sql: 'insert into t values (2); insert into t values (3);' };

describe('sample data', () => {
  it('is run once a file, in the order given, also after another start', async () => {
    const root = temporaryFolder();
    const first = await open(root);
    await first.loadSampleData([one]);
    await first.loadSampleData([one, two]);
    const second = await open(root);
    await second.loadSampleData([one, two]);
    expect(read(second, 'select a from t order by a')).toEqual([{ a: '1' }, { a: '2' }, { a: '3' }]);
  });

  it('keeps what was changed since', async () => {
    const root = temporaryFolder();
    const first = await open(root);
    await first.loadSampleData([one, two]);
    const database = new Database(first.location);
    database.exec("delete from t where a = '2'");
    database.close();
    await (await open(root)).loadSampleData([one, two]);
    expect(read(first, 'select count(*) as n from t')).toEqual([{ n: 2 }]);
  });

  it('keeps nothing of a file that fails, and names it', async () => {
    const store = await open(temporaryFolder());
    const broken = { name: 'broken.sql', sql: 'create table u (a); insert into nowhere values (1);' };
    await expect(store.loadSampleData([one, broken])).rejects.toThrow(
      /sample data broken\.sql .*no such table: nowhere/,
    );
    expect(read(store, "select name from sqlite_schema where name in ('t', 'u')")).toEqual([{ name: 't' }]);
    expect(read(store, 'select name from signalbox_sample_data')).toEqual([{ name: '1.sql' }]);
  });

  it('refuses a file that ends the transaction', async () => {
    const store = await open(temporaryFolder());
    const own = { name: 'own.sql', sql: 'create table u (a); commit; create table v (a);' };
    await expect(store.loadSampleData([own])).rejects.toThrow(/own\.sql .*ends its own transaction/);
  });
});

describe("the sample's own data", () => {
  const folder = new URL('../../definitions/sample/', import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }));

  it('has what the walks need', async () => {
    const store = await open(temporaryFolder());
    await store.loadSampleData(files);
    const [locations] = read<object>(
      store,
      'select count(*) as rows, count(distinct region) as regions from location_tbl',
    );
    expect(locations).toEqual({ rows: 16, regions: 4 });
    expect(read(store, "select region from location_tbl where location = 'NYC01'")).toEqual([{ region: 'N' }]);
    expect(read(store, 'select 1 from location_tbl where length(region) <> 1 or length(location) > 10')).toEqual([]);
    expect(read(store, 'select count(*) as n from employee_tbl')).toEqual([{ n: 70 }]);
    expect(read(store, "select count(*) as n from employee_tbl where deptname = 'SALES'")).toEqual([{ n: 11 }]);
    expect(read(store, "select name from employee_tbl where emplid = 'KU0023'")).toEqual([{ name: '佐藤 健' }]);
    const [facts] = read<Record<string, number>>(
      store,
      `select count(*) as rows, count(distinct oprid) as operators, count(distinct prcstype) as types,
         count(distinct runstatus) as statuses, sum(oprid = 'VP1') > 100 as vp1 from psprcsrqst`,
    );
    expect(facts).toEqual({ rows: 600, operators: 6, types: 7, statuses: 14, vp1: 1 });
  });

  it('has times that are times, in order', async () => {
    const store = await open(temporaryFolder());
    await store.loadSampleData(files);
    const wrong = `select prcsinstance from psprcsrqst
      where datetime(rundttm) is not rundttm or datetime(begindttm) is not begindttm or datetime(enddttm) is not enddttm
        or begindttm <= rundttm or enddttm <= begindttm or (enddttm is not null and begindttm is null)`;
    expect(read(store, wrong)).toEqual([]);
  });
});
