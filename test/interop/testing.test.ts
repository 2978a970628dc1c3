import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repository, signalbox, temporaryFolder } from '../cli/support.ts';

/** Files that a document consists of, by the path in the first line of each sample; samples of one file follow one another. */
function filesIn(page: string): Map<string, string> {
  const files = new Map<string, string>();
  const text = readFileSync(join(repository, page), 'utf8');
  for (const [, path = '', sample = ''] of text.matchAll(/^```(?:yaml|ts)\n(?:#|\/\/) (\S+)\n([\s\S]*?)^```$/gm))
    files.set(path, (files.get(path) ?? '') + sample);
  return files;
}

function write(root: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Installs packages of the repository, and the package itself. */
function install(root: string, names: readonly string[]): void {
  mkdirSync(join(root, 'node_modules/@types'), { recursive: true });
  // A copy, as npm makes one.
  const own = join(root, 'node_modules/signalbox');
  for (const part of ['dist', 'package.json']) cpSync(join(repository, part), join(own, part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(own, 'node_modules'), 'dir');
  for (const name of names)
    symlinkSync(join(repository, 'node_modules', name), join(root, 'node_modules', name), 'dir');
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a program of Node in a folder, with nothing of this run's own environment. */
function node(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { PATH = '' } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { cwd, env: { PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}

const TESTS = ['--test', '--test-reporter=tap', 'test/**/*.test.ts'];
const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
/** The same tests with the words of vitest. */
const forVitest = (text: string): string =>
  text
    .replace(
      "import { after, afterEach, before, test } from 'node:test';",
      "import { afterAll as after, afterEach, beforeAll as before, test } from 'vitest';",
    )
    .replace(
      "import { after, before, test } from 'node:test';",
      "import { afterAll as after, beforeAll as before, test } from 'vitest';",
    );

test('the examples of docs/testing.md compile, and pass with node:test', { timeout: 120_000 }, async () => {
  const root = await temporaryFolder();
  write(root, filesIn('docs/testing.md'));
  install(root, ['@types/node', 'undici-types', 'typescript']);
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  const options = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
  };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, skipLibCheck: true, noEmit: true };
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['src', 'generated', 'test'] }),
  );
  expect(await signalbox(['generate'], { cwd: root })).toMatchObject({ code: 0, stderr: '' });
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  expect(await node(root, [tsc, '-p', '.'])).toEqual({ code: 0, output: '' });
  const first = await node(root, TESTS, { UPDATE_CONTRACTS: '1' });
  expect(first.output).toContain('# fail 0');
  expect(first.output).toContain('# pass 9');
  expect(JSON.parse(readFileSync(join(root, 'contracts/orders.openapi.json'), 'utf8'))).toMatchObject({
    info: { version: 'v1' },
  });
});

test('a new project has a test that passes with node:test, and with vitest', { timeout: 120_000 }, async () => {
  const root = await temporaryFolder();
  writeFileSync(join(root, 'package.json'), '{ "dependencies": { "signalbox": "^0.1.0" } }');
  expect(await signalbox(['init', '.'], { cwd: root })).toMatchObject({ code: 0, stderr: '' });
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { test: string } };
  expect(scripts.test).toBe('node --test "test/**/*.test.ts"');
  install(root, ['vitest']);
  const plain = await node(root, TESTS);
  expect([plain.code, plain.output]).toEqual([0, expect.stringContaining('# pass 1')]);
  const file = join(root, 'test/hello.test.ts');
  writeFileSync(file, forVitest(readFileSync(file, 'utf8')));
  const run = await node(root, [vitest, 'run', '--no-color'], { CI: '1' });
  expect([run.code, run.output]).toEqual([0, expect.stringMatching(/Tests\s+1 passed/)]);
  // Of a package that is linked (npm link), vitest runs the modules itself.
  const own = join(root, 'node_modules/signalbox');
  rmSync(own, { recursive: true });
  symlinkSync(repository, own, 'dir');
  const linked = await node(root, [vitest, 'run', '--no-color'], { CI: '1' });
  expect([linked.code, linked.output]).toEqual([0, expect.stringMatching(/Tests\s+1 passed/)]);
  // What the handler does wrong, the test says.
  const handler = join(root, 'src/handlers/hello-get.ts');
  writeFileSync(handler, readFileSync(handler, 'utf8').replace('Hello,', 'Bye,'));
  expect((await node(root, [vitest, 'run', '--no-color'], { CI: '1' })).output).toContain('Bye, World!');
});
