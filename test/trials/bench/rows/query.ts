import { isDeepStrictEqual } from 'node:util';
import type { Figure } from '../figure.ts';
import type { Bench, Row, Server } from '../harness.ts';
import { ask, DEMO, getRequest, load } from '../load.ts';
import { postgresDatabase } from '../postgres-data.ts';
import { database, executeQuery, ROWS } from '../query-data.ts';

/** The first row of each request. */
const PLACES = Array.from({ length: 50 }, (_, index) => (index * 3989) % (ROWS - 200));

const ofLimit = PLACES.map((from) => getRequest(`/small?from=${from}`));
const ofOurs = PLACES.map((value) =>
  getRequest(executeQuery('BENCH_SMALL', 100, { prompt: { name: 'FROM', value } }), DEMO),
);

export const query: Row = {
  name: 'query',
  about: 'stored query of 100 rows by 12 columns; limit: node:http, better-sqlite3 and JSON.stringify',
  measure: (bench) => measure(bench, 'query-limit.ts', database(bench), 'stored query, 100 rows x 12 columns'),
};

export const queryPostgres: Row = {
  name: 'query-postgres',
  about: 'the same on PostgreSQL; limit: node:http, pg and JSON.stringify',
  measure: async (bench) =>
    measure(bench, 'postgres-limit.ts', await postgresDatabase(bench), 'the same on PostgreSQL'),
};

async function measure(bench: Bench, script: string, data: string, job: string): Promise<readonly Figure[]> {
  const limit = await bench.serve(script, [data]);
  const ours = await bench.serve('gateway-server.ts', [data]);
  await refuseDifference(limit, ours);
  const rate = (server: Server, requests: readonly string[], seconds: number) => (): Promise<number> =>
    load({ port: server.port, requests, connections: 16, depth: 1, seconds });
  bench.say('query: warming up');
  await rate(limit, ofLimit, bench.smoke ? 0.1 : 2)();
  await rate(ours, ofOurs, bench.smoke ? 0.1 : 2)();
  const seconds = bench.smoke ? 0.1 : 3;
  const figures = await bench.compare('query', rate(limit, ofLimit, seconds), rate(ours, ofOurs, seconds));
  await Promise.all([limit.stop(), ours.stop()]);
  const target = { kind: 'at-least', ratio: 0.9 } as const;
  return [{ job, beside: 'node:http and the driver', unit: 'queries/s', ...figures, target }];
}

/** Both must return the same rows. */
async function refuseDifference(limit: Server, ours: Server): Promise<void> {
  const read = async ({ port }: Server, request = ''): Promise<unknown[]> =>
    keys(JSON.parse((await ask(port, request)).body.toString()));
  const [one, other] = await Promise.all([read(limit, ofLimit[7]), read(ours, ofOurs[7])]);
  if (one.length !== 100 || !isDeepStrictEqual(one, other))
    throw new Error('the gateway and its limit answer differently');
}

/** The numbers of the rows. */
function keys(reply: { data: { query: { rows: Record<string, unknown>[] } } }): unknown[] {
  return reply.data.query.rows.map((row) => row.prcsinstance ?? row.PRCSINSTANCE);
}
