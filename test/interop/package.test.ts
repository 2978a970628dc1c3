import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { cleanEnvironment, repository, startProcess, temporaryFolder } from '../cli/support.ts';

const run = promisify(execFile);
const ready = /^Signalbox is ready on (http:\/\/\S+)/m;
const hello = '/gateway/RESTListeningConnector/Hello.v1/Hello/World';
const env = { ...cleanEnvironment(), npm_config_update_notifier: 'false' };

let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository, env });
  const [name = ''] = await readdir(folder);
  tarball = join(folder, name);
  // Each waits for the disk most of the time.
  await Promise.all([install(22), install(24)]);
}, 240_000);

/** Installs the package beside a Node, in a folder where nothing was. */
async function install(version: number): Promise<void> {
  const cwd = appOf(version);
  await mkdir(cwd);
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, `node@${version}`, tarball], { cwd, env });
}

const appOf = (version: number): string => join(folder, `node${version}`);

test('the steps of a release: what would be published is taken, and its bill of materials has what it depends on', async () => {
  const published = await run('npm', ['publish', '--dry-run', '--ignore-scripts', '--json'], { cwd: repository, env });
  expect(published.stdout).toMatch(/"filename": "signalbox-[\d.]+\.tgz"/);
  const { dependencies } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  const { stdout } = await run('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: repository,
    env,
    maxBuffer: 1e8,
  });
  const names = JSON.parse(stdout).components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
});

test('a new project compiles with all declarations checked, without types of the drivers being installed', async () => {
  const cwd = appOf(24);
  // Not below it: another test begins a project there.
  const shop = join(folder, 'shop');
  await run('npx', ['signalbox', 'init', shop], { cwd, env });
  // Only what a project has by itself: the compiler, and the types of Node.
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: shop, env });
  const { stdout } = await run('npx', ['tsc', '-p', '.', '--skipLibCheck', 'false'], { cwd: shop, env }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
}, 120_000);

test('the package holds what runs, what documents it, and its licences', async () => {
  const { stdout } = await run('tar', ['tzf', tarball]);
  const paths = stdout
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  const tops = [...new Set(paths.map((path) => path.replace(/\/.*/, '/')))].sort();
  expect(tops).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'deploy/',
    'dist/',
    'docs/',
    'examples/',
    'package.json',
  ]);
  expect(paths).toEqual(expect.arrayContaining(['dist/cli/main.js', 'dist/index.d.ts', 'dist/LICENSES.txt']));
  expect(paths.filter((path) => /^dist\/delivered\/.*\.yaml$/.test(path))).toHaveLength(4);
  // Nothing but compiled code, its types, the console's files and pictures, and definitions of the package: no maps, no code of the sample, no tests but the example's.
  const known =
    /^(?:dist\/(?!handlers\/).*\.(?:js|d\.ts)|dist\/delivered\/[\w-]+\.yaml|dist\/LICENSES\.txt|dist\/console\/assets\/[\w]+\.(?:js|css|svg)|docs\/console\/[\w]+\.png|deploy\/[\w./-]+|docs\/[\w-]+\.md|examples\/new\/[\w./-]+|examples\/workshop\/(?:definitions|migrations|src|test|vendor\/README|\.github|\.vscode|[\w.-]+$)[\w./-]*)$/;
  expect(paths.filter((path) => path.includes('/') && !known.test(path))).toEqual([]);
});

test.each([22, 24])('on Node %i, in an empty folder: init, check, describe, dev, invoke, serve', async (version) => {
  const cwd = appOf(version);
  const node = join(cwd, 'node_modules/.bin/node');
  const bin = join(cwd, 'node_modules/signalbox/dist/cli/main.js');
  const signalbox = async (args: readonly string[], more: Record<string, string> = {}): Promise<string> =>
    (await run(node, [bin, ...args], { cwd, env: { ...env, ...more } })).stdout;
  expect((await run(node, ['--version'])).stdout).toMatch(new RegExp(`^v${version}\\.`));
  expect(await signalbox(['init', '.'])).toContain('npm run dev');
  expect(await signalbox(['check'])).toContain('no errors');
  expect(await signalbox(['describe', 'openapi', 'Hello.v1'])).toContain('/Hello/{NAME}');

  const dev = startProcess(node, [bin, 'dev'], { cwd, env: { PORT: '0' } });
  const [, developed = ''] = await dev.until(ready);
  const service = join(cwd, 'definitions/hello/service.yaml');
  await writeFile(service, (await readFile(service, 'utf8')).replace('public: true', 'soap: true\n    public: true'));
  await dev.until(/^Reloaded in /m);
  const greeted = await signalbox(['invoke', 'HELLO_GET', 'NAME=Ada', '--node', 'LOCAL', '--json'], {
    PORT: new URL(developed).port,
  });
  expect(JSON.parse(greeted)).toEqual({ GREETING: 'Hello, Ada!' });
  await dev.stop();

  const gateway = startProcess(node, [bin, 'serve'], { cwd, env: { PORT: '0' } });
  const [, address = ''] = await gateway.until(ready);
  expect(await (await fetch(`${address}${hello}`)).json()).toEqual({ GREETING: 'Hello, World!' });
  expect(await gateway.stop()).toMatchObject({ code: 0 });
}, 60_000);

test('a new project is cloned, installed, verified and started where the package is unknown', async () => {
  const path = `${join(appOf(24), 'node_modules/.bin')}:${process.env.PATH}`;
  const node24 = { ...env, PATH: path };
  const npm = async (cwd: string, ...args: string[]): Promise<string> =>
    (await run('npm', args, { cwd, env: node24 })).stdout;
  const install = ['--prefer-offline', '--no-audit', '--no-fund'];
  const origin = join(folder, 'my-gateway');
  await run('signalbox', ['init', origin], { cwd: folder, env: node24 });
  await npm(origin, 'install', ...install);
  const git = async (...args: string[]): Promise<unknown> =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: origin });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Begin');
  const clone = join(folder, 'elsewhere/on/another/machine');
  await git('clone', '--quiet', origin, clone);
  await rm(origin, { recursive: true });

  await npm(clone, 'ci', ...install);
  expect(await npm(clone, 'run', 'verify')).toMatch(/no errors\.[\s\S]*generated\/ is up to date/);
  expect((await run('git', ['status', '--short'], { cwd: clone })).stdout).toBe('');
  await writeFile(join(clone, '.env'), 'PORT=0\n');
  const gateway = startProcess('npm', ['start'], { cwd: clone, env: { PATH: path } });
  const [, address = ''] = await gateway.until(ready);
  expect(await (await fetch(`${address}${hello}`)).json()).toEqual({ GREETING: 'Hello, World!' });
  await gateway.stop();
}, 240_000);
