import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import type { LoadedProject } from '../../load/index.ts';
import type { Registry } from '../../model/registry.ts';
import { codeOf } from '../../wire/error.ts';
import { CliFailure, Ended, wrongUsage } from '../failure.ts';
import { loadRegistry, type Place, renderLoaded } from '../project.ts';
import { note } from '../terminal.ts';

/** The definitions of a folder or a git reference; without a name those of the project as they are. @throws Ended for errors in them */
export async function registryFrom(name: string | undefined, place: Place): Promise<Registry> {
  if (name === undefined) return loadRegistry(place, 'ignore-missing');
  return checked(name, await loadSource(name, place));
}

/** @throws Ended after printing the errors of definitions */
export async function checked(name: string, project: LoadedProject): Promise<Registry> {
  if (project.registry !== undefined) return project.registry;
  note(`The definitions of ${name} contain errors:\n\n${(await renderLoaded(project, process.stderr)).trimEnd()}`);
  throw new Ended(1);
}

/**
 * Loads definitions from a folder or a git reference.
 * @throws CliFailure when the name means neither
 */
async function loadSource(name: string, place: Place): Promise<LoadedProject> {
  const { loadProject } = await import('../../load/index.ts');
  const folder = await folderOf(name, place);
  if (folder === undefined) return loadReference(name, place);
  return loadProject({ ...folder, handlers: 'ignore-missing' });
}

/** The project in a folder, or the folder as one of definitions; `undefined` if it does not exist. */
async function folderOf(name: string, { definitions = 'definitions' }: Place): Promise<Required<Place> | undefined> {
  const root = resolve(name);
  if (!(await isFolder(root))) return undefined;
  if (await isFolder(join(root, definitions))) return { root, definitions };
  if ((await readdir(root)).some((each) => /\.ya?ml$/.test(each)))
    return { root: dirname(root), definitions: relative(dirname(root), root) };
  throw new CliFailure(`${name} has no folder ${definitions} and no definitions`, {
    hint: 'Name the folder of a project, or one of definitions. --definitions sets the name of the folder inside a project.',
  });
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** The definitions of a commit, in a folder that is removed once they are loaded. */
async function loadReference(reference: string, { root, definitions = 'definitions' }: Place): Promise<LoadedProject> {
  const commit = await commitOf(reference, root);
  const { loadProject } = await import('../../load/index.ts');
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-diff-'));
  try {
    await extract(commit, { root, definitions }, folder);
    return loadProject({ root: folder, definitions, handlers: 'ignore-missing' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function commitOf(reference: string, root: string): Promise<string> {
  try {
    return (await git(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${reference}^{commit}`])).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new CliFailure("git is not installed, and so a commit can't be compared", {
        hint: 'Name a folder instead.',
      });
    if (!(await isRepository(root)))
      throw new CliFailure(`this folder is not in a git repository, and ${reference} is not a folder`, {
        hint: 'Name a folder with the definitions before: signalbox diff ../released',
      });
    if (/\.(?:wsdl|wadl|xsd|json|ya?ml)$/i.test(reference))
      throw wrongUsage(`${reference} is not a file`, 'A contract is a file, or an address of one.');
    throw wrongUsage(
      `${reference} is not a git reference, a folder, or a service of these definitions`,
      reference === 'HEAD'
        ? 'Commit the definitions first.'
        : 'A reference is a branch, a tag or a commit: signalbox diff main',
    );
  }
}

async function isRepository(root: string): Promise<boolean> {
  return git(root, ['rev-parse', '--git-dir']).then(
    () => true,
    () => false,
  );
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('git', [...args], { cwd, maxBuffer: 1024 ** 3 });
  return stdout;
}

/** A file in a commit. */
interface Entry {
  readonly hash: string;
  /** Relative to the project. */
  readonly path: string;
}

/** Writes the files of a commit that the loader reads: definitions, migrations and sample data, and the committed registry. */
async function extract(commit: string, { root, definitions }: Required<Place>, folder: string): Promise<void> {
  const listed = await git(root, ['ls-tree', '-r', '-z', commit, '--', '.']);
  const entries = listed.split('\0').flatMap((line): Entry[] => {
    const [, kind, hash = '', path = ''] = /^\d+ (\w+) (\w+)\t(.*)$/s.exec(line) ?? [];
    return kind === 'blob' ? [{ hash, path }] : [];
  });
  const inside = definitions.split(sep).join('/');
  const isRead = ({ path }: Entry): boolean =>
    inside === '.' || path.startsWith(`${inside}/`) || path === 'generated/registry.json' || path.endsWith('.sql');
  // Folders that definitions name have to exist, even without a file that is read.
  for (const each of new Set(entries.map(({ path }) => dirname(path))))
    await mkdir(join(folder, each), { recursive: true });
  const read = entries.filter(isRead);
  const contents = await contentsOf(read, root);
  for (const [index, { path }] of read.entries()) await writeFile(join(folder, path), contents[index] ?? '');
}

/** The contents of files, all from one process. */
async function contentsOf(entries: readonly Entry[], cwd: string): Promise<readonly Buffer[]> {
  const child = spawn('git', ['cat-file', '--batch'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  // A process that ends early has said why on standard error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(entries.map(({ hash }) => `${hash}\n`).join(''));
  const pieces: Buffer[] = [];
  for await (const piece of child.stdout) pieces.push(piece as Buffer);
  const output = Buffer.concat(pieces);
  let at = 0;
  return entries.map(({ path }) => {
    const end = output.indexOf(0x0a, at);
    const length = Number(/ blob (\d+)$/.exec(output.toString('utf8', at, Math.max(at, end)))?.[1] ?? Number.NaN);
    if (end < 0 || Number.isNaN(length)) throw new CliFailure(`git could not read ${path}`);
    at = end + 1 + length + 1;
    return output.subarray(end + 1, end + 1 + length);
  });
}
