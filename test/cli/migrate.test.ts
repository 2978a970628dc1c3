import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrations } from '../../src/store/schema/schema.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { files, staffPath, staffProject } from './fixture.ts';
import { signalbox, signalboxProcess, start } from './support.ts';

const names = [...migrations.map((migration) => migration.name), 'staff.sql'];

test.concurrent('the plan is shown as SQL and as JSON, and changes nothing', async () => {
  const cwd = await staffProject();
  const { code, stdout, stderr } = await signalbox(['migrate', '--plan', '--sql'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('create table employee_tbl');
  expect(stdout.match(/^--.*/gm)).toEqual([
    '---- Steps of signalbox ----',
    ...names.slice(0, -1).map((name) => `-- ${name}`),
    '---- Sample data ----',
    '-- staff.sql',
  ]);
  expect(stdout).toContain('\ncreate table "psprcsrqst" ("prcsinstance" integer primary key');
  const json = await signalbox(['migrate', '--plan', '--json'], { cwd });
  const steps = JSON.parse(json.stdout) as { name: string; statements: string[] }[];
  expect(steps.map((step) => step.name)).toEqual(names);
  expect(steps.every((step) => stdout.includes(`-- ${step.name}\n${step.statements.join('\n')}`))).toBe(true);
  expect(existsSync(join(cwd, '.signalbox'))).toBe(false);
});

test.concurrent('each step is named while it is run, once', async () => {
  const cwd = await staffProject();
  const first = await signalboxProcess(['migrate'], { cwd });
  expect(first.stderr).toBe(names.map((name) => `${name}\n`).join(''));
  expect(first).toMatchObject({
    code: 0,
    stdout: `${join(cwd, '.signalbox/signalbox.db')} took ${migrations.length} steps of signalbox and 1 file of sample data.\n`,
  });
  const second = await signalbox(['migrate'], { cwd });
  expect(second).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('signalbox.db is up to date.') });
  const plan = await signalbox(['migrate', '--plan', '--sql'], { cwd });
  expect(plan).toMatchObject({ code: 0, stdout: '-- The database is up to date.\n' });
});

test.concurrent('a database that does not answer is told without its password', async () => {
  const env = { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/box' };
  for (const args of [['migrate'], ['migrate', '--plan']]) {
    const { code, stdout, stderr } = await signalbox(args, { cwd: await staffProject(), env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^signalbox: 127\.0\.0\.1:1\/box does not answer: /);
    expect(stderr).not.toContain('hunter2');
  }
});

describe.skipIf(!hasPostgres)('on an empty PostgreSQL', () => {
  const inSchema = (more: string): string =>
    files['definitions/gateway.yaml'].replace(
      /^database: .*$/m,
      `database: { url: "\${env:DATABASE_URL}", schema: "\${env:BOX}"${more} }`,
    );

  test('the documented order works, and leaves nothing for the start to create', async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const cwd = await staffProject({ 'definitions/gateway.yaml': inSchema(', migrate: false') });
    const env = { DATABASE_URL: database.url, BOX: 'hr', PORT: '0' };
    const run = (...args: string[]) => signalbox(args, { cwd, env });
    const everything = async (): Promise<unknown[]> => {
      const objects = `select n.nspname, c.relname, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname !~ '^(pg_|information_schema)' order by 1, 2`;
      const { rows } = await database.run(objects);
      return rows;
    };

    expect((await run('migrate', '--plan', '--sql')).stdout).toMatch(
      /^-- schema hr\n[\s\S]*^-- queue hr_queue\n[\s\S]*^-- staff\.sql\n/m,
    );
    const empty = await run('check', '--connect');
    expect(empty.stdout).toMatch(/warning database-outdated: .* still needs schema hr, 0001-schema, .*, staff\.sql\./);
    expect(empty).toMatchObject({ code: 0, stderr: '' });
    const early = await run('serve');
    expect(early.stderr).toMatch(/ lacks schema hr, 0001-schema, .*, staff\.sql\n.*signalbox migrate/);
    expect([early.code, await everything()]).toEqual([1, []]);
    for (const args of [
      ['queue', 'pause', 'events'],
      ['user', 'disable', 'ANNA'],
    ]) {
      const { code, stderr } = await run(...args);
      expect(stderr).toMatch(/ lacks \d+ steps of the schema .*\n.*Run signalbox migrate first: `migrate: false`/);
      expect([code, await everything()]).toEqual([1, []]);
    }

    expect((await run('migrate')).stdout).toMatch(/ took \d+ steps of signalbox and 1 file of sample data\.\n$/);
    expect((await run('migrate', '--plan', '--sql')).stdout).toBe('-- The database is up to date.\n');
    expect(await run('check', '--connect')).toMatchObject({ code: 0, stdout: '3 files, 2 operations: no errors.\n' });
    const migrated = await everything();
    const gateway = start(['serve'], { cwd, env });
    const [, address] = await gateway.until(/ready on (http:\S+)/);
    const reply = await fetch(`${address?.replace(/\.$/, '')}${staffPath}/Employees/IT`);
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('Cy')]);
    await gateway.stop();
    expect(await everything()).toEqual(migrated);
    expect((await database.run('select * from hr.employee_tbl')).rows).toHaveLength(3);
  });

  test('check refuses to share the queue of another installation, as the start does', async () => {
    const database = await createDatabase();
    onTestFinished(database.drop);
    const cwd = await staffProject();
    expect(await signalbox(['migrate'], { cwd, env: { DATABASE_URL: database.url } })).toMatchObject({ code: 0 });
    await database.run('create schema other');
    const DATABASE_URL = `${database.url}?options=-c%20search_path%3Dother`;
    const refusal = 'has the queue signalbox_queue, which belongs to the installation in the schema public';
    const checked = await signalbox(['check', '--connect'], { cwd, env: { DATABASE_URL } });
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining(refusal) });
    const served = await signalbox(['serve'], { cwd, env: { DATABASE_URL, PORT: '0' } });
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining(refusal) });
  });
});

test('--plan lists what is pending by name', async () => {
  const cwd = await staffProject();
  const { code, stdout } = await signalbox(['migrate', '--plan'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Steps of signalbox\n {2}0001-schema\n(?: {2}\S+\n)+\nSample data\n {2}staff\.sql\n\nsignalbox migrate --plan --sql prints their statements\.\n$/,
  );
  await signalbox(['migrate'], { cwd });
  expect((await signalbox(['migrate', '--plan'], { cwd })).stdout).toBe('The database is up to date.\n');
  expect(await signalbox(['migrate', '--sql'], { cwd })).toMatchObject({ code: 2 });
});
