import { spawn } from 'node:child_process';
import { poll } from '../../cli/poll.ts';
import { cleanEnvironment } from '../../cli/support.ts';

/** A server of another maker, in a process of its own. */
export interface StartedServer {
  /** `http://127.0.0.1:40123`, or with https. */
  readonly url: string;
  stop(): Promise<void>;
}

type Command = readonly [program: string, ...args: string[]];

/** Starts a server, and waits until it says where it listens. */
export async function startServer(
  command: Command,
  env: Readonly<Record<string, string>> = {},
): Promise<StartedServer> {
  const { said, stop } = await startDaemon(command, /https?:\/\/127\.0\.0\.1:\d+/, env);
  return { url: said, stop };
}

/** A program that runs until it is stopped. */
interface Daemon {
  /** What it was waited for. */
  readonly said: string;
  /** What it printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/** Starts a program, and waits until it says that it is ready. */
export async function startDaemon(
  [program, ...args]: Command,
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  const child = spawn(program, args, { env: cleanEnvironment(env) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  try {
    const [said] = await poll(
      `${program} to listen`,
      () => ready.exec(output) ?? undefined,
      () => output,
    );
    return { said, output: () => output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
