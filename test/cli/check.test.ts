import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/load/index.ts';
import { files, staffProject } from './fixture.ts';
import { bin, cleanEnvironment, finish, project, signalbox, signalboxProcess } from './support.ts';

const broken = files['definitions/staff/service.yaml'].replace('query: EMPLOYEES_BY_DEPT', 'query: EMPLOYEES_BY_DEP');

test.concurrent('a sound project: exit code 0 and what was looked at', async () => {
  const ran = await signalboxProcess(['check'], { cwd: await staffProject() });
  expect(ran).toEqual({ code: 0, signal: null, stdout: '3 files, 2 operations: no errors.\n', stderr: '' });
});

test.concurrent('what is switched off is not counted as an operation, and is named beside', async () => {
  const service = files['definitions/staff/service.yaml'];
  const cwd = await staffProject({
    'definitions/staff/service.yaml': service.replace('    query: EMPLOYEES_BY_DEPT', '    active: false\n$&'),
  });
  const { stdout } = await signalbox(['check'], { cwd });
  expect(stdout).toBe('3 files, 1 operation (1 not active): no errors.\n');
});

test.concurrent('a mistake: place, code, the line with a caret, what was probably meant; exit code 1', async () => {
  const cwd = await staffProject({ 'definitions/staff/service.yaml': broken });
  const { code, stdout, stderr } = await signalboxProcess(['check'], { cwd });
  expect(stdout).toMatch(/^definitions\/staff\/service\.yaml:6:\d+: error [a-z-]+: .*EMPLOYEES_BY_DEP/m);
  expect(stdout).toContain('    query: EMPLOYEES_BY_DEP\n');
  expect(stdout).toMatch(/^\s*\|\s*\^+$/m);
  expect(stdout).toContain('EMPLOYEES_BY_DEPT');
  expect(stdout).toMatch(/^3 files: \d+ errors?\.$/m);
  expect(stdout).not.toContain('\u001b');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
});

test.concurrent('--json: the diagnostics as an array, and nothing else', async () => {
  const cwd = await staffProject({ 'definitions/staff/service.yaml': broken });
  const { code, stdout, stderr } = await signalbox(['check', '--json'], { cwd });
  const diagnostics = JSON.parse(stdout) as Diagnostic[];
  const at = { file: 'definitions/staff/service.yaml', line: 6, column: 12 };
  expect(diagnostics).toContainEqual(expect.objectContaining({ severity: 'error', code: 'unknown-reference', at }));
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });

  const sound = await signalbox(['check', '--json'], { cwd: await staffProject() });
  expect(sound).toMatchObject({ code: 0, stdout: '[]\n' });
});

test.concurrent.each([
  [[]],
  [['--json']],
])('mistakes are exit code 1 also where nobody reads them to the end: %j', async (options) => {
  const cwd = await staffProject({ 'definitions/staff/service.yaml': broken });
  const child = spawn(process.execPath, [bin, 'check', ...options], { cwd, env: cleanEnvironment() });
  child.stdout.destroy();
  expect(await finish(child)).toMatchObject({ code: 1, stderr: '' });
});

test.concurrent('the handlers of a project with more than 2 MiB of operations are imported', async () => {
  // More than the arguments of a process may hold on Linux. A key of YAML is as long as 1,024 characters.
  const ids = Array.from({ length: 2_200 }, (_, index) => `${'LONG_'.repeat(200)}${index}`);
  const operations = ids.map((id, index) => `  ${id}: { get: many/${index}, handler: shared, response: text }\n`);
  const cwd = await project({
    'definitions/gateway.yaml': 'gateway: LOCAL\nnamespace: urn:test\n',
    'definitions/many.yaml': `service: Many.v1\npublic: true\noperations:\n${operations.join('')}  WRONG: { get: wrong, response: text }\n`,
    // Fits only if the last operation is among those that use it.
    'src/handlers/shared.ts': `import { define } from 'signalbox';\nexport default define('${ids.at(-1)}', { onRequest: () => 'fine' });\n`,
    'src/handlers/wrong.ts': 'export const none = 1;\n',
  });
  const { code, stdout, stderr } = await signalbox(['check', '--json'], { cwd });
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  const message = 'src/handlers/wrong.ts does not export a handler: it has no default export.';
  expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ code: 'code-form', message })]);
});

test.concurrent('a handler that is missing is a mistake here', async () => {
  const { code, stdout } = await signalbox(['check'], {
    cwd: await staffProject({ 'src/handlers/hello-get.ts': undefined }),
  });
  expect(stdout).toContain('hello-get.ts');
  expect(code).toBe(1);
});

test.concurrent('FORCE_COLOR colours what goes to a pipe', async () => {
  const { stdout } = await signalbox(['check'], { cwd: await staffProject(), env: { FORCE_COLOR: '1' } });
  expect(stdout).toContain('\u001b[32m');
});

test.concurrent('--definitions names another folder', async () => {
  const moved = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace(/^definitions\//, 'other/'), text]),
  );
  const gone = Object.fromEntries(Object.keys(files).map((path) => [path, undefined]));
  const cwd = await staffProject({ ...gone, ...moved });
  expect(await signalbox(['check', '--definitions', 'other'], { cwd })).toMatchObject({ code: 0 });
  expect(await signalbox(['--definitions', `${cwd}/other`, 'check'], { cwd })).toMatchObject({ code: 0 });
});

test.concurrent('--connect: what the databases say, in the same form; what is not migrated is no mistake', async () => {
  const cwd = await staffProject();
  const before = await signalbox(['check', '--connect'], { cwd });
  expect(before.stdout).toMatch(
    /^definitions\/gateway\.yaml:1:\d+: warning database-outdated: .* still needs 0001-schema, .*staff\.sql\./,
  );
  expect(before).toMatchObject({ code: 0, stderr: '' });
  // Migrates on its way.
  expect(await signalbox(['query', 'EMPLOYEES_BY_DEPT', '--prompt', 'DEPTNAME=IT'], { cwd })).toMatchObject({
    code: 0,
  });
  const after = await signalbox(['check', '--connect'], { cwd });
  expect(after).toMatchObject({ code: 0, stdout: '3 files, 2 operations: no errors.\n', stderr: '' });
});
