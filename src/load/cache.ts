import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { Position } from '../model/definition.ts';
import type { Registry } from '../model/registry.ts';
import { extentOf, setExtent } from './diagnostic/place.ts';
import type { LoadedProject, LoadOptions } from './load.ts';
import { deepFreeze } from './object.ts';
import { type ProjectFiles, readProject } from './read/files.ts';

/** A folder for the cache, which can be deleted at any time, and the folder that must be there for it. */
interface CacheFolder {
  readonly path: string;
  readonly within: string;
}

/** In the state folder of a gateway; where none has run, where tools cache what they make of a project. The first one is used. */
const FOLDERS: readonly CacheFolder[] = [
  { path: '.signalbox/cache', within: '.signalbox' },
  { path: 'node_modules/.cache/signalbox', within: 'node_modules' },
];

/** The registry of the last load without errors. */
const REGISTRY = 'registry';

export interface CacheOptions extends LoadOptions {
  /** Identifies the code of the loader: another build reads definitions differently. Without it, nothing is cached. */
  readonly build: string | undefined;
}

/** A project, and what to do when there is time to. */
export interface CachedProject {
  readonly project: LoadedProject;
  /** Caches the project for the next process, unless it comes from the cache or has errors. Never throws. */
  readonly keep: () => void;
}

/**
 * Loads a project like `loadProject`, with the same result, but links its definitions only when something has changed: a registry
 * is a function of the texts and lists of files that the loader reads. These are read on every load and compared by a digest, so
 * no time or size of a file is trusted. What is saved is parsing and linking, and importing the modules for it.
 */
export async function loadCached({ build, ...options }: CacheOptions): Promise<CachedProject> {
  const { root, definitions = 'definitions', handlers = 'check' } = options;
  const inputs = new Inputs(readProject(root, definitions));
  const code = codeOf(build);
  const cached = code === undefined ? undefined : readCache(folderIn(root), { code, handlers, inputs });
  if (cached !== undefined) return { project: cached, keep: () => undefined };
  const { loadFiles } = await import('./load.ts');
  const project = loadFiles(inputs.files, handlers);
  const keep = (): void => {
    // A gateway has made its state folder since.
    const folder = folderIn(root);
    if (folder === undefined || code === undefined) return;
    writeCache(folder, project, { code, handlers, digest: inputs.digest(), calls: inputs.calls });
  };
  return { project, keep };
}

function folderIn(root: string): CacheFolder | undefined {
  const all = FOLDERS.map(({ path, within }) => ({ path: join(root, path), within: join(root, within) }));
  return all.find(({ within }) => existsSync(within));
}

/** What the file begins with, as a line of JSON; the serialised project follows. */
interface Head {
  /** The loader, and the Node that serialises. */
  readonly code: string;
  readonly handlers: LoadOptions['handlers'];
  /** Of everything that was read. */
  readonly digest: string;
  /** The lists of files that the definitions made the loader read. */
  readonly calls: readonly Call[];
  /** SHA-256 of the rest of the file, which may be damaged. */
  readonly sum: string;
}

/** The project as it is serialised, in one piece: references to one object are references to one object again. */
interface SerialisedProject {
  readonly registry: Registry;
  readonly diagnostics: LoadedProject['diagnostics'];
  readonly uses: LoadedProject['uses'];
  /** The names of the texts, which are read anyway. */
  readonly sources: readonly string[];
  readonly extents: readonly (readonly [Position, number])[];
}

const LISTS = ['migrations', 'sampleData', 'handlers'] as const satisfies (keyof ProjectFiles)[];

/** A list of files that the loader asked for, with the argument. */
type Call = readonly [(typeof LISTS)[number], string];

/** Records what is read of a project. */
class Inputs {
  readonly calls: Call[] = [];
  readonly files: ProjectFiles;
  readonly #own: ProjectFiles;
  readonly #listed: (readonly unknown[] | undefined)[] = [];

  constructor(own: ProjectFiles) {
    this.#own = own;
    this.files = {
      ...own,
      migrations: (folder) => this.#note(['migrations', folder], own.migrations(folder)),
      sampleData: (pattern) => this.#note(['sampleData', pattern], own.sampleData(pattern)),
      handlers: (folder) => this.#note(['handlers', folder], own.handlers(folder)),
    };
  }

  #note<T extends readonly unknown[] | undefined>(call: Call, listed: T): T {
    this.calls.push(call);
    this.#listed.push(listed);
    return listed;
  }

  /** Of all that was read so far: names, texts and lists, in their order. */
  digest(): string {
    return digestOf(this.#own, this.calls, this.#listed);
  }

  /** What {@link digest} would be after these calls. */
  digestAfter(calls: readonly Call[]): string {
    const listed = calls.map(([list, argument]) => this.#own[list](argument));
    return digestOf(this.#own, calls, listed);
  }
}

function digestOf(
  own: ProjectFiles,
  calls: readonly Call[],
  listed: readonly (readonly unknown[] | undefined)[],
): string {
  const hash = createHash('sha256');
  // A line of JSON for each part, and the length of each list before it: no input can be taken for another.
  const add = (part: unknown): void => void hash.update(`${JSON.stringify(part)}\n`);
  add([own.folder, own.committed ?? null, calls]);
  for (const list of [own.definitions, own.delivered, ...listed]) {
    add(list?.length ?? null);
    for (const each of list ?? []) add(each);
  }
  return hash.digest('hex');
}

/** The cached project; `undefined` unless it is exactly what a load would give. */
function readCache(
  folder: CacheFolder | undefined,
  { code, handlers, inputs }: { code: string; handlers: 'check' | 'ignore-missing'; inputs: Inputs },
): LoadedProject | undefined {
  if (folder === undefined) return undefined;
  try {
    const bytes = readOwn(folder.path);
    const end = bytes.indexOf(0x0a);
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as Head;
    // A project whose handlers were found to be complete is the same where missing ones would be ignored.
    if (head.code !== code || (head.handlers !== 'check' && head.handlers !== handlers)) return undefined;
    if (!head.calls.every(([list]) => LISTS.includes(list))) return undefined;
    if (head.digest !== inputs.digestAfter(head.calls)) return undefined;
    const body = bytes.subarray(end + 1);
    if (head.sum !== sha256(body)) return undefined;
    return restore(deserialize(body) as SerialisedProject, inputs.files);
  } catch {
    // It does not exist, is not ours, or is damaged: the definitions are loaded.
    return undefined;
  }
}

function restore(kept: SerialisedProject, { definitions, delivered }: ProjectFiles): LoadedProject {
  const { registry, diagnostics, uses } = kept;
  for (const [position, length] of kept.extents) setExtent(position, length);
  const texts = new Map(
    [...delivered, ...definitions].flatMap((each) => (each.kind === 'text' ? [[each.file, each.text] as const] : [])),
  );
  return {
    registry: deepFreeze(registry),
    diagnostics,
    files: definitions.map(({ file }) => file),
    sources: new Map(kept.sources.map((name) => [name, texts.get(name) as string])),
    uses,
  };
}

/**
 * Bytes from another user must not reach the deserialiser, which isn't made for hostile input.
 * @throws if the folder or the file is a link, belongs to another user than this one or root, or others can write to it
 */
function readOwn(folder: string): Buffer {
  requireOwn(lstatSync(folder).isDirectory(), lstatSync(folder));
  const file = openSync(join(folder, REGISTRY), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const facts = fstatSync(file);
    requireOwn(facts.isFile(), facts);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function requireOwn(isOfKind: boolean, { uid, mode }: Stats): void {
  const me = process.geteuid?.();
  // Windows has neither owners nor modes here: folders of a project inherit their access.
  const isOwn = me === undefined || ((uid === me || uid === 0) && (mode & 0o022) === 0);
  if (!isOfKind || !isOwn) throw new Error('not our own');
}

function writeCache(folder: CacheFolder, project: LoadedProject, head: Omit<Head, 'sum'>): void {
  const { registry, diagnostics, uses, sources } = project;
  if (registry === undefined) return;
  // Several processes may write: each renames a file of its own.
  const temporary = join(folder.path, `.${randomUUID()}.tmp`);
  try {
    const extents = extentsOf(registry);
    if (extents === undefined) return;
    createFolder(folder);
    const body = serialize({
      registry,
      diagnostics,
      uses,
      sources: [...sources.keys()],
      extents,
    } satisfies SerialisedProject);
    const line = JSON.stringify({ ...head, sum: sha256(body) } satisfies Head);
    try {
      writeFileSync(temporary, Buffer.concat([Buffer.from(`${line}\n`), body]), { flag: 'wx', mode: 0o600 });
      renameSync(temporary, join(folder.path, REGISTRY));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  } catch {
    // A folder that can't be written, a full disk: the next start loads the definitions.
  }
}

/**
 * In a folder of another user, one of ours would keep this user from caching anything.
 * @throws if it is another user's, or if the cache isn't ours
 */
function createFolder({ path, within }: CacheFolder): void {
  const me = process.geteuid?.();
  if (me !== undefined && statSync(within).uid !== me) throw new Error("another user's project");
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  requireOwn(lstatSync(path).isDirectory(), lstatSync(path));
}

/** The positions in a registry that have an extent; `undefined` if it has anything that the serialiser would not preserve. */
function extentsOf(registry: Registry): [Position, number][] | undefined {
  const extents: [Position, number][] = [];
  const seen = new Set<unknown>();
  const open: unknown[] = [registry];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'function' || typeof next === 'symbol') return undefined;
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (!PLAIN.has(Object.getPrototypeOf(next))) return undefined;
    const extent = extentOf(next);
    if (extent !== undefined) extents.push([next as Position, extent]);
    const parts =
      next instanceof Map ? [...next.keys(), ...next.values()] : next instanceof Set ? next : Object.values(next);
    for (const part of parts) open.push(part);
  }
  return extents;
}

const PLAIN: ReadonlySet<unknown> = new Set([Object, Array, Map, Set].map((each) => each.prototype));

/** The packages that the loader imports and the build does not contain (`scripts/build/bundle.ts`): they change without it. */
const PACKAGES = ['ajv', 're2js', 'url-template'];

/** The code of the loader and the Node that runs it; `undefined` where that can't be told. */
function codeOf(build: string | undefined): string | undefined {
  if (build === undefined) return undefined;
  try {
    const versions = PACKAGES.map((name) => {
      const file = findPackageJSON(name, import.meta.url) as string;
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    });
    return JSON.stringify([build, ...versions, process.versions]);
  } catch {
    // Packages in an archive, as of Yarn's Plug'n'Play.
    return undefined;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
