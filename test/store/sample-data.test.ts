import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeEngines } from './engines.ts';

const one = { name: '1.sql', sql: "create table t (a text); insert into t values ('1');" };
const two = { name: '2.sql', sql: "insert into t values ('2'); insert into t values ('3');" };

describeEngines('sample data', ({ place }) => {
  it('is run once a file, in the order given, also after another start', async () => {
    const { migrated, run } = await place();
    const first = await migrated();
    await first.loadSampleData([one]);
    await first.loadSampleData([one, two]);
    await (await migrated()).loadSampleData([one, two]);
    expect(await run('select a from t order by a')).toEqual([{ a: '1' }, { a: '2' }, { a: '3' }]);
  });

  it('is run once where several start together', async () => {
    const { migrated, open, run } = await place();
    const stores = [await migrated(), await open(), await open()];
    await Promise.all(stores.map((store) => store.loadSampleData([one, two])));
    expect(await run('select a from t order by a')).toEqual([{ a: '1' }, { a: '2' }, { a: '3' }]);
  });

  it('keeps what was changed since', async () => {
    const { migrated, run } = await place();
    await (await migrated()).loadSampleData([one, two]);
    await run("delete from t where a = '2'");
    await (await migrated()).loadSampleData([one, two]);
    expect(await run('select a from t order by a')).toEqual([{ a: '1' }, { a: '3' }]);
  });

  it('keeps nothing of a file that fails, and names it', async () => {
    const { migrated, run } = await place();
    const broken = { name: 'broken.sql', sql: 'create table u (a text); insert into nowhere values (1);' };
    await expect((await migrated()).loadSampleData([one, broken])).rejects.toThrow(
      /sample data broken\.sql could not be loaded: .*nowhere/,
    );
    await expect(run('select * from u')).rejects.toThrow();
    expect(await run('select name from signalbox_sample_data')).toEqual([{ name: '1.sql' }]);
  });

  it.each([
    'commit',
    'commit; begin',
    'rollback; begin',
  ])('refuses a file that ends the transaction: %s', async (end) => {
    const store = await (await place()).migrated();
    const own = { name: 'own.sql', sql: `create table u (a text); ${end}; create table v (a text);` };
    await expect(store.loadSampleData([own])).rejects.toThrow(/own\.sql .*it ends its own transaction/);
  });
});

describeEngines("the sample's own data", ({ place, kind }) => {
  const folder = new URL('../../definitions/sample/', import.meta.url);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => ({ name, sql: readFileSync(new URL(name, folder), 'utf8') }));

  it('has what the walks need', async () => {
    const { migrated, run } = await place();
    await (await migrated()).loadSampleData(files);
    const numbers = async (sql: string): Promise<number[]> => Object.values((await run(sql))[0] ?? {}).map(Number);
    expect(await numbers('select count(*) as n, count(distinct region) as regions from location_tbl')).toEqual([16, 4]);
    expect(await run("select region from location_tbl where location = 'NYC01'")).toEqual([{ region: 'N' }]);
    expect(await run('select 1 from location_tbl where length(region) <> 1 or length(location) > 10')).toEqual([]);
    expect(await numbers('select count(*) as n from employee_tbl')).toEqual([70]);
    expect(await numbers("select count(*) as n from employee_tbl where deptname = 'SALES'")).toEqual([11]);
    expect(await run("select name from employee_tbl where emplid = 'KU0023'")).toEqual([{ name: '佐藤 健' }]);
    const facts = `select count(*) as n, count(distinct oprid) as operators, count(distinct prcstype) as types,
      count(distinct runstatus) as statuses from psprcsrqst`;
    expect(await numbers(facts)).toEqual([600, 6, 7, 14]);
    expect((await numbers("select count(*) as n from psprcsrqst where oprid = 'VP1'"))[0]).toBeGreaterThan(100);
  });

  it('has times that are times, in order', async () => {
    const { migrated, run } = await place();
    await (await migrated()).loadSampleData(files);
    const written = (column: string): string =>
      kind === 'sqlite' ? `datetime(${column})` : `to_char(${column}::timestamp, 'YYYY-MM-DD HH24:MI:SS')`;
    const wrong = ['rundttm', 'begindttm', 'enddttm'].map((column) => `${written(column)} is distinct from ${column}`);
    expect(
      await run(`select prcsinstance from psprcsrqst where ${wrong.join(' or ')} or begindttm <= rundttm
        or enddttm <= begindttm or (enddttm is not null and begindttm is null)`),
    ).toEqual([]);
  });
});
