import type { Figure } from '../figure.ts';
import type { Bench, Row, Server } from '../harness.ts';
import { DEMO, drain } from '../load.ts';
import { peakMemory } from '../memory.ts';
import { postgresDatabase } from '../postgres-data.ts';
import { database, executeQuery, ROWS } from '../query-data.ts';

/** Rows of the smaller result that memory is compared with. */
const FEW = ROWS / 10;
const MB = 1_048_576;
/** How a reply ends that is whole: the rows, what is round them, and the last chunk where it came in chunks. */
const WHOLE = /\]\}+(?:\r\n0\r\n\r\n)?$/;
/** Memory that ten times the rows may take more. The rows themselves are some 60 MB as JSON. */
const FLAT_WITHIN = 16;

export const stream: Row = {
  name: 'stream',
  about: 'stored query of 200,000 rows, beside the driver and its cursor written as JSON; and what memory it takes',
  measure: (bench) => measure(bench, 'query-limit.ts', database(bench), 'stored query, 200,000 rows'),
};

export const streamPostgres: Row = {
  name: 'stream-postgres',
  about: 'the same on PostgreSQL, beside pg with its cursor written as JSON; and what memory it takes',
  measure: async (bench) =>
    measure(bench, 'postgres-limit.ts', await postgresDatabase(bench), '200,000 rows on PostgreSQL'),
};

async function measure(bench: Bench, script: string, data: string, job: string): Promise<readonly Figure[]> {
  const limit = await bench.serve(script, [data]);
  const ours = await bench.serve('gateway-server.ts', [data]);
  const read = async ({ port }: Server, rows: number): Promise<void> => {
    const path = port === limit.port ? `/large?rows=${rows}` : executeQuery('BENCH_LARGE', rows);
    const { bytes, tail } = await drain(port, path, DEMO);
    if (bytes < rows * 200 || !WHOLE.test(tail)) throw new Error(`a reply of ${rows} rows was cut at ${bytes} bytes`);
  };
  const rate = (server: Server) => async (): Promise<number> => {
    const start = performance.now();
    await read(server, ROWS);
    return ROWS / ((performance.now() - start) / 1000);
  };
  bench.say('stream: warming up');
  for (const server of [limit, ours]) await read(server, FEW);
  const memory = await bench.compare(
    'stream, memory',
    async () => (await peakMemory(ours.pid, () => repeat(10, () => read(ours, FEW)))) / MB,
    async () => (await peakMemory(ours.pid, () => read(ours, ROWS))) / MB,
  );
  const figures = await bench.compare('stream', rate(limit), rate(ours));
  await Promise.all([limit.stop(), ours.stop()]);
  return [
    { job, unit: 'rows/s', ...figures, target: { kind: 'at-least', ratio: 0.8 } },
    {
      job: `${job}: gateway and readers, beside a tenth of the rows`,
      unit: 'MB',
      ...memory,
      target: { kind: 'within', more: FLAT_WITHIN },
    },
  ];
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time += 1) await work();
}
