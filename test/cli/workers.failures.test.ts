import { readdir, rename, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { files, staffPath, staffProject } from './fixture.ts';
import { poll } from './poll.ts';
import { type Running, signalbox, signalboxProcess, start } from './support.ts';
import { takenPort } from './taken-port.ts';

const ready = /^Signalbox is ready on (http:\/\/\S+) \((.*)\)$/m;

/** Says in which process it runs. */
const hello = `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('HELLO_GET', { onRequest: () => ({ GREETING: String(process.pid) }) });
`;

test.each([
  ['0', 2, /--workers takes a number from 1 to 256, or auto, not '0'/],
  ['many', 2, /--workers takes a number from 1 to 256, or auto, not 'many'/],
  ['2', 1, /--workers 2 needs PostgreSQL.*\n.*DATABASE_URL=postgres:/],
])('--workers %s on SQLite is refused', async (workers, exitCode, message) => {
  const { code, stdout, stderr } = await signalbox(['serve', '--workers', workers], { cwd: await staffProject() });
  expect(stderr).toMatch(message);
  expect(stdout).toBe('');
  expect(code).toBe(exitCode);
});

test('auto is one process on SQLite; at SIGHUP it opens its audit log anew, and goes on', async () => {
  const definition = `${files['definitions/gateway.yaml']}audit: audit.log\n`;
  const cwd = await staffProject({ 'definitions/gateway.yaml': definition });
  const gateway = start(['serve', '--workers', 'auto'], { cwd, env: { PORT: '0' } });
  const [, address, what] = await gateway.until(ready);
  expect(what).toBe('1 service, 2 operations');
  await rename(`${cwd}/audit.log`, `${cwd}/audit.log.1`);
  gateway.process.kill('SIGHUP');
  await poll('a new audit log', async () => ((await readdir(cwd)).includes('audit.log') ? true : undefined));
  expect((await fetch(`${address}${staffPath}/Hello/Ada`)).status).toBe(200);
  expect(await gateway.stop()).toMatchObject({ code: 0 });
});

describe.skipIf(!hasPostgres)('several workers on PostgreSQL', () => {
  let database: TestDatabase;
  let cwd: string;
  beforeAll(async () => {
    [database, cwd] = await Promise.all([createDatabase(), staffProject({ 'src/handlers/hello-get.ts': hello })]);
  });
  afterAll(() => database?.drop());

  const startTwo = (): Running =>
    start(['serve', '--workers', '2'], { cwd, env: { PORT: '0', DATABASE_URL: database.url } });

  /** The process that answers on a connection of its own. */
  async function pidAt(address: string): Promise<number> {
    const reply = await fetch(`${address}${staffPath}/Hello/Ada`, { headers: { connection: 'close' } });
    return Number(((await reply.json()) as { GREETING: string }).GREETING);
  }

  async function pidsAt(address: string): Promise<Set<number>> {
    const pids = new Set<number>();
    for (let call = 0; call < 8; call++) pids.add(await pidAt(address));
    return pids;
  }

  test('share the port and the work; one that dies is replaced; all end in order', async () => {
    const gateway = startTwo();
    const [, address = '', what] = await gateway.until(ready);
    expect(what).toBe('1 service, 2 operations, 2 workers');
    const pids = await pidsAt(address);
    expect(pids.size).toBe(2);
    expect(pids).not.toContain(gateway.process.pid);
    const page = await (await fetch(`${address}/metrics`)).text();
    expect(page).toMatch(/^signalbox_request_duration_seconds_count\{operation="HELLO_GET",status="200"\} 8$/m);

    const [victim = 0] = pids;
    process.kill(victim, 'SIGKILL');
    const [line] = await gateway.until(/^\{.*Worker \d ended by SIGKILL; another starts in 100 ms\..*\}$/m);
    const { worker } = JSON.parse(line) as { worker: number };
    await gateway.until(new RegExp(`Worker ${worker} is back`));
    const after = await pidsAt(address);
    expect(after.size).toBe(2);
    expect(after).not.toContain(victim);

    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0, signal: null });
    const output = gateway.output();
    expect(output.match(/is ready on/g)).toHaveLength(1);
    for (const number of [1, 2]) expect(output).toMatch(new RegExp(`"worker":${number},"requestId"`));
    await expect(fetch(`${address}/health/live`)).rejects.toThrow();
  });

  test('SIGUSR2 while they start replaces them once they are ready; SIGTERM in the middle of it is no failure', async () => {
    const noted = `import { writeFileSync } from 'node:fs';\nwriteFileSync('loaded', '');\n${hello}`;
    const folder = await staffProject({ 'src/handlers/hello-get.ts': noted });
    const env = { PORT: '0', DATABASE_URL: database.url };
    const gateway = start(['serve', '--workers', '2'], { cwd: folder, env });
    const loaded = (): Promise<true> =>
      poll('handlers of a worker', async () => ((await readdir(folder)).includes('loaded') ? true : undefined));
    await loaded();
    expect(gateway.output()).not.toMatch(ready);
    gateway.process.kill('SIGUSR2');
    for (const worker of [1, 2]) await gateway.until(new RegExp(`Worker ${worker} was replaced`));
    expect(gateway.output()).toMatch(ready);

    await rm(`${folder}/loaded`);
    gateway.process.kill('SIGUSR2');
    await loaded();
    expect(await gateway.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(gateway.output()).not.toContain('"level":"error"');
  });

  test('end with the primary, though it could tell them nothing', async () => {
    const gateway = startTwo();
    const [, address = ''] = await gateway.until(ready);
    gateway.process.kill('SIGKILL');
    await poll('the end', () =>
      fetch(`${address}/health/live`).then(
        () => undefined,
        () => true,
      ),
    );
  });

  test('a port that is taken is told once, and nothing is left behind', async () => {
    const untouched = await createDatabase();
    onTestFinished(untouched.drop);
    const env = { PORT: String(await takenPort()), DATABASE_URL: untouched.url };
    const { code, stderr, stdout } = await signalboxProcess(['serve', '--workers', '2'], { cwd, env });
    const { rows } = await untouched.run("select tablename from pg_tables where tablename = 'signalbox_migration'");
    expect(rows).toEqual([]);
    expect(stderr.match(/is in use/g)).toHaveLength(1);
    expect(stdout).not.toContain('ready');
    expect(code).toBe(1);
  });
});
