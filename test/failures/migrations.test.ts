import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { staffProject } from '../cli/fixture.ts';
import { poll } from '../cli/poll.ts';
import { signalbox, signalboxProcess, start } from '../cli/support.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';

const gateway =
  'gateway: LOCAL\ndatabase: ${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}\nmigrations: migrations\n';

const project = (migrations: Readonly<Record<string, string>>): Promise<string> =>
  staffProject({
    'definitions/gateway.yaml': gateway,
    'migrations/0001-staff.sql':
      'create table employee_tbl (emplid integer primary key, name text, deptname text, salary numeric);\n',
    ...migrations,
  });

/** Runs `migrate` until a file of it runs, and for a while more, and kills it. */
async function killDuring(
  cwd: string,
  file: string,
  env: Record<string, string>,
  isDeepInside: () => Promise<boolean>,
) {
  const running = start(['migrate'], { cwd, env });
  await running.until(new RegExp(`^${file}$`, 'm'));
  await poll(
    'it to be in the middle of it',
    async () => ((await isDeepInside()) ? true : undefined),
    () => running.output(),
  );
  await running.stop('SIGKILL');
}

const half = 'insert into employee_tbl (emplid) values (1);\n';

test('a migration whose process is killed leaves nothing of it on SQLite, and the next process goes on', async () => {
  const busy =
    'with recursive n (x) as (select 1 union all select x + 1 from n where x < 1000000000) select count(*) from n;\n';
  const cwd = await project({ 'migrations/0002-long.sql': `create table half (n integer);\n${half}${busy}` });
  const file = join(cwd, '.signalbox/signalbox.db');
  const isLocked = async (): Promise<boolean> => {
    const other = new Database(file, { timeout: 0 });
    try {
      other.exec('begin immediate; rollback');
      return false;
    } catch {
      return true;
    } finally {
      other.close();
    }
  };
  await killDuring(cwd, 'migrations/0002-long.sql', {}, isLocked);
  const database = new Database(file);
  onTestFinished(() => void database.close());
  expect(database.prepare('select count(*) from employee_tbl').pluck().get()).toBe(0);
  expect(database.prepare("select count(*) from sqlite_schema where name = 'half'").pluck().get()).toBe(0);
  expect(database.prepare('select max(number) from signalbox_project_migration').pluck().get()).toBe(1);
  await writeFile(join(cwd, 'migrations/0002-long.sql'), half);
  expect(await signalbox(['migrate'], { cwd })).toMatchObject({ code: 0, stderr: 'migrations/0002-long.sql\n' });
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  async function database(): Promise<TestDatabase> {
    const created = await createDatabase();
    onTestFinished(created.drop);
    return created;
  }

  const sleeping =
    "select 1 from pg_stat_activity where datname = current_database() and query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()";

  test('a migration whose process is killed leaves nothing of it, and the next process goes on soon', async () => {
    const { url, run } = await database();
    const env = { DATABASE_URL: url };
    const cwd = await project({
      'migrations/0002-long.sql': `create table half (n integer);\n${half}select pg_sleep(600);\n`,
    });
    await killDuring(cwd, 'migrations/0002-long.sql', env, async () => (await run(sleeping)).rows.length > 0);
    await writeFile(join(cwd, 'migrations/0002-long.sql'), half);
    const began = performance.now();
    expect(await signalbox(['migrate'], { cwd, env })).toMatchObject({ code: 0, stderr: 'migrations/0002-long.sql\n' });
    expect(performance.now() - began).toBeLessThan(30_000);
    expect((await run("select to_regclass('half') as half")).rows).toEqual([{ half: null }]);
    expect((await run('select emplid from employee_tbl')).rows).toEqual([{ emplid: 1 }]);
  });

  test('one without a transaction whose process is killed is run again by the next, once its right has ended', async () => {
    const { url, run } = await database();
    const env = { DATABASE_URL: url };
    const apart = (rest: string) =>
      `-- signalbox: no transaction\ncreate table if not exists half (n integer);\n${rest}`;
    const cwd = await project({ 'migrations/0002-long.sql': apart('select pg_sleep(600);\n') });
    await killDuring(cwd, 'migrations/0002-long.sql', env, async () => (await run(sleeping)).rows.length > 0);
    expect((await run('select state from signalbox_project_migration where number = 2')).rows).toEqual([
      { state: 'begun' },
    ]);
    await writeFile(join(cwd, 'migrations/0002-long.sql'), apart('create index concurrently half_n on half (n);\n'));
    const ended = await Promise.all([1, 2].map(() => signalboxProcess(['migrate'], { cwd, env })));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(ended.map(({ stderr }) => stderr).sort()).toEqual(['', 'migrations/0002-long.sql\n']);
    const valid = "select indisvalid from pg_index where indexrelid = to_regclass('half_n')";
    expect((await run(valid)).rows).toEqual([{ indisvalid: true }]);
  });

  test('an index is built concurrently while other processes wait to migrate', async () => {
    const { url, run } = await database();
    const env = { DATABASE_URL: url };
    const cwd = await project({
      'migrations/0002-index.sql':
        '-- signalbox: no transaction\nselect pg_sleep(3);\ncreate index concurrently employee_name on employee_tbl (name);\n',
      'migrations/0003-more.sql': 'create table more (n integer);\n',
    });
    const ended = await Promise.all([1, 2, 3, 4].map(() => signalboxProcess(['migrate'], { cwd, env })));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const ran = ended.flatMap(({ stderr }) => stderr.split('\n')).filter((line) => line.startsWith('migrations/'));
    expect(ran.sort()).toEqual(['migrations/0001-staff.sql', 'migrations/0002-index.sql', 'migrations/0003-more.sql']);
    expect((await run("select to_regclass('employee_name') is not null as built")).rows).toEqual([{ built: true }]);
  });

  test('a check does not wait long for a table that is in use, nor keep it', async () => {
    const { url, run } = await database();
    const env = { DATABASE_URL: url };
    const cwd = await project({ 'migrations/0002-note.sql': 'alter table employee_tbl add column note text;\n' });
    await writeFile(join(cwd, 'migrations/0002-note.sql'), 'select 1;\n');
    await signalbox(['migrate', '--baseline', '2'], { cwd, env });
    await run('create table employee_tbl (emplid integer, name text, deptname text, salary numeric)');
    await writeFile(join(cwd, 'migrations/0003-note.sql'), 'alter table employee_tbl add column note text;\n');
    const holder = run('begin; lock table employee_tbl in access share mode; select pg_sleep(8); commit').catch(
      () => {},
    );
    await poll(
      'the table to be in use',
      async () => ((await run(sleeping)).rows.length > 0 ? true : undefined),
      () => '',
    );
    const { code, stdout } = await signalbox(['check', '--connect'], { cwd, env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/warning database-setup: .*were not tried to their end.*0003-note\.sql:1:1: .*lock timeout/);
    await holder;
  });
});
