import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figure.ts';

/** One subject of the bench: what `--only` names. */
export interface Row {
  readonly name: string;
  readonly about: string;
  measure(bench: Bench): Promise<readonly Figure[]>;
}

/** A process that serves until it is stopped. */
export interface Server {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Figures of a limit and of ours, by round. */
export interface Pair {
  readonly limit: readonly number[];
  readonly ours: readonly number[];
}

export interface BenchOptions {
  readonly rounds: number;
  /** One short measurement of everything, to see that it works. */
  readonly smoke: boolean;
  /** Told what is being done. */
  readonly say: (text: string) => void;
}

/** Rounds, the processes that they need, and a folder for what they write. */
export class Bench {
  readonly rounds: number;
  readonly smoke: boolean;
  /** For what is written; removed at the end. */
  readonly folder: string;
  /** Says what is being done. */
  readonly say: (text: string) => void;
  readonly #children = new Set<ChildProcess>();
  readonly #last: (() => void)[] = [];

  constructor({ rounds, smoke, say }: BenchOptions) {
    this.rounds = rounds;
    this.smoke = smoke;
    this.say = say;
    this.folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  }

  /** Measures both in each round, the one that goes first changing with every round. */
  async compare(name: string, limit: () => Promise<number>, ours: () => Promise<number>): Promise<Pair> {
    const pair: { limit: number[]; ours: number[] } = { limit: [], ours: [] };
    for (let round = 0; round < this.rounds; round += 1) {
      this.say(`${name}: round ${round + 1} of ${this.rounds}`);
      // A round of plain computing leaves no time for a signal in between.
      await setImmediate();
      if (round % 2 === 0) pair.limit.push(await limit());
      pair.ours.push(await ours());
      if (round % 2 === 1) pair.limit.push(await limit());
    }
    return pair;
  }

  /** Starts a program that Node runs. Its handle is kept: what still runs at the end of the bench is ended with it. */
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
   * Starts one of the servers of this folder; it prints its port, and ends with its input.
   * @throws Error where it ends before that
   */
  async serve(script: string, args: readonly string[] = []): Promise<Server> {
    const child = this.spawn([scriptPath(script), ...args]);
    const port = Number(await firstLine(child, script));
    return { port, pid: child.pid as number, stop: () => ended(child, () => child.stdin?.end()) };
  }

  /** Runs a script of this folder to its end and returns the number that it prints. @throws Error where there is none */
  async figure(script: string, args: readonly string[]): Promise<number> {
    const child = this.spawn([scriptPath(script), ...args]);
    const over = ended(child);
    const value = Number(await firstLine(child, script));
    await over;
    if (!(value > 0)) throw new Error(`${script} printed no figure`);
    return value;
  }

  /** Has something done when the bench is over, however it ends. */
  atEnd(task: () => void): void {
    this.#last.push(task);
  }

  /** Ends every process at once, and removes what was written. */
  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    for (const task of this.#last) task();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function scriptPath(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}

/** The first line that a process prints. @throws Error where it ends without one */
export function firstLine(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`${name} ended with ${code ?? 'a signal'} and printed nothing`)));
    if (child.stdout !== null) createInterface(child.stdout).once('line', resolve);
  });
}

/** Waits for the end of a process. @param how brings it about */
export function ended(child: ChildProcess, how?: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    how?.();
  });
}
