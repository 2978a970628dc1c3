import type { Row } from '../harness.ts';
import { ask, DEMO, getRequest } from '../load.ts';
import { database, executeQuery } from '../query-data.ts';

const SYNCHRONOUS = executeQuery('BENCH_SMALL', 100, { prompt: { name: 'FROM', value: 0 } });

/** Concurrent callers. */
const CALLERS = 2;

export const polled: Row = {
  name: 'polled',
  about: 'polled query of 100 rows, from its start to its block; limit: the same query answered at once',
  async measure(bench) {
    const server = await bench.serve('gateway-server.ts', [database(bench)]);
    const get = async (path: string): Promise<Record<string, unknown>> => {
      const { head, body } = await ask(server.port, getRequest(path, DEMO));
      if (!head.startsWith('HTTP/1.1 200')) throw new Error(`not a success: ${head.slice(0, 60)}`);
      return JSON.parse(body.toString()) as Record<string, unknown>;
    };
    const seconds = bench.smoke ? 0.1 : 3;
    bench.say('polled: warming up');
    await timed(() => cycle(get), bench.smoke ? 0.1 : 1);
    const figures = await bench.compare(
      'polled',
      () => timed(() => get(SYNCHRONOUS), seconds),
      () => timed(() => cycle(get), seconds),
    );
    await server.stop();
    const target = { kind: 'within', more: 30 } as const;
    return [{ job: 'polled query, 100 rows, whole cycle', beside: 'answered at once', unit: 'ms', ...figures, target }];
  },
};

/** Starts a run, polls until it has ended, and fetches its only block. */
async function cycle(get: (path: string) => Promise<Record<string, unknown>>): Promise<void> {
  const { QueryInstance } = await get(SYNCHRONOUS.replace('ExecuteQuery.v1', 'ExecuteQueryPoll.v1'));
  const at = (what: string): string => `/gateway/RESTListeningConnector/LOCAL/${what}?instanceid=${QueryInstance}`;
  for (;;) {
    const { status, message } = await get(at('QueryStatus.v1/getstatus'));
    if (status === 'success') break;
    if (status === 'error' || status === 'killed') throw new Error(`the run ended: ${status} ${message}`);
  }
  const { status } = await get(at('QueryResults.v1/getresults'));
  if (status !== 'finalBlockRetrieved') throw new Error(`the block is ${status}`);
}

/** Milliseconds per run, while {@link CALLERS} callers each do one after the other. */
async function timed(work: () => Promise<unknown>, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  const caller = async (): Promise<void> => {
    for (let start = performance.now(); start < end; start = performance.now()) {
      await work();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}
