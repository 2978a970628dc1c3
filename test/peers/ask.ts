import { request as requestPlain } from 'node:http';
import { type RequestOptions, request as requestTls } from 'node:https';
import { AUTHORITY } from './certificates.ts';

/** A request as it is to go out: nothing is added but a Host that is left out. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  /** For TLS. */
  readonly serverName?: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Asks a peer on a port of 127.0.0.1; over TLS where a server is named. */
export function ask(port: number, { method = 'POST', path, serverName, headers, body }: Asked): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false } as RequestOptions;
    const tls = { ...options, servername: serverName, ca: AUTHORITY };
    const outgoing = serverName === undefined ? requestPlain(options) : requestTls(tls);
    outgoing.on('error', reject);
    outgoing.on('response', (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    outgoing.end(body);
  });
}
