import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { bin, cleanEnvironment, finish, type Ran, temporaryFolder } from '../cli/support.ts';
import { BOMBS } from './support/import-bombs.ts';

/** An import of a contract of this size takes a second; the machine may be busy. */
const MOST_MS = 60_000;
/** MiB of JavaScript that an import may hold: without it, Node takes what the machine has. */
const MOST_MEMORY = 800;

/** Imports the first of these files with the built tool, in a process of its own with little memory. */
async function importOf(files: Readonly<Record<string, string>>): Promise<Ran> {
  const cwd = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  const args = [`--max-old-space-size=${MOST_MEMORY}`, bin, 'import', Object.keys(files)[0] as string];
  const child = spawn(process.execPath, args, {
    cwd,
    env: cleanEnvironment(),
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  });
  return await finish(child);
}

/** A refusal, or an import of which nothing can be called. */
const IN_WORDS =
  /^(?:signalbox: bomb(?:\.\w+)?(?::\d+:\d+)?: .+\n(?: {2}.+\n)*|No operation of bomb can be called: the list has the reasons\.\n)$/;

it.each(Object.entries(BOMBS))('%s is imported or refused in words, in time and in little memory', async (_, make) => {
  const { code, signal, stderr } = await importOf(make());
  expect({ signal, stderr: stderr.slice(0, 2000) }).toEqual({
    signal: null,
    stderr: code === 0 ? '' : expect.stringMatching(IN_WORDS),
  });
  expect(stderr).not.toMatch(/root:|hahaha|^\s+at /m);
  expect(code === 0 || code === 1).toBe(true);
});
