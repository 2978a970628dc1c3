import type { Figure } from '../figure.ts';
import { flatMemory } from '../flat-memory.ts';
import type { Bench, Row, Server } from '../harness.ts';
import { DEMO, drain } from '../load.ts';
import { postgresDatabase } from '../postgres-data.ts';
import { database, executeQuery, ROWS } from '../query-data.ts';

/** The end of a complete reply: the rows, the JSON around them, and the last chunk if it is chunked. */
const WHOLE = /\]\}+(?:\r\n0\r\n\r\n)?$/;

export const stream: Row = {
  name: 'stream',
  about: 'stored query of 200,000 rows; limit: the rows of a driver cursor written as JSON; also its memory',
  measure: (bench) =>
    measure(bench, 'query-limit.ts', database(bench), { job: 'stored query, 200,000 rows', ratio: 0.9 }),
};

export const streamPostgres: Row = {
  name: 'stream-postgres',
  about: 'the same on PostgreSQL; limit: the rows of a pg cursor written as JSON; also its memory',
  measure: async (bench) =>
    measure(bench, 'postgres-limit.ts', await postgresDatabase(bench), {
      job: '200,000 rows on PostgreSQL',
      ratio: 0.8,
    }),
};

async function measure(
  bench: Bench,
  script: string,
  data: string,
  { job, ratio }: { readonly job: string; readonly ratio: number },
): Promise<readonly Figure[]> {
  const rows = bench.smoke ? ROWS / 100 : ROWS;
  const ofLimit = ({ port }: Server): Promise<void> => read(port, `/large?rows=${rows}`, rows);
  const ofOurs = ({ port }: Server, some: number): Promise<void> => read(port, executeQuery('BENCH_LARGE', some), some);
  const limit = await bench.serve(script, [data]);
  const ours = await bench.serve('gateway-server.ts', [data]);
  const rate = (work: () => Promise<void>) => async (): Promise<number> => {
    const start = performance.now();
    await work();
    return rows / ((performance.now() - start) / 1000);
  };
  bench.say('stream: warming up');
  await ofLimit(limit);
  await ofOurs(ours, rows);
  const figures = await bench.compare(
    'stream',
    rate(() => ofLimit(limit)),
    rate(() => ofOurs(ours, rows)),
  );
  await Promise.all([limit.stop(), ours.stop()]);
  return [
    { job, beside: "the driver's cursor to JSON", unit: 'rows/s', ...figures, target: { kind: 'at-least', ratio } },
    await flatMemory(bench, { what: job, data, rows, read: ofOurs }),
  ];
}

/** @throws Error for an incomplete reply */
async function read(port: number, path: string, rows: number): Promise<void> {
  const { bytes, tail } = await drain(port, path, DEMO);
  if (bytes < rows * 200 || !WHOLE.test(tail)) throw new Error(`a reply of ${rows} rows was cut at ${bytes} bytes`);
}
