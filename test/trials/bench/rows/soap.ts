import { echoWsdl } from '../bench-project.ts';
import { echoRequest, linesOf } from '../echo-data.ts';
import type { Figure } from '../figure.ts';
import type { Row, Server } from '../harness.ts';
import { ask, DEMO } from '../load.ts';
import { compileGsoap } from '../peers/gsoap.ts';
import { database } from '../query-data.ts';
import { figureOf, type Subject, underLoad } from '../under-load.ts';

const KIB = 1024;
const GSOAP = 'gSOAP, with credentials';
/** The required ratio, by size of a message. */
const SIZES = [
  { size: KIB, ratio: 2.5 },
  { size: 10 * KIB, ratio: 1.5 },
  { size: 100 * KIB, ratio: 3 },
];

const CONNECTOR = '/gateway/PeopleSoftServiceListeningConnector';

/** The request of 1 KiB. */
export const soapRequest = post(CONNECTOR, echoRequest(KIB));

export const soap: Row = {
  name: 'soap',
  about: "SOAP echo of 1, 10 and 100 KiB with all duties; beside npm's soap server without credentials, and gSOAP",
  async measure(bench) {
    const gsoap = compileGsoap();
    const servers = {
      soap: await bench.serveApart('peers/soap-server.ts', [echoWsdl(bench.folder)]),
      ours: await bench.serveApart('gateway-server.ts', [database(bench)]),
      ...('program' in gsoap ? { gsoap: await bench.serveProgramApart('gSOAP', [gsoap.program]) } : {}),
    };
    const figures: Figure[] = [];
    for (const { size, ratio } of bench.smoke ? SIZES.slice(0, 1) : SIZES) {
      const job = `SOAP echo, ${size / KIB} KiB`;
      const message = echoRequest(size);
      const subject = async (server: Server, path: string): Promise<Subject> => {
        const request = post(path, message);
        await refuseLoss(server, request, linesOf(message));
        return { server, requests: [request] };
      };
      const subjects = {
        soap: await subject(servers.soap, '/echo'),
        ours: await subject(servers.ours, CONNECTOR),
        ...(servers.gsoap && { gsoap: await subject(servers.gsoap, '/') }),
      };
      const { ours, ...others } = await underLoad(bench, job, subjects);
      const unit = 'calls/s';
      figures.push(figureOf(job, "npm's soap server", { limit: others.soap, ours, unit }, { kind: 'at-least', ratio }));
      if (others.gsoap !== undefined) figures.push(figureOf(job, GSOAP, { limit: others.gsoap, ours, unit }));
    }
    if ('why' in gsoap) bench.leftOut.push({ job: 'SOAP echo', beside: GSOAP, why: gsoap.why });
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    return figures;
  },
};

function post(path: string, message: string): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml; charset=utf-8\r\nSOAPAction: "ECHO.v1"\r\n`;
  return `${head}Content-Length: ${Buffer.byteLength(message)}\r\n${DEMO}\r\n${message}`;
}

/** Every server must return all lines of the request. */
async function refuseLoss({ port }: Server, request: string, lines: number): Promise<void> {
  const { body } = await ask(port, request);
  const answered = body.toString().split(/<(?:\w+:)?line[ >]/).length - 1;
  if (answered !== lines) throw new Error(`sent ${lines} lines, received ${answered}: ${body.subarray(0, 300)}`);
}
