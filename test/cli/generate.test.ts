import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { staffProject } from './fixture.ts';
import { signalbox, signalboxProcess } from './support.ts';

test.concurrent('writes generated/ and a missing handler; a second run changes nothing; --check agrees', async () => {
  const cwd = await staffProject({ 'generated/handlers.ts': undefined, 'src/handlers/hello-get.ts': undefined });
  const first = await signalboxProcess(['generate'], { cwd });
  expect(first.stdout).toMatch(/^wrote {3}generated\/types\.ts$/m);
  expect(first.stdout).toMatch(/^created src\/handlers\/hello-get\.ts$/m);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(await readFile(join(cwd, 'src/handlers/hello-get.ts'), 'utf8')).toContain("defineHandler('HELLO_GET'");
  expect(await readdir(join(cwd, 'generated'))).toEqual(
    expect.arrayContaining(['handlers.ts', 'registry.json', 'types.ts']),
  );

  const before = await stat(join(cwd, 'generated/types.ts'));
  const second = await signalbox(['generate'], { cwd });
  expect(second.stdout).toMatch(/^generated\/ is up to date: \d+ files\.\n$/);
  expect((await stat(join(cwd, 'generated/types.ts'))).mtimeMs).toBe(before.mtimeMs);
  expect(await signalbox(['generate', '--check'], { cwd })).toMatchObject({ code: 0, stderr: '' });
});

test.concurrent('--check names what differs, what is stale and what is missing, writes nothing and exits with 1', async () => {
  const cwd = await staffProject({ 'generated/handlers.ts': undefined });
  await signalbox(['generate'], { cwd });
  const types = join(cwd, 'generated/types.ts');
  const text = await readFile(types, 'utf8');
  await writeFile(types, `${text}// by hand\n`);
  await writeFile(join(cwd, 'generated/stale.ts'), text);
  await writeFile(join(cwd, 'generated/notes.txt'), 'mine');
  await rm(join(cwd, 'src/handlers/hello-get.ts'));

  const { code, stdout, stderr } = await signalbox(['generate', '--check'], { cwd });
  expect(stdout).toMatch(/^differs {3}generated\/types\.ts$/m);
  expect(stdout).toMatch(/^stale {5}generated\/stale\.ts$/m);
  expect(stdout).toMatch(/^missing {3}src\/handlers\/hello-get\.ts$/m);
  expect(stderr).toContain('generated/notes.txt was not generated');
  expect(stderr).toContain('signalbox generate');
  expect(code).toBe(1);
  expect(await readFile(types, 'utf8')).toContain('// by hand');

  const { stdout: done } = await signalbox(['generate'], { cwd });
  expect(done).toMatch(/^removed generated\/stale\.ts$/m);
  expect((await readdir(join(cwd, 'generated'))).includes('notes.txt')).toBe(true);
  expect(await signalbox(['generate', '--check'], { cwd })).toMatchObject({ code: 0 });
});
