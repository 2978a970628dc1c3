import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Declared } from '../../import/index.ts';
import { codeOf, messageOf } from '../../wire/error.ts';
import { CliFailure } from '../failure.ts';
import { readTexts } from '../generated-files.ts';
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
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(`${path} is not JSON: ${error.message}`, {
      hint: 'Restore it from git. Without it an import does not know what it has written.',
      cause: error,
    });
  }
}

/** Definition files in the folder of an import that has no record of one: people wrote them, or the record was lost. @throws CliFailure */
export function refuseForeign(name: string, folder: string, paths: Iterable<string>): void {
  const [foreign] = [...paths].filter((path) => path.startsWith(`${folder}/`));
  if (foreign === undefined) return;
  throw new CliFailure(`${foreign} was not written by an import, and the definitions of ${name} would be next to it`, {
    hint: `Choose another name with --name, or move the file. If an import wrote it, restore ${folder}/${RECORD} from git.`,
  });
}

/** The name by which an import wrote a definition file; `undefined` for one that people wrote. */
export async function importOf(root: string, path: string): Promise<string | undefined> {
  const folder = dirname(path);
  const isRecorded = await access(join(root, folder, RECORD)).then(
    () => true,
    () => false,
  );
  return isRecorded ? basename(folder) : undefined;
}

/**
 * Writes the files of an import, and its record last. A file with an empty text is removed. All texts are on the disk before the
 * first file is replaced, so that a full disk or a folder that can't be written to leaves everything as it was. @throws CliFailure
 */
export async function writeImport(
  root: string,
  folder: string,
  files: ReadonlyMap<string, string>,
  record: ImportRecord,
): Promise<void> {
  const wanted = [...files, [`${folder}/${RECORD}`, jsonText(record)] as const];
  const staged: { readonly temporary: string; readonly path: string }[] = [];
  try {
    for (const [path, text] of wanted) {
      if (text === '') continue;
      const temporary = join(root, dirname(path), `.${process.pid}-${staged.length}.tmp`);
      await mkdir(dirname(temporary), { recursive: true });
      staged.push({ temporary, path: join(root, path) });
      await writeFile(temporary, text);
    }
  } catch (error) {
    await Promise.all(staged.map(({ temporary }) => rm(temporary, { force: true })));
    throw new CliFailure(`the definitions can't be written, and are as they were: ${messageOf(error)}`, {
      cause: error,
    });
  }
  for (const [path, text] of wanted) if (text === '') await rm(join(root, path), { force: true });
  for (const { temporary, path } of staged) await rename(temporary, path);
}
