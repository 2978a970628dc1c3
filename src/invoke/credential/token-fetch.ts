import { type Called, InvokeError } from '../error.ts';
import { collect } from '../http/body.ts';
import { isUnconnected, type Pools } from '../http/connection/pools.ts';
import type { WatchedRequest } from '../http/connection/watch.ts';
import { transportError } from '../http/transport-error.ts';
import { type Timeouts, TOKEN_REPLY } from '../limits.ts';
import type { TokenFetch } from './oauth.ts';

/** Token requests over the connections of a node, whose replies are small. Redirects are not followed. */
export function tokenFetch(pools: Pools, node: string, timeouts: Timeouts): TokenFetch {
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
      const { head, rest } = await collect(reply.body, TOKEN_REPLY);
      if (rest !== undefined) {
        reply.body.destroy();
        throw new InvokeError('REPLY_TOO_LARGE', called, `its reply is larger than ${TOKEN_REPLY} bytes`);
      }
      const contentType = reply.headers['content-type'];
      return new Response(head.length === 0 ? null : head.toString(), {
        status: reply.statusCode,
        headers: typeof contentType === 'string' ? { 'Content-Type': contentType } : {},
      });
    } catch (error) {
      throw transportError(error, { ...facts, phase: isUnconnected(error) ? 'connect' : 'request' });
    }
  };
}
