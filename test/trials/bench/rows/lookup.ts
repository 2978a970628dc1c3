import { isDeepStrictEqual } from 'node:util';
import { apiKey, startIssuer } from '../credentials.ts';
import { echoValue } from '../echo-data.ts';
import type { Figure, Target } from '../figure.ts';
import type { Bench, Row } from '../harness.ts';
import { ask, DEMO, getRequest, postJson } from '../load.ts';
import { LINES_PATH, LOOKUP_PATH } from '../lookup-data.ts';
import { installPeers } from '../peers/install.ts';
import { postgresDatabase } from '../postgres-data.ts';
import { database } from '../query-data.ts';
import { figureOf, type Subject, underLoad } from '../under-load.ts';

const atLeast = (ratio: number): Target => ({ kind: 'at-least', ratio });

const lookupWith = (credentials: string, under = LOOKUP_PATH): string =>
  getRequest(`${under}/N/?location=NYC01`, credentials);

/** The request of the lookup, and that of the POST. */
export const lookupRequest = lookupWith(DEMO);
export const postRequest = postJson(LINES_PATH, postedLines(), DEMO);

function postedLines(): string {
  const { reference, line } = echoValue(1900);
  return JSON.stringify({ reference, line: line.map((each) => ({ ...each, price: Number(each.price) })) });
}

export const lookup: Row = {
  name: 'lookup',
  about: 'GET of 1 KB of JSON with all duties; beside Fastify with the same, bare Hono and bare node:http',
  async measure(bench) {
    const peers = installPeers();
    const requests = [lookupRequest];
    const subjects = {
      fastify: { server: await bench.serveApart('peers/fastify-server.ts', [peers]), requests },
      hono: { server: await bench.serveApart('peers/hono-server.ts', [peers]), requests },
      node: { server: await bench.serveApart('peers/node-server.ts'), requests },
      ours: { server: await bench.serveApart('gateway-server.ts', [database(bench)]), requests },
    };
    const { ours, fastify, hono, node } = await alike(bench, 'lookup', subjects);
    const job = 'GET lookup, 1 KB JSON, Basic';
    return [
      figureOf(job, 'Fastify, same duties', { limit: fastify, ours }, atLeast(1)),
      figureOf(job, 'Hono, bare', { limit: hono, ours }, atLeast(0.65)),
      figureOf(job, 'node:http, bare', { limit: node, ours }),
    ];
  },
};

export const credentials: Row = {
  name: 'credentials',
  about: 'the lookup with an API key and with a JWT; beside the same with Basic',
  async measure(bench) {
    const issuer = await startIssuer();
    const server = await bench.serveApart('gateway-server.ts', [database(bench), issuer.keys]);
    const bearer = `Authorization: Bearer ${issuer.token}\r\n`;
    const subjects = {
      basic: { server, requests: [lookupRequest] },
      key: { server, requests: [lookupWith(`X-Api-Key: ${apiKey}\r\n`, `${LOOKUP_PATH}ByKey`)] },
      token: { server, requests: [lookupWith(bearer, `${LOOKUP_PATH}ByToken`)] },
    };
    const { basic, key, token } = await alike(bench, 'credentials', subjects);
    issuer.close();
    return [
      figureOf('GET lookup, API key', 'with Basic', { limit: basic, ours: key }, atLeast(0.9)),
      figureOf('GET lookup, JWT', 'with Basic', { limit: basic, ours: token }, atLeast(0.9)),
    ];
  },
};

export const middleware: Row = {
  name: 'middleware',
  about: 'the lookup with a middleware of the project, which adds a header; beside the same without',
  async measure(bench) {
    const requests = [lookupRequest];
    const keys = 'https://login.example.org/keys.json';
    const subjects = {
      none: { server: await bench.serveApart('gateway-server.ts', [database(bench)]), requests },
      own: { server: await bench.serveApart('gateway-server.ts', [database(bench), keys, 'middleware']), requests },
    };
    const { none, own } = await alike(bench, 'middleware', subjects);
    return [figureOf('GET lookup, one middleware', 'without', { limit: none, ours: own })];
  },
};

export const record: Row = {
  name: 'record',
  about:
    'the lookup whose calls are recorded with their headers, on SQLite and PostgreSQL; beside the same without records',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const [engine, url] of [
      ['SQLite', database(bench)],
      ['PostgreSQL', await postgresDatabase(bench)],
    ] as const) {
      const subjects = {
        none: { server: await bench.serveApart('gateway-server.ts', [url]), requests: [lookupRequest] },
        header: {
          server: await bench.serveApart('gateway-server.ts', [url]),
          requests: [lookupWith(DEMO, `${LOOKUP_PATH}Recorded`)],
        },
      };
      const { none, header } = await alike(bench, `record, ${engine}`, subjects);
      figures.push(
        figureOf(`GET lookup, recorded, ${engine}`, 'log: none', { limit: none, ours: header }, atLeast(0.9)),
      );
    }
    return figures;
  },
};

export const post: Row = {
  name: 'post',
  about: 'POST of 1 KB of JSON in and out with all duties; beside Fastify with the same',
  async measure(bench) {
    const requests = [postRequest];
    const subjects = {
      fastify: { server: await bench.serveApart('peers/fastify-server.ts', [installPeers()]), requests },
      ours: { server: await bench.serveApart('gateway-server.ts', [database(bench)]), requests },
    };
    const { fastify, ours } = await alike(bench, 'post', subjects);
    return [figureOf('POST of 1 KB JSON in and out', 'Fastify, same duties', { limit: fastify, ours }, atLeast(1))];
  },
};

/** {@link underLoad} for servers that must all give the same reply, and are stopped afterwards. */
async function alike<Subjects extends Readonly<Record<string, Subject>>>(
  bench: Bench,
  name: string,
  subjects: Subjects,
) {
  const all = Object.values(subjects);
  const replies: unknown[] = [];
  for (const { server, requests } of all) {
    replies.push(JSON.parse((await ask(server.port, requests[0] as string)).body.toString()));
  }
  if (!replies.every((reply) => isDeepStrictEqual(reply, replies[0])))
    throw new Error(`the replies differ: ${JSON.stringify(replies).slice(0, 2000)}`);
  const achieved = await underLoad(bench, name, subjects);
  await Promise.all([...new Set(all.map(({ server }) => server))].map((server) => server.stop()));
  return achieved;
}
