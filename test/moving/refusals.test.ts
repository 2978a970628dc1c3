import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Ran, signalbox, writeFiles } from '../cli/support.ts';
import { startTestGateway } from '../support/gateway.ts';
import { hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { GATEWAY, sides } from './sides.ts';

/** What a move that was refused has written: nothing. */
async function rowsIn({ run }: TestDatabase, table: string): Promise<number> {
  return Number((await run(`select count(*) as rows from ${table}`)).rows[0].rows);
}

describe.skipIf(!hasPostgres)('signalbox data move refuses', () => {
  it.each([
    ['a text that is too long', "7, 'longer', 1, null", 'part.name of the row id = 7', 'value too long for type'],
    ['a date that does not exist', "8, 'a', 1, '2026-02-30'", 'part.made of the row id = 8', 'out of range'],
    [
      'a decimal that would be rounded',
      "9, 'a', 1.005, null",
      'part.price of the row id = 9',
      '1.005 would become 1.01',
    ],
    ['a text in a number', "10, 'a', 'cheap', null", 'part.price of the row id = 10', 'invalid input syntax'],
    ['a NUL character', "11, 'a' || char(0), 1, null", 'part.name of the row id = 11', 'NUL'],
    ['bytes that are not text', "12, x'ff00', 1, null", 'part.name of the row id = 12', 'not UTF-8'],
    ['what a constraint forbids', "13, 'a', 13, null", 'the row id = 13 of part', 'violates check constraint'],
  ])('%s, with its table, row and column, and has written nothing', async (_, values, where, why) => {
    const { target, sql, move } = await sides();
    const many = Array.from({ length: 300 }, (_, n) => `(${n + 100}, 'a', 1, null)`);
    sql(`insert into part values ${many.join(', ')}, (${values})`);
    const { code, stderr, stdout } = await move();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(where);
    expect(stderr).toContain(why);
    expect(stderr).toContain('Nothing was moved.');
    expect(await rowsIn(target, 'part')).toBe(0);
    sql(`delete from part where id < 100`);
    expect(await move()).toMatchObject({ code: 0 });
    expect(await rowsIn(target, 'part')).toBe(300);
  });

  it('a decimal that SQLite does not keep', async () => {
    const { target, move, back, root } = await sides();
    expect(await move()).toMatchObject({ code: 0 });
    await target.run(
      "alter table part alter column price type numeric; insert into part values (3, 'a', 12345678901234567.25, null)",
    );
    const { code, stderr } = await back();
    expect(code).toBe(1);
    expect(stderr).toContain('part.price of the row id = 3 would be changed in ');
    expect(stderr).toContain(': 12345678901234567.25 would become 12345678901234568\n');
    const file = new Database(join(root, 'back.db'), { readonly: true });
    expect(file.prepare('select count(*) from part').pluck().get()).toBe(0);
    file.close();
  });

  it('a target that is not empty: what a gateway has used, and rows in tables of the project', async () => {
    const { target, move } = await sides();
    expect(await move()).toMatchObject({ code: 0 });
    await target.run("insert into part values (1, 'a', 1, null)");
    const rows = await move();
    expect(rows).toMatchObject({ code: 1, stderr: expect.stringMatching(/ is not empty: part \(1 row\)\n/) });
    await target.run('delete from part');
    await target.run(
      "insert into signalbox_user_audit (sequence, at, actor, action, user_id, detail) values (1, '', '', '', '', '')",
    );
    for (const args of [[], ['--dry-run']]) {
      const own = await move(...args);
      expect(own.code).toBe(1);
      expect(own.stderr).toContain('signalbox_user_audit (1 row)');
    }
  });

  it('a source or a target on which a gateway runs', async () => {
    const { root, target, move, back } = await sides();
    const onSource = await startTestGateway({ root, env: { DATABASE_URL: `sqlite:${root}/test.db` } });
    expect(await move()).toMatchObject({ code: 1, stderr: expect.stringContaining('a gateway runs on ') });
    await onSource.gateway.close({ timeoutMs: 1000 });
    expect(await move()).toMatchObject({ code: 0 });
    const onTarget = await startTestGateway({ root, env: { DATABASE_URL: target.url } });
    onTestFinished(async () => {
      await onTarget.stop();
      await onSource.stop();
    });
    for (const refused of [await move(), await back(), await back('--dry-run')])
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/a gateway runs on .*pg_stat_activity/) });
    await onTarget.gateway.close({ timeoutMs: 1000 });
    expect(await back()).toMatchObject({ code: 0 });
  });

  it('a source of another version, and one that lacks migrations of the project', async () => {
    const { root, sql, move } = await sides();
    await writeFiles(root, { 'migrations/0002-more.sql': 'create table more (n integer);\n' });
    expect(await move()).toMatchObject({ code: 1, stderr: expect.stringContaining('lacks migrations/0002-more.sql') });
    sql("delete from signalbox_migration where name = '0028-retention-kinds'");
    expect(await move()).toMatchObject({ code: 1, stderr: expect.stringContaining('lacks 0028-retention-kinds') });
    sql("insert into signalbox_migration values ('9999-later', '', '0028-retention-kinds')");
    sql("insert into signalbox_migration values ('0028-retention-kinds', '', null)");
    expect(await signalbox(['migrate'], { cwd: root })).toMatchObject({ code: 0 });
    for (const refused of [await move('--dry-run'), await move()])
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is of another version of signalbox: it has seen 9999-later'),
      });
  });

  it('tables and columns that only one of the databases has, unless the table stays where it is', async () => {
    const { sql, move, target } = await sides();
    sql('create table extra (n integer); insert into extra values (1); alter table part add column weight integer');
    const lacking = await move('--dry-run');
    expect(lacking).toMatchObject({ code: 1, stderr: expect.stringMatching(/lacks tables that .* has: extra\n/) });
    const columns = await move('--without', 'EXTRA');
    expect(columns).toMatchObject({ code: 1, stderr: expect.stringMatching(/part\.weight is in \S+test\.db only/) });
    sql('alter table part drop column weight');
    const wrong = await move('--without', 'extra', '--without', 'signalbox_user');
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('no table signalbox_user of the project') });
    expect(await move('--without', 'extra')).toMatchObject({ code: 0 });
    expect((await target.run("select to_regclass('extra') as found")).rows).toEqual([{ found: null }]);
  });

  it('virtual tables, unless they stay where they are', async () => {
    const { sql, move } = await sides();
    sql("create virtual table Words using fts5 (word); insert into words values ('one')");
    for (const args of [[], ['--dry-run']])
      expect(await move(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('--without words') });
    expect(await move('--without', 'WORDS')).toMatchObject({ code: 0 });
  });

  it('foreign keys to rows that stay where they are, naming both tables, on both engines', async () => {
    const { sql, move, back } = await sides({
      'migrations/0001-tables.sql': `create table parent (code varchar(9) primary key);
        create table child (id integer primary key, parent varchar(9) references parent (code));\n`,
    });
    sql("insert into parent values ('p'); insert into child values (1, 'p')");
    const refused = await move('--without', 'parent');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/rows of child refer by .* to rows of parent in /),
    });
    expect(refused.stderr).toContain('Nothing was moved.');
    expect(await move()).toMatchObject({ code: 0 });
    expect(await back('--without', 'parent')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/rows of child refer by .* to rows of parent in /),
    });
    expect(await back()).toMatchObject({ code: 0 });
  });

  it('databases of one engine, a file that does not exist, and URLs that can not be read, whose password it does not show', async () => {
    const { root, target } = await sides();
    const move = (from: string, to: string): Promise<Ran> => signalbox(['data', 'move', from, to], { cwd: root });
    expect(await move('sqlite:test.db', 'sqlite:other.db')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('both databases are on SQLite'),
    });
    expect(await move('sqlite:missing.db', target.url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('missing.db does not exist'),
    });
    expect(existsSync(join(root, 'missing.db'))).toBe(false);
    const mysql = await move('sqlite:test.db', 'mysql://user@localhost/x');
    expect(mysql.stderr).toContain("the gateway's own tables can't be on MariaDB or MySQL");
    await writeFiles(root, {
      'definitions/gateway.yaml': GATEWAY.replace(/database: (.*)/, 'database: { url: "$1", engine: cockroachdb }'),
    });
    const relative = await move('sqlite:test.db', target.url);
    expect(relative).toMatchObject({ code: 1, stderr: expect.stringContaining('from or to cockroachdb') });
    await writeFiles(root, { 'definitions/gateway.yaml': GATEWAY });
    for (const url of [
      'mysql://user:hunter2@localhost/x',
      'postgres://user:hunter2@127.0.0.1:1/x',
      'postgres://user:hunter2@[/x',
    ]) {
      const { code, stderr, stdout } = await move('sqlite:test.db', url);
      expect(code).toBe(1);
      expect(stderr + stdout).not.toContain('hunter2');
    }
    expect(await signalbox(['data', 'move', 'sqlite:test.db'], { cwd: root })).toMatchObject({ code: 2 });
  });

  it('nothing with --dry-run, which changes neither database: it lists the tables and their rows', async () => {
    const { root, sql, move, back, target } = await sides();
    sql("insert into part values (1, 'a', 1, null), (2, 'b', 2, null)");
    const planned = await move('--dry-run');
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringMatching(/^part +2$/m) });
    expect(planned.stdout).toMatch(/would be moved from \S+test\.db to 127\.0\.0\.1:\d+\/\w+\.\n$/);
    expect((await target.run("select to_regclass('signalbox_migration') as found")).rows).toEqual([{ found: null }]);
    const moved = await move('--json');
    expect(JSON.parse(moved.stdout).tables).toContainEqual({ table: 'part', rows: 2 });
    expect(await back('--dry-run')).toMatchObject({ code: 0 });
    expect(readdirSync(root).filter((name) => name.startsWith('back'))).toEqual([]);
  });
});
