import { existsSync, mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../error.ts';

/**
 * Creates a folder and its parents for their owner only (0700). Node's recursive mkdir never returns on a file system that
 * refuses new folders with ENOENT, such as /proc.
 * @throws errors of the file system
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) createFolder(above);
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    // Another process created it first.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Removes the selected files of a folder, if the folder exists. */
export function removeFiles(folder: string, which: (name: string, path: string) => boolean): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    try {
      if (which(name, path)) unlinkSync(path);
    } catch {
      // Another gateway removed it first, or it may not be removed.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // It does not exist yet.
    return [];
  }
}

/** Names of temporary files: whatever folder is given, nothing else in it is touched. */
const TEMPORARY = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:-\d+)?$/;

/** Milliseconds after which a temporary file counts as left behind: one in use has its name for an instant only. */
const LEFT_BEHIND = 60_000;

/** Removes temporary files whose process was killed before it removed their names. */
export function sweepTemporary(folder: string): void {
  const now = Date.now();
  removeFiles(folder, (name, path) => TEMPORARY.test(name) && now - statSync(path).mtimeMs > LEFT_BEHIND);
}
