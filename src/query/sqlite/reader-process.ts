import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { errorText } from '../../store/error.ts';
import { removeFiles } from '../../store/file/folder.ts';
import { OpenFile } from '../../store/file/open-file.ts';
import type { Failure } from '../errors.ts';
import type { Plan } from '../plan.ts';
import type { Command, RawResult, Spilled } from '../runner.ts';
import { encodeCommand, FrameDecoder, type ReaderCommand, Reply, type ReplyFrame } from './frame.ts';
import type { ReaderOptions } from './reader.ts';

/** Which plans a reader holds, by the commands that it was sent. Private queries come and go, and what is prepared takes memory. */
export class KnownPlans {
  readonly #most: number;
  /** By their ids, the last used at the end. */
  readonly #ids = new Set<number>();

  /** @param most plans that a reader holds */
  constructor(most: number) {
    this.#most = most;
  }

  /** The plan members of the next command, which uses this plan. */
  use(plan: Plan): Pick<ReaderCommand, 'define' | 'forget'> {
    const known = this.#ids.delete(plan.id);
    this.#ids.add(plan.id);
    if (known) return {};
    const [oldest] = this.#ids;
    if (oldest === undefined || this.#ids.size <= this.#most) return { define: plan };
    this.#ids.delete(oldest);
    return { define: plan, forget: oldest };
  }
}

/** The results of commands, and the end of a reader. */
interface ReaderEvents {
  ready(): void;
  result(result: RawResult): void;
  failed(failure: Failure): void;
  /** The process has ended; `failure` is the reason if it could not start. Called once, as the last event. */
  gone(reason: string, failure: Failure | undefined): void;
}

/** Plans that one reader keeps prepared. */
const PLANS_KEPT = 500;

/** Beside this file, in the form that this file has: `.ts` in the repository, `.js` in the package. */
const script = fileURLToPath(new URL(`./reader${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url));

/** One reader as the gateway controls it: its process, its socket, and the plans that it was sent. */
export class ReaderProcess {
  /** Undefined where it could not be started. */
  readonly #child: ChildProcess | undefined;
  readonly #socket: Duplex | undefined;
  readonly #events: ReaderEvents;
  readonly #temporary: string;
  readonly #prefix = `${randomUUID()}-`;
  readonly #known = new KnownPlans(PLANS_KEPT);
  #started = false;
  #gone = false;
  /** A large result that is on its way. */
  #spilled: OpenFile | undefined;
  #startFailure: Failure | undefined;

  constructor(options: Omit<ReaderOptions, 'prefix'>, events: ReaderEvents) {
    this.#events = events;
    this.#temporary = options.temporary;
    const given: ReaderOptions = { ...options, prefix: this.#prefix };
    try {
      // Not the gateway's own flags: an inspector or a loader is not meant for a reader.
      const [command, ...rest] = bounded([process.execPath, script, JSON.stringify(given)], options.largestFile);
      this.#child = spawn(command, rest, {
        stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
      });
    } catch (error) {
      // Some reasons are thrown, others come as an event: the caller gets all of them as an event.
      queueMicrotask(() => this.#end(errorText(error)));
      return;
    }
    const decoder = new FrameDecoder((frame) => this.#take(frame));
    // Node makes no streams at all where it ran out of file descriptors, whatever its types say.
    this.#socket = (this.#child.stdio as ChildProcess['stdio'] | undefined)?.[3] as Duplex | undefined;
    this.#socket?.on('data', (chunk: Buffer) => decoder.push(chunk));
    // A broken pipe is reported by the end of the process.
    this.#socket?.on('error', () => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.once('error', (error) => this.#end(error.message));
    this.#child.once('exit', (code, signal) => this.#end(signal === null ? `exit code ${code}` : `signal ${signal}`));
  }

  /** Process id; 0 where it could not be started. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Sends a command. Replies come in the order of the commands. */
  send(command: Command, plan: Plan): void {
    this.#socket?.write(encodeCommand({ plan: plan.id, ...command, ...this.#known.use(plan) }));
  }

  /** Ends the process at once, whatever it is doing. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  #take(frame: ReplyFrame): void {
    switch (frame.kind) {
      case Reply.ready:
        this.#started = true;
        this.#events.ready();
        break;
      case Reply.bytes:
        this.#events.result({ rows: frame.rows, truncated: frame.truncated, content: frame.payload });
        break;
      case Reply.spill:
        this.#openSpilled(parse<{ path: string }>(frame).path);
        break;
      case Reply.file:
        this.#deliverFile(frame);
        break;
      case Reply.failed:
        this.#fail(parse<Failure>(frame));
        break;
    }
  }

  #openSpilled(path: string): void {
    try {
      this.#spilled = OpenFile.take(path, 'the result');
    } catch {
      // Reported when the reader sends the end of the command.
      this.#spilled = undefined;
    }
  }

  #deliverFile(frame: ReplyFrame): void {
    const file = this.#spilled;
    this.#spilled = undefined;
    if (file === undefined) {
      this.#events.failed({ code: 'EIO', message: 'the temporary file of a large result could not be opened' });
      return;
    }
    const content = { ...parse<Omit<Spilled, 'file'>>(frame), file };
    this.#events.result({ rows: frame.rows, truncated: frame.truncated, content });
  }

  #fail(failure: Failure): void {
    this.#closeSpilled();
    if (this.#started) this.#events.failed(failure);
    else this.#startFailure = failure;
  }

  #closeSpilled(): void {
    this.#spilled?.close();
    this.#spilled = undefined;
  }

  #end(reason: string): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#closeSpilled();
    this.#socket?.destroy();
    this.#child?.stdin?.destroy();
    removeFiles(this.#temporary, (name) => name.startsWith(this.#prefix));
    this.#events.gone(reason, this.#startFailure);
  }
}

/** The shell that POSIX has everywhere, but for images that hold nothing beside Node. */
const SHELL = process.platform !== 'win32' && existsSync('/bin/sh') ? '/bin/sh' : undefined;
/** Bytes of the unit of `ulimit -f`. */
const BLOCK = 512;

/**
 * A command that writes no larger file than this: SQLite has no bound of its own for what it sorts on disk, but the shell has one
 * (POSIX, `ulimit -f`). A write beyond it fails with EFBIG, since Node ignores the signal. A bound that is lower already stays.
 */
function bounded(command: readonly [string, ...string[]], bytes: number): readonly [string, ...string[]] {
  if (SHELL === undefined) return command;
  const script = 'ulimit -f "$1" 2>/dev/null; shift; exec "$@"';
  return [SHELL, '-c', script, 'sh', String(Math.ceil(bytes / BLOCK)), ...command];
}

/** The payload of a reply that our own reader wrote. */
function parse<T>(frame: ReplyFrame): T {
  return JSON.parse(frame.payload.toString());
}
