import { existsSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../figure.ts';
import { type Bench, ended, firstLine, type Row } from '../harness.ts';

const repository = fileURLToPath(new URL('../../../', import.meta.url));
const command = join(repository, 'dist/cli/main.js');

export const start: Row = {
  name: 'start',
  about: 'start of the sample until it is ready; limit: node with an empty script',
  async measure(bench) {
    if (!existsSync(command)) throw new Error('dist/ is missing. Run `npm run build`.');
    const empty = join(bench.folder, 'empty.js');
    writeFileSync(empty, '');
    const limit = (): Promise<number> => timeEmpty(bench, empty);
    const warm = join(bench.folder, 'warm.db');
    await timeStart(bench, warm);
    let count = 0;
    const figures: Figure[] = [];
    for (const [job, file] of [
      ['start to ready, database there', () => warm],
      ['start to ready, fresh database', () => join(bench.folder, `fresh-${count++}.db`)],
    ] as const) {
      const pair = await bench.compare(job, limit, () => timeStart(bench, file()));
      figures.push({ job, unit: 'ms', ...pair, target: { kind: 'within', more: 300 } });
    }
    return figures;
  },
};

/** Milliseconds for node with an empty script. */
async function timeEmpty(bench: Bench, script: string): Promise<number> {
  const begin = performance.now();
  await ended(bench.spawn([script]));
  return performance.now() - begin;
}

/** Milliseconds until the gateway prints that it is ready, and its health check confirms it. */
async function timeStart(bench: Bench, database: string): Promise<number> {
  const begin = performance.now();
  const env = { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: `sqlite:${database}` };
  const child = bench.spawn([command, 'serve'], { cwd: repository, env });
  const line = await firstLine(child, 'signalbox serve');
  const address = /http:\/\/[\w.:[\]]+/.exec(line)?.[0];
  if (address === undefined) throw new Error(`signalbox serve printed ${JSON.stringify(line)}`);
  await becomesReady(`${address}/health/ready`);
  const ms = performance.now() - begin;
  child.stdout?.resume();
  await ended(child, () => child.kill('SIGTERM'));
  return ms;
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
