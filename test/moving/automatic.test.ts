import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
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
});
