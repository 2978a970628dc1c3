import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { poll } from '../cli/poll.ts';
import { bin, cleanEnvironment, finish, type Ran, repository } from '../cli/support.ts';

/** Whether a program of another maker is on this machine; `.ci/run` installs them. */
export function has(program: string, version = '--version'): boolean {
  return spawnSync(program, [version], { stdio: 'ignore' }).status === 0;
}

/** Runs a line in a shell, as somebody who pastes it. */
export function shell(line: string): Promise<Ran> {
  return finish(spawn('bash', ['-c', line], { env: cleanEnvironment({ no_proxy: '*' }) }));
}

/** Runs a program to its end. */
export function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  return finish(spawn(program, args, { env: cleanEnvironment({ no_proxy: '*', ...env }) }));
}

/** A gateway in a process of its own, started as a user would. */
export interface Served {
  /** `http://127.0.0.1:40123`. */
  readonly address: string;
  /** The address below which REST operations and contracts answer. */
  readonly connector: string;
  /** What it printed so far. */
  output(): string;
  /** Ends it as if the machine had failed. */
  kill(): void;
  stop(): Promise<void>;
}

/** Starts the built `signalbox serve` in a project's folder, on a free port and with a database of its own. */
export async function serve(root: string = repository, more: NodeJS.ProcessEnv = {}): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-interop-'));
  const env = cleanEnvironment({ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'test.db')}`, ...more });
  const child = spawn(process.execPath, [bin, 'serve'], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [, address = ''] = await poll(
      'the gateway to be ready',
      () => /^Signalbox is ready on (http:\S+)/m.exec(output) ?? undefined,
      () => output,
    );
    return {
      address,
      connector: `${address}/gateway/RESTListeningConnector`,
      output: () => output,
      kill: () => void child.kill('SIGKILL'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
