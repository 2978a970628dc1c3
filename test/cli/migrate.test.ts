import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrations } from '../../src/store/schema/schema.ts';
import { staffProject } from './fixture.ts';
import { signalbox, signalboxProcess } from './support.ts';

const names = migrations.map((migration) => migration.name);

test.concurrent('the plan is shown as SQL and as JSON, and changes nothing', async () => {
  const cwd = await staffProject();
  const { code, stdout, stderr } = await signalbox(['migrate', '--plan'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.match(/^-- .*/gm)).toEqual(names.map((name) => `-- ${name}`));
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
    stdout: `${join(cwd, '.signalbox/signalbox.db')} took ${names.length} ${names.length === 1 ? 'step' : 'steps'}.\n`,
  });
  const second = await signalbox(['migrate'], { cwd });
  expect(second).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('signalbox.db is up to date.') });
  const plan = await signalbox(['migrate', '--plan'], { cwd });
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
