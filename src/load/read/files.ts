import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The text of a file, or the reason why it can't be read. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** A definition file, with its path relative to the project's folder. */
export type DefinitionFile = FileText & { readonly file: string };

/** The files of a project that the loader uses. */
export interface ProjectFiles {
  /** Definitions folder, relative to the project's folder. */
  readonly folder: string;
  readonly definitions: readonly DefinitionFile[];
  /** Definition files of the package. */
  readonly delivered: readonly DefinitionFile[];
  /**
   * The .sql files in a folder of the project and its subfolders; `undefined` when the folder does not exist.
   */
  readonly migrations: (folder: string) => readonly DefinitionFile[] | undefined;
  /** The files of the definitions folder that match a glob of names, such as `sample/*.sql`; `undefined` when they can't be listed. */
  readonly sampleData: (pattern: string) => readonly DefinitionFile[] | undefined;
  /** Names of the .ts files directly in a folder of the project; empty when the folder does not exist. */
  readonly handlers: (folder: string) => readonly string[];
  /** `generated/registry.json`. */
  readonly committed: FileText | undefined;
}

/** Maximum size of a definition file in bytes. */
const LARGEST = 16 * 1024 * 1024;

/** Maximum size of a migration in bytes. */
const LARGEST_MIGRATION = 64 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a project's folder. Files are ordered by name, so that every run has the same order. */
export function readProject(root: string, definitions: string): ProjectFiles {
  const folder = definitions.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '');
  const isAbsolute = folder.startsWith('/');
  const base = isAbsolute ? folder : join(root, folder);
  // It is derived from any number of definitions, so its size is not limited.
  const committed = readText(join(root, 'generated', 'registry.json'), Number.POSITIVE_INFINITY);
  return {
    folder,
    definitions: isFolder(base)
      ? readDefinitions(base, folder, { seen: new Set(), within: [root, base].map(realOf) })
      : [],
    delivered: readDelivered(),
    migrations: (path) => readMigrations(root, path),
    sampleData: (pattern) => readSampleData(base, folder, pattern),
    handlers: (path) => listHandlers(join(root, path)),
    committed: committed.kind === 'unreadable' && committed.reason === ABSENT ? undefined : committed,
  };
}

/** The definitions of the package, in `delivered/` next to `load/`, both in the sources and in the build. */
export function readDelivered(): DefinitionFile[] {
  const folder = fileURLToPath(new URL('../../delivered/', import.meta.url));
  return entriesOf(folder)
    .filter((entry) => isDefinition(entry.name))
    .map(({ name }) => ({ file: `signalbox/${name}`, ...readText(join(folder, name)) }));
}

const isDefinition = (name: string): boolean => /\.ya?ml$/.test(name) && !name.startsWith('.');

/** The entries of a folder, ordered by name. */
function entriesOf(path: string): Dirent[] {
  return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The state of reading a definitions folder. */
interface Walk {
  /** Resolved folders that have been read. */
  readonly seen: Set<string>;
  /** Resolved folders that links may lead into, so that diagnostics never quote files outside the project. */
  readonly within: readonly string[];
}

/** The definitions of a folder and its subfolders. `shown` is the name of the folder in diagnostics. */
function readDefinitions(path: string, shown: string, walk: Walk): DefinitionFile[] {
  const { seen, within } = walk;
  let entries: Dirent[];
  try {
    // A folder is read once, even when links lead to it again.
    const real = realpathSync(path);
    if (seen.has(real)) return [];
    seen.add(real);
    entries = entriesOf(path);
  } catch (error) {
    return [{ file: shown, kind: 'unreadable', reason: reasonOf(error, path) }];
  }
  return entries.flatMap((entry) => {
    const below = join(path, entry.name);
    const name = `${shown}/${entry.name}`;
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    const isLinked = entry.isSymbolicLink();
    const folder = entry.isDirectory() || (isLinked && isFolder(below));
    if (!folder && !isDefinition(entry.name)) return [];
    if (isLinked && !within.some((each) => isWithin(realOf(below), each)))
      return [{ file: name, kind: 'unreadable', reason: 'its link leads outside the project' }];
    return folder ? readDefinitions(below, name, walk) : [{ file: name, ...readText(below) }];
  });
}

/**
 * The files that match a glob such as `sample/*.sql`, relative to a folder, in the order of their names.
 * @throws errors of the file system
 */
export function namesMatching(folder: string, pattern: string): string[] {
  const slash = pattern.lastIndexOf('/');
  const inside = pattern.slice(0, Math.max(slash, 0));
  const [before = '', after = ''] = pattern.slice(slash + 1).split('*');
  const fits = (name: string): boolean =>
    name.startsWith(before) && name.endsWith(after) && name.length >= before.length + after.length;
  const names = readdirSync(join(folder, inside)).filter(fits).toSorted();
  return names.map((name) => (inside === '' ? name : `${inside}/${name}`));
}

function readSampleData(base: string, folder: string, pattern: string): DefinitionFile[] | undefined {
  try {
    const names = namesMatching(base, pattern);
    return names.map((name) => ({ file: `${folder}/${name}`, ...readText(join(base, name), LARGEST_MIGRATION) }));
  } catch {
    return undefined;
  }
}

function readMigrations(root: string, folder: string): DefinitionFile[] | undefined {
  const base = join(root, folder);
  if (!isFolder(base)) return undefined;
  const within = [root, base].map(realOf);
  const read = (name: string): DefinitionFile => {
    const file = `${folder}/${name.split(sep).join('/')}`;
    if (!within.some((each) => isWithin(realOf(join(base, name)), each)))
      return { file, kind: 'unreadable', reason: 'its link leads outside the project' };
    return { file, ...readText(join(base, name), LARGEST_MIGRATION) };
  };
  try {
    const names = readdirSync(base, { recursive: true }).map(String);
    const isHidden = (name: string): boolean => name.split(sep).some((part) => part.startsWith('.'));
    return names
      .filter((name) => /\.sql$/i.test(name) && !isHidden(name))
      .toSorted()
      .map(read);
  } catch (error) {
    return [{ file: folder, kind: 'unreadable', reason: reasonOf(error, base) }];
  }
}

/** A text that changes whenever the file is written or replaced; `undefined` when it does not exist. */
export function fileMark(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeMs} ${found.size}`;
}

/** The resolved path, or the path itself when it leads nowhere, which its reader reports. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** False when links form a circle or a parent folder is not accessible. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function listHandlers(path: string): string[] {
  try {
    return entriesOf(path)
      .filter((entry) => !entry.isDirectory() && /\.ts$/.test(entry.name) && !/\.(d|test)\.ts$/.test(entry.name))
      .map((entry) => entry.name);
  } catch {
    return [];
  }
}

const ABSENT = 'the file does not exist';

/** Reads a file as UTF-8 text of at most `largest` bytes. */
export function readText(path: string, largest = LARGEST): FileText {
  try {
    const facts = statSync(path);
    if (!facts.isFile()) return { kind: 'unreadable', reason: 'it is not a file' };
    if (facts.size > largest) return { kind: 'unreadable', reason: `it is larger than ${largest / 1024 / 1024} MiB` };
    const bytes = readFileSync(path);
    // The decoder removes a byte order mark.
    return { kind: 'text', text: utf8.decode(bytes) };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error, path) };
  }
}

function reasonOf(error: unknown, path: string): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ELOOP') return 'its links form a circle';
  if (code === 'ENOENT')
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? ABSENT : 'its link leads nowhere';
  return code ?? 'unknown reason';
}

/** The folder with the answers of mocks, in the folder of the project. */
export const MOCKS = 'mocks';

/** The files with the answers of mocks; none when the folder does not exist. */
export function readMockFiles(root: string): DefinitionFile[] {
  const base = join(root, MOCKS);
  return isFolder(base) ? readDefinitions(base, MOCKS, { seen: new Set(), within: [root, base].map(realOf) }) : [];
}
