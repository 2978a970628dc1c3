import { isDeepStrictEqual } from 'node:util';
import type { Row, Server } from '../harness.ts';
import { ask, DEMO, getRequest, load } from '../load.ts';
import { database } from '../query-data.ts';

const REQUEST = getRequest('/gateway/RESTListeningConnector/LOCAL/Lookup.v1/Employees/N/?location=NYC01', DEMO);

export const lookup: Row = {
  name: 'lookup',
  about: 'GET of 1 KB of JSON, validated and authorised; limit: the same route written by hand with Hono and ajv',
  async measure(bench) {
    const limit = await bench.serve('lookup-limit.ts');
    const ours = await bench.serve('gateway-server.ts', [database(bench)]);
    await refuseDifference(limit, ours);
    const rate = (server: Server, seconds: number) => (): Promise<number> =>
      load({ port: server.port, requests: [REQUEST], connections: 8, depth: 8, seconds });
    bench.say('lookup: warming up');
    for (const server of [limit, ours]) await rate(server, bench.smoke ? 0.2 : 3)();
    const seconds = bench.smoke ? 0.2 : 3;
    const figures = await bench.compare('lookup', rate(limit, seconds), rate(ours, seconds));
    await Promise.all([limit.stop(), ours.stop()]);
    const target = { kind: 'at-least', ratio: 0.95 } as const;
    return [{ job: 'GET lookup, 1 KB JSON', unit: 'requests/s', ...figures, target }];
  },
};

/** Both must return the same content. */
async function refuseDifference(limit: Server, ours: Server): Promise<void> {
  const read = async ({ port }: Server): Promise<unknown> => JSON.parse((await ask(port, REQUEST)).body.toString());
  const [one, other] = await Promise.all([read(limit), read(ours)]);
  if (!isDeepStrictEqual(one, other)) throw new Error('the gateway and its limit answer differently');
}
