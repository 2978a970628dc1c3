import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cleanEnvironment, repository, start, temporaryFolder } from '../cli/support.ts';

const run = promisify(execFile);
const ready = /^Signalbox is ready on (http:\/\/\S+)/m;
const hello = '/gateway/RESTListeningConnector/Hello.v1/Hello/World';

test('from the packed package, in an empty folder: init, check, describe, serve, call, stop', {
  timeout: 120_000,
}, async () => {
  const cwd = await temporaryFolder();
  const env = { ...cleanEnvironment(), npm_config_update_notifier: 'false' };
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', cwd], { cwd: repository, env });
  const [tarball = ''] = await readdir(cwd);
  const { stdout: listed } = await run('tar', ['tzf', join(cwd, tarball)]);
  const folders = foldersOf(listed).filter((name) => name !== 'docs/');
  expect(folders).toEqual(['LICENSE', 'README.md', 'dist/', 'package.json']);
  expect(listed).toMatch(/dist\/delivered\/.*\.yaml/);
  expect(listed).not.toMatch(/dist\/handlers\//);

  const app = join(cwd, 'app');
  await mkdir(app);
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(cwd, tarball)], { cwd: app, env });
  const made = await run('npx', ['--no-install', 'signalbox', 'init', '.'], { cwd: app, env });
  expect(made.stdout).toContain('npm run dev');
  // What npx runs, without the second that it takes to find it.
  const command = (...args: string[]) => run(join(app, 'node_modules/.bin/signalbox'), args, { cwd: app, env });
  expect((await command('check')).stdout).toContain('no mistakes');
  expect((await command('generate', '--check')).stdout).toContain('up to date');
  expect((await command('describe', 'openapi', 'Hello.v1')).stdout).toContain('/Hello/{NAME}');

  const installed = join(app, 'node_modules/signalbox/dist/cli/main.js');
  const gateway = start(['serve'], { cwd: app, env: { PORT: '0' }, bin: installed });
  const [, address] = await gateway.until(ready);
  expect(await (await fetch(`${address}${hello}`)).json()).toEqual({ GREETING: 'Hello, World!' });
  expect(await gateway.stop()).toMatchObject({ code: 0 });
});

/** What stands at the top of a tarball's one folder. */
function foldersOf(listed: string): string[] {
  const tops = listed
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, '').replace(/\/.*/, '/'));
  return [...new Set(tops)].sort();
}
