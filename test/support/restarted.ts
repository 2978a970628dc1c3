import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bin, start, startProcess } from '../cli/support.ts';

/** A gateway that is stopped and started again at one port, until the test ends. */
export interface Restarted {
  /** Resolves when it is ready. @returns its process */
  start(): Promise<number>;
  /** Sends SIGTERM. @returns its exit code */
  stop(): Promise<number | null>;
  /** What it has written. */
  output(): string;
}

interface Options {
  readonly cwd: string;
  readonly port: number;
  /** Of `signalbox serve`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const READY = /^Signalbox is ready on /m;

/** One that opens its port itself. */
export function restarted({ cwd, port, args = [], env = {} }: Options): Restarted {
  let gateway: ReturnType<typeof start> | undefined;
  return {
    async start() {
      gateway = start(['serve', ...args], { cwd, env: { ...env, PORT: String(port) } });
      await gateway.until(READY);
      return Number(gateway.process.pid);
    },
    stop: async () => (await gateway?.stop('SIGTERM'))?.code ?? null,
    output: () => gateway?.output() ?? '',
  };
}

/** One to which the port is passed, which is open whether it runs or not. */
export function passed({ cwd, port, args = [], env = {} }: Options): Restarted {
  const hold = fileURLToPath(new URL('hold-port.py', import.meta.url));
  const holder = startProcess('python3', [hold, `${port}`, process.execPath, bin, 'serve', ...args], { cwd, env });
  let from = 0;
  let pid: number | undefined;
  onTestFinished(() => {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  });
  return {
    async start() {
      from = holder.output().length;
      holder.process.stdin?.write('\n');
      const [, text] = await holder.until(/^process (\d+)$/m, from);
      pid = Number(text);
      await holder.until(READY, from);
      return pid;
    },
    async stop() {
      process.kill(Number(pid), 'SIGTERM');
      const [, code] = await holder.until(/^exit (-?\d+)$/m, from);
      pid = undefined;
      return Number(code);
    },
    output: () => holder.output(),
  };
}
