import type { Row } from '../harness.ts';
import { ask, DEMO, postJson } from '../load.ts';
import { postgresDatabase } from '../postgres-data.ts';
import { figureOf, underLoad } from '../under-load.ts';

export const enqueueRequest = postJson(
  '/gateway/RESTListeningConnector/LOCAL/Jobs.v1/Jobs',
  JSON.stringify({ NAME: 'Monthly statement of accounts' }),
  DEMO,
);

export const enqueue: Row = {
  name: 'enqueue',
  about: 'POST that enqueues one job on PostgreSQL; beside node:http and one INSERT in a transaction',
  async measure(bench) {
    const url = await postgresDatabase(bench);
    const requests = [enqueueRequest];
    const subjects = {
      bare: { server: await bench.serveApart('peers/insert-server.ts', [url]), requests },
      ours: { server: await bench.serveApart('gateway-server.ts', [url]), requests },
    };
    for (const { server } of Object.values(subjects)) {
      const { body } = await ask(server.port, enqueueRequest);
      if (!/"INSTANCE": *"\d{10}"/.test(body.toString())) throw new Error(`no job was entered: ${body}`);
    }
    const { bare, ours } = await underLoad(bench, 'enqueue', subjects);
    await Promise.all(Object.values(subjects).map(({ server }) => server.stop()));
    const target = { kind: 'at-least', ratio: 0.5 } as const;
    return [figureOf('POST that enqueues one job, PostgreSQL', 'the bare insert', { limit: bare, ours }, target)];
  },
};
