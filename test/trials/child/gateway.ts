import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Holdings } from './door.ts';
import { SCHEME_ENV, writeProject } from './schemes.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const command = join(repository, 'dist/cli/main.js');
const door = fileURLToPath(new URL('door.ts', import.meta.url));

/** Time for a gateway to become ready, and to end; one that takes longer hangs. */
const START_MS = 30_000;
const STOP_MS = 35_000;
/** Log entries that are kept; callers only ask about their latest requests. */
const HELD = 5_000;
/** Characters of the log that errors quote. */
const LAST_WORDS = 2_000;

/** A line of the gateway's log. */
type LogLine = Readonly<Record<string, unknown>>;

/** The sample's gateway, built, with schemes of every kind, in its own process with its own database. */
export class ChildGateway {
  /** Folder of the database and of the log; removed by {@link remove}. */
  readonly folder = mkdtempSync(join(tmpdir(), 'signalbox-child-'));
  readonly #log = join(this.folder, 'gateway.log');
  /** Number of unexpected exits. */
  deaths = 0;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #port = 0;
  readonly #lines = new Map<string, LogLine[]>();

  get port(): number {
    return this.#port;
  }

  /** Whether its process is running. */
  get alive(): boolean {
    return this.#child !== undefined;
  }

  /** Starts it unless it is running, and waits until it is ready. @throws Error if it does not start */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #start(): Promise<void> {
    if (this.#child !== undefined) return;
    if (!existsSync(join(this.folder, 'definitions'))) writeProject(repository, this.folder);
    const child = spawn(process.execPath, ['--expose-gc', '--import', door, command, 'serve'], {
      cwd: this.folder,
      env: {
        ...process.env,
        ...SCHEME_ENV,
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: `sqlite:${join(this.folder, 'gateway.db')}`,
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    child.once('exit', () => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.deaths++;
    });
    child.stderr?.on('data', (text: Buffer) => appendFileSync(this.#log, text));
    await this.#ready(child);
  }

  /** Its log lines about a request; waits for them, because lines are buffered before they are written. */
  async lineOf(requestId: string): Promise<readonly LogLine[]> {
    const limit = performance.now() + 3_000;
    for (;;) {
      const found = this.#lines.get(requestId);
      if (found?.some((line) => 'status' in line) || performance.now() > limit) return found ?? [];
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Its memory and handles after garbage collection. @throws Error if it does not answer */
  holdings(): Promise<Holdings> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      if (child === undefined) return reject(new Error(`the gateway is not running${this.lastWords()}`));
      const late = setTimeout(() => reject(new Error('the gateway does not report its memory')), START_MS);
      const gone = (): void => {
        clearTimeout(late);
        reject(new Error(`the gateway ended before it reported its memory${this.lastWords()}`));
      };
      child.once('exit', gone);
      child.once('message', (holdings) => {
        clearTimeout(late);
        child.off('exit', gone);
        resolve(holdings as Holdings);
      });
      child.send('look');
    });
  }

  /** Ends it with a signal. @returns how it ended; `code 0` is correct */
  async stop(): Promise<string> {
    const child = this.#child;
    if (child === undefined) return 'itself';
    this.#child = undefined;
    const gone = new Promise<string>((resolve) =>
      child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`)),
    );
    child.kill('SIGTERM');
    const limit = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const how = await gone;
    clearTimeout(limit);
    return how;
  }

  /** Its latest error output, to be appended to a sentence. */
  lastWords(): string {
    return existsSync(this.#log) ? `; its last output:\n${readFileSync(this.#log, 'utf8').slice(-LAST_WORDS)}` : '';
  }

  remove(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #ready(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the gateway is not ready${this.lastWords()}`)), START_MS);
      // Its output has been read to the end by then; at `exit` it may not have been.
      child.once('close', () => {
        clearTimeout(late);
        reject(new Error(`the gateway did not start${this.lastWords()}`));
      });
      createInterface({ input: child.stdout! }).on('line', (line) => {
        const ready = /is ready on http:\/\/127\.0\.0\.1:(\d+)/.exec(line);
        if (ready !== null) {
          clearTimeout(late);
          this.#port = Number(ready[1]);
          resolve();
        } else this.#take(line);
      });
    });
  }

  #take(text: string): void {
    let line: LogLine;
    try {
      line = JSON.parse(text) as LogLine;
    } catch {
      appendFileSync(this.#log, `${text}\n`);
      return;
    }
    if (line.level !== 'info') appendFileSync(this.#log, `${text}\n`);
    const { requestId } = line;
    if (typeof requestId !== 'string') return;
    this.#lines.set(requestId, [...(this.#lines.get(requestId) ?? []), line]);
    if (this.#lines.size > HELD) this.#lines.delete(this.#lines.keys().next().value as string);
  }
}
