import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Declared } from '../../import/index.ts';
import { codeOf } from '../../wire/error.ts';
import { CliFailure } from '../failure.ts';
import { readTexts, replaceFile } from '../generated-files.ts';
import { jsonText } from '../terminal.ts';

/** The definition files of a project by their paths, relative to its folder. */
export async function readDefinitionTexts(root: string, folder: string): Promise<Map<string, string>> {
  const texts = await readTexts(root, folder, /\.ya?ml$/);
  return new Map([...texts].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What an import declared, kept next to its definitions for the next one. */
export interface ImportRecord {
  readonly sources: readonly string[];
  readonly as: 'consumer' | 'provider';
  readonly declared: readonly Declared[];
}

const RECORD = 'imported.json';

/** The record of the last import into a folder; `undefined` without one. */
export async function readRecord(root: string, folder: string): Promise<ImportRecord | undefined> {
  const path = join(folder, RECORD);
  try {
    return JSON.parse(await readFile(join(root, path), 'utf8')) as ImportRecord;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(`${path} is not JSON: ${error.message}`, {
      hint: 'Restore it from git. Without it an import does not know what it has written.',
      cause: error,
    });
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
    else await replaceFile(join(root, path), text);
  }
  await replaceFile(join(root, folder, RECORD), jsonText(record));
}
