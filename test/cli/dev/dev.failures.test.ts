import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, get as httpGet } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { files, staffPath, staffProject } from '../fixture.ts';
import { poll } from '../poll.ts';
import { type Running, signalboxProcess, start } from '../support.ts';
import { takenPort } from '../taken-port.ts';

const service = files['definitions/staff/service.yaml'];
const ready = /^Signalbox is ready on (http:\/\/127\.0\.0\.1:\d+) .*$/m;
const reloaded = /^Reloaded in \d+ ms: (.+)$/m;
/** What the README asks a newcomer to add. */
const teams = `  TEAMS_GET:
    get: Teams/{DEPTNAME}{?maxrows}
    query: EMPLOYEES_BY_DEPT
    public: true
`;

async function develop(cwd: string): Promise<{ dev: Running; address: string }> {
  const dev = start(['dev'], { cwd, env: { PORT: '0' } });
  const [, address = ''] = await dev.until(ready);
  return { dev, address };
}

/** Calls without pause, on connections that are kept alive and on fresh ones, until the test ends or asks how it went. */
function steadyCalls(url: string) {
  const kept = new Agent({ keepAlive: true, maxSockets: 2 });
  const fresh = new Agent({ keepAlive: false });
  const failures: string[] = [];
  let calls = 0;
  let running = true;
  const caller = async (agent: Agent): Promise<void> => {
    while (running) {
      await new Promise<void>((resolve) => {
        const fail = (error: Error): void => {
          failures.push(error.message);
          resolve();
        };
        httpGet(url, { agent }, (reply) => {
          if (reply.statusCode !== 200) failures.push(`status ${reply.statusCode}`);
          reply.resume().once('end', resolve).once('error', fail);
        }).once('error', fail);
      });
      calls++;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const callers = [caller(kept), caller(fresh)];
  const stop = async (): Promise<{ calls: number; failures: string[] }> => {
    running = false;
    await Promise.all(callers);
    kept.destroy();
    return { calls, failures };
  };
  onTestFinished(async () => void (await stop()));
  return { stop };
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

test('an operation added to the YAML answers soon after it is saved; no call is dropped meanwhile', async () => {
  const cwd = await staffProject();
  const { dev, address } = await develop(cwd);
  const calls = steadyCalls(`${address}${staffPath}/Hello/Ada`);
  const times: number[] = [];
  let text: string = service;
  for (const name of ['TEAMS', 'CREWS']) {
    const url = `${address}${staffPath}/${name}/SALES?maxrows=1`;
    expect((await fetch(url)).status).toBe(404);
    text += teams.replace('TEAMS', name).replace('Teams', name);
    const from = dev.output().length;
    const saved = performance.now();
    await writeFile(join(cwd, 'definitions/staff/service.yaml'), text);
    const reply = await poll(
      `the operation ${name}_GET`,
      async () => {
        const answer = await fetch(url);
        return answer.ok ? answer : undefined;
      },
      dev.output,
    );
    times.push(performance.now() - saved);
    expect(await reply.json()).toMatchObject({ rows: [{ NAME: 'Ada' }] });
    expect((await dev.until(reloaded, from))[1]).toBe(`added ${name}_GET`);
  }
  expect(await calls.stop()).toMatchObject({ failures: [] });
  // A second is what a developer is promised; how long it takes elsewhere is the machine's matter.
  console.log(`answered after ${times.map((time) => Math.round(time)).join(', ')} ms`);
  // Its types are there as well, and that they were written was no edit: the one after them is heard of next.
  expect(await readFile(join(cwd, 'generated/registry.json'), 'utf8')).toContain('TEAMS_GET');
  await rm(join(cwd, 'definitions/staff/queries.yaml'));
  await dev.until(/last good version keeps serving/);
  expect(dev.output().match(/^Reloaded/gm)).toHaveLength(times.length);
  expect((await fetch(`${address}/health/live`)).status).toBe(200);
});

test('a broken edit is printed, and what was last good goes on; mending it takes over', async () => {
  const cwd = await staffProject();
  const { dev, address } = await develop(cwd);
  const calls = steadyCalls(`${address}${staffPath}/Hello/Ada`);
  const path = join(cwd, 'definitions/staff/service.yaml');
  await writeFile(path, service.replace('query: EMPLOYEES_BY_DEPT', 'query: EMPLOYEES_BY_DEP'));
  await dev.until(/^definitions\/staff\/service\.yaml:6:\d+: error .*EMPLOYEES_BY_DEP/m);
  await dev.until(/The last good version keeps serving/);
  expect((await fetch(`${address}${staffPath}/Employees/IT`)).status).toBe(200);

  await writeFile(path, service.replace('Employees/', 'People/'));
  expect((await dev.until(reloaded))[1]).toBe('changed EMPLOYEES_GET');
  expect((await fetch(`${address}${staffPath}/People/IT`)).status).toBe(200);
  expect((await fetch(`${address}${staffPath}/Employees/IT`)).status).toBe(404);
  expect(await calls.stop()).toMatchObject({ failures: [] });
});

test('a handler and what it imports are new with every save, also by an atomic rename', async () => {
  const cwd = await staffProject();
  const { dev, address } = await develop(cwd);
  const url = `${address}${staffPath}/Hello/Ada`;
  expect(await textOf(url)).toContain('Hello, Ada');

  await writeFile(join(cwd, 'src/greet.ts'), files['src/greet.ts'].replace('Hello', 'Good day'));
  await poll(
    'the new module',
    async () => ((await textOf(url)).includes('Good day, Ada') ? true : undefined),
    dev.output,
  );
  expect((await dev.until(reloaded))[1]).toBe('src/greet.ts');

  const handler = files['src/handlers/hello-get.ts'].replace('greet(NAME)', 'greet(NAME.toUpperCase())');
  await writeFile(join(cwd, 'src/handlers/.hello-get.ts.tmp'), handler);
  await rename(join(cwd, 'src/handlers/.hello-get.ts.tmp'), join(cwd, 'src/handlers/hello-get.ts'));
  await poll(
    'the new handler',
    async () => ((await textOf(url)).includes('Good day, ADA') ? true : undefined),
    dev.output,
  );

  // A module that does not run is a broken edit like any other.
  await writeFile(join(cwd, 'src/greet.ts'), 'export const greet = ;\n');
  await dev.until(/hello-get\.ts does not load/);
  expect(await textOf(url)).toContain('Good day, ADA');
  await writeFile(join(cwd, 'src/greet.ts'), files['src/greet.ts']);
  await poll(
    'the mended module',
    async () => ((await textOf(url)).includes('Hello, ADA') ? true : undefined),
    dev.output,
  );
});

test('a handler that is missing is created as a stub, and answers when it is written', async () => {
  const cwd = await staffProject();
  const { dev, address } = await develop(cwd);
  const added =
    service +
    teams
      .replaceAll('TEAMS', 'TEAM')
      .replace(
        '    query: EMPLOYEES_BY_DEPT\n',
        '    request: { fields: { DEPTNAME: string, maxrows: integer } }\n    response: { fields: { SIZE: integer } }\n',
      );
  await writeFile(join(cwd, 'definitions/staff/service.yaml'), added);
  await dev.until(/^Created src\/handlers\/team-get\.ts, a typed stub\.$/m);
  const url = `${address}${staffPath}/Teams/SALES`;
  await poll('the stub', async () => ((await fetch(url)).status === 501 ? true : undefined), dev.output);

  const path = join(cwd, 'src/handlers/team-get.ts');
  const stub = await readFile(path, 'utf8');
  await writeFile(path, stub.replace(/throw [^;]+;/, 'return { SIZE: 2 };'));
  await poll(
    'the written handler',
    async () => ((await textOf(url)).includes('"SIZE":2') ? true : undefined),
    dev.output,
  );
});

test('a save with which the gateway ends while it starts is over with the next one', async () => {
  // Ends while the one file is there without the other.
  const greet = `import { once } from 'node:events';
import { existsSync } from 'node:fs';
const isThere = (name: string): boolean => existsSync(new URL('../definitions/' + name, import.meta.url));
if (isThere('first.yaml') && !isThere('second.yaml')) process.exit(3);
${files['src/greet.ts']}`;
  const cwd = await staffProject({ 'src/greet.ts': greet });
  const { dev, address } = await develop(cwd);
  await writeFile(join(cwd, 'definitions/first.yaml'), 'permission-list: FIRST\n');
  await dev.until(/^The gateway ended while it started \(exit code 3\)\.\n.*last good version keeps serving/m);
  expect(await textOf(`${address}${staffPath}/Hello/Ada`)).toContain('Hello, Ada');
  await writeFile(join(cwd, 'definitions/second.yaml'), 'permission-list: SECOND\n');
  expect((await dev.until(reloaded))[1]).toBe('definitions/second.yaml');
});

test('definitions that do not load at first are waited for', async () => {
  const cwd = await staffProject({ 'definitions/staff/service.yaml': 'service: \n' });
  const dev = start(['dev'], { cwd, env: { PORT: '0' } });
  await dev.until(/Nothing is being served yet/);
  await writeFile(join(cwd, 'definitions/staff/service.yaml'), service);
  const [, address] = await dev.until(ready);
  expect((await fetch(`${address}${staffPath}/Hello/Ada`)).status).toBe(200);
});

test('saves in quick succession end with the last one', async () => {
  const cwd = await staffProject();
  const { dev, address } = await develop(cwd);
  for (let round = 0; round < 8; round++) {
    await writeFile(join(cwd, 'src/greet.ts'), files['src/greet.ts'].replace('Hello', `Round ${round}`));
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const url = `${address}${staffPath}/Hello/Ada`;
  await poll('the last save', async () => ((await textOf(url)).includes('Round 7') ? true : undefined), dev.output);
  expect(dev.output().match(/^Reloaded/gm)?.length).toBeLessThan(8);
});

test('a gateway that crashes is started again on the same port; callers wait rather than fail', async () => {
  const crash = "export const greet = (name: string): string => (name === 'crash' ? process.exit(7) : name);\n";
  const cwd = await staffProject({ 'src/greet.ts': crash });
  const { dev, address } = await develop(cwd);
  await expect(fetch(`${address}${staffPath}/Hello/crash`)).rejects.toThrow();
  expect(await textOf(`${address}${staffPath}/Hello/Ada`)).toContain('Ada');
  await dev.until(/^The gateway ended \(exit code 7\)/m);
});

test.each([
  [['dev']],
  [['dev', '--reset']],
])('a port that is taken ends %j: one line, a hint, exit code 1, and the database, which its holder may use, is left as it is', async (command) => {
  const port = await takenPort();
  const cwd = await staffProject();
  const { code, stderr } = await signalboxProcess(command, { cwd, env: { PORT: String(port) } });
  expect(existsSync(join(cwd, '.signalbox/signalbox.db'))).toBe(false);
  expect(stderr).toMatch(
    new RegExp(
      `^signalbox: 127\\.0\\.0\\.1:${port} is in use by process ${process.pid} \\(.*\\)\n  .*PORT=0 takes a free one\\.\n$`,
    ),
  );
  expect(code).toBe(1);
});

test('the port of a gateway that stops is waited for, and says whose it is', async () => {
  const gateway = files['definitions/gateway.yaml'];
  const cwd = await staffProject({ 'definitions/gateway.yaml': `${gateway}drain: { ready: 5 m }\n` });
  const serving = start(['serve'], { cwd, env: { PORT: '0' } });
  const [, address = ''] = await serving.until(/^Signalbox is ready on (http:\/\/127\.0\.0\.1:\d+) /m);
  // A load balancer asks, so the gateway announces its end.
  expect((await fetch(`${address}/health/ready`)).status).toBe(200);
  serving.process.kill('SIGTERM');
  await serving.until(/Its port stays open for up to 300 seconds \(drain: ready\)/);
  const dev = start(['dev'], { cwd, env: { PORT: new URL(address).port } });
  await dev.until(
    new RegExp(`in use by process ${serving.process.pid} \\(.*\\); it stops, and dev waits for the port`),
  );
  serving.process.kill('SIGKILL');
  await dev.until(ready);
});

test('a port whose gateway does not stop in time ends it: two lines, and nothing of Node', async () => {
  const draining = createServer((_, response) => void response.writeHead(503).end()).listen(0, '127.0.0.1');
  onTestFinished(() => void draining.close());
  await once(draining, 'listening');
  const { port } = draining.address() as AddressInfo;
  const { code, stdout, stderr } = await signalboxProcess(['dev'], {
    cwd: await staffProject(),
    env: { PORT: String(port) },
  });
  expect(stdout).toMatch(
    /^127\.0\.0\.1:\d+ is in use by process \d+ \(.*\); it stops, and dev waits for the port\.\n$/,
  );
  expect(stderr).toMatch(/^signalbox: 127\.0\.0\.1:\d+ is in use by .*\n {2}.*PORT=0 takes a free one\.\n$/);
  expect(code).toBe(1);
});

test('SIGTERM ends it and its child at once; nothing is left behind', async () => {
  const cwd = await staffProject({
    'src/greet.ts': 'export const greet = (name: string): string => (name === "pid" ? String(process.pid) : name);\n',
  });
  const { dev, address } = await develop(cwd);
  const { GREETING: pid } = (await (await fetch(`${address}${staffPath}/Hello/pid`)).json()) as { GREETING: string };
  const { code, signal, tookMs } = await dev.stop('SIGTERM');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(tookMs).toBeLessThan(10_000);
  expect(() => process.kill(Number(pid), 0)).toThrow();
});
