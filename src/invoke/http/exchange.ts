import { createGzip } from 'node:zlib';
import {
  continueTrace,
  currentTrace,
  endTrace,
  inTrace,
  type Span,
  type SpanStart,
  spanBelow,
  type Trace,
} from '../../trace/trace.ts';
import { through } from '../../wire/content-coding.ts';
import { messageOf } from '../../wire/error.ts';
import { measured } from '../../wire/measured.ts';
import type { Proof } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import type { Outgoing } from '../outgoing.ts';
import { RequestSignature } from '../webhook.ts';
import { MessageSecurity } from '../ws-security.ts';
import type { Address } from './address.ts';
import { isUnconnected, type OriginDispatcher, type Pools } from './connection/pools.ts';
import { headersOf, headOf, shownHeaders } from './headers.ts';
import { dispatched } from './incoming.ts';
import { type Attempt, type Received, received } from './raw-reply.ts';
import type { Sending } from './sending.ts';
import { isTlsError, transportError } from './transport-error.ts';

/** A request with its possible addresses. */
export interface Route {
  readonly pools: Pools;
  /** In the order in which they are tried; at least one. */
  readonly addresses: readonly Address[];
  readonly outgoing: Outgoing;
  /** Overrides that of the address. */
  readonly proof: Proof | RequestSignature | MessageSecurity | undefined;
}

/**
 * Sends a request to the first address that accepts a connection, and waits for the head of the reply.
 * @throws InvokeError CONFIGURATION, CONNECTION, TLS, TIMEOUT, ABORTED, CUT, BAD_INPUT, BAD_REPLY
 */
export async function exchange(route: Route, sending: Sending): Promise<Received> {
  const { addresses } = route;
  const { timeouts, node, options, called } = sending;
  for (const [index, address] of addresses.entries()) {
    const opened = route.pools.of(address.origin, called);
    const { proxied } = opened;
    const facts = { called: { ...called, address: address.shown }, node, timeouts, signal: options.signal, proxied };
    const writes = route.proof instanceof RequestSignature || route.proof instanceof MessageSecurity;
    const outgoing = writes ? route.proof.on(route.outgoing, facts.called) : route.outgoing;
    const proof = (writes ? undefined : route.proof) ?? address.proof;
    sending.attempts++;
    const begun = performance.now();
    const note = (status: number | string): void => sending.observer?.called(node, status, performance.now() - begun);
    try {
      const attempt = { address, outgoing, proof, facts };
      const reply = await spanned(attempt, sending, (trace) => attempted(opened, attempt, sending, trace));
      note(reply.status);
      return reply;
    } catch (error) {
      sending.isUnsent = isUnconnected(error);
      const isLast = index === addresses.length - 1;
      const isAborted = options.signal?.aborted === true;
      const failure = transportError(error, { ...facts, phase: sending.isUnsent ? 'connect' : 'request' });
      note(failure instanceof InvokeError ? failure.code : 'INTERNAL');
      if (sending.isUnsent && !isLast && !isTlsError(error) && !isAborted) continue;
      if (sending.isWhole && failure instanceof InvokeError && failure.httpResponseCode === undefined)
        sending.isUncertain = true;
      throw failure;
    }
  }
  throw new TypeError('a call needs an address');
}

/** Sends one request in a span of its own, which the target continues. */
function spanned(attempt: Attempt, sending: Sending, send: (trace: Trace) => Promise<Received>): Promise<Received> {
  const { requestId } = sending.called;
  const trace = spanBelow(currentTrace() ?? continueTrace({ requestId }), () => spanOf(attempt, sending));
  // Nothing below asks for its trace but a span that is recorded: a context of its own costs a microsecond.
  return trace.span === undefined ? send(trace) : recorded(trace, trace.span, send);
}

async function recorded(trace: Trace, span: Span, send: (trace: Trace) => Promise<Received>): Promise<Received> {
  try {
    const reply = await inTrace(trace, () => send(trace));
    span.set({ 'http.response.status_code': reply.status });
    endTrace(trace, reply.status >= 400 ? String(reply.status) : undefined);
    return reply;
  } catch (error) {
    endTrace(trace, error);
    throw error;
  }
}

/** The span of an HTTP client, by the semantic conventions. The address is without its query, which may hold secrets. */
function spanOf({ address, outgoing }: Attempt, { called, node, attempts }: Sending): SpanStart {
  const { hostname, port, protocol } = new URL(address.origin);
  return {
    name: outgoing.method,
    kind: 'client',
    attributes: {
      'http.request.method': outgoing.method,
      'url.full': address.shown,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      'http.request.resend_count': attempts > 1 ? attempts - 1 : undefined,
      'signalbox.operation': called.operation,
      'signalbox.node': node,
    },
  };
}

async function attempted(
  opened: OriginDispatcher,
  attempt: Attempt,
  sending: Sending,
  trace: Trace,
): Promise<Received> {
  const { address, outgoing, proof, facts } = attempt;
  const { timeouts, options, acceptsCodings } = sending;
  const additions = { proof, acceptsCodings, trace };
  const { secrets, hide } = outgoing.secrets;
  const redactor = sending.redactor.knowing({ secrets: () => [...secrets(), ...(proof?.secrets ?? [])], hide });
  options.heads?.onRequest?.(
    headOf(`${outgoing.method} ${address.shown} HTTP/1.1`, shownHeaders(outgoing, additions), redactor),
  );
  sending.isWhole = false;
  const response = await dispatched(
    opened,
    {
      origin: address.origin,
      path: address.path,
      method: outgoing.method,
      headers: headersOf(outgoing, additions),
      // Iterables are accepted as well, although the types omit them.
      body: (bodyOf(outgoing, sending, facts.called) as string | undefined) ?? null,
      headersTimeout: timeouts.head,
      bodyTimeout: timeouts.idle,
    },
    () => {
      sending.isWhole = true;
    },
    options.signal,
  );
  const reply = received(response, attempt, sending, redactor);
  options.heads?.onReply?.(
    headOf(`HTTP/1.1 ${reply.status} ${response.statusText}`.trimEnd(), redactor.headers(reply.headers), redactor),
  );
  return reply;
}

/** The body of a request as it is sent. */
function bodyOf(outgoing: Outgoing, sending: Sending, called: Called): string | AsyncIterable<Uint8Array> | undefined {
  const { text, compress, length } = outgoing;
  if (length === 0) return undefined;
  if (text !== undefined && !compress && sending.options.onSent === undefined) return text;
  const bytes = counted(outgoing, sending, called);
  return compress ? through(bytes, createGzip()) : bytes;
}

/** The bytes of a body, with progress reported as they are taken. @throws InvokeError BAD_INPUT */
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

/** Content-Length has been sent by then: only closing the connection can end the request. */
function changed(called: Called, total: number, seen: number | undefined): InvokeError {
  const found = seen === undefined ? 'more' : `only ${seen}`;
  const reason = `the content changed while it was read: expected ${total} bytes, got ${found}`;
  return new InvokeError('BAD_INPUT', called, reason, { hint: 'Send it again once nothing writes to it.' });
}
