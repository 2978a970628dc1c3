import { createGzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../wire/error.ts';
import { measured } from '../../wire/measured.ts';
import type { Proof } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Address } from './address.ts';
import { through } from './body.ts';
import { isUnconnected, type Marks, type Pools, type WatchedRequest } from './connection/pools.ts';
import { headersOf, headOf, shownHeaders } from './headers.ts';
import { type Attempt, type Received, received } from './raw-reply.ts';
import type { Sending } from './sending.ts';
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
  const { secrets, hide } = outgoing.secrets;
  const redactor = sending.redactor.knowing({ secrets: () => [...secrets(), ...(proof?.secrets ?? [])], hide });
  options.heads?.onRequest?.(
    headOf(`${outgoing.method} ${address.shown} HTTP/1.1`, shownHeaders(outgoing, additions), redactor),
  );
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
  const reply = received(response, attempt, sending, redactor);
  options.heads?.onReply?.(
    headOf(`HTTP/1.1 ${reply.status} ${response.statusText}`.trimEnd(), redactor.headers(reply.headers), redactor),
  );
  return reply;
}

/** The body of a request as it travels; undefined where there is none. */
function bodyOf(outgoing: Outgoing, sending: Sending, called: Called): string | AsyncIterable<Uint8Array> | undefined {
  const { text, compress, length } = outgoing;
  if (length === 0) return undefined;
  if (text !== undefined && !compress && sending.options.onSent === undefined) return text;
  const bytes = counted(outgoing, sending, called);
  return compress ? through(bytes, createGzip()) : bytes;
}

/** What is read for a body, told as it is taken. @throws InvokeError BAD_INPUT */
async function* counted(outgoing: Outgoing, sending: Sending, called: Called): AsyncGenerator<Uint8Array> {
  const { length, again } = outgoing;
  const { options } = sending;
  if (!again) sending.isSpent = true;
  let sent = 0;
  try {
    const content = { length, stream: () => outgoing.bytes() };
    for await (const chunk of measured(content, (total, seen) => changed(called, total, seen))) {
      yield chunk;
      sent += chunk.length;
      options.onSent?.(sent, length);
    }
  } catch (error) {
    if (error instanceof InvokeError) throw error;
    const reason = `the input could not be read: ${messageOf(error)}`;
    throw new InvokeError('BAD_INPUT', called, reason, { cause: error });
  }
}

/** Content-Length has been sent by then, so that nothing but the end of the connection can mend it. */
function changed(called: Called, total: number, seen: number | undefined): InvokeError {
  const found = seen === undefined ? 'more came' : `only ${seen} came`;
  const reason = `the content changed while it was read: it was ${total} bytes long, and ${found}`;
  return new InvokeError('BAD_INPUT', called, reason, { hint: 'Send it once nothing writes to it any more.' });
}
