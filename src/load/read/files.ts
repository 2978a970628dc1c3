import { type Dirent, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file's text, or why there is none. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** A definition file, by its path relative to the project's folder. */
export type DefinitionFile = FileText & { readonly file: string };

/** What the loader looks at, as it is on the disk. */
export interface ProjectFiles {
  /** The folder of the definitions, relative to the project's. */
  readonly folder: string;
  readonly definitions: readonly DefinitionFile[];
  /** Those of the package. */
  readonly delivered: readonly DefinitionFile[];
  /** Names of the .ts files directly in a folder of the project; none where there is no such folder. */
  readonly handlers: (folder: string) => readonly string[];
  /** `generated/registry.json`. */
  readonly committed: FileText | undefined;
}

/** Largest definition file, in bytes. */
const LARGEST = 4 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a project's folder. Paths are in the order of their names, so that two runs see the same. */
export function readProject(root: string, definitions: string): ProjectFiles {
  const folder = definitions.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '');
  const isAbsolute = folder.startsWith('/');
  const base = isAbsolute ? folder : join(root, folder);
  // Made of any number of definitions, so it may be as large as they make it.
  const committed = readText(join(root, 'generated', 'registry.json'), Number.POSITIVE_INFINITY);
  return {
    folder,
    definitions: isFolder(base)
      ? readDefinitions(base, folder, { seen: new Set(), within: [root, base].map(realOf) })
      : [],
    delivered: readDelivered(),
    handlers: (path) => listHandlers(join(root, path)),
    committed: committed.kind === 'unreadable' && committed.reason === ABSENT ? undefined : committed,
  };
}

/** The definitions that ship in the package, in `delivered/` beside `load/`, in the sources as in what is built. */
function readDelivered(): DefinitionFile[] {
  const folder = fileURLToPath(new URL('../../delivered/', import.meta.url));
  return entriesOf(folder)
    .filter((entry) => isDefinition(entry.name))
    .map(({ name }) => ({ file: `signalbox/${name}`, ...readText(join(folder, name)) }));
}

const isDefinition = (name: string): boolean => /\.ya?ml$/.test(name) && !name.startsWith('.');

/** A folder's entries in the order of their names. */
function entriesOf(path: string): Dirent[] {
  return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** How a folder of definitions is gone through. */
interface Walk {
  /** Folders that were read, without links. */
  readonly seen: Set<string>;
  /** Links may lead into these, as they are without links: what a diagnostic would quote is the project's own. */
  readonly within: readonly string[];
}

/** The definitions of a folder and of all below it; `shown` is what it is called. */
function readDefinitions(path: string, shown: string, walk: Walk): DefinitionFile[] {
  const { seen, within } = walk;
  let entries: Dirent[];
  try {
    // A folder is read once, even where links lead to it again.
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
      return [{ file: name, kind: 'unreadable', reason: 'its link leads out of the project' }];
    return folder ? readDefinitions(below, name, walk) : [{ file: name, ...readText(below) }];
  });
}

/** The path without links; itself where it leads nowhere, of which those who read it tell. */
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

/** Not where links lead in a circle, or a folder above may not be entered. */
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

const ABSENT = 'there is no such file';

/** Reads a file as UTF-8 text of at most `largest` bytes. */
export function readText(path: string, largest = LARGEST): FileText {
  try {
    const facts = statSync(path);
    if (!facts.isFile()) return { kind: 'unreadable', reason: 'it is not a file' };
    if (facts.size > largest) return { kind: 'unreadable', reason: `it is larger than ${largest / 1024 / 1024} MiB` };
    const bytes = readFileSync(path);
    // A byte order mark is taken off by the decoder.
    return { kind: 'text', text: utf8.decode(bytes) };
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error, path) };
  }
}

function reasonOf(error: unknown, path: string): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ELOOP') return 'its links lead in a circle';
  if (code === 'ENOENT')
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? ABSENT : 'its link leads nowhere';
  return code ?? 'unknown reason';
}
