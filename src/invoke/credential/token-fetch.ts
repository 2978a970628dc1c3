import type { Called } from '../error.ts';
import { InvokeError } from '../error.ts';
import type { Connections, Pools } from '../http/pools.ts';
import { transportError } from '../http/transport-error.ts';
import type { WatchedRequest } from '../http/watch.ts';
import { type Timeouts, TOKEN_REPLY } from '../limits.ts';
import type { TokenFetch } from './oauth.ts';

/** Token requests over the connections of a node, whose replies are small. Redirects are not followed. */
export function tokenFetch(connections: Connections, pools: Pools, node: string, timeouts: Timeouts): TokenFetch {
  const called: Called = { operation: node, requestId: '' };
  return async (url, { headers, body, signal }) => {
    const { origin, pathname, search } = new URL(url);
    const { dispatcher, proxied } = pools.of(origin, called);
    const facts = { called, node, timeouts, signal, proxied };
    const request: WatchedRequest = {
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      headersTimeout: timeouts.head,
      bodyTimeout: timeouts.idle,
      signal: signal ?? null,
      marks: { connected: undefined, sent: undefined },
    };
    try {
      const reply = await dispatcher.request(request);
      const text = await whole(reply.body, called);
      const contentType = reply.headers['content-type'];
      return new Response(text === '' ? null : text, {
        status: reply.statusCode,
        headers: typeof contentType === 'string' ? { 'Content-Type': contentType } : {},
      });
    } catch (error) {
      throw transportError(error, { ...facts, phase: connections.isUnconnected(error) ? 'connect' : 'request' });
    }
  };
}

async function whole(body: AsyncIterable<Uint8Array>, called: Called): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > TOKEN_REPLY)
      throw new InvokeError('REPLY_TOO_LARGE', called, `its reply is larger than ${TOKEN_REPLY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
