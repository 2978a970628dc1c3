import { Agent, request } from 'node:http';

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What is asked. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string | Buffer;
  /** Those of `demo` where nothing is said. */
  readonly credentials?: Readonly<Record<string, string>>;
}

/** One client of the gateway: its connections are its own. */
export interface Client {
  /** @throws Error where no whole answer comes */
  ask(asked: Asked): Promise<Answer>;
  close(): void;
}

const DEMO = { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` };
/** An answer that takes longer is lost. */
const ANSWER_MS = 30_000;
/** Less than the gateway keeps connections, so that none is closed under a request. */
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
