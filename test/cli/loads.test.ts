/**
 * What a command loads before it has done its work: a module too many costs every start, and is easily added unseen. The numbers
 * are those of today, with a little room.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { staffProject } from './fixture.ts';
import { bin, cleanEnvironment, finish, startProcess } from './support.ts';

const hook = fileURLToPath(new URL('record-loads.ts', import.meta.url));
const dist = dirname(dirname(bin));

/** Modules that a process has loaded, by where they come from. */
interface Loads {
  /** Files of dist/. */
  readonly own: readonly string[];
  /** Files of packages. */
  readonly packages: readonly string[];
  /** Modules of Node itself. */
  readonly node: readonly string[];
}

/** Runs a command. @param until ends it when its output matches, otherwise it ends by itself */
async function loadsOf(args: readonly string[], cwd: string, until?: RegExp): Promise<Loads> {
  const file = join(cwd, 'loads.json');
  const env = cleanEnvironment({ RECORD_LOADS: file, PORT: '0' });
  const running = startProcess(process.execPath, ['--import', hook, bin, ...args], { cwd, env });
  if (until === undefined) expect(await finish(running.process)).toMatchObject({ code: 0 });
  else {
    await running.until(until);
    expect(await running.stop()).toMatchObject({ code: 0 });
  }
  const loaded = JSON.parse(readFileSync(file, 'utf8')) as string[];
  const files = loaded
    .filter((each) => each.startsWith('file:') && !each.endsWith(hook))
    .map((each) => fileURLToPath(each));
  const own = files.filter((each) => each.startsWith(`${dist}/`)).map((each) => each.slice(dist.length + 1));
  return {
    own,
    packages: files.filter((each) => each.includes('/node_modules/')),
    node: loaded.filter((each) => /^(NativeModule|Internal Binding) /.test(each)),
  };
}

/** 25 ms of a start: Node's client of HTTP, which an import of a member of node:http is enough to load. */
const CLIENT = 'NativeModule internal/deps/undici/undici';

test.each([
  { args: ['--version'], own: 8, packages: 1 },
  { args: ['check', '--no-handlers'], own: 20, packages: 6 },
])('$args loads few files', async ({ args, own, packages }) => {
  const cwd = await staffProject();
  // Definitions that were read before are not linked again.
  await loadsOf(args, cwd);
  const loads = await loadsOf(args, cwd);
  expect(loads.own.length).toBeLessThanOrEqual(own);
  expect(loads.packages.length).toBeLessThanOrEqual(packages);
  expect(loads.node).not.toContain(CLIENT);
});

test('a start loads few files, and nothing that only linking definitions or calling out needs', async () => {
  const cwd = await staffProject();
  await loadsOf(['serve'], cwd, /is ready on/);
  const loads = await loadsOf(['serve'], cwd, /is ready on/);
  expect(loads.own.length).toBeLessThanOrEqual(30);
  expect(loads.node).not.toContain(CLIENT);
  for (const name of ['ajv/dist/core', 'undici', 'yaml'])
    expect(loads.packages.filter((file) => file.includes(`/node_modules/${name}`))).toEqual([]);
});

test('a reader of the database loads nothing of the gateway', () => {
  const files = new Set<string>();
  const follow = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, to = ''] of readFileSync(join(dist, file), 'utf8').matchAll(
      /^import (?:[^'"\n]* from )?"(\.[^"]+)";/gm,
    ))
      follow(join(dirname(file), to));
  };
  follow('query/sqlite/reader.js');
  expect([...files].length).toBeLessThanOrEqual(6);
  const text = [...files].map((file) => readFileSync(join(dist, file), 'utf8')).join('\n');
  for (const heavy of ['node:http', 'pino', 'class Hono', 'undici']) expect(text).not.toContain(heavy);
});
