import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { files, staffPath, staffProject } from './fixture.ts';
import { poll } from './poll.ts';
import { bin, signalboxProcess, start, startProcess } from './support.ts';
import { takenPort } from './taken-port.ts';

const ready = /^Signalbox is ready on (http:\/\/127\.0\.0\.1:(\d+)) .*$/m;

test('says that it is ready, where, and what comes next; answers; ends within a second of SIGTERM', async () => {
  const cwd = await staffProject();
  const gateway = start(['serve'], { cwd, env: { PORT: '0' } });
  const [, address, port] = await gateway.until(ready);
  expect(Number(port)).toBeGreaterThan(0);
  const [screen, page, call = ''] = await gateway.until(
    /\n {2}Services +(\S+)\n {2}Console +\S+\/console\n {2}Try it +curl (\S+)\n {2}Definitions +definitions\/ .*\n {2}Stop +Ctrl-C\n\n/,
  );
  expect(page).toBe(`${address}/`);
  expect(screen.split('\n').filter((line) => line.length > 80 && !line.includes('curl'))).toEqual([]);
  expect((await fetch(call)).status).toBe(200);
  await expect.poll(async () => (await fetch(`${address}/health/ready`)).status).toBe(200);
  const hello = await fetch(`${address}${staffPath}/Hello/Ada`);
  expect(await hello.json()).toEqual({ GREETING: 'Hello, Ada' });
  const employees = await fetch(`${address}${staffPath}/Employees/IT`);
  expect(await employees.json()).toMatchObject({ rows: [{ EMPLID: 9, NAME: 'Cy' }] });

  const { code, signal, tookMs } = await gateway.stop('SIGTERM');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  // A stop that waits for something waits 30 s.
  expect(tookMs).toBeLessThan(10_000);
});

test('a second start, with the definitions of the first, warns and answers the same; a change of them applies', async () => {
  // Sample data that creates tables, where migrations do: a warning.
  const cwd = await staffProject({
    'definitions/gateway.yaml': `${files['definitions/gateway.yaml']}migrations: migrations\n`,
    'migrations/0001-more.sql': 'create table more (id integer);\n',
  });
  const cached = join(cwd, '.signalbox/cache/registry');
  const written = (): number | undefined => statSync(cached, { throwIfNoEntry: false })?.ino;
  /** @param before the file to be replaced by another; without it, none is expected */
  const startOnce = async (before?: { readonly file: number | undefined }) => {
    const gateway = start(['serve'], { cwd, env: { PORT: '0' } });
    const [, address] = await gateway.until(ready);
    const greeting = await (await fetch(`${address}${staffPath}/Hello/Ada`)).json();
    if (before) await poll('the new registry', () => (written() === before.file ? undefined : true));
    // SIGTERM would be announced for five seconds, because fetch keeps its connection.
    await gateway.stop('SIGINT');
    // Without the log, whose lines come between.
    const said = gateway
      .output()
      .split('\n')
      .filter((line) => !line.startsWith('{'))
      .join('\n');
    return { said: said.slice(0, said.indexOf('Signalbox is ready')), greeting };
  };
  const first = await startOnce({ file: undefined });
  expect(first.said).toContain('warning');
  const file = written();
  expect(await startOnce()).toEqual(first);
  expect(written()).toBe(file);
  const service = join(cwd, 'definitions/staff/service.yaml');
  writeFileSync(service, readFileSync(service, 'utf8').replace('GREETING: string', 'GREETING: string(3)'));
  expect((await startOnce({ file })).greeting).not.toEqual(first.greeting);
});

test('with --json standard output is the log, a JSON record a line', async () => {
  const gateway = start(['serve', '--json'], { cwd: await staffProject(), env: { PORT: '0' } });
  const [, address] = await gateway.until(/"msg":"Signalbox is ready on (\S+)"\}\n/);
  await fetch(`${address}/health/live`);
  await gateway.stop();
  const records = gateway
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(records).toEqual([
    expect.objectContaining({ level: 'info', address, services: 1, workers: 1 }),
    expect.objectContaining({ level: 'info', path: '/health/live', status: 200 }),
    expect.objectContaining({
      level: 'info',
      msg: expect.stringMatching(/^The gateway stops\. Its port stays open for up to \d+ seconds? \(drain: ready\)\.$/),
    }),
  ]);
});

test.skipIf(!existsSync('/usr/bin/script'))('on a terminal the log is for people (needs script)', async () => {
  const command = `'${process.execPath}' '${bin}' serve`;
  const options = { cwd: await staffProject(), env: { PORT: '0', NO_COLOR: '1' } };
  const gateway = startProcess('/usr/bin/script', ['-qec', command, '/dev/null'], options);
  const [, address] = await gateway.until(/ready on (\S+) /);
  await fetch(`${address}/health/live`);
  await gateway.until(/^\d\d:\d\d:\d\d GET \/health\/live 200 [\d.]+ ms\r$/m);
});

test('SIGINT ends it cleanly too', async () => {
  const gateway = start(['serve'], { cwd: await staffProject(), env: { PORT: '0' } });
  await gateway.until(ready);
  expect(await gateway.stop('SIGINT')).toMatchObject({ code: 0, signal: null });
});

test("ends with npm's shell, which dies of SIGTERM and tells nobody", async () => {
  const env = { PORT: '0', npm_lifecycle_event: 'start', npm_lifecycle_script: 'signalbox serve' };
  // The last command keeps the shell from becoming the gateway itself.
  const command = `'${process.execPath}' '${bin}' serve; exit`;
  const shell = startProcess('sh', ['-c', command], { cwd: await staffProject(), env });
  const [, address] = await shell.until(ready);
  shell.process.kill('SIGTERM');
  await poll('the end', () =>
    fetch(`${address}/health/live`).then(
      () => undefined,
      () => true,
    ),
  );
});

test('while a request runs the first signal waits, the second does not', async () => {
  const handler = files['src/handlers/hello-get.ts'].replace(/onRequest:.*/, 'onRequest: () => new Promise(() => {}),');
  const definition = `${files['definitions/gateway.yaml']}drain: 0 s\n`;
  const cwd = await staffProject({ 'src/handlers/hello-get.ts': handler, 'definitions/gateway.yaml': definition });
  const gateway = start(['serve'], { cwd, env: { PORT: '0' } });
  const [, address] = await gateway.until(ready);
  const reply = fetch(`${address}${staffPath}/Hello/Ada`).catch((error: Error) => error);
  await fetch(`${address}/health/live`);
  gateway.process.kill('SIGTERM');
  // It listens no longer, but it is still there.
  await expect
    .poll(() =>
      fetch(`${address}/health/live`).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed');
  expect(gateway.process.exitCode).toBeNull();
  expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 1 });
  expect(await reply).toBeInstanceOf(Error);
});

test('definitions with mistakes: the diagnostics, exit code 1, nothing listens', async () => {
  const cwd = await staffProject({ 'definitions/staff/queries.yaml': 'query: 7\n' });
  const { code, stdout, stderr } = await signalboxProcess(['serve'], { cwd, env: { PORT: '0' } });
  expect(stderr).toMatch(/^definitions\/staff\/.*: error /m);
  expect(stdout).not.toContain('ready');
  expect(code).toBe(1);
});

test('a port that is taken: one line and a hint, and the database, which its holder may use, is left as it is', async () => {
  const port = String(await takenPort());
  const cwd = await staffProject();
  const { code, stderr } = await signalboxProcess(['serve'], { cwd, env: { PORT: port } });
  expect(stderr).toMatch(new RegExp(`^signalbox: .*${port}.*in use by process \\d+ \\(.+\\)\n  .*PORT`));
  expect(code).toBe(1);
  expect(existsSync(join(cwd, '.signalbox/signalbox.db'))).toBe(false);
});

test('goes on serving when nobody reads its output any more', async () => {
  const gateway = start(['serve'], { cwd: await staffProject(), env: { PORT: '0' } });
  const [, address] = await gateway.until(ready);
  gateway.process.stdout?.destroy();
  gateway.process.stderr?.destroy();
  // Log lines are written in batches of some kilobytes: the gateway is to outlive the first of them.
  for (let call = 0; call < 60; call++) expect((await fetch(`${address}${staffPath}/Hello/Ada`)).status).toBe(200);
  expect((await fetch(`${address}/health/live`)).status).toBe(200);
});
