import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repository } from '../cli/support.ts';

const page = readFileSync(join(repository, 'docs/handlers.md'), 'utf8');
const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

// In the folder of the package, so that `signalbox` is the package itself.
test('the examples compile against the types of the sample, and their mistakes would not', { timeout: 120_000 }, () => {
  const root = mkdtempSync(join(repository, '.handlers-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'src/handlers'), { recursive: true });
  symlinkSync(join(repository, 'generated'), join(root, 'generated'), 'dir');
  // As for users, `signalbox` is the declarations of the package, so that its own sources are not checked once more.
  const paths = { signalbox: ['../dist/index.d.ts'] };
  const options = { noEmit: true, types: ['node'], skipLibCheck: true, paths };
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions: options, include: ['src'], exclude: [] }),
  );
  for (const [index, text] of examples.entries()) writeFileSync(join(root, `src/handlers/example-${index}.ts`), text);
  const wrong = examples[0]?.replace("'LOCATIONS_BY_REGION'", "'LOCATIONS_BY_REGIONS'") ?? '';
  writeFileSync(join(root, 'src/handlers/wrong.ts'), wrong);
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', root, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file]) => file);
  expect(new Set(files), stdout).toEqual(new Set(['src/handlers/wrong.ts']));
  expect(examples.length).toBeGreaterThan(4);
});
