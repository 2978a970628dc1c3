import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figure.ts';

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

/** Figures of the limit and of ours, by round. */
export interface Pair {
  readonly limit: readonly number[];
  readonly ours: readonly number[];
}

export interface BenchOptions {
  readonly rounds: number;
  /** Measure everything once, briefly, to see that it works. */
  readonly smoke: boolean;
  /** Called with the current step. */
  readonly say: (text: string) => void;
}

/** Runs the rounds, owns the processes that they need, and a folder for the files that they write. */
export class Bench {
  readonly rounds: number;
  readonly smoke: boolean;
  /** For files; removed at the end. */
  readonly folder: string;
  /** Reports the current step. */
  readonly say: (text: string) => void;
  readonly #children = new Set<ChildProcess>();
  readonly #last: (() => void)[] = [];

  constructor({ rounds, smoke, say }: BenchOptions) {
    this.rounds = rounds;
    this.smoke = smoke;
    this.say = say;
    this.folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  }

  /** Measures both in each round, and alternates which one is first. */
  async compare(name: string, limit: () => Promise<number>, ours: () => Promise<number>): Promise<Pair> {
    const pair: { limit: number[]; ours: number[] } = { limit: [], ours: [] };
    for (let round = 0; round < this.rounds; round += 1) {
      this.say(`${name}: round ${round + 1} of ${this.rounds}`);
      // Without this, signals would not be handled between rounds that only compute.
      await setImmediate();
      if (round % 2 === 0) pair.limit.push(await limit());
      pair.ours.push(await ours());
      if (round % 2 === 1) pair.limit.push(await limit());
    }
    return pair;
  }

  /** Starts a Node program. Programs that still run at the end of the bench are killed. */
  spawn(args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}): ChildProcess {
    const env = { ...process.env, ...options.env };
    const cwd = options.cwd ?? this.folder;
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    child.stdin?.on('error', () => {});
    return child;
  }

  /**
   * Starts one of the servers in this folder, which prints its port, and exits when its input ends.
   * @throws Error if it exits before it printed the port
   */
  async serve(script: string, args: readonly string[] = []): Promise<Server> {
    const child = this.spawn([scriptPath(script), ...args]);
    const port = Number(await firstLine(child, script));
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

function scriptPath(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}

/** The first line that a process prints. @throws Error if it exits without one */
export function firstLine(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${name} ended with ${code ?? 'a signal'} and printed nothing`)));
    if (child.stdout !== null) createInterface(child.stdout).once('line', resolve);
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
