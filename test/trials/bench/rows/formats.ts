import type { Figure } from '../figure.ts';
import { flatMemory } from '../flat-memory.ts';
import type { Row, Server } from '../harness.ts';
import { DEMO, drain } from '../load.ts';
import { database, executeQuery, ROWS } from '../query-data.ts';

type Output = 'JSON' | 'CSV' | 'EXCEL';

/** The smallest size of a result, in bytes a row, and a pattern for the last bytes of a complete one. */
const whole: Readonly<Record<Output, { readonly width: number; readonly end: string }>> = {
  JSON: { width: 200, end: ']}}}' },
  CSV: { width: 90, end: '\r\n' },
  // Compressed, so its size is unknown; the pattern is the record at the end of an archive.
  EXCEL: { width: 10, end: 'PK\u0005\u0006' },
};

/** The required speed, relative to the same rows as JSON. */
const JOBS = [
  { output: 'CSV', what: '200,000 rows as CSV', ratio: 0.9 },
  { output: 'EXCEL', what: '200,000 rows as a workbook', ratio: 0.25 },
] as const;

export const formats: Row = {
  name: 'formats',
  about: 'stored query of 200,000 rows as CSV and as a workbook; limit: the same as JSON; also their memory',
  async measure(bench) {
    const data = database(bench);
    const rows = bench.smoke ? ROWS / 100 : ROWS;
    const server = await bench.serve('gateway-server.ts', [data]);
    const rate = (output: Output) => async (): Promise<number> => {
      const start = performance.now();
      await read(server, output, rows);
      return rows / ((performance.now() - start) / 1000);
    };
    bench.say('formats: warming up');
    for (const output of Object.keys(whole) as Output[]) await read(server, output, rows / 10);
    const figures: Figure[] = [];
    for (const { output, what, ratio } of JOBS) {
      const pair = await bench.compare(what, rate('JSON'), rate(output));
      figures.push({ job: what, beside: 'as JSON', unit: 'rows/s', ...pair, target: { kind: 'at-least', ratio } });
    }
    await server.stop();
    for (const { output, what } of bench.smoke ? JOBS.slice(0, 1) : JOBS) {
      figures.push(await flatMemory(bench, { what, data, rows, read: (one, some) => read(one, output, some) }));
    }
    return figures;
  },
};

/** @throws Error for an incomplete result */
async function read({ port }: Server, output: Output, rows: number): Promise<void> {
  const { bytes, tail } = await drain(port, executeQuery('BENCH_LARGE', rows, { output }), DEMO);
  const { width, end } = whole[output];
  if (bytes < rows * width || !tail.includes(end))
    throw new Error(`${rows} rows of ${output} were cut at ${bytes} bytes`);
}
