import type { ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure, Target } from '../figure.ts';
import { type Bench, ended, firstLine, type Row, type Server } from '../harness.ts';
import { proportionalMemory } from '../memory.ts';
import { installPeers } from '../peers/install.ts';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));
const command = join(repository, 'dist/cli/main.js');
const MB = 1_048_576;

const within = (more: number): Target => ({ kind: 'within', more });

export const start: Row = {
  name: 'start',
  about: 'start of the sample until it is ready, --version, and check of the sample; beside node with an empty script',
  async measure(bench) {
    refuseUnbuilt();
    const empty = join(bench.folder, 'empty.js');
    writeFileSync(empty, '');
    const warm = join(bench.folder, 'warm.db');
    await createDatabase(bench, warm);
    let count = 0;
    const another = (): string => join(bench.folder, `start-${count++}.db`);
    const results = await bench.inRounds('start', {
      empty: () => timeToEnd(bench, [empty]),
      there: () => {
        const copy = another();
        copyFileSync(warm, copy);
        return timeStart(bench, copy);
      },
      fresh: () => timeStart(bench, another()),
      version: () => timeToEnd(bench, [command, '--version']),
      check: () => timeToEnd(bench, [command, 'check', '--no-handlers']),
    });
    const beside = 'an empty script';
    const figure = (job: string, ours: readonly number[], more: number): Figure => {
      return { job, beside, unit: 'ms', limit: results.empty, ours, target: within(more) };
    };
    return [
      figure('start to ready, sample, database there', results.there, 200),
      figure('start to ready, sample, fresh database', results.fresh, 250),
      figure('signalbox --version', results.version, 60),
      figure('signalbox check --no-handlers, sample', results.check, 150),
    ];
  },
};

export const idle: Row = {
  name: 'idle',
  about: 'memory of the idle sample with its readers, as proportional set size; beside Hono alone',
  async measure(bench) {
    refuseUnbuilt();
    const peers = installPeers();
    const database = join(bench.folder, 'idle.db');
    const settled = async ({ pid, stop }: Pick<Server, 'pid' | 'stop'>): Promise<number> => {
      const bytes = await settledMemory(pid);
      await stop();
      return bytes / MB;
    };
    const pair = await bench.compare(
      'idle',
      async () => settled(await bench.serve('peers/hono-server.ts', [peers])),
      async () => settled(await startSample(bench, database)),
    );
    const job = 'memory of the idle sample, with readers, as PSS';
    return [{ job, beside: 'Hono alone', unit: 'MB', ...pair, target: within(70) }];
  },
};

function refuseUnbuilt(): void {
  if (!existsSync(command)) throw new Error('dist/ is missing. Run `npm run build`.');
}

/** Milliseconds for a program of Node's from its start to its end. @throws Error if it fails */
async function timeToEnd(bench: Bench, args: readonly string[]): Promise<number> {
  const begin = performance.now();
  const child = bench.spawn(args, { cwd: repository });
  child.stdout?.resume();
  await ended(child);
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`);
  return performance.now() - begin;
}

/** Milliseconds until the gateway prints that it is ready, and its health check confirms it. */
async function timeStart(bench: Bench, database: string): Promise<number> {
  const begin = performance.now();
  const { stop } = await startSample(bench, database);
  const ms = performance.now() - begin;
  await stop();
  return ms;
}

/** Starts the sample once, and stops it when it has created its database. */
async function createDatabase(bench: Bench, database: string): Promise<void> {
  const { child } = await spawnSample(bench, database);
  await ended(child, () => child.kill('SIGTERM'));
}

/** Starts the sample, and resolves when its health check says that it is ready. */
async function startSample(bench: Bench, database: string): Promise<Pick<Server, 'pid' | 'stop'>> {
  const { child, address } = await spawnSample(bench, database);
  await becomesReady(`${address}/health/ready`);
  // A gateway whose health is checked announces its end for five seconds; a second signal ends it at once.
  const stop = (): Promise<void> =>
    ended(child, () => {
      child.kill('SIGTERM');
      const again = setInterval(() => child.kill('SIGTERM'), 50);
      child.once('exit', () => clearInterval(again));
    });
  return { pid: child.pid as number, stop };
}

const ADDRESS = /http:\/\/[\w.:[\]]+/;

/** Starts the sample, and resolves when it prints its address. */
async function spawnSample(bench: Bench, database: string): Promise<{ child: ChildProcess; address: string }> {
  const env = { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: `sqlite:${database}` };
  const child = bench.spawn([command, 'serve'], { cwd: repository, env });
  // Warnings of settings that are not set come first.
  const line = await firstLine(child, 'signalbox serve', ADDRESS);
  const address = ADDRESS.exec(line)?.[0];
  if (address === undefined) throw new Error(`signalbox serve printed ${JSON.stringify(line)}`);
  child.stdout?.resume();
  return { child, address };
}

/** Proportional memory of a process and its descendants once it has not changed by a hundredth for a second. */
async function settledMemory(pid: number): Promise<number> {
  const deadline = performance.now() + 20_000;
  let bytes = await proportionalMemory(pid);
  for (let since = performance.now(); performance.now() - since < 1000 && performance.now() < deadline; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = await proportionalMemory(pid);
    if (Math.abs(now - bytes) < bytes / 100) continue;
    bytes = now;
    since = performance.now();
  }
  return bytes;
}

async function becomesReady(url: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while ((await statusOf(url)) !== 200) {
    if (performance.now() > deadline) throw new Error(`${url} did not answer 200 within ten seconds`);
  }
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode);
    }).on('error', reject);
  });
}
