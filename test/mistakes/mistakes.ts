import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { project, signalbox } from '../cli/support.ts';
import { workshop } from './workshop.ts';

/** A mistake in the workshop: edits of its files, then commands with what each prints. */
export interface Mistake {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** As they are typed in the project's folder, variables first: `PORT=http signalbox serve`. */
  readonly commands: readonly string[];
  /** The commands with their output, as in the table. */
  readonly session: string;
}

/** Lines of a file that others replace. Without lines to replace, they are added at its end, or make the file. */
interface Edit {
  readonly file: string;
  readonly removed: string;
  readonly added: string;
}

const folder = new URL('./', import.meta.url);

/** The tables by name, and their rows. */
export function readTables(): ReadonlyMap<string, readonly Mistake[]> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.cases'));
  return new Map(
    names.sort().map((name) => {
      const [, ...rows] = readFileSync(new URL(name, folder), 'utf8').split(/^=== /m);
      return [name.slice(0, -'.cases'.length), rows.map(readMistake)];
    }),
  );
}

/**
 * A row of a table:
 *
 *     === what was meant, and what was written
 *     definitions/vehicles.yaml
 *     -    soap: true
 *     +    soap: yes
 *     $ signalbox check
 *     what it prints on both outputs
 *     [1]
 *
 * The last line is the exit code, if it is not 0. The project's folder is written as PROJECT, random
 * numbers as UUID.
 */
function readMistake(text: string): Mistake {
  const start = text.indexOf('\n$ ') + 1;
  const [name = '', ...lines] = text.slice(0, start).trimEnd().split('\n');
  const edits: { file: string; removed: string; added: string }[] = [];
  let file = '';
  for (const line of lines) {
    if (!/^[-+]/.test(line)) file = line;
    else {
      const last = edits.at(-1);
      const goesOn = last?.file === file && (line.startsWith('+') || last.added === '');
      const edit = goesOn && last !== undefined ? last : { file, removed: '', added: '' };
      if (edit !== last) edits.push(edit);
      edit[line.startsWith('+') ? 'added' : 'removed'] += `${line.slice(1)}\n`;
    }
  }
  const session = text.slice(start).trimEnd();
  const commands = [...session.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => command);
  return { name, edits, commands, session };
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Makes the mistake in a workshop of its own, and runs its commands. @returns the session, as a table has it */
export async function make({ edits, commands }: Mistake): Promise<string> {
  const files = { ...workshop };
  for (const { file, removed, added } of edits) {
    const before = files[file] ?? '';
    if (!before.includes(removed)) throw new Error(`${file} has no lines\n${removed}`);
    files[file] = removed === '' ? before + added : before.replace(removed, () => added);
  }
  const cwd = await project(files);
  await mkdir(join(cwd, '.signalbox'));
  database ??= migrated();
  await copyFile(await database, join(cwd, '.signalbox/signalbox.db'));
  const session: string[] = [];
  for (const command of commands) {
    const { env, args } = readCommand(command);
    const { code, stdout, stderr } = await signalbox(args, { cwd, env });
    const output = `${stdout}${stderr}`.trimEnd().replaceAll(cwd, 'PROJECT').replace(UUID, 'UUID');
    session.push(`$ ${command}`, ...(output === '' ? [] : [output]), ...(code === 0 ? [] : [`[${code}]`]));
  }
  return session.join('\n');
}

let database: Promise<string> | undefined;

/** A database with the tables of the workshop. */
async function migrated(): Promise<string> {
  const cwd = await project(workshop);
  const { code, stderr } = await signalbox(['migrate'], { cwd });
  if (code !== 0) throw new Error(stderr);
  return join(cwd, '.signalbox/signalbox.db');
}

/** Reads `NAME=value signalbox command 'an argument'`. */
function readCommand(command: string): { env: Record<string, string>; args: string[] } {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const at = words.indexOf('signalbox');
  const env = words.slice(0, at).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
  return { env: Object.fromEntries(env) as Record<string, string>, args: words.slice(at + 1) };
}
