import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { HostRequest } from './host-process.ts';

/** What a command printed, and its exit code. */
export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line, with what it finds around it. */
export type CommandLine = Omit<HostRequest, 'mark'>;

let host: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line of the bin in a process that has it loaded, which takes a tenth of the time. A process has one folder and
 * one environment: those of a test file that are run side by side take turns.
 */
export function runInHost(bin: string, line: CommandLine): Promise<Ran> {
  const ran = last.then(() => runIn(startedHost(bin), line));
  last = ran.catch(() => undefined);
  return ran;
}

/** One for all files that this process runs, since commands are quick where others have run. It ends with this process. */
function startedHost(bin: string): ChildProcess {
  if (host !== undefined) return host;
  const child = fork(fileURLToPath(new URL('host-process.ts', import.meta.url)), [bin], { silent: true });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8');
  child.once('exit', () => {
    if (host === child) host = undefined;
  });
  for (const each of [child, child.channel, child.stdout, child.stderr])
    (each as { unref?(): void } | null | undefined)?.unref?.();
  host = child;
  return child;
}

/** A command that ends its process ends the host; its output and its exit code are as good as others'. */
async function runIn(child: ChildProcess, line: CommandLine): Promise<Ran> {
  const mark = `\0${randomUUID()} `;
  const outputs = [child.stdout, child.stderr].map((stream) => outputOf(stream as Readable, mark));
  const closed = Promise.withResolvers<[number | null, NodeJS.Signals | null]>();
  const close = (code: number | null, signal: NodeJS.Signals | null): void => closed.resolve([code, signal]);
  child.once('close', close);
  child.send({ ...line, mark } satisfies HostRequest);
  const marked = Promise.all(outputs.map(({ code }) => code)).then(([code]) => [code ?? null, null] as const);
  const [code, signal] = await Promise.race([marked, closed.promise]);
  child.off('close', close);
  const [stdout = '', stderr = ''] = outputs.map(({ end }) => end());
  return { code, signal, stdout, stderr };
}

/** What comes out of a stream up to the mark, and the exit code behind it. Log lines that were still kept may follow. */
function outputOf(stream: Readable, mark: string): { readonly code: Promise<number>; end(): string } {
  const { promise, resolve } = Promise.withResolvers<number>();
  let text = '';
  const take = (more: string): void => {
    text += more;
    const at = more.includes('\n') ? text.lastIndexOf(mark) : -1;
    const end = at === -1 ? -1 : text.indexOf('\n', at);
    if (end === -1) return;
    resolve(Number(text.slice(at + mark.length, end)));
    text = text.slice(0, at) + text.slice(end + 1);
  };
  stream.on('data', take);
  const end = (): string => {
    stream.off('data', take);
    return text;
  };
  return { code: promise, end };
}
