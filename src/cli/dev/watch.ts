import { type FSWatcher, readdirSync, realpathSync, type Stats, statSync, watch } from 'node:fs';
import { dirname, extname, join, sep } from 'node:path';
import { fileMark } from '../../serve/start/settings.ts';

/** What is watched. All paths are absolute and need not exist yet. */
export interface Watched {
  /** Folders, with everything in them. */
  readonly trees: readonly string[];
  /** Single files. */
  readonly files: readonly string[];
}

/** A running watch. */
export interface Watch {
  /** Watches something else from now on; files that are new in it are not reported. */
  follow(watched: Watched): void;
  /** Does not report the latest changes of these files, which were our own. */
  accept(paths: readonly string[]): void;
  close(): void;
}

/** Editors save in several steps (a temporary file, a rename, a change of times): changes within this time are one save. */
const QUIET_MS = 50;
/** However busy the folder is, a change is reported after this time. */
const PATIENCE_MS = 300;
/** How often files are checked when the system has no watches left. */
const POLL_MS = 500;

const extensions = new Set(['.yaml', '.yml', '.json', '.sql', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);

/** The files of editors (`.x.swp`, `.#x`, `x~`) begin with a dot or have another extension. */
const counts = (name: string): boolean => !name.startsWith('.') && extensions.has(extname(name));
const holdsSource = (name: string): boolean => !name.startsWith('.') && name !== 'node_modules';

/**
 * Calls `onChange` with the paths that were added, changed or removed. Folders are watched rather than files, so that a file
 * replaced by a rename is still seen; what really changed is found by comparing times, sizes and inodes.
 */
export function watchFiles(first: Watched, onChange: (changed: readonly string[]) => void): Watch {
  const watchers = new Map<string, FSWatcher>();
  let watched = first;
  let stamps = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let since = 0;

  function touched(): void {
    const now = performance.now();
    if (timer === undefined) since = now;
    clearTimeout(timer);
    timer = setTimeout(look, Math.min(QUIET_MS, Math.max(0, since + PATIENCE_MS - now)));
  }

  function look(): void {
    timer = undefined;
    const before = stamps;
    scan();
    const changed = [...stamps.keys()].filter((path) => before.get(path) !== stamps.get(path));
    for (const path of before.keys()) if (!stamps.has(path)) changed.push(path);
    if (changed.length > 0) onChange(changed);
  }

  function scan(): void {
    const folders = new Set<string>();
    stamps = new Map();
    const seen = new Set<string>();
    for (const tree of watched.trees) scanTree(tree, folders, seen);
    for (const file of watched.files) {
      attend(nearestFolder(dirname(file)), folders);
      stamp(file);
    }
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
  }

  function scanTree(folder: string, folders: Set<string>, seen: Set<string>): void {
    // Watched before it is read, so that a change in between is reported.
    attend(nearestFolder(folder), folders);
    for (const entry of entriesOf(folder, seen)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path))) {
        if (holdsSource(entry.name)) scanTree(path, folders, seen);
      } else if (counts(entry.name)) stamp(path);
    }
  }

  function stamp(path: string): void {
    const facts = factsOf(path);
    if (facts?.isFile()) stamps.set(path, fileMark(facts));
  }

  function attend(folder: string, folders: Set<string>): void {
    folders.add(folder);
    if (watchers.has(folder)) return;
    try {
      const watcher = watch(folder, touched);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(folder);
        touched();
      });
      watchers.set(folder, watcher);
    } catch {
      // No watches left (ENOSPC, EMFILE), or a folder that can't be watched: check it from time to time instead.
      poll ??= setInterval(look, POLL_MS);
    }
  }

  scan();
  return {
    follow(next) {
      const before = stamps;
      watched = next;
      scan();
      // Changes since the last look are still to be reported.
      for (const [path, stampBefore] of before) if (stamps.has(path)) stamps.set(path, stampBefore);
      touched();
    },
    accept(paths) {
      for (const path of paths) if (watched.trees.some((tree) => path.startsWith(join(tree, sep)))) stamp(path);
    },
    close() {
      clearTimeout(timer);
      clearInterval(poll);
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/** Links to folders are followed, as the loader does; a folder is read once, even when several links lead to it. */
function entriesOf(folder: string, seen: Set<string>) {
  try {
    const real = realpathSync(folder);
    if (seen.has(real)) return [];
    seen.add(real);
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Removed, or not created yet.
    return [];
  }
}

function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Removed, not created yet, or a circular link.
    return undefined;
  }
}

const isFolder = (path: string): boolean => factsOf(path)?.isDirectory() === true;

function nearestFolder(path: string): string {
  let folder = path;
  while (!isFolder(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
