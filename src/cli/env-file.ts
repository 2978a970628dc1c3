import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { codeOf } from '../wire/error.ts';
import { CliFailure } from './failure.ts';
import { note } from './terminal.ts';

/** The file with settings of this machine that is read if it exists. */
const USUAL = '.env';

/** The variables that were taken from files, with the file of each. */
const taken = new Map<string, string>();
/** The files as they were named, in the order of the command line. */
let named: readonly string[] = [];
let isRequired = false;

/**
 * Adds the variables of files to the environment, which wins over all of them; a later file wins over an earlier one.
 * @param files as `--env-file` names them; `undefined` for `.env` of the current folder, which need not exist; `false` for none
 * @throws CliFailure for a file that can't be read
 */
export function takeEnvFiles(files: readonly string[] | false | undefined): void {
  isRequired = Array.isArray(files);
  named = files === false ? [] : (files ?? [USUAL]);
  taken.clear();
  take(named.map(read));
}

/** Reads the files again, and forgets what they no longer contain. @throws CliFailure, and then nothing has changed */
export function retakeEnvFiles(): void {
  const texts = named.map(read);
  for (const name of taken.keys()) delete process.env[name];
  taken.clear();
  take(texts);
}

/** The absolute paths of the files. They need not exist. */
export function envFilePaths(): string[] {
  return named.map((file) => resolve(file));
}

/** The file that a variable was taken from; `undefined` for one of the environment itself. */
export function envFileOf(name: string): string | undefined {
  return taken.get(name);
}

interface EnvFile {
  readonly file: string;
  readonly text: string;
}

function take(files: readonly EnvFile[]): void {
  for (const { file, text } of files.toReversed()) {
    for (const line of misread(text)) note(`${file}:${line} is ignored: it is not NAME=value, a comment or blank.`);
    for (const [name, value = ''] of Object.entries(parseEnv(text))) {
      if (process.env[name] !== undefined) continue;
      process.env[name] = value;
      taken.set(name, file);
    }
  }
}

function read(file: string): EnvFile {
  try {
    // Editors of Windows write a byte order mark, which would become part of the first name.
    return { file, text: readFileSync(file, 'utf8').replace(/^\uFEFF/, '') };
  } catch (error) {
    const code = codeOf(error);
    // A folder called .env is a virtual environment of Python.
    if (!isRequired && (code === 'ENOENT' || code === 'EISDIR')) return { file, text: '' };
    const reason = code === 'ENOENT' ? 'the file does not exist' : (error as Error).message;
    throw new CliFailure(`the settings in ${file} can't be read: ${reason}`, {
      hint: isRequired ? 'It is named with --env-file.' : '--no-env-file ignores it.',
      cause: error,
    });
  }
}

/** Numbers of the lines that Node's parser leaves out without a word. */
function misread(text: string): number[] {
  const lines = text.replace(QUOTED, (value) => `A=${'\n'.repeat(value.split('\n').length - 1)}`).split('\n');
  return lines.flatMap((line, index) => (ASSIGNMENT.test(line.trim()) ? [] : index + 1));
}

/** A quoted value can have several lines. */
const QUOTED = /^[ \t]*(?:export[ \t]+)?[^\s=#]+[ \t]*=[ \t]*(["'`])[\s\S]*?\1/gm;
const ASSIGNMENT = /^(?:#.*|(?:export\s+)?[^\s=#]+\s*=.*)?$/;
