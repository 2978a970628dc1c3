import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Everything that a build depends on, by patterns from the root of the repository. */
const INPUTS = [
  'src/**',
  'scripts/build.ts',
  'scripts/build/**',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  // The versions that are installed, as npm records them.
  'node_modules/.package-lock.json',
];

/** Not in dist/, which is part of the package, nor in node_modules, which the fleet test's build of another version shares. */
const RECORD = '.dist-current';

/** Digests of what a build read and wrote. */
interface Digests {
  readonly inputs: string;
  readonly dist: string;
}

/** Whether dist/ is what the last build wrote, from what is there now. */
export function isCurrent(root: string): boolean {
  const record = join(root, RECORD);
  return existsSync(record) && readFileSync(record, 'utf8') === JSON.stringify(digests(root, digestInputs(root)));
}

/** @param inputs what {@link digestInputs} returned before the build: they may have changed during it */
export function recordBuild(root: string, inputs: string): void {
  writeFileSync(join(root, RECORD), JSON.stringify(digests(root, inputs)));
}

export function digestInputs(root: string): string {
  return digest(root, INPUTS);
}

function digests(root: string, inputs: string): Digests {
  return { inputs, dist: digest(root, ['dist/**']) };
}

function digest(root: string, patterns: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  for (const file of globSync([...patterns], { cwd: root }).sort()) {
    const stat = statSync(join(root, file));
    if (!stat.isFile()) continue;
    const content = readFileSync(join(root, file));
    // With names and lengths, so that the end of a file can't be taken for the start of the next one.
    hash.update(`${file}\0${stat.mode}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
