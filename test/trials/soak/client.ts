import { Agent, request } from 'node:http';

/** A reply. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A request. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string | Buffer;
  /** The default is those of `demo`. */
  readonly credentials?: Readonly<Record<string, string>>;
}

/** One client of the gateway, with its own connections. */
export interface Client {
  /** @throws Error if there is no complete answer */
  ask(asked: Asked): Promise<Answer>;
  close(): void;
}

const DEMO = { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` };
/** Time for an answer; a later one is lost. */
const ANSWER_MS = 30_000;
/** Shorter than the gateway keeps idle connections, so that none is closed during a request. */
const KEEP_MS = 2_000;

export function createClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, timeout: KEEP_MS });
  return {
    ask: ({ method = 'GET', path, type, body, credentials = DEMO }) =>
      new Promise((resolve, reject) => {
        const headers = {
          ...credentials,
          accept: 'application/json, text/xml, */*',
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        };
        const outgoing = request(
          { host: '127.0.0.1', port, path, method, headers, agent, timeout: ANSWER_MS },
          (reply) => {
            const chunks: Buffer[] = [];
            reply.on('data', (chunk: Buffer) => chunks.push(chunk));
            reply.on('error', reject);
            reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
          },
        );
        outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}
