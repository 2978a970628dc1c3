import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../error.ts';

/**
 * Makes a folder with those above it, for the owner alone (0700). Node's own recursive mkdir never ends where a file
 * system refuses new folders with ENOENT, as /proc does.
 * @throws errors of the file system
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) createFolder(above);
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    // Another process was quicker.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Removes the files of a folder that are chosen; does nothing where there is no such folder. */
export function removeFiles(folder: string, which: (name: string, path: string) => boolean): void {
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (which(name, path)) unlinkSync(path);
    }
  } catch {
    // There is no such folder yet, or another gateway was faster.
  }
}

/** How old a temporary file must be before it counts as left behind, in milliseconds: a living one has its name for an instant. */
const LEFT_BEHIND = 60_000;

/** Removes what is left in a folder of temporary files where those who made them were killed before they took the name away. */
export function sweepTemporary(folder: string): void {
  const now = Date.now();
  removeFiles(folder, (_, path) => now - statSync(path).mtimeMs > LEFT_BEHIND);
}
