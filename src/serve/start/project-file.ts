import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LookAtFile } from '../../security/port.ts';

/** Looks at files by names relative to a project. */
export function projectFiles(folder: string): LookAtFile {
  return async (name) => {
    const path = resolve(folder, name);
    return { seen: fileMark(await stat(path)), read: () => readFile(path, 'utf8') };
  };
}

/** A text that is another one once the file is written or replaced. */
export function fileMark({ ino, mtimeMs, size }: Stats): string {
  return `${ino} ${mtimeMs} ${size}`;
}
