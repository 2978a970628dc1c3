import { join } from 'node:path';
import { freePort } from '../../../test/support/free-port.ts';
import { postgresPrograms, startPostgres } from '../../../test/support/postgres-server.ts';
import type { Figure } from '../figure.ts';
import type { Bench, Row } from '../harness.ts';

export const queue: Row = {
  name: 'queue',
  about: 'jobs put, taken and ended, beside a table with statements by hand; on SQLite, and on PostgreSQL where it is',
  async measure(bench) {
    let files = 0;
    const figures = [
      await jobs(
        bench,
        'SQLite',
        bench.smoke ? 200 : 10_000,
        0.1,
        () => `sqlite:${join(bench.folder, `queue-${files++}.db`)}`,
      ),
    ];
    if (postgresPrograms() === undefined) return figures;
    const server = startPostgres(await freePort());
    try {
      figures.push(await jobs(bench, 'PostgreSQL', bench.smoke ? 200 : 2000, 0.15, () => server.url));
    } finally {
      server.remove();
    }
    return figures;
  },
};

async function jobs(bench: Bench, engine: string, count: number, ratio: number, url: () => string): Promise<Figure> {
  const measured = (script: string) => (): Promise<number> => bench.figure(script, [url(), String(count)]);
  const pair = await bench.compare(`queue on ${engine}`, measured('queue-limit.ts'), measured('queue-ours.ts'));
  return { job: `queued jobs, ${engine}`, unit: 'jobs/s', ...pair, target: { kind: 'at-least', ratio } };
}
