import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The commit of the version before this one: both must work over one database. A release moves it forward. */
const commit = readFileSync(new URL('version-before', import.meta.url), 'utf8').trim();

/** In the repository, where git ignores it, and not below node_modules, where Node runs no TypeScript. */
const KEPT = '.dist-before-';

/** What is left of its folder. */
const INSTALLED: readonly string[] = ['dist', 'node_modules', 'package.json'];

/**
 * The folder of the package of the version before, built from the history of this clone, with the packages of this version, or its
 * own if these differ. It is built once and then kept, because packages and build take a minute of processor time.
 * @throws Error when the commit is not in the clone, or can't be built
 */
export function buildVersionBefore(): string {
  const locked = readLocked();
  const isSharing = hasPackagesOf(locked);
  const name = `${KEPT}${commit}-${isSharing ? 'shared' : `own-${process.versions.modules}`}`;
  const folder = join(repository, name);
  if (existsSync(folder)) return folder;
  const staging = mkdtempSync(join(repository, '.dist-'));
  try {
    extract(staging);
    if (isSharing) {
      symlinkSync(join(repository, 'node_modules'), join(staging, 'node_modules'), 'dir');
      run(process.execPath, ['scripts/build.ts'], staging);
    } else {
      // It builds the package too.
      run('npm', ['ci', '--no-audit', '--no-fund'], staging);
    }
    // Without the sources: tools of this repository would find their configurations.
    for (const name of readdirSync(staging))
      if (!INSTALLED.includes(name)) rmSync(join(staging, name), { recursive: true });
    renameSync(staging, folder);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  for (const other of readdirSync(repository))
    if (other.startsWith(KEPT) && other !== name) rmSync(join(repository, other), { recursive: true, force: true });
  return folder;
}

/** The packages of the version before. */
function readLocked(): Packages {
  try {
    run('git', ['cat-file', '-e', `${commit}^{commit}`], repository);
  } catch (cause) {
    throw new Error(
      `the version before, commit ${commit} in test/trials/fleet/version-before, is not in this clone; run git fetch --unshallow`,
      { cause },
    );
  }
  return packagesOf(run('git', ['show', `${commit}:package-lock.json`], repository));
}

function extract(folder: string): void {
  const tree = join(folder, 'tree.tar');
  run('git', ['archive', '--output', tree, commit], repository);
  run('tar', ['-x', '-f', tree, '-C', folder], repository);
}

/** Whether this version has every package that that one needs itself, in the same version. */
function hasPackagesOf(theirs: Packages): boolean {
  const ours = packagesOf(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  const { dependencies = {} } = theirs[''] ?? {};
  const needed = Object.keys(dependencies).map((name) => `node_modules/${name}`);
  return needed.every((path) => ours[path]?.version === theirs[path]?.version);
}

type Packages = Readonly<Record<string, LockedPackage>>;

interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function packagesOf(lockFile: string): Packages {
  return JSON.parse(lockFile).packages;
}

/** @returns what it prints */
function run(command: string, args: readonly string[], cwd: string): string {
  const maxBuffer = 64 * 1024 * 1024;
  return execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', maxBuffer });
}
