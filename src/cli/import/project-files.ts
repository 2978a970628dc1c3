import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Declared } from '../../import/index.ts';
import { codeOf } from '../../wire/error.ts';
import { jsonText } from '../terminal.ts';

/** The definition files of a project by their paths, relative to its folder. */
export async function readDefinitionTexts(root: string, folder: string): Promise<Map<string, string>> {
  try {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .sort();
    return new Map(
      await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)),
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return new Map();
    throw error;
  }
}

/** What an import declared, kept beside its definitions for the next one. */
export interface ImportRecord {
  readonly sources: readonly string[];
  readonly as: 'consumer' | 'provider';
  readonly declared: readonly Declared[];
}

const RECORD = 'imported.json';

/** The record of the last import into a folder; `undefined` without one. */
export async function readRecord(root: string, folder: string): Promise<ImportRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(root, folder, RECORD), 'utf8')) as ImportRecord;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the files of an import, and its record last. A file with an empty text is removed. */
export async function writeImport(
  root: string,
  folder: string,
  files: ReadonlyMap<string, string>,
  record: ImportRecord,
): Promise<void> {
  for (const [path, text] of files) {
    if (text === '') await rm(join(root, path), { force: true });
    else await replace(join(root, path), text);
  }
  await replace(join(root, folder, RECORD), jsonText(record));
}

async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${process.pid}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, path);
}
