import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres } from '../support/postgres.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { sides } from './sides.ts';

/** The rows of a table in the file that `back` fills, without the names of columns. */
function rowsOf(root: string, select: string): unknown[] {
  const file = new Database(join(root, 'back.db'), { readonly: true });
  try {
    return file.prepare(select).raw().all();
  } finally {
    file.close();
  }
}

describe.skipIf(!hasPostgres)('signalbox data move, whatever the databases do by themselves,', () => {
  it.each([
    ['set null'],
    ['cascade'],
    ['restrict'],
  ])('keeps foreign keys on SQLite that are declared on delete %s', async (action) => {
    const tables = `create table parent (code varchar(9) primary key, parent varchar(9)
        references parent (code) on delete ${action});
      create table child (id integer primary key, parent varchar(9) references parent (code) on delete ${action});
      insert into parent values ('seeded', null);
      insert into child values (9, 'seeded');\n`;
    const { root, target, move, back } = await sides({
      'migrations/0001-tables.sql': tables,
    });
    expect(await move()).toMatchObject({ code: 0 });
    await target.run(`insert into parent values ('p', null), ('q', 'p'); insert into child values (1, 'p'), (2, 'q')`);
    expect(await back()).toMatchObject({ code: 0 });
    expect(rowsOf(root, 'select code, parent from parent order by code')).toEqual([
      ['p', null],
      ['q', 'p'],
      ['seeded', null],
    ]);
    expect(rowsOf(root, 'select id, parent from child order by id')).toEqual([
      [1, 'p'],
      [2, 'q'],
      [9, 'seeded'],
    ]);
  });

  it('runs no trigger of SQLite, however it writes the name of its table', async () => {
    const { root, target, move, back } = await sides({
      'migrations/0001-part.sqlite.sql': `create table Part (id integer primary key, name text);
        create trigger named after insert on PART begin update part set name = 'changed'; end;\n`,
      'migrations/0001-part.postgres.sql': 'create table part (id bigint primary key, name text);\n',
    });
    expect(await move()).toMatchObject({ code: 0 });
    await target.run("insert into part values (1, 'one'), (2, 'two')");
    expect(await back()).toMatchObject({ code: 0 });
    const select = 'select id, name from part order by id';
    expect(rowsOf(root, select)).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
    const file = new Database(join(root, 'back.db'));
    file.exec("insert into part values (3, 'three')");
    file.close();
    expect(rowsOf(root, select)).toContainEqual([3, 'changed']);
  });

  it('moves rows that others commit while it waits for their transaction', async () => {
    const { root, target, move, back } = await sides();
    expect(await move()).toMatchObject({ code: 0 });
    const other = new pg.Client({ connectionString: target.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("begin; insert into part values (1, 'late', 1, null)");
    const moved = back();
    await eventually('the move waits', async () => {
      const { rows } = await target.run('select from pg_locks where not granted');
      return rows.length > 0 || undefined;
    });
    await other.query('commit');
    expect(await moved).toMatchObject({ code: 0 });
    expect(rowsOf(root, 'select id, name from part')).toEqual([[1, 'late']]);
  });

  it('runs no trigger and no rule of PostgreSQL, also of partitions, and makes views of views again', async () => {
    const { target, sql, move } = await sides({
      'migrations/0001-part.sqlite.sql': 'create table part (id integer primary key, name text);\n',
      'migrations/0001-part.postgres.sql': `create table part (id bigint primary key, name text) partition by range (id);
        create table part_few partition of part for values from (0) to (10);
        create function changes() returns trigger language plpgsql as 'begin new.name = ''changed''; return new; end';
        create trigger changed before insert on part_few for each row execute function changes();
        create table noted (id bigint);
        create rule noting as on insert to part do also insert into noted values (new.id);
        create materialized view outer_names as select 'old' as name;
        create materialized view names as select name from part;
        drop materialized view outer_names;
        create view same as select 'old' as name;
        create materialized view outer_names as select name from same;
        create materialized view inner_names as select name from part;
        create or replace view same as select name from inner_names;\n`,
      'migrations/0002-noted.sqlite.sql': 'create table noted (id integer);\n',
    });
    sql("insert into part values (1, 'one')");
    expect(await move()).toMatchObject({ code: 0 });
    const { rows } = await target.run(
      'select name, (select name from outer_names) as seen, (select count(*)::int from noted) as noted from part',
    );
    expect(rows).toEqual([{ name: 'one', seen: 'one', noted: 0 }]);
    await target.run("insert into part values (2, 'two')");
    const later = await target.run(
      "select count(*)::int as changed, (select count(*)::int from noted) as noted from part where name = 'changed'",
    );
    expect(later.rows).toEqual([{ changed: 1, noted: 1 }]);
  });

  it('goes on after the last number of a sequence that two tables share', async () => {
    const { target, sql, move } = await sides({
      'migrations/0001-tables.sqlite.sql':
        'create table a (id integer primary key); create table b (id integer primary key);\n',
      'migrations/0001-tables.postgres.sql': `create sequence shared;
        create table a (id bigint primary key default nextval('shared'));
        create table b (id bigint primary key default nextval('shared'));\n`,
    });
    sql('insert into a values (7); insert into b values (3)');
    expect(await move()).toMatchObject({ code: 0 });
    expect((await target.run('insert into b default values returning id')).rows).toEqual([{ id: '8' }]);
  });

  it('gathers statistics of PostgreSQL without the time limit of other statements, before all is committed', async () => {
    const { target, move } = await sides({
      'definitions/gateway.yaml': gatewayText('migrations: migrations').replace(
        /database: (.*)/,
        'database: { url: "$1", timeouts: { statement: 1 s } }',
      ),
      'migrations/0001-part.sqlite.sql': 'create table part (id integer primary key);\ninsert into part values (1);\n',
      'migrations/0001-part.postgres.sql': `create table part (id bigint primary key);
        create function slow(id bigint) returns bigint language plpgsql immutable as
          'begin if current_query() like ''analyze%'' then perform pg_sleep(1.5); end if; return id; end';
        create index part_slow on part (slow(id));\n`,
    });
    expect(await move()).toMatchObject({ code: 0 });
    const { rows } = await target.run("select reltuples::int as rows from pg_class where relname = 'part'");
    expect(rows).toEqual([{ rows: 1 }]);
  });

  it('is refused when a gateway has begun before the commit', async () => {
    const { target, sql, move } = await sides({
      'migrations/0001-part.sqlite.sql': 'create table part (id integer primary key);\n',
      'migrations/0001-part.postgres.sql': `create table part (id bigint primary key);
        create function waits() returns void language plpgsql as
          'begin if current_query() like ''refresh%'' then perform pg_advisory_xact_lock_shared(1); end if; end';
        create materialized view waiting as select count(waits()) as waits from (select id from part union select 1) as parts;\n`,
    });
    sql('insert into part values (1)');
    const gateway = new pg.Client({ connectionString: target.url, application_name: 'signalbox tables other:4711' });
    await gateway.connect();
    onTestFinished(() => gateway.end());
    await gateway.query('select pg_advisory_lock(1)');
    const moved = move();
    await eventually('the move waits', async () => {
      const { rows } = await target.run("select from pg_locks where not granted and locktype = 'advisory'");
      return rows.length > 0 || undefined;
    });
    await target.run(
      "insert into signalbox_job_gateway (gateway, kinds, seen) values ('other', '{}', (extract(epoch from clock_timestamp()) * 1000)::bigint)",
    );
    await gateway.query('select pg_advisory_unlock_all()');
    const refused = { code: 1, stderr: expect.stringMatching(/a gateway runs on .*the gateway other:4711/) };
    expect(await moved).toMatchObject(refused);
    expect((await target.run('select from part')).rows).toEqual([]);
  });
});
