import { echoWsdl } from '../bench-project.ts';
import { echoRequest, linesOf } from '../echo-data.ts';
import type { Figure } from '../figure.ts';
import type { Row, Server } from '../harness.ts';
import { ask, DEMO, load } from '../load.ts';
import { database } from '../query-data.ts';

const KIB = 1024;
/** The required ratio, by size of a message; at 10 KiB the smaller of its neighbours. */
const SIZES = [
  { size: KIB, ratio: 1.5 },
  { size: 10 * KIB, ratio: 1.5 },
  { size: 100 * KIB, ratio: 3 },
];

export const soap: Row = {
  name: 'soap',
  about: "SOAP echo of 1, 10 and 100 KiB, with credentials; limit: the `soap` package's server without credentials",
  async measure(bench) {
    const limit = await bench.serve('soap-limit.ts', [echoWsdl(bench.folder)]);
    const ours = await bench.serve('gateway-server.ts', [database(bench)]);
    const figures: Figure[] = [];
    for (const { size, ratio } of SIZES) {
      const message = echoRequest(size);
      const requests = new Map([
        [limit, post('/echo', message)],
        [ours, post('/gateway/PeopleSoftServiceListeningConnector', message)],
      ]);
      for (const [server, request] of requests) await refuseLoss(server, request, linesOf(message));
      const rate = (server: Server, seconds: number) => (): Promise<number> =>
        load({ port: server.port, requests: [requests.get(server)!], connections: 8, depth: 8, seconds });
      const name = `soap, ${size / KIB} KiB`;
      bench.say(`${name}: warming up`);
      const seconds = bench.smoke ? 0.2 : 3;
      for (const server of [limit, ours]) await rate(server, seconds)();
      const pair = await bench.compare(name, rate(limit, seconds), rate(ours, seconds));
      const target = { kind: 'at-least', ratio } as const;
      figures.push({ job: `SOAP echo, ${size / KIB} KiB`, unit: 'calls/s', ...pair, target });
    }
    await Promise.all([limit.stop(), ours.stop()]);
    return figures;
  },
};

function post(path: string, message: string): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml; charset=utf-8\r\nSOAPAction: "ECHO.v1"\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(message)}\r\n${DEMO}\r\n${message}`;
}

/** Both must return all lines of the request. */
async function refuseLoss({ port }: Server, request: string, lines: number): Promise<void> {
  const { body } = await ask(port, request);
  const answered = body.toString().split(/<(?:\w+:)?line[ >]/).length - 1;
  if (answered !== lines) throw new Error(`sent ${lines} lines, received ${answered}: ${body.subarray(0, 300)}`);
}
