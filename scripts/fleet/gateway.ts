import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetProject } from './project.ts';
import type { Random } from './random.ts';

/** Milliseconds between two checks of a starting gateway or an ending process. */
const LOOK_MS = 50;
/** A gateway waits up to 30 s for running requests; one that takes longer hangs. */
const STOP_MS = 35_000;

/** How a gateway is started. */
interface GatewayStart {
  readonly project: FleetProject;
  readonly port: number;
  readonly database: string;
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
  /** When processes were killed, in milliseconds since 1970. */
  readonly #deaths: Map<number, number>;

  constructor(start: GatewayStart, deaths: Map<number, number>) {
    this.#start = start;
    this.#deaths = deaths;
    this.address = `http://127.0.0.1:${start.port}`;
    this.#log = openSync(start.project.log, 'a');
  }

  get up(): boolean {
    return this.#up;
  }

  /** Starts it repeatedly until it answers, because it exits if the database is unavailable. */
  async start(signal: AbortSignal): Promise<void> {
    while (!this.#up) {
      signal.throwIfAborted();
      if (this.#child === undefined) this.#spawn();
      await look();
      const live = await fetch(`${this.address}/health/live`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => undefined,
      );
      await live?.body?.cancel();
      this.#up = this.#child !== undefined && live?.status === 200;
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
    await Promise.all(workers.map((pid) => this.#ended(pid)));
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

  async #ended(pid: number): Promise<void> {
    while (existsSync(`/proc/${pid}`)) await look();
    this.#deaths.set(pid, Date.now());
  }

  #spawn(): void {
    const { project, port, database, workers } = this.#start;
    const env = {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL: database,
      FLEET_MARKS: project.marks,
    };
    const command = join(project.product, 'dist/cli/main.js');
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
