import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Figure, Pair } from './figure.ts';
import { onProcessor } from './processors.ts';

/** One subject of the bench; `--only` selects it by name. */
export interface Row {
  readonly name: string;
  readonly about: string;
  measure(bench: Bench): Promise<readonly Figure[]>;
}

/** A server process that runs until it is stopped. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface BenchOptions {
  readonly rounds: number;
  /** Measure everything once, briefly, to see that it works. */
  readonly smoke: boolean;
  /** How long a server is under load in a round; three seconds by default, a tenth of one for a smoke run. */
  readonly seconds?: number | undefined;
  /** Backlogs of 1,000,000 messages. */
  readonly whole?: boolean;
  /** Called with the current step. */
  readonly say: (text: string) => void;
}

interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
}

/** Runs the rounds, owns the processes that they need, and a folder for the files that they write. */
export class Bench {
  readonly rounds: number;
  readonly smoke: boolean;
  /** Backlogs are as large as in production: this takes an hour. */
  readonly whole: boolean;
  /** How long a server is under load in a round. */
  readonly seconds: number;
  /** Comparisons that could not be made on this machine, with the reason. */
  readonly leftOut: { readonly job: string; readonly beside: string; readonly why: string }[] = [];
  /** For files; removed at the end. */
  readonly folder: string;
  /** Reports the current step. */
  readonly say: (text: string) => void;
  readonly #children = new Set<ChildProcess>();
  readonly #last: (() => void)[] = [];

  constructor({ rounds, smoke, seconds, whole = false, say }: BenchOptions) {
    this.rounds = rounds;
    this.smoke = smoke;
    this.whole = whole;
    this.seconds = seconds ?? (smoke ? 0.1 : 3);
    this.say = say;
    this.folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  }

  /** Measures every subject once in each round. The order rotates, so that none profits from its place. */
  async inRounds<Name extends string, Result>(
    name: string,
    subjects: Readonly<Record<Name, () => Promise<Result>>>,
  ): Promise<Record<Name, Result[]>> {
    const names = Object.keys(subjects) as Name[];
    const results = Object.fromEntries(names.map((each) => [each, []])) as unknown as Record<Name, Result[]>;
    for (let round = 0; round < this.rounds; round += 1) {
      this.say(`${name}: round ${round + 1} of ${this.rounds}`);
      // Without this, signals would not be handled between rounds that only compute.
      await setImmediate();
      for (let turn = 0; turn < names.length; turn += 1) {
        const each = names[(round + turn) % names.length] as Name;
        results[each].push(await subjects[each]());
      }
    }
    return results;
  }

  /** {@link inRounds} for two subjects. */
  compare(name: string, limit: () => Promise<number>, ours: () => Promise<number>): Promise<Pair> {
    return this.inRounds(name, { limit, ours });
  }

  /** Starts a Node program. Programs that still run at the end of the bench are killed. */
  spawn(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
    return this.#start([process.execPath, ...args], options);
  }

  #start(command: readonly string[], options: SpawnOptions): ChildProcess {
    const env = { ...process.env, ...options.env };
    const cwd = options.cwd ?? this.folder;
    const [program, ...args] = command as [string, ...string[]];
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    child.stdin?.on('error', () => {});
    return child;
  }

  /**
   * Starts one of the servers in this folder, which prints its port, and exits when its input ends.
   * @throws Error if it exits before it printed the port
   */
  serve(script: string, args: readonly string[] = []): Promise<Server> {
    return this.#serve(script, [process.execPath, scriptPath(script), ...args]);
  }

  /** {@link serve} with a processor for itself: the client that loads it runs on another one. */
  serveApart(script: string, args: readonly string[] = []): Promise<Server> {
    return this.serveProgramApart(script, [process.execPath, scriptPath(script), ...args]);
  }

  /** {@link serveApart} with a CPU profile, which is written to a file when the server ends: see profiler.ts. */
  serveProfiled(script: string, args: readonly string[], to: string): Promise<Server> {
    const command = [process.execPath, '--import', scriptPath('profiler.ts'), scriptPath(script), ...args];
    return this.#serve(script, onProcessor('server', command), { PROFILE_TO: to });
  }

  /** {@link serveApart} for a program that is not Node's. */
  serveProgramApart(name: string, command: readonly string[]): Promise<Server> {
    return this.#serve(name, onProcessor('server', command));
  }

  async #serve(name: string, command: readonly string[], env: Record<string, string> = {}): Promise<Server> {
    const child = this.#start(command, { env });
    const port = Number(await firstLine(child, name));
    return { port, pid: child.pid as number, stop: () => ended(child, () => child.stdin?.end()) };
  }

  /** Runs a script of this folder to its end and returns the number that it prints. @throws Error if it prints none */
  async figure(script: string, args: readonly string[]): Promise<number> {
    const child = this.spawn([scriptPath(script), ...args]);
    const over = ended(child);
    const value = Number(await firstLine(child, script));
    await over;
    if (!(value > 0)) throw new Error(`${script} printed no figure`);
    return value;
  }

  /** Registers a task for the end of the bench, whether it succeeds or not. */
  atEnd(task: () => void): void {
    this.#last.push(task);
  }

  /** Kills all processes and removes all files. */
  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const task of this.#last) task();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function scriptPath(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}

/** The first line that a process prints, or the first that is like `of`. @throws Error if it exits without one */
export function firstLine(child: ChildProcess, name: string, of = /^/): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${name} ended with ${code ?? 'a signal'} and printed nothing`)));
    if (child.stdout === null) return;
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => {
      if (!of.test(line)) return;
      lines.removeAllListeners('line');
      resolve(line);
    });
  });
}

/** Waits for the end of a process. @param how ends it */
export function ended(child: ChildProcess, how?: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    how?.();
  });
}
