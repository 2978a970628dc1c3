import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Figure } from '../figure.ts';
import type { Bench, Row, Server } from '../harness.ts';
import { ask, DEMO, getRequest, load } from '../load.ts';
import { database, executeQuery } from '../query-data.ts';

const JOBS = [
  {
    job: 'GET lookup, 1 KB JSON',
    path: '/gateway/RESTListeningConnector/LOCAL/Lookup.v1/Employees/N/?location=NYC01',
    depth: 8,
  },
  {
    job: 'stored query, 100 rows x 12 columns',
    path: executeQuery('BENCH_SMALL', 100, { prompt: { name: 'FROM', value: 7 } }),
    depth: 1,
  },
] as const;

const CODINGS = { gzip: gunzipSync, zstd: zstdDecompressSync } as const;

/** The cost of compression, on a processor that does nothing else. The benefit, less traffic, is not measured. */
export const compress: Row = {
  name: 'compress',
  about: 'replies in gzip and zstd; limit: the same replies uncompressed',
  async measure(bench) {
    const server = await bench.serve('gateway-server.ts', [database(bench)]);
    const figures: Figure[] = [];
    for (const { job, path, depth } of JOBS)
      for (const coding of ['gzip', 'zstd'] as const)
        figures.push(await measure(bench, server, { job, path, depth }, coding));
    await server.stop();
    return figures;
  },
};

async function measure(
  bench: Bench,
  server: Server,
  { job, path, depth }: { readonly job: string; readonly path: string; readonly depth: number },
  coding: keyof typeof CODINGS,
): Promise<Figure> {
  const plain = getRequest(path, DEMO);
  const coded = getRequest(path, `${DEMO}Accept-Encoding: ${coding}\r\n`);
  const [before, after] = [await ask(server.port, plain), await ask(server.port, coded)];
  if (!CODINGS[coding](after.body).equals(before.body)) throw new Error(`${job} in ${coding} has different content`);
  const rate = (request: string, seconds: number) => (): Promise<number> =>
    load({ port: server.port, requests: [request], connections: 8, depth, seconds });
  const seconds = bench.smoke ? 0.1 : 2;
  for (const request of [plain, coded]) await rate(request, bench.smoke ? 0.1 : 1)();
  const pair = await bench.compare(`compress, ${coding}`, rate(plain, seconds), rate(coded, seconds));
  const named = `${job}, in ${coding}: ${after.body.length} of ${before.body.length} bytes`;
  return { job: named, beside: 'uncompressed', unit: 'requests/s', ...pair, target: { kind: 'at-least', ratio: 0.4 } };
}
