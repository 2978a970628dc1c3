import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Watched, watchFiles } from '../../../src/cli/dev/watch.ts';
import { poll } from '../poll.ts';

/** A watched folder, and what has been told of it: each call a list of names relative to it. */
function watched(make: (root: string) => Watched = (root) => ({ trees: [root], files: [] })) {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-watch-'));
  const told: string[][] = [];
  writeFileSync(join(root, 'a.yaml'), 'a: 1');
  const watch = watchFiles(make(root), (changed) => told.push(changed.map((path) => path.slice(root.length + 1))));
  onTestFinished(() => {
    watch.close();
    rmSync(root, { recursive: true, force: true });
  });
  const names = (): string[] => [...new Set(told.flat())].sort();
  return {
    root,
    told,
    watch,
    names,
    until: (name: string) => poll(name, () => (names().includes(name) ? true : undefined)),
  };
}

test('tells a changed, a new and a removed file', async () => {
  const { root, until } = watched();
  writeFileSync(join(root, 'a.yaml'), 'a: 22');
  await until('a.yaml');
  writeFileSync(join(root, 'b.yml'), 'b: 1');
  await until('b.yml');
  rmSync(join(root, 'a.yaml'));
  await until('a.yaml');
});

test('sees files in folders that are made later, and the same path written again and again', async () => {
  const { root, told, until } = watched();
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  writeFileSync(join(root, 'deep/er/c.yaml'), '1');
  await until('deep/er/c.yaml');
  for (let size = 2; size < 5; size++) {
    const before = told.length;
    writeFileSync(join(root, 'deep/er/c.yaml'), '1'.repeat(size));
    await poll(`write ${size}`, () =>
      told
        .slice(before)
        .flat()
        .find((name) => name === 'deep/er/c.yaml'),
    );
  }
});

test('an atomic rename over the file is one change of that file, each time', async () => {
  const { root, told } = watched();
  for (let round = 0; round < 3; round++) {
    const before = told.length;
    writeFileSync(join(root, `.a.yaml.${round}.tmp`), `a: ${round}`);
    renameSync(join(root, `.a.yaml.${round}.tmp`), join(root, 'a.yaml'));
    await poll(`rename ${round}`, () => (told.length > before ? true : undefined));
    expect(told.slice(before).flat()).toEqual(['a.yaml']);
  }
});

test("editors' temporary files, other kinds of files and node_modules are nothing", async () => {
  const { root, names, until } = watched();
  for (const name of ['.a.yaml.swp', 'a.yaml~', '#a.yaml#', '4913', 'notes.txt', '.#a.yaml'])
    writeFileSync(join(root, name), 'x');
  mkdirSync(join(root, 'node_modules/x'), { recursive: true });
  writeFileSync(join(root, 'node_modules/x/index.js'), 'x');
  writeFileSync(join(root, 'z.yaml'), 'last');
  await until('z.yaml');
  expect(names()).toEqual(['z.yaml']);
});

test('many writes in a row are few changes', async () => {
  const { root, told, until } = watched();
  for (let index = 0; index < 40; index++) writeFileSync(join(root, `f${index}.yaml`), 'x');
  await until('f39.yaml');
  expect(told.length).toBeLessThanOrEqual(3);
});

test('a folder that does not exist yet is seen when it comes', async () => {
  const { root, until } = watched((root) => ({ trees: [join(root, 'src/handlers')], files: [] }));
  mkdirSync(join(root, 'src/handlers'), { recursive: true });
  writeFileSync(join(root, 'src/handlers/x.ts'), 'export {};');
  await until('src/handlers/x.ts');
});

test('follows links to folders, also in a circle, and is not stopped by a link that leads to itself', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'signalbox-watch-'));
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
  writeFileSync(join(elsewhere, 'shared.yaml'), '1');
  const { root, until } = watched((folder) => {
    symlinkSync(elsewhere, join(folder, 'linked'));
    symlinkSync(folder, join(folder, 'circle'));
    symlinkSync('self.yaml', join(folder, 'self.yaml'));
    return { trees: [folder], files: [] };
  });
  writeFileSync(join(elsewhere, 'shared.yaml'), '22');
  await until('linked/shared.yaml');
  writeFileSync(join(root, 'a.yaml'), 'a: 22');
  await until('a.yaml');
});

test('follows single files, and tells what changed between two looks', async () => {
  const { root, told, watch, until, names } = watched();
  mkdirSync(join(root, 'lib'));
  writeFileSync(join(root, 'lib/one.ts'), '1');
  writeFileSync(join(root, 'lib/two.ts'), '2');
  watch.follow({ trees: [], files: [join(root, 'lib/one.ts')] });
  writeFileSync(join(root, 'lib/two.ts'), '22');
  writeFileSync(join(root, 'lib/one.ts'), '11');
  await until('lib/one.ts');
  expect(names()).not.toContain('lib/two.ts');

  const before = told.length;
  writeFileSync(join(root, 'lib/one.ts'), '111');
  watch.follow({ trees: [], files: [join(root, 'lib/one.ts'), join(root, 'lib/two.ts')] });
  const next = await poll('the change before the new look', () => told[before]);
  expect(next).toEqual(['lib/one.ts']);
});
