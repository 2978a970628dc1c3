import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The commit of the version before this one: both must work over one database. A release moves it forward. */
const commit = readFileSync(new URL('version-before', import.meta.url), 'utf8').trim();

/** A built version of the package, in a folder of its own. */
export interface BuiltVersion {
  readonly folder: string;
  remove(): void;
}

/**
 * Builds the version before from the history of this clone, with the packages of this version, or its own if these differ.
 * @throws Error when the commit is not in the clone, or can't be built
 */
export function buildVersionBefore(): BuiltVersion {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-before-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    extract(folder);
    if (hasPackagesOf(folder)) {
      symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'dir');
      run(process.execPath, ['scripts/build.ts'], folder);
    } else {
      // It builds the package too.
      run('npm', ['ci', '--no-audit', '--no-fund'], folder);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

function extract(folder: string): void {
  try {
    run('git', ['cat-file', '-e', `${commit}^{commit}`], repository);
  } catch (cause) {
    throw new Error(
      `the version before, commit ${commit} in scripts/fleet/version-before, is not in this clone; run git fetch --unshallow`,
      { cause },
    );
  }
  const tree = join(folder, 'tree.tar');
  run('git', ['archive', '--output', tree, commit], repository);
  run('tar', ['-x', '-f', tree, '-C', folder], repository);
}

/** Whether this version has every package that that one needs itself, in the same version. */
function hasPackagesOf(folder: string): boolean {
  const ours = packagesOf(repository);
  const theirs = packagesOf(folder);
  const { dependencies = {} } = theirs[''] ?? {};
  const needed = Object.keys(dependencies).map((name) => `node_modules/${name}`);
  return needed.every((path) => ours[path]?.version === theirs[path]?.version);
}

interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function packagesOf(folder: string): Readonly<Record<string, LockedPackage>> {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
}
