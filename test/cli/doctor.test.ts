import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { staffProject } from './fixture.ts';
import { repository, signalbox, signalboxProcess, start } from './support.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly remedy?: string;
}

/** The findings by check, those of one check in their order. */
async function examine(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await signalbox(['doctor', '--json'], { cwd, env: { PORT: '0', ...env } });
  expect(stderr).toBe('');
  const findings = JSON.parse(stdout) as Finding[];
  const of = (check: string): Finding[] => findings.filter((each) => each.check === check);
  return { code, findings, of, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])) };
}

const manifest = '{ "dependencies": { "signalbox": "^0.1.0" } }';

/** A project in which the package is installed, as in every one of these tests, and TypeScript. */
async function installed(changes: Readonly<Record<string, string | undefined>> = {}): Promise<string> {
  const cwd = await staffProject({
    'package.json': manifest,
    'package-lock.json': '{}',
    '.env.example': '# DATABASE_URL=\n',
    ...changes,
  });
  await symlink(join(repository, 'node_modules/typescript'), join(cwd, 'node_modules/typescript'));
  return cwd;
}

test('a sound installation: every line is ok, and the last counts them', async () => {
  const cwd = await installed();
  await signalbox(['generate'], { cwd });
  const { code, states } = await examine(cwd);
  expect(states).toEqual({
    ...{ node: 'ok', package: 'ok', clones: 'ok', typescript: 'ok', sqlite: 'ok', definitions: 'ok', generated: 'ok' },
    ...{ settings: 'ok', port: 'ok', database: 'ok', disk: 'ok', 'open files': 'ok', 'time zone': 'ok' },
  });
  expect(code).toBe(0);
  const { stdout } = await signalbox(['doctor'], { cwd, env: { PORT: '0' } });
  expect(stdout).toMatch(/^ok {7}node {9}Node \d+\.\d+\.\d+ \(.*\)$/m);
  expect(stdout).toMatch(/\n\n13 ok, 0 warnings, 0 failures\.\n$/);
});

test('definitions with errors fail, and what depends on them is skipped', async () => {
  const { code, states, of } = await examine(await installed({ 'definitions/broken.yaml': 'node: X\n' }));
  expect(code).toBe(1);
  expect(of('definitions')).toMatchObject([{ state: 'fail', remedy: 'Run signalbox check.' }]);
  expect(states).toMatchObject({
    generated: 'skipped',
    port: 'skipped',
    database: 'skipped',
    node: 'ok',
    sqlite: 'ok',
  });
});

test('a project without the package, without TypeScript, with generated files that are out of date', async () => {
  const cwd = await staffProject();
  await rm(join(cwd, 'node_modules/signalbox'));
  const { code, of } = await examine(cwd);
  expect(code).toBe(1);
  expect(of('package')).toMatchObject([{ state: 'fail', remedy: 'Run npm install.' }]);
  expect(of('typescript')).toMatchObject([{ state: 'warn', remedy: expect.stringContaining('npm install') }]);
  expect(of('generated')).toMatchObject([
    { state: 'warn', found: expect.stringMatching(/^\d+ generated files out of date/) },
  ]);
  expect(of('clones')).toMatchObject([{ state: 'warn', found: expect.stringContaining('no package-lock.json') }]);
});

test('two copies of the package, and one that is not the one that runs', async () => {
  const cwd = await installed();
  const nested = 'node_modules/plugin/node_modules/signalbox';
  await mkdir(join(cwd, nested), { recursive: true });
  const packages = { 'node_modules/signalbox': {}, [nested]: {} };
  await writeFile(join(cwd, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  expect((await examine(cwd)).of('package')).toMatchObject([
    { state: 'fail', found: expect.stringContaining(`2 copies of signalbox: node_modules/signalbox, ${nested}`) },
  ]);

  const other = await staffProject();
  await rm(join(other, 'node_modules/signalbox'));
  await mkdir(join(other, 'node_modules/signalbox'));
  expect((await examine(other)).of('package')).toMatchObject([
    {
      state: 'fail',
      found: expect.stringContaining('handlers import another copy'),
      remedy: expect.stringContaining('npx'),
    },
  ]);
});

test('what a clone of the project lacks, and secrets that it has', async () => {
  const cwd = await installed({
    'package.json': '{ "dependencies": { "signalbox": "file:../signalbox.tgz", "near": "file:vendor/near.tgz" } }',
    'package-lock.json': undefined,
    '.env': 'PORT=0\n',
  });
  execFileSync('git', ['init', '--quiet'], { cwd });
  execFileSync('git', ['add', '.env'], { cwd });
  const { code, of } = await examine(cwd);
  expect(of('clones').map(({ state, found }) => [state, found])).toEqual([
    [
      'warn',
      'package.json names signalbox as file:../signalbox.tgz, outside of the project: a clone does not have it.',
    ],
    ['warn', 'There is no package-lock.json, which npm ci needs.'],
    ['warn', '.env is in version control.'],
  ]);
  expect(code).toBe(0);
});

test('settings that are missing: at start a failure, for calls a warning; what .env.example lacks', async () => {
  const cwd = await installed({
    'definitions/more.yaml':
      'datasource: REPORTS\nurl: ${env:REPORTS_URL}\n---\nnode: STOCK\nbase: ${env:STOCK_URL:-https://x.example.org}\nca-file: ${env:STOCK_CA}\n',
    '.env.example': 'DATABASE_URL=\nREPORTS_URL=\n',
  });
  const { code, of } = await examine(cwd);
  expect(code).toBe(1);
  expect(of('settings').map(({ state, found }) => [state, found])).toEqual([
    ['fail', 'Not set, and needed at start: REPORTS_URL.'],
    ['warn', 'Not set: STOCK_CA. Calls that need them fail.'],
    ['warn', '.env.example lacks STOCK_URL, STOCK_CA.'],
  ]);
});

test('settings of a clone that nobody has configured: .env.example has a value for each', async () => {
  const cwd = await installed({
    'definitions/more.yaml': 'node: STOCK\nbase: ${env:STOCK_URL}\n---\nnode: PARTS\nbase: ${env:PARTS_URL}\n',
    '.env.example': '# DATABASE_URL=\nSTOCK_URL=https://x.example.org\nPARTS_URL=https://y.example.org\n',
  });
  expect((await examine(cwd)).of('settings')).toMatchObject([
    {
      state: 'ok',
      found: 'None is set yet. .env.example has a value for each of 2 settings: copy it to .env, or set yours',
    },
  ]);
  // Somebody has begun, and has forgotten one.
  expect((await examine(cwd, { STOCK_URL: 'https://z.example.org' })).of('settings')).toMatchObject([
    { state: 'warn', found: 'Not set: PARTS_URL. Calls that need them fail.' },
  ]);
});

test('the port: taken by another program, by a gateway, and an address of another machine', async () => {
  const cwd = await installed();
  const server = createServer((_, reply) => reply.writeHead(404).end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const PORT = String((server.address() as AddressInfo).port);
  expect((await examine(cwd, { PORT })).of('port')).toMatchObject([
    {
      state: 'fail',
      found: expect.stringMatching(
        `^Another program, process ${process.pid} \\(.+\\), listens at http://127.0.0.1:${PORT}\\.$`,
      ),
      remedy: expect.stringContaining('PORT'),
    },
  ]);
  expect((await examine(cwd, { HOST: '192.0.2.1' })).of('port')).toMatchObject([
    { state: 'fail', found: '192.0.2.1 is not an address of this machine.' },
  ]);

  const gateway = start(['serve'], { cwd, env: { PORT: '0' } });
  const [, port = ''] = await gateway.until(/^Signalbox is ready on http:\/\/127\.0\.0\.1:(\d+)/m);
  const running = await examine(cwd, { PORT: port });
  expect(running.of('port')).toMatchObject([
    { state: 'warn', found: `A gateway is running at http://127.0.0.1:${port}.` },
  ]);
  expect(running.of('database')).toMatchObject([{ state: 'ok' }]);
  await gateway.stop();
});

test('a folder of the database that can not be made, and a time zone that does not exist', async () => {
  const cwd = await installed();
  const { of } = await examine(cwd, { DATABASE_URL: 'sqlite:package.json/x.db', TZ: 'Vienna/Europe' });
  expect(of('database')[0]?.state).toBe('fail');
  expect(of('time zone')).toMatchObject([{ state: 'warn', found: expect.stringContaining('TZ=Vienna/Europe is not') }]);
});

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let database: TestDatabase;
  let cwd: string;
  const role = `looker_${process.pid}_${Date.now()}`;
  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    cwd = await installed();
    await database.run(`create role ${role} login`);
    await database.run(`grant usage on schema signalbox_queue to ${role}`);
    await database.run(`grant select on all tables in schema public, signalbox_queue to ${role}`);
    await database.run('create table theirs (x integer)');
  });
  afterAll(async () => {
    await database.run(`drop owned by ${role}`);
    await database.run(`drop role ${role}`);
    await database.drop();
  });
  const lookAt = async (change: (url: URL) => void = () => {}): Promise<Finding[]> => {
    const url = new URL(database.url);
    change(url);
    return (await examine(cwd, { DATABASE_URL: url.href })).of('database');
  };

  it('one that the gateway can use is ok', async () => {
    // Sample data of the project is still pending.
    expect((await lookAt()).filter(({ state }) => state === 'fail')).toEqual([]);
  });

  it('tables that its user may not write are named', async () => {
    const found = await lookAt((url) => (url.username = role));
    expect(found).toContainEqual({
      check: 'database',
      state: 'fail',
      found: expect.stringMatching(
        new RegExp(`^${role} may not read and write \\w+, \\w+, \\w+ and \\d+ more tables\\.$`),
      ),
      remedy: expect.stringContaining('GRANT SELECT, INSERT, UPDATE, DELETE'),
    });
  });

  it('a clock that is an hour ahead of the one here is reported', async () => {
    const shifted = 'const now = Date.now; Date.now = () => now() - 3_600_000';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(shifted)}`;
    const env = { PORT: '0', DATABASE_URL: database.url, NODE_OPTIONS };
    const { stdout } = await signalboxProcess(['doctor', '--json'], { cwd, env });
    expect(JSON.parse(stdout)).toContainEqual({
      check: 'database',
      state: 'warn',
      found: expect.stringMatching(
        /^The clock of the database is 3(?:599|600)(?:\.\d+)? s ahead of that of this machine\.$/,
      ),
      remedy: expect.stringContaining('NTP'),
    });
  });

  it('one that can not be reached fails, and its password is in no output', async () => {
    const found = await lookAt((url) => {
      url.password = 'hunter2';
      url.pathname = '/missing';
    });
    expect(found).toMatchObject([{ state: 'fail', found: expect.stringContaining('/missing') }]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});
