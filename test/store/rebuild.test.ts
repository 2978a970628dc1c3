import { expect, it } from 'vitest';
import { describeEngines } from './engines.ts';
import { migration } from './migrations.ts';

const FIRST = migration('0001-part.sql', 'create table part (n integer primary key);\ninsert into part values (1);\n');
const SECOND = migration(
  '0002-view.sql',
  'create table item (n integer references part (n), kind varchar(5));\ncreate view items as select n from item;\n',
);

describeEngines('the tables of a project', ({ place, kind }) => {
  it('go with all that refers to them, and are made again, where dev made them', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    expect(await store.provenance()).toBe('none');
    await store.migrateProject([FIRST, SECOND], undefined, 'dev');
    if (kind === 'postgres')
      await run("create type colour as enum ('red'); create function two() returns int language sql as 'select 2'");
    await run('insert into part values (7)');
    expect(await store.provenance()).toBe('dev');
    await store.rebuild({ everything: false });
    expect(await store.provenance()).toBe('none');
    await expect(run('select n from items')).rejects.toThrow();
    await store.migrateProject(
      [FIRST, migration('0002-other.sql', 'create table other (n integer);')],
      undefined,
      'dev',
    );
    expect(await run('select n from part')).toEqual([{ n: 1 }]);
    if (kind === 'postgres') await expect(run('select two()')).rejects.toThrow();
    await store.close();
  });

  it('are told from the tables of the gateway, which stay whatever their names are', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    const column =
      kind === 'sqlite'
        ? "name from sqlite_schema where type = 'table'"
        : 'tablename as name from pg_catalog.pg_tables where schemaname = current_schema()';
    const indexes =
      kind === 'sqlite'
        ? "name from sqlite_schema where type = 'index'"
        : 'indexname as name from pg_catalog.pg_indexes where schemaname = current_schema()';
    const objects = () => run(`select ${column} union all select ${indexes} order by name`);
    const before = await objects();
    await store.rebuild({ everything: true });
    expect(await objects()).toEqual(before);
    await store.migrateProject([FIRST], undefined, 'dev');
    const request =
      "insert into psprcsrqst (prcsinstance, prcstype, prcsname, oprid, runstatus) values (1, 'a', 'b', 'c', '5')";
    await run(request);
    await store.rebuild({ everything: false });
    expect(await objects()).toEqual(before);
    expect(await run('select prcsinstance from psprcsrqst')).toEqual([{ prcsinstance: 1 }]);
    await store.rebuild({ everything: true });
    expect(await objects()).toEqual(before);
    expect(await run('select prcsinstance from psprcsrqst')).toEqual([]);
    await store.close();
  });

  it('stay where a release made some of them, unless that is forced; users stay always', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    await run("insert into signalbox_user (id, roles, created, changed) values ('kim', '[]', '', '')");
    await run("insert into signalbox_rate (id, points, expires) values ('x', 1, 1)").catch(() => undefined);
    await store.migrateProject([FIRST]);
    await store.migrateProject([FIRST, SECOND], undefined, 'dev');
    expect(await store.provenance()).toBe('released');
    await expect(store.rebuild({ everything: true })).rejects.toThrow(/were not made by signalbox dev.*--force/);
    expect(await run('select n from part')).toEqual([{ n: 1 }]);
    await store.rebuild({ everything: true, force: true });
    await expect(run('select n from part')).rejects.toThrow();
    expect(await run('select id from signalbox_user')).toEqual([{ id: 'kim' }]);
    await store.close();
  });
});
