import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { files, staffPath, staffProject } from './fixture.ts';
import { bin, cleanEnvironment, finish, signalbox } from './support.ts';

test.concurrent('a table of paths with routing, answer and permission', async () => {
  const { code, stdout, stderr } = await signalbox(['routes'], { cwd: await staffProject() });
  const [heading, ...lines] = stdout.trimEnd().split('\n');
  expect(heading).toMatch(/^OPERATION +METHOD +PATH +URI +ROUTING +FROM > TO +ACTIVE +ANSWER +PERMISSION$/);
  const cells = lines.map((line) => line.split(/ {2,}/));
  expect(cells).toEqual([
    [
      'EMPLOYEES_GET',
      'GET',
      `${staffPath}/Employees/{DEPTNAME}{?maxrows}`,
      '1',
      '~GENERATED~EMPLOYEES_GET',
      'ANY > LOCAL',
      'yes',
      'query EMPLOYEES_BY_DEPT',
      'public',
    ],
    [
      'HELLO_GET',
      'GET',
      `${staffPath}/Hello/{NAME}`,
      '1',
      '~GENERATED~HELLO_GET',
      'ANY > LOCAL',
      'yes',
      'code hello-get',
      'public',
    ],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.concurrent('--format json has the same facts', async () => {
  const { stdout } = await signalbox(['routes', 'Staff.v1', '--format', 'json'], { cwd: await staffProject() });
  const [first] = JSON.parse(stdout) as unknown[];
  expect(first).toEqual({
    operation: 'EMPLOYEES_GET',
    service: 'Staff.v1',
    method: 'GET',
    path: `${staffPath}/Employees/{DEPTNAME}{?maxrows}`,
    uriIndex: 1,
    routing: '~GENERATED~EMPLOYEES_GET',
    sender: 'ANY',
    receiver: 'LOCAL',
    active: true,
    answer: 'query EMPLOYEES_BY_DEPT',
    permission: ['public'],
  });
});

test.concurrent('an inactive operation is listed as such', async () => {
  const service = files['definitions/staff/service.yaml'].replace(
    '  HELLO_GET:\n',
    '  HELLO_GET:\n    active: false\n',
  );
  const cwd = await staffProject({ 'definitions/staff/service.yaml': service });
  const { stdout } = await signalbox(['routes', '--format', 'json'], { cwd });
  const routes = JSON.parse(stdout) as { operation: string; active: boolean }[];
  expect(routes.map(({ operation, active }) => [operation, active])).toEqual([
    ['EMPLOYEES_GET', true],
    ['HELLO_GET', false],
  ]);
});

test.concurrent('a service that is not there: what was probably meant', async () => {
  const { code, stderr } = await signalbox(['routes', 'Stafff.v1'], { cwd: await staffProject() });
  expect(stderr).toBe('signalbox: there is no service Stafff.v1\n  Did you mean Staff.v1?\n');
  expect(code).toBe(1);
});

test.concurrent('a service is found by its name alone, and by its name in paths, with those paths only', async () => {
  const service = files['definitions/staff/service.yaml'].replace(
    '  HELLO_GET:\n',
    '  HELLO_GET:\n    alias: Greeting\n',
  );
  const cwd = await staffProject({ 'definitions/staff/service.yaml': service });
  const operations = async (name: string): Promise<string[]> => {
    const { stdout } = await signalbox(['routes', name, '--format', 'json'], { cwd });
    return (JSON.parse(stdout) as { operation: string }[]).map(({ operation }) => operation);
  };
  expect(await operations('Staff')).toEqual(['EMPLOYEES_GET', 'HELLO_GET']);
  expect(await operations('Greeting.v1')).toEqual(['HELLO_GET']);
});

test.concurrent('definitions with mistakes: the diagnostics on standard error, exit code 1', async () => {
  const cwd = await staffProject({ 'definitions/staff/queries.yaml': 'query: 7\n' });
  const { code, stdout, stderr } = await signalbox(['routes'], { cwd });
  expect(stderr).toMatch(/^definitions\/staff\/.*: error /m);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test.concurrent('a reader that goes away early is no error', async () => {
  const cwd = await staffProject();
  const child = spawn(process.execPath, [bin, 'routes', '--format', 'json'], { cwd, env: cleanEnvironment() });
  child.stdout.destroy();
  expect(await finish(child)).toMatchObject({ code: 0, stderr: '' });
});
