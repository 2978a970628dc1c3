import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { createRandom } from './random.ts';

/** A request that the receiver has carried out. */
export interface Taken {
  readonly installation: string;
  readonly subscription: string;
  /** The id by which it recognises repetitions. */
  readonly id: string;
  readonly item: string;
}

/** The partner of the messages: a server that fails in many ways. */
export interface Receiver {
  readonly url: string;
  /** The secret of its webhooks. */
  readonly secret: string;
  /** In the order in which the requests came, repetitions included. */
  readonly taken: readonly Taken[];
  /** How often it answered in which way. */
  readonly answers: ReadonlyMap<string, number>;
  /** Requests that no gateway should have sent. */
  readonly wrong: readonly string[];
  close(): Promise<void>;
}

/** How a request is answered. */
interface Manner {
  readonly what: string;
  /** In a thousand. */
  readonly share: number;
  /** Whether the request is carried out before it is answered. */
  readonly takes: boolean;
  readonly answer: (response: ServerResponse) => void | Promise<void>;
}

/** Shorter than `timeouts` of the nodes, and longer. */
const SLOW_MS = [500, 6_000] as const;

const ok = (response: ServerResponse): void => void response.writeHead(200).end('{}');
const RAW = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

const MANNERS: readonly Manner[] = [
  { what: 'refused', share: 50, takes: false, answer: (response) => void response.writeHead(503).end() },
  { what: 'failed after its work', share: 30, takes: true, answer: (response) => void response.writeHead(500).end() },
  { what: 'late', share: 15, takes: true, answer: (response) => setTimeout(SLOW_MS[0]).then(() => ok(response)) },
  { what: 'too late', share: 3, takes: true, answer: (response) => setTimeout(SLOW_MS[1]).then(() => ok(response)) },
  { what: 'closed without a reply', share: 30, takes: true, answer: ({ socket }) => void socket?.destroy() },
  {
    what: 'closed in the middle of a reply',
    share: 30,
    takes: true,
    answer: (response) => {
      response.writeHead(200, { 'Content-Length': 1000, 'Content-Type': 'application/json' });
      response.write('{ "half": ', () => response.socket?.destroy());
    },
  },
  // A client that takes the second answer for that of its next request loses a message.
  { what: 'answered twice', share: 30, takes: true, answer: ({ socket }) => void socket?.write(RAW + RAW) },
];
const WELL: Manner = { what: 'answered well', share: 0, takes: true, answer: ok };

/** Starts it. The manner of its answers depends on the seed and the order of the requests. */
export async function startReceiver(seed: number): Promise<Receiver> {
  const random = createRandom(seed);
  const secret = `whsec_${Buffer.alloc(32, 'fleet').toString('base64')}`;
  const webhook = new Webhook(secret);
  const taken: Taken[] = [];
  const answers = new Map<string, number>();
  const wrong: string[] = [];
  const next = (): Manner => {
    let left = random.between(1, 1000);
    for (const manner of MANNERS) {
      left -= manner.share;
      if (left <= 0) return manner;
    }
    return WELL;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [, installation = '', subscription = ''] = (request.url ?? '').split('/');
    const isHook = subscription === 'FLEET_LOOSE_HOOK';
    const { headers } = request;
    const id = String(headers[isHook ? 'webhook-id' : 'x-request-id']);
    // A string of structured fields (RFC 9651, section 3.3.3).
    if (!isHook && headers['idempotency-key'] !== `"${id}"`)
      throw new Error(`its Idempotency-Key is ${headers['idempotency-key']}, not that of ${id}`);
    if (isHook) webhook.verify(body, headers as Record<string, string>);
    const item: string = isHook ? JSON.parse(body).ITEM : (request.url ?? '').split('/')[3];
    const manner = next();
    answers.set(manner.what, (answers.get(manner.what) ?? 0) + 1);
    if (manner.takes) taken.push({ installation, subscription, id, item });
    await manner.answer(response);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => {
      // A gateway that was killed in the middle of its request has sent nothing that counts.
      if (request.complete) wrong.push(`${request.method} ${request.url}: ${error.message}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url, secret, taken, answers, wrong, close };
}
