import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetProject } from './project.ts';
import type { Random } from './random.ts';
import type { Receiver } from './receiver.ts';

/** Milliseconds between two checks of a starting gateway or an ending process. */
const LOOK_MS = 50;
/** A gateway waits up to 30 s for running requests; one that takes longer hangs. */
const STOP_MS = 35_000;

/** How a gateway is started. */
interface GatewayStart {
  readonly project: FleetProject;
  readonly port: number;
  readonly database: string;
  readonly receiver: Pick<Receiver, 'url' | 'secret'>;
  /** Processes that share its port; with 1 it has no workers. */
  readonly workers: number;
}

/** One gateway of the fleet: its current process, or the next one that replaces it. */
export class FleetGateway {
  readonly address: string;
  readonly #start: GatewayStart;
  readonly #log: number;
  #child: ChildProcess | undefined;
  /** Whether it has answered since it was started. */
  #up = false;
  #frozen = false;
  #closed = false;
  /** When processes were killed, in milliseconds since 1970. */
  readonly #deaths: Map<number, number>;

  constructor(start: GatewayStart, deaths: Map<number, number>) {
    this.#start = start;
    this.#deaths = deaths;
    this.address = `http://127.0.0.1:${start.port}`;
    this.#log = openSync(start.project.log, 'a');
  }

  /** Whether calls can reach it. One that is frozen takes them, and does not answer. */
  get up(): boolean {
    return this.#up;
  }

  get frozen(): boolean {
    return this.#frozen;
  }

  get hasWorkers(): boolean {
    return this.#start.workers > 1;
  }

  get project(): FleetProject {
    return this.#start.project;
  }

  /** Starts it repeatedly until it is ready, because it exits if the database is unavailable. */
  async start(signal: AbortSignal): Promise<void> {
    while (!this.#up) {
      if (this.#closed) throw new Error('the gateway is closed');
      if (signal.aborted) throw new Error(`a gateway does not start; its output is in ${this.project.log}`);
      if (this.#child === undefined) this.#spawn();
      await look();
      const ready = await fetch(`${this.address}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => undefined,
      );
      await ready?.body?.cancel();
      this.#up = this.#child !== undefined && ready?.status === 200;
    }
  }

  /** Kills it with SIGKILL, which it can't handle. Its workers exit when they notice. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#up = false;
    if (child?.pid === undefined) return;
    const workers = childrenOf(child.pid);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    this.#deaths.set(child.pid, Date.now());
    // A frozen worker does not notice that.
    for (const pid of workers) send(pid, 'SIGCONT');
    this.#frozen = false;
    await Promise.all(workers.map((pid) => this.#ended(pid)));
  }

  /** Kills it, and keeps it from being started again. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.kill();
  }

  /** Stops it and its workers as a debugger or a paused virtual machine does, until {@link thaw}. @returns their pids */
  freeze(): readonly number[] {
    const pid = this.#child?.pid;
    if (pid === undefined) return [];
    this.#frozen = true;
    const pids = [pid, ...childrenOf(pid)];
    for (const each of pids) send(each, 'SIGSTOP');
    return pids;
  }

  /** Continues processes that were frozen and are still there. */
  thaw(pids: readonly number[]): void {
    if (this.#frozen) for (const pid of pids) send(pid, 'SIGCONT');
    this.#frozen = false;
  }

  /** Has it replace its workers, one at a time. Resolves when all have been. */
  async replaceWorkers(signal: AbortSignal): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const before = childrenOf(child.pid);
    child.kill('SIGUSR2');
    await Promise.all(before.map((pid) => this.#ended(pid, signal)));
    while (childrenOf(child.pid).length < before.length) {
      signal.throwIfAborted();
      await look();
    }
  }

  /** Kills one of its workers with SIGKILL; the gateway replaces it. @returns whether it has any */
  async killWorker(random: Random): Promise<boolean> {
    const workers = this.#child?.pid === undefined ? [] : childrenOf(this.#child.pid);
    if (workers.length === 0) return false;
    const pid = random.pick(workers);
    process.kill(pid, 'SIGKILL');
    await this.#ended(pid);
    return true;
  }

  /** Ends it with SIGTERM. @returns how it ended; `undefined` if it was not running */
  async stop(): Promise<string | undefined> {
    const child = this.#child;
    if (child === undefined) return undefined;
    const gone = new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)),
    );
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const how = await gone;
    clearTimeout(limit);
    return how;
  }

  async #ended(pid: number, signal?: AbortSignal): Promise<void> {
    while (existsSync(`/proc/${pid}`)) {
      signal?.throwIfAborted();
      await look();
    }
    this.#deaths.set(pid, Date.now());
  }

  #spawn(): void {
    const { project, port, database, receiver, workers } = this.#start;
    const env = {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: database,
      FLEET_MARKS: project.marks,
      FLEET_INSTALLATION: project.installation,
      FLEET_RECEIVER: `${receiver.url}/${project.installation}`,
      FLEET_HOOK: receiver.secret,
    };
    const command = join(realpathSync(join(project.root, 'node_modules/signalbox')), 'dist/cli/main.js');
    const child = spawn(process.execPath, [command, 'serve', '--workers', String(workers)], {
      cwd: project.root,
      env,
      stdio: ['ignore', this.#log, this.#log],
    });
    this.#child = child;
    child.once('exit', () => {
      if (child.pid !== undefined && !this.#deaths.has(child.pid)) this.#deaths.set(child.pid, Date.now());
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#up = false;
    });
  }
}

/** Sends a signal to a process, if it is still there. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function look(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** The child processes of a process, from Linux; empty if it has ended. */
function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}
