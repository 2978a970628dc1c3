import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repository, signalbox, temporaryFolder } from './support.ts';

const run = promisify(execFile);
const hello = '/gateway/RESTListeningConnector/Hello.v1/Hello/World';

/** Links this package and some that the repository has into a project. */
async function link(root: string, names: readonly string[]): Promise<void> {
  await mkdir(join(root, 'node_modules/@types'), { recursive: true });
  await symlink(repository, join(root, 'node_modules/signalbox'), 'dir');
  for (const name of names)
    await symlink(join(repository, 'node_modules', name), join(root, 'node_modules', name), 'dir');
}

test('makes the folder, names the package after it, and says what comes next', { timeout: 60_000 }, async () => {
  const cwd = await temporaryFolder();
  const { code, stdout, stderr } = await signalbox(['init', 'apps/My Gateway'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain("cd 'apps/My Gateway'\n  npm install\n  npm run dev");
  expect(stdout).toContain(hello);
  const root = join(cwd, 'apps/My Gateway');
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string };
  // A checkout is in no registry: the project gets a packed copy.
  const tarball = `vendor/signalbox-${version}.tgz`;
  expect(manifest).toMatchObject({
    name: 'my-gateway',
    type: 'module',
    dependencies: { signalbox: `file:${tarball}` },
  });
  const packed = await run('tar', ['tzf', join(root, tarball)]);
  expect(packed.stdout.split('\n')).toEqual(
    expect.arrayContaining(['package/package.json', 'package/dist/cli/main.js']),
  );
  expect(await signalbox(['env', '--check'], { cwd: root })).toMatchObject({ code: 0, stderr: '' });
  await link(root, ['typescript', '@types/node', 'undici-types']);
  expect(await signalbox(['check', '--types'], { cwd: root })).toMatchObject({ code: 0, stderr: '' });
  expect(await signalbox(['generate', '--check'], { cwd: root })).toMatchObject({ code: 0, stderr: '' });
});

test('keeps what npm has written to package.json, and answers its question about install scripts', async () => {
  const cwd = await temporaryFolder();
  const npm = { dependencies: { signalbox: '~0.1.0', node: '^24.0.0' }, allowScripts: { signalbox: false } };
  await writeFile(join(cwd, 'package.json'), JSON.stringify(npm));
  expect(await signalbox(['init', '.'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'))).toMatchObject({
    dependencies: npm.dependencies,
    allowScripts: { node: true, 'better-sqlite3': false, signalbox: false },
  });
});

test('takes the tarball along that the package was installed from, where a clone has it too', async () => {
  const root = await temporaryFolder();
  await writeFile(join(root, 'signalbox 0.1.tgz'), 'packed');
  await mkdir(join(root, 'app'));
  const npm = { dependencies: { signalbox: 'file:../signalbox 0.1.tgz' } };
  await writeFile(join(root, 'app/package.json'), JSON.stringify(npm));
  expect(await signalbox(['init', 'app'], { cwd: root })).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(await readFile(join(root, 'app/package.json'), 'utf8'))).toMatchObject({
    dependencies: { signalbox: 'file:vendor/signalbox 0.1.tgz' },
  });
  expect(await readFile(join(root, 'app/vendor/signalbox 0.1.tgz'), 'utf8')).toBe('packed');
});

test('writes what git and Docker are to leave out, among them settings', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'package.json'), '{ "dependencies": { "signalbox": "^0.1.0" } }');
  await signalbox(['init', '.'], { cwd });
  await run('git', ['init', '--quiet'], { cwd });
  await mkdir(join(cwd, 'node_modules'));
  for (const file of ['.env', '.env.production', 'node_modules/x']) await writeFile(join(cwd, file), '');
  const { stdout } = await run('git', ['status', '--short', '--untracked-files=all'], { cwd });
  const untracked = stdout
    .trim()
    .split('\n')
    .map((line) => line.slice(3));
  expect(untracked).toEqual(
    expect.arrayContaining(['.env.example', '.github/workflows/ci.yml', '.vscode/settings.json', 'Dockerfile']),
  );
  expect(untracked.filter((path) => /^(?:\.env(?!\.example)|node_modules|\.signalbox)/.test(path))).toEqual([]);
  expect(await readFile(join(cwd, '.dockerignore'), 'utf8')).toContain('**/.env*\n');
});

test('refuses a folder with something in it, and says what', async () => {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, '.git'));
  await writeFile(join(cwd, 'notes.txt'), 'mine');
  await writeFile(join(cwd, 'package.json'), '{ "name": "other" }');
  const { code, stdout, stderr } = await signalbox(['init', '.'], { cwd });
  expect(stderr).toContain('signalbox: . is not empty\n  In the way: notes.txt, package.json.\n');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect((await readdir(cwd)).sort()).toEqual(['.git', 'notes.txt', 'package.json']);

  expect((await signalbox(['init', 'notes.txt'], { cwd })).stderr).toContain('notes.txt is a file');
  expect(await signalbox(['init', ''], { cwd })).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringContaining('the folder has an empty name\n  Name a new folder: signalbox init my-gateway'),
  });
  expect(await signalbox(['init', 'notes.txt/below'], { cwd })).toMatchObject({ code: 1, stdout: '' });
  await symlink('nowhere', join(cwd, 'dangling'));
  expect(await signalbox(['init', 'dangling'], { cwd })).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringMatching(/^signalbox: dangling can't be written to: E\w+: /),
  });
});

test('the types of a new project compile, those of its tests too', { timeout: 60_000 }, async () => {
  const root = await temporaryFolder();
  await writeFile(join(root, 'package.json'), '{ "dependencies": { "signalbox": "^0.1.0" } }');
  await signalbox(['init', '.'], { cwd: root });
  await link(root, ['@types/node', 'undici-types']);
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const compiled = async (): Promise<string> =>
    (
      await run(process.execPath, [tsc, '-p', '.', '--skipLibCheck', 'false'], { cwd: root }).catch(
        (error: { stdout: string }) => error,
      )
    ).stdout;
  expect(await compiled()).toBe('');
  const test = join(root, 'test/hello.test.ts');
  await writeFile(test, (await readFile(test, 'utf8')).replace('NAME:', 'NAMES:'));
  expect(await compiled()).toMatch(
    /^test\/hello\.test\.ts\(\d+,\d+\): error TS2561: .*'NAMES' does not exist.* Did you mean to write 'NAME'/,
  );
});
