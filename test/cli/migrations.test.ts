import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { files, staffProject } from './fixture.ts';
import { signalbox, signalboxProcess, start, startOnTerminal } from './support.ts';

const gateway = files['definitions/gateway.yaml'].replace('sample-data: sample/*.sql', 'migrations: migrations');
const staff = files['definitions/sample/staff.sql'];

/** The staff project, whose table is made by a migration. */
const project = (changes: Readonly<Record<string, string>> = {}): Promise<string> =>
  staffProject({
    'definitions/gateway.yaml': gateway,
    'definitions/sample/staff.sql': undefined,
    'migrations/0001-staff.sql': staff,
    'migrations/0002-index.sql': 'create index employee_dept on employee_tbl (deptname);\n',
    ...changes,
  });

test('are planned apart from the steps of signalbox, after them, and are applied by migrate', async () => {
  const cwd = await project();
  const plan = await signalbox(['migrate', '--plan', '--sql'], { cwd });
  expect(plan.stdout).toMatch(
    /^---- Steps of signalbox ----\n\n-- 0001-schema\n[\s\S]*\n---- Migrations of the project ----\n\n-- migrations\/0001-staff\.sql\ncreate table employee_tbl [\s\S]*\n-- migrations\/0002-index\.sql\ncreate index employee_dept on employee_tbl \(deptname\);\n$/,
  );
  const json = await signalbox(['migrate', '--plan', '--json'], { cwd });
  const steps = JSON.parse(json.stdout) as { of: string; name: string }[];
  expect(steps.filter(({ of }) => of === 'project').map(({ name }) => name)).toEqual([
    'migrations/0001-staff.sql',
    'migrations/0002-index.sql',
  ]);
  const early = await signalbox(['check', '--connect'], { cwd });
  expect(early).toMatchObject({ code: 0, stdout: expect.stringContaining('warning database-outdated') });
  const done = await signalbox(['migrate'], { cwd });
  expect(done.stderr).toMatch(/^0001-schema\n[\s\S]*\nmigrations\/0001-staff\.sql\nmigrations\/0002-index\.sql\n$/);
  expect(done.stdout).toMatch(/ took \d+ steps of signalbox and 2 migrations of the project\.\n$/);
  expect(await signalbox(['check', '--connect'], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('no errors'),
  });
  await rm(join(cwd, 'migrations/0002-index.sql'));
  const older = await signalbox(['migrate', '--plan', '--sql'], { cwd });
  expect(older.stdout).toBe('-- The database is up to date.\n');
  expect(older.stderr).toMatch(/^The migration 0002-index ran on .* has no file of that number/);
});

test('that were edited after they ran are an error of every command, whatever ends their lines', async () => {
  const cwd = await project();
  await signalbox(['migrate'], { cwd });
  const file = join(cwd, 'migrations/0001-staff.sql');
  await writeFile(file, `\ufeff${staff.replaceAll('\n', '\r\n')}`);
  expect(await signalbox(['migrate'], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('up to date'),
  });
  await writeFile(file, staff.replace('Ada', 'Eve'));
  const expected = /migrations\/0001-staff\.sql:1:1: .*it was changed after it ran on /;
  const advice = /Restore its text, and write the change as a new migration: 0003-NAME\.sql/;
  for (const args of [['migrate'], ['migrate', '--plan'], ['serve']]) {
    const { code, stderr } = await signalbox(args, { cwd, env: { PORT: '0' } });
    expect({ args, code }).toEqual({ args, code: 1 });
    expect(stderr).toMatch(expected);
    expect(stderr).toMatch(advice);
  }
  await writeFile(join(cwd, 'migrations/0003-more.sql'), 'create table more (n integer);\n');
  const plan = await signalbox(['migrate', '--plan', '--sql'], { cwd });
  expect(plan.stdout).toMatch(
    /^---- Migrations of the project ----\n\n-- migrations\/0001-staff\.sql\n-- can't run: it was changed after it ran on .*\.\n-- Restore its text, .*0004-NAME\.sql.*\n-- If the data may go, .*\n\n-- migrations\/0003-more\.sql\ncreate table more \(n integer\);\n$/,
  );
  expect(JSON.parse((await signalbox(['migrate', '--plan', '--json'], { cwd })).stdout)).toMatchObject([
    {
      name: 'migrations/0001-staff.sql',
      statements: [],
      refused: { reason: expect.stringMatching(/^it was changed/) },
    },
    { name: 'migrations/0003-more.sql', statements: ['create table more (n integer);'] },
  ]);
  await rm(join(cwd, 'migrations/0003-more.sql'));
  const checked = await signalbox(['check', '--connect'], { cwd });
  expect(checked.code).toBe(1);
  expect(checked.stdout).toMatch(
    /^migrations\/0001-staff\.sql:1:1: error migration-changed: .*it was changed after it ran/m,
  );
  expect(await signalbox(['migrate', '--baseline', '1'], { cwd })).toMatchObject({ code: 0 });
  expect(await signalbox(['migrate'], { cwd })).toMatchObject({ code: 0 });
});

test('that fail name the place, and a start says the same', async () => {
  const cwd = await project({
    'migrations/0002-index.sql': '-- An index.\n\ncreate index i\n  on employee_table (name);\n',
  });
  for (const args of [['migrate'], ['serve']]) {
    const { code, stderr } = await signalbox(args, { cwd, env: { PORT: '0' } });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /signalbox: migrations\/0002-index\.sql:4:6: no such table: main\.employee_table\n {2}Nothing of it is in /,
    );
  }
});

test('are taken over by a baseline where their tables are there already', async () => {
  const cwd = await staffProject();
  await signalbox(['migrate'], { cwd });
  const moved = await project();
  const env = { DATABASE_URL: `sqlite:${join(cwd, '.signalbox/signalbox.db')}` };
  const failed = await signalbox(['migrate'], { cwd: moved, env });
  expect(failed.stderr).toMatch(
    /migrations\/0001-staff\.sql:1:14: table employee_tbl already exists\n[\s\S]*--baseline/,
  );
  const unknown = await signalbox(['migrate', '--baseline', '7'], { cwd: moved, env });
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no migration has the number 7') });
  const taken = await signalbox(['migrate', '--baseline', '1'], { cwd: moved, env });
  expect(taken.stdout).toMatch(
    / recorded 1 migration without running any\. 1 migration of the project is pending\.\n$/,
  );
  expect((await signalbox(['migrate'], { cwd: moved, env })).stderr).toBe('migrations/0002-index.sql\n');
  expect((await signalbox(['migrate', '--baseline'], { cwd: moved, env })).stdout).toMatch(/ has these on record\.\n$/);
  expect(await signalbox(['migrate', '--baseline', '--plan'], { cwd: moved, env })).toMatchObject({ code: 2 });
});

test('are run by no start where the database has migrate: false, which says what it lacks', async () => {
  const url = '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}';
  const cwd = await project({
    'definitions/gateway.yaml': gateway.replace(/^database: .*$/m, `database: { url: "${url}", migrate: false }`),
  });
  await signalbox(['migrate'], { cwd });
  await writeFile(join(cwd, 'migrations/0003-more.sql'), 'create table more (n integer);\n');
  const { code, stderr } = await signalbox(['serve'], { cwd, env: { PORT: '0' } });
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ lacks migrations\/0003-more\.sql\n.*signalbox migrate/),
  });
});

test('are applied by dev --migrate as they are saved, and again from the first once one is edited', async () => {
  const cwd = await project();
  const dev = start(['dev', '--migrate'], { cwd, env: { PORT: '0' } });
  await dev.until(/^Signalbox is ready on /m);
  const file = join(cwd, 'migrations/0003-more.sql');
  await writeFile(file, 'create table more (n integer);\n');
  await dev.until(/The migration migrations\/0003-more\.sql runs\./);
  await dev.until(/^Reloaded in /m);
  const before = dev.output().length;
  await writeFile(file, 'create table more (n integer, added text);\n');
  await dev.until(/0001-staff\.sql runs\.[\s\S]*0003-more\.sql runs\.[\s\S]*^Reloaded in /m, before);
  expect(await valuesOf(cwd, "select count(*) from pragma_table_info('more')")).toEqual([2]);
});

/** The first column of rows of the project's database. */
async function valuesOf(cwd: string, sql: string): Promise<unknown[]> {
  const database = new Database(join(cwd, '.signalbox/signalbox.db'), { readonly: true });
  try {
    return database.prepare(sql).pluck().all();
  } finally {
    database.close();
  }
}

test('wait in dev until they are asked for, however often they are saved', async () => {
  const cwd = await project();
  const dev = start(['dev'], { cwd, env: { PORT: '0' } });
  // A database that has none yet gets all of them at the start.
  await dev.until(/^Signalbox is ready on /m);
  expect(await valuesOf(cwd, 'select state from signalbox_project_migration')).toEqual(['dev', 'dev']);
  const file = join(cwd, 'migrations/0003-more.sql');
  await writeFile(file, 'create table more (n integer);\n');
  await dev.until(/1 migration waits: migrations\/0003-more\.sql\. Not run: signalbox dev --migrate runs/);
  const before = dev.output().length;
  await writeFile(file, 'create table more (n integer, half');
  await dev.until(/^Reloaded in /m, before);
  expect(await valuesOf(cwd, 'select number from signalbox_project_migration')).toEqual([1, 2]);
  const half = dev.output().length;
  await writeFile(join(cwd, 'migrations/0001-staff.sql'), `${staff}\n-- more\n`);
  await dev.until(
    /2 migrations wait: migrations\/0001-staff\.sql, [\s\S]*it was changed after it ran [\s\S]*from the first/,
    half,
  );
});

test('run in dev when m is pressed', async () => {
  const cwd = await project();
  const dev = startOnTerminal(['dev'], cwd);
  await dev.until(/Signalbox is ready on /);
  await writeFile(join(cwd, 'migrations/0003-more.sql'), 'create table more (n integer);\n');
  await dev.until(/1 migration waits: migrations\/0003-more\.sql\. Press m to run them\./);
  expect(await valuesOf(cwd, 'select number from signalbox_project_migration')).toEqual([1, 2]);
  dev.type('m');
  await dev.until(/The migration migrations\/0003-more\.sql runs\.[\s\S]*Reloaded in /);
  expect(await valuesOf(cwd, 'select number from signalbox_project_migration')).toEqual([1, 2, 3]);
  dev.type('\x03');
  await eventually('its end', () => (dev.process.exitCode === null ? undefined : true));
  expect(dev.process.exitCode).toBe(0);
});

test('run again in dev --reset, which keeps users and their keys', async () => {
  const cwd = await project();
  await signalbox(['migrate'], { cwd });
  await signalbox(['user', 'add', 'kim', '--generate'], { cwd });
  const keys = await signalbox(['user', 'key', 'add', 'kim'], { cwd });
  expect(keys).toMatchObject({ code: 0 });
  const refused = await signalboxProcess(['dev', '--reset'], { cwd, env: { PORT: '0' } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/not made by signalbox dev.*add --force/) });
  await valuesOf(cwd, 'select 1');
  const database = new Database(join(cwd, '.signalbox/signalbox.db'));
  database.exec("insert into employee_tbl (emplid, name) values (99, 'Zoe')");
  database.close();
  const dev = start(['dev', '--reset', '--force'], { cwd, env: { PORT: '0' } });
  await dev.until(/was built again[\s\S]*^Signalbox is ready on /m);
  expect(await valuesOf(cwd, "select name from employee_tbl where name = 'Zoe'")).toEqual([]);
  expect(await valuesOf(cwd, "select count(*) from employee_tbl where name = 'Ada'")).toEqual([1]);
  expect(await valuesOf(cwd, 'select id from signalbox_user')).toEqual(['kim']);
  expect(await valuesOf(cwd, 'select count(*) from signalbox_api_key')).toEqual([1]);
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  test('are in the schema of the installation, and run once where several processes migrate', async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const cwd = await project({
      'definitions/gateway.yaml': gateway.replace(
        /^database: .*$/m,
        'database: { url: "${env:DATABASE_URL}", schema: hr }',
      ),
      'migrations/0003-apart.postgres.sql':
        '-- signalbox: no transaction\ncreate index concurrently employee_name on employee_tbl (name);\n',
    });
    const env = { DATABASE_URL: database.url };
    const both = await Promise.all([1, 2].map(() => signalboxProcess(['migrate'], { cwd, env })));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const ran = both.flatMap(({ stderr }) => stderr.split('\n')).filter((line) => line.startsWith('migrations/'));
    expect(ran.sort()).toEqual([
      'migrations/0001-staff.sql',
      'migrations/0002-index.sql',
      'migrations/0003-apart.postgres.sql',
    ]);
    const { rows } = await database.run(
      "select nspname, relname from pg_class c join pg_namespace n on n.oid = relnamespace where relname like 'employee%' order by relname",
    );
    expect(rows).toEqual(
      ['employee_dept', 'employee_name', 'employee_tbl'].map((relname) => ({ nspname: 'hr', relname })),
    );
    expect(await signalbox(['check', '--connect'], { cwd, env })).toMatchObject({ code: 0 });
  });
});
