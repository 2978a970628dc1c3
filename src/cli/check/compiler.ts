import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { codeDiagnostic, type Diagnostic, type Place } from '../../load/index.ts';
import { CliFailure } from '../failure.ts';

/**
 * The TypeScript compiler that a project has installed, as it would import it. @returns the path of its program
 * @throws CliFailure when the project has no compiler, or no tsconfig.json
 */
export function findCompiler(root: string): string {
  const program = programOf(root);
  if (existsSync(join(root, 'tsconfig.json'))) return program;
  throw new CliFailure('the project has no tsconfig.json', {
    hint: 'The compiler needs it: `signalbox init` in an empty folder writes one that you can copy.',
  });
}

function programOf(root: string): string {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { tsc: string } };
    return resolve(dirname(manifest), bin.tsc);
  } catch (cause) {
    throw new CliFailure('the project has no TypeScript compiler', {
      hint: 'Install it: npm install -D typescript',
      cause,
    });
  }
}

/** How the compiler runs in the background. */
export interface InBackground {
  /** Path of the file in which it remembers what it has found, so that its next run is faster. */
  readonly remembers: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Runs the compiler on a project, which it only checks.
 * @param background leaves the processor to others
 * @throws CliFailure when it fails without a diagnostic; AbortError
 */
export async function compileTypes(root: string, program: string, background?: InBackground): Promise<Diagnostic[]> {
  const options = background === undefined ? [] : ['--incremental', '--tsBuildInfoFile', background.remembers];
  const { code, output } = await run(root, [program, ...OPTIONS, ...options], background?.signal);
  const found = diagnosticsIn(output);
  if (code !== 0 && found.length === 0)
    throw new CliFailure(`the TypeScript compiler ended with exit code ${code}`, { hint: output.trim() });
  return found;
}

const OPTIONS = ['--noEmit', '--pretty', 'false', '--project', 'tsconfig.json'];

/** @param signal given for a run in the background */
async function run(
  root: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal }),
  });
  if (signal !== undefined && child.pid !== undefined) yieldTo(child.pid);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const { promise, resolve: end, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', end);
  return { code: await promise, output };
}

/** Gives a process a low priority, if the system lets us. */
function yieldTo(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended, or the system does not permit it.
  }
}

/** Reads `file(line,column): error CODE: message`, or without a place; lines that are indented continue a message. */
function diagnosticsIn(output: string): Diagnostic[] {
  const found: { readonly at: Place; text: string }[] = [];
  for (const line of output.split(/\r?\n/)) {
    const [, file, row, column, text] = /^(?:(.+?)\((\d+),(\d+)\): )?error (TS\d+: .*)$/.exec(line) ?? [];
    const last = found.at(-1);
    if (text !== undefined)
      found.push({ text, at: { file: file ?? 'tsconfig.json', line: Number(row ?? 1), column: Number(column ?? 1) } });
    else if (last !== undefined && /^\s+\S/.test(line)) last.text += ` ${line.trim()}`;
  }
  return found.map(({ at, text }) => codeDiagnostic('code-type', { text }, at));
}
