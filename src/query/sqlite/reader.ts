/**
 * The process that runs stored queries, one at a time. It has no event loop of its own: it waits for a command on its
 * socket, runs it, writes the answer, and waits again. From the first command on, a thread beside it ends the process when
 * the gateway is gone, because a running statement can't be interrupted from outside.
 */

import { readSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { errorCode, errorText } from '../../store/error.ts';
import { removeFiles } from '../../store/file/folder.ts';
import { compileZone } from '../../wire/timezone.ts';
import type { Failure } from '../errors.ts';
import { Executor } from './execute.ts';
import type { ReaderCommand } from './frame.ts';
import { Output } from './output.ts';
import { openReadOnly } from './statement.ts';

/** What a reader is started with: JSON, its only argument. */
export interface ReaderOptions {
  /** The database file. */
  readonly location: string;
  readonly timezone: string;
  /** Folder of large results. */
  readonly temporary: string;
  /** Bytes of the largest file that it may write, which bounds what SQLite sorts on disk. */
  readonly largestFile: number;
  /** How the names of its files there begin; no other reader's begin so. */
  readonly prefix: string;
}

/** Both ends: commands come in and replies go out. */
const SOCKET = 3;

/** Reads exactly `length` bytes; undefined where the gateway has closed its end. */
function read(length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(SOCKET, bytes, done, length - done, null);
    if (count === 0) return undefined;
    done += count;
  }
  return bytes;
}

function readCommand(): ReaderCommand | undefined {
  const length = read(4)?.readUInt32BE(0);
  const bytes = length === undefined ? undefined : read(length);
  return bytes === undefined ? undefined : JSON.parse(bytes.toString());
}

function failureOf(error: unknown): Failure {
  return { code: errorCode(error), message: errorText(error) };
}

/**
 * Standard input is never written to: its end is the end of the gateway, however that came about. What the gateway
 * had no time to take over goes first.
 */
function followGateway(folder: string, prefix: string): void {
  const watch = `
    const { readdirSync, readSync, unlinkSync } = require('node:fs');
    const { workerData: { folder, prefix } } = require('node:worker_threads');
    try { while (readSync(0, Buffer.alloc(1)) > 0); } catch {}
    try { for (const name of readdirSync(folder)) if (name.startsWith(prefix)) unlinkSync(folder + '/' + name); } catch {}
    process.kill(process.pid, 'SIGKILL');`;
  new Worker(watch, { eval: true, workerData: { folder, prefix } });
}

/** Where a query takes more memory than there is, Linux ends its reader, which is replaced, rather than the gateway (proc(5)). */
function goFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '800');
  } catch {
    // Elsewhere there is no such thing.
  }
}

function serve(options: ReaderOptions): void {
  const output = new Output(SOCKET, options.temporary, options.prefix);
  let executor: Executor;
  try {
    executor = new Executor(openReadOnly(options.location), compileZone(options.timezone));
  } catch (error) {
    output.fail(failureOf(error));
    return;
  }
  output.ready();
  let command = readCommand();
  // A reader that waits for a command sees the end of the gateway itself. Until the first one it does without a thread, 8 MB.
  if (command !== undefined) followGateway(options.temporary, options.prefix);
  for (; command !== undefined; command = readCommand()) {
    try {
      executor.run(command, output);
    } catch (error) {
      output.fail(failureOf(error));
    }
  }
}

// The gateway decides when this process ends: a terminal's Ctrl-C, or what ends a whole service, reaches both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const options: ReaderOptions = JSON.parse(process.argv[2] ?? '{}');
goFirst();
try {
  serve(options);
} catch (error) {
  const code = errorCode(error);
  // With these codes the gateway has gone, and no one is left to read an error.
  if (code !== 'EPIPE' && code !== 'ECONNRESET') throw error;
}
// Without waiting for the thread that follows the gateway.
removeFiles(options.temporary, (name) => name.startsWith(options.prefix));
process.kill(process.pid, 'SIGKILL');
