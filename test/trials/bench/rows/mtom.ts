import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import type { Bench, Row, Server } from '../harness.ts';
import { peakMemory, residentMemory } from '../memory.ts';
import { database } from '../query-data.ts';
import { pieces, type Transfer, transfer } from '../transfer.ts';

const MIB = 1_048_576;
const SIZES = [
  { size: MIB, times: 100, label: '1 MiB' },
  { size: 100 * MIB, times: 3, label: '100 MiB' },
  { size: 1024 * MIB, times: 1, label: '1 GiB' },
];
/** Memory above that of the idle gateway just before. */
const AT_MOST = 60;

const CONNECTOR = '/gateway/PeopleSoftServiceListeningConnector';
const NAMESPACE = 'urn:signalbox:bench:Files.v1';
const BOUNDARY = '----=_Part_bench';
const AUTHORIZATION = `Basic ${Buffer.from('demo:demo').toString('base64')}`;

export const mtom: Row = {
  name: 'mtom',
  about: 'attachments of 1 MiB, 100 MiB and 1 GiB in and out; limit: node:http to disk and back; also their memory',
  async measure(bench) {
    const folder = join(bench.folder, 'files');
    mkdirSync(folder, { recursive: true });
    const limit = await bench.serve('files-limit.ts', [folder]);
    const ours = await bench.serve('gateway-server.ts', [database(bench)]);
    const figures: Figure[] = [];
    for (const { size, times, label } of bench.smoke ? SIZES.slice(0, 1) : SIZES) {
      const count = bench.smoke ? 2 : times;
      const name = (index: number): string => `file-${label.replace(' ', '')}-${index % 4}`;
      const repeated =
        (one: (server: Server, name: string) => Transfer, server: Server) => async (): Promise<number> => {
          const start = performance.now();
          for (let index = 0; index < count; index++) await whole(one(server, name(index)), size);
          return (count * size) / MIB / ((performance.now() - start) / 1000);
        };
      const inwards = (server: Server, file: string) =>
        server === limit ? put(server, file, size) : filePut(server, file, size);
      const outwards = (server: Server, file: string) => (server === limit ? get(server, file) : fileGet(server, file));
      for (const server of [limit, ours]) await repeated(inwards, server)();
      for (const [way, one] of [
        ['in', inwards],
        ['out', outwards],
      ] as const) {
        const job = `MTOM, ${label} ${way}`;
        const pair = await bench.compare(job, repeated(one, limit), repeated(one, ours));
        figures.push({
          job,
          beside: 'node:http to disk and back',
          unit: 'MiB/s',
          ...pair,
          target: { kind: 'at-least', ratio: 0.6 },
        });
      }
    }
    await Promise.all([limit.stop(), ours.stop()]);
    rmSync(folder, { recursive: true });
    return bench.smoke ? figures : [...figures, await memory(bench)];
  },
};

/** Memory for the largest attachment, in and out, on a gateway that did little before, because a process never shrinks. */
async function memory(bench: Bench): Promise<Figure> {
  const { size, label } = SIZES.at(-1)!;
  const idle: number[] = [];
  const peak: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    bench.say(`MTOM, memory: round ${round + 1} of ${bench.rounds}`);
    const ours = await bench.serve('gateway-server.ts', [database(bench)]);
    const inAndOut = async (bytes: number): Promise<void> => {
      await whole(filePut(ours, 'memory', bytes), bytes);
      await whole(fileGet(ours, 'memory'), bytes);
    };
    await inAndOut(MIB);
    idle.push((await residentMemory(ours.pid)) / MIB);
    peak.push((await peakMemory(ours.pid, () => inAndOut(size))) / MIB);
    await ours.stop();
  }
  const job = `MTOM, ${label} in and out: gateway and readers`;
  return {
    job,
    beside: 'idle just before',
    unit: 'MB',
    limit: idle,
    ours: peak,
    target: { kind: 'within', more: AT_MOST },
  };
}

/** Checks that everything that was sent or requested has arrived. */
async function whole(one: Transfer, size: number): Promise<void> {
  const { bytes, first } = await transfer(one);
  // A GET returns the whole file, a PUT its hash.
  if (bytes < size && !/[0-9a-f]{64}/.test(first)) throw new Error(`${one.path} lost content: ${first}`);
}

function put({ port }: Server, file: string, size: number): Transfer {
  return { port, method: 'PUT', path: `/${file}`, headers: { 'Content-Length': size }, body: pieces(size) };
}

function get({ port }: Server, file: string): Transfer {
  return { port, method: 'GET', path: `/${file}`, headers: {} };
}

function envelope(payload: string): string {
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${payload}</s:Body></s:Envelope>`;
}

function filePut({ port }: Server, file: string, size: number): Transfer {
  const include = '<i:Include xmlns:i="http://www.w3.org/2004/08/xop/include" href="cid:content@bench"/>';
  const root = envelope(`<FILE_PUT xmlns="${NAMESPACE}"><name>${file}</name><content>${include}</content></FILE_PUT>`);
  const head =
    `--${BOUNDARY}\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\nContent-ID: <root@bench>\r\n\r\n` +
    `${root}\r\n--${BOUNDARY}\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n` +
    'Content-ID: <content@bench>\r\n\r\n';
  const tail = `\r\n--${BOUNDARY}--\r\n`;
  function* body(): Generator<Buffer> {
    yield Buffer.from(head);
    yield* pieces(size);
    yield Buffer.from(tail);
  }
  return {
    port,
    method: 'POST',
    path: CONNECTOR,
    headers: {
      Authorization: AUTHORIZATION,
      'Content-Type': `multipart/related; type="application/xop+xml"; boundary="${BOUNDARY}"; start="<root@bench>"; start-info="text/xml"`,
      'Content-Length': head.length + size + tail.length,
    },
    body: body(),
  };
}

function fileGet({ port }: Server, file: string): Transfer {
  const body = Buffer.from(envelope(`<FILE_GET xmlns="${NAMESPACE}"><name>${file}</name></FILE_GET>`));
  return {
    port,
    method: 'POST',
    path: CONNECTOR,
    headers: {
      Authorization: AUTHORIZATION,
      Accept: 'multipart/related',
      'Content-Type': 'text/xml; charset=utf-8',
      'Content-Length': body.length,
    },
    body: [body],
  };
}
