import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import { type Ran, runInHost } from './host.ts';
import { poll } from './poll.ts';

export type { Ran } from './host.ts';

/** The repository's folder. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));
/** The built bin: these tests run what users run. */
export const bin = join(repository, 'dist/cli/main.js');

if (!existsSync(bin)) throw new Error('dist/ is missing: node scripts/build.ts makes it.');

/** Settings of one run. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Another bin than the repository's own. */
  readonly bin?: string;
}

/** The environment of a user who has set nothing that the tool looks at. */
export function cleanEnvironment(more: RunOptions['env'] = {}): NodeJS.ProcessEnv {
  const { NO_COLOR, FORCE_COLOR, PORT, HOST, DATABASE_URL, SIGNALBOX_DEBUG, NODE_OPTIONS, ...rest } = process.env;
  // The tests may be run by npm, what they run is not.
  const env = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('npm_lifecycle')));
  return { ...env, ...more };
}

/** Runs a command of `signalbox` to its end, in a process that other commands were run in. */
export function signalbox(args: readonly string[], { cwd = process.cwd(), env }: RunOptions = {}): Promise<Ran> {
  return runInHost(bin, { args, cwd, env: cleanEnvironment(env) });
}

/** Runs `signalbox` to its end in a process of its own, as users do: also what keeps a process from ending is seen. */
export function signalboxProcess(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return finish(spawn(process.execPath, [bin, ...args], { cwd: options.cwd, env: cleanEnvironment(options.env) }));
}

/** Waits for a process to end, and collects what it prints. */
export async function finish(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...ends) => resolve(ends));
  });
  return { code, signal, stdout, stderr };
}

/** A command that runs on: what it has printed so far, and ways to wait and to end it. */
export interface Running {
  readonly process: ChildProcess;
  output(): string;
  /** Waits until the output, from `from` on, matches. */
  until(pattern: RegExp, from?: number): Promise<RegExpExecArray>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null; tookMs: number }>;
}

/** Starts `signalbox` and lets it run until the test ends, or `stop`. */
export function start(args: readonly string[], options: RunOptions = {}): Running {
  return startProcess(process.execPath, [options.bin ?? bin, ...args], options);
}

/** Starts any command, likewise. */
export function startProcess(command: string, args: readonly string[], options: RunOptions = {}): Running {
  const child = spawn(command, args, { cwd: options.cwd, env: cleanEnvironment(options.env) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    process: child,
    output: () => output,
    until: (pattern, from = 0) =>
      poll(
        `${pattern} in the output`,
        () => pattern.exec(output.slice(from)) ?? undefined,
        () => output,
      ),
    async stop(signal = 'SIGTERM') {
      const from = performance.now();
      child.kill(signal);
      return { ...(await ended), tookMs: performance.now() - from };
    },
  };
}

/** Starts `signalbox` on a terminal of its own (script(1)), whose keys are pressed by `type`. */
export function startOnTerminal(args: readonly string[], cwd: string): Running & { type(keys: string): void } {
  const command = [process.execPath, bin, ...args].map((each) => `'${each}'`).join(' ');
  const running = startProcess('script', ['-qefc', `exec ${command}`, '/dev/null'], {
    cwd,
    env: { PORT: '0', NO_COLOR: '1' },
  });
  return { ...running, type: (keys) => void running.process.stdin?.write(keys) };
}

/** A folder of its own, removed after the tests of the file: they may run side by side. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-cli-'));
  atFileEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A project in a folder of its own: files by path, and the package where handlers find it. */
export async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await temporaryFolder();
  await writeFiles(root, { 'package.json': '{ "type": "module" }', ...files });
  await mkdir(join(root, 'node_modules'));
  await symlink(repository, join(root, 'node_modules/signalbox'), 'dir');
  return root;
}

/** Writes files under a folder, making theirs. */
export async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
