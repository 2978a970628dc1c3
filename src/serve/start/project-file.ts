import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LookAtFile } from '../../security/port.ts';

/** Looks at files by names relative to a project. */
export function projectFiles(folder: string): LookAtFile {
  return async (name) => {
    const path = resolve(folder, name);
    const { ino, mtimeMs, size } = await stat(path);
    return { seen: `${ino} ${mtimeMs} ${size}`, read: () => readFile(path, 'utf8') };
  };
}
