import { join } from 'node:path';
import { freePort } from '../../../support/free-port.ts';
import { postgresPrograms, startPostgres } from '../../../support/postgres-server.ts';
import type { Figure } from '../figure.ts';
import type { Bench, Row } from '../harness.ts';

export const queue: Row = {
  name: 'queue',
  about:
    'jobs entered, taken and completed, without keys and with three per key; limit: a table with hand-written SQL; on SQLite, and on PostgreSQL if installed',
  async measure(bench) {
    let files = 0;
    const file = (): string => `sqlite:${join(bench.folder, `queue-${files++}.db`)}`;
    const figures = await both(bench, 'SQLite', bench.smoke ? 200 : 10_000, [0.1, 0.08], file);
    if (postgresPrograms() === undefined) return figures;
    const server = startPostgres(await freePort());
    try {
      figures.push(...(await both(bench, 'PostgreSQL', bench.smoke ? 200 : 2000, [0.15, 0.1], () => server.url)));
    } finally {
      server.remove();
    }
    return figures;
  },
};

/** Without keys, and with some. */
async function both(
  bench: Bench,
  engine: string,
  count: number,
  [free, keyed]: readonly [number, number],
  url: () => string,
): Promise<Figure[]> {
  const measured = (script: string, more: readonly string[]) => (): Promise<number> =>
    bench.figure(script, [url(), String(count), ...more]);
  const jobs = async (job: string, ratio: number, more: readonly string[]): Promise<Figure> => {
    const pair = await bench.compare(job, measured('queue-limit.ts', []), measured('queue-ours.ts', more));
    return { job, beside: 'SQL by hand', unit: 'jobs/s', ...pair, target: { kind: 'at-least', ratio } };
  };
  return [await jobs(`queued jobs, ${engine}`, free, []), await jobs(`queued jobs with keys, ${engine}`, keyed, ['3'])];
}
