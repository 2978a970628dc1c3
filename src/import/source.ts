import { ImportError, type Losses, type Place } from './place.ts';

/** Bounds of what one import reads. They hold for the contract with everything that it refers to. */
export interface SourceLimits {
  readonly files: number;
  /** Bytes of one file, and of all of them. */
  readonly file: number;
  readonly bytes: number;
}

/** 1,000 files, of 64 MiB each, 256 MiB in all: four times the largest contracts that were seen. */
export const SOURCE_LIMITS: SourceLimits = { files: 1000, file: 64 * 1024 ** 2, bytes: 256 * 1024 ** 2 };

/** Bytes of a location, or the reason why it can't be read ("does not exist"). */
export type Found = { readonly bytes: Uint8Array } | { readonly missing: string };

/** Reads a file or an address. A location is a path or an http(s) URL. */
export type ReadSource = (location: string) => Promise<Found>;

/** A reference from one source to another, as written. */
export interface SourceReference {
  readonly to: string;
  readonly place: Place;
  /** What contracts use of the source is known, so that it is not read. */
  readonly known?: boolean;
}

/** How sources of one language are parsed, and how they refer to each other. */
export interface SourceLanguage<Content> {
  /** @throws ImportError */
  parse(bytes: Uint8Array, location: string, losses: Losses): Content;
  referencesOf(content: Content, location: string): readonly SourceReference[];
}

/** A contract with everything that it refers to. */
export class Sources<Content> {
  readonly #contents: ReadonlyMap<string, Content>;
  /** Locations that the import began with. */
  readonly roots: readonly string[];

  constructor(contents: ReadonlyMap<string, Content>, roots: readonly string[]) {
    this.#contents = contents;
    this.roots = roots;
  }

  /** The content at a location. */
  at(location: string): Content | undefined {
    return this.#contents.get(location);
  }

  /** The content that a source refers to; `undefined` when it is missing, which was recorded as a loss. */
  referred(from: string, to: string): { readonly location: string; readonly content: Content } | undefined {
    const location = resolveLocation(to, from);
    const content = this.#contents.get(location);
    return content === undefined ? undefined : { location, content };
  }

  entries(): Iterable<readonly [string, Content]> {
    return this.#contents;
  }
}

/**
 * Reads contracts and everything that they refer to, each location once. A part that is missing or can't be parsed is recorded
 * as a loss; a contract itself must be there.
 *
 * @throws ImportError for a root that is missing or invalid, and when a limit is exceeded
 */
export async function gather<Content>(
  roots: readonly string[],
  language: SourceLanguage<Content>,
  read: ReadSource,
  losses: Losses,
  limits: SourceLimits = SOURCE_LIMITS,
): Promise<Sources<Content>> {
  const contents = new Map<string, Content>();
  const missing = new Map<string, string>();
  let bytes = 0;
  const open: { readonly location: string; readonly from?: SourceReference }[] = roots.map((location) => ({
    location,
  }));
  for (const { location, from } of open) {
    if (from?.known) {
      await noteKnown(losses, from, location, read);
      continue;
    }
    const known = missing.get(location);
    if (known !== undefined && from !== undefined) addMissing(losses, from, known);
    if (contents.has(location) || known !== undefined) continue;
    const place = from?.place ?? { source: location, line: 0, column: 0 };
    if (contents.size >= limits.files)
      throw new ImportError(
        `the contract consists of more than ${limits.files} files`,
        place,
        'Permit more with --max-files.',
      );
    const found = await read(location);
    if ('missing' in found) {
      if (from === undefined) throw new ImportError(found.missing, place);
      missing.set(location, found.missing);
      addMissing(losses, from, found.missing);
      continue;
    }
    bytes += found.bytes.length;
    if (found.bytes.length > limits.file || bytes > limits.bytes)
      throw new ImportError(`the contract is larger than ${limits.bytes / 1024 ** 2} MiB`, place);
    const content = parsePart(language, found.bytes, location, from, losses);
    if (content === undefined) {
      missing.set(location, 'is not valid');
      continue;
    }
    contents.set(location, content);
    for (const each of language.referencesOf(content, location)) {
      open.push({ location: resolveLocation(each.to, location), from: each });
    }
  }
  return new Sources(contents, roots);
}

/** The content of a source. An invalid part is a loss, an invalid contract an error. */
function parsePart<Content>(
  language: SourceLanguage<Content>,
  bytes: Uint8Array,
  location: string,
  from: SourceReference | undefined,
  losses: Losses,
): Content | undefined {
  try {
    return language.parse(bytes, location, losses);
  } catch (error) {
    if (!(error instanceof ImportError) || from === undefined) throw error;
    losses.add(`the part "${from.to}" is not valid: ${error.reason}`, 'what it declares is unknown', error.place);
    return undefined;
  }
}

/** Names a part that is not needed and not there. */
async function noteKnown(
  losses: Losses,
  { to, place }: SourceReference,
  location: string,
  read: ReadSource,
): Promise<void> {
  const isAddress = /^https?:/i.test(location);
  const found = isAddress ? { missing: 'is an address' } : await read(location);
  if ('missing' in found) losses.note(`the part "${to}" ${found.missing}`, 'not needed: its namespace is known', place);
}

function addMissing(losses: Losses, { to, place }: SourceReference, reason: string): void {
  losses.add(`the part "${to}" ${reason}`, 'what it declares is unknown', place);
}

/** The location that a reference leads to, from the location that contains it. Fragments are dropped. */
export function resolveLocation(to: string, from: string): string {
  const path = to.replace(/#.*$/s, '');
  if (path === '') return from;
  if (/^https?:/i.test(path)) return URL.canParse(path) ? new URL(path).href : path;
  if (/^https?:/i.test(from)) return URL.canParse(path, from) ? new URL(path, from).href : path;
  return resolvePath(from, path.replace(/^file:\/*(?=\/)/i, '').replaceAll('\\', '/'));
}

/** A path relative to a file. Both use `/`. */
function resolvePath(from: string, path: string): string {
  const decoded = decodePath(path);
  if (decoded.startsWith('/') || /^[A-Za-z]:\//.test(decoded)) return decoded;
  const parts = from.split('/').slice(0, -1);
  for (const each of decoded.split('/')) {
    if (each === '' || each === '.') continue;
    if (each === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '') parts.pop();
    else parts.push(each);
  }
  return parts.join('/');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
