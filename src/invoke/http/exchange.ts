import type { Dispatcher } from 'undici';
import type { Proof } from '../credential/credential.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Address } from './address.ts';
import { isUnconnected, type Pools } from './connection/pools.ts';
import type { Marks, WatchedRequest } from './connection/watch.ts';
import { headersOf, shownHeaders } from './headers.ts';
import { type Attempt, type Received, received } from './raw-reply.ts';
import { bodyOf } from './request-body.ts';
import type { Sending } from './sending.ts';
import { headOf, maskedReply } from './trace.ts';
import { isTlsError, transportError } from './transport-error.ts';

/** A request, and where it may be sent to. */
export interface Route {
  readonly pools: Pools;
  /** In the order in which they are tried; at least one. */
  readonly addresses: readonly Address[];
  readonly outgoing: Outgoing;
  /** Stands above that of the address. */
  readonly proof: Proof | undefined;
}

/**
 * Sends a request to the first address that there is a connection to, and waits for the head of the reply.
 * @throws InvokeError CONFIGURATION, CONNECTION, TLS, TIMEOUT, ABORTED, CUT, BAD_INPUT, BAD_REPLY
 */
export async function exchange(route: Route, sending: Sending): Promise<Received> {
  const { addresses } = route;
  const { timeouts, node, options, called } = sending;
  for (const [index, address] of addresses.entries()) {
    const { dispatcher, proxied } = route.pools.of(address.origin, called);
    const facts = { called: { ...called, address: address.shown }, node, timeouts, signal: options.signal, proxied };
    const { outgoing, proof = address.proof } = route;
    sending.attempts++;
    try {
      const marks: Marks = { connected: undefined, sent: undefined };
      return await attempted(dispatcher, { address, outgoing, proof, facts, marks }, sending);
    } catch (error) {
      sending.isUnsent = isUnconnected(error);
      const isLast = index === addresses.length - 1;
      const isAborted = options.signal?.aborted === true;
      if (sending.isUnsent && !isLast && !isTlsError(error) && !isAborted) continue;
      throw transportError(error, { ...facts, phase: sending.isUnsent ? 'connect' : 'request' });
    }
  }
  throw new TypeError('a call needs an address');
}

async function attempted(dispatcher: Dispatcher, attempt: Attempt, sending: Sending): Promise<Received> {
  const { address, outgoing, proof, facts, marks } = attempt;
  const { timeouts, options, acceptsCodings } = sending;
  const additions = { proof, acceptsCodings };
  options.heads?.onRequest?.(headOf(`${outgoing.method} ${address.shown} HTTP/1.1`, shownHeaders(outgoing, additions)));
  const request: WatchedRequest = {
    origin: address.origin,
    path: address.path,
    method: outgoing.method,
    headers: headersOf(outgoing, additions),
    // Iterables are taken as well, which the types do not say.
    body: (bodyOf(outgoing, sending, facts.called) as string | undefined) ?? null,
    headersTimeout: timeouts.head,
    bodyTimeout: timeouts.idle,
    signal: options.signal ?? null,
    marks,
  };
  const response = await dispatcher.request(request);
  const reply = received(response, attempt, sending);
  options.heads?.onReply?.(
    headOf(`HTTP/1.1 ${reply.status} ${response.statusText}`.trimEnd(), maskedReply(reply.headers, reply.secrets())),
  );
  return reply;
}
