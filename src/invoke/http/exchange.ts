import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Timings } from '../../model/invoke-reply.ts';
import type { Proof } from '../credential/credential.ts';
import { type Called, InvokeError } from '../error.ts';
import { DRAINED } from '../limits.ts';
import type { Outgoing } from '../outgoing.ts';
import { inOne } from './body.ts';
import { codingFault, codingsOf, decoded } from './decoding.ts';
import { headersOf, shownHeaders } from './headers.ts';
import type { Connections, Pools } from './pools.ts';
import { bodyOf } from './request-body.ts';
import type { Sending } from './sending.ts';
import type { Address } from './target.ts';
import { headOf, maskedReply } from './trace.ts';
import { isTlsError, type TransportFacts, transportError } from './transport-error.ts';
import type { Marks, WatchedRequest } from './watch.ts';

/** What came back, its body still on the connection. */
export interface RawReply {
  readonly called: Called;
  readonly status: number;
  readonly timings: Timings;
  /** Times that the request was sent, or an address was tried. */
  readonly attempts: number;
  /** By names in lower case; values of one name are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, where all of it came with the head; not empty. */
  readonly whole: Uint8Array | undefined;
  /** Without Content-Encoding, once. @throws InvokeError TIMEOUT, ABORTED, CUT, BAD_REPLY */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How a reply that is no success is mended, where the transport knows. */
  readonly hint: string | undefined;
  /** Values of the request that may not be told, which a target may repeat. */
  secrets(): Iterable<string>;
  /** Gives the connection up, read or not. */
  discard(): void;
}

/** A reply that may yet be passed over. */
export interface Received extends RawReply {
  readonly from: Address;
  /** Reads the rest where there is little of it, so that the connection can serve again. */
  release(): void;
}

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
export async function exchange(connections: Connections, route: Route, sending: Sending): Promise<Received> {
  const { addresses } = route;
  const { timeouts, node, options, called } = sending;
  for (const [index, address] of addresses.entries()) {
    const { dispatcher, proxied } = route.pools.of(address.origin, called);
    const facts = { called: { ...called, address: address.shown }, node, timeouts, signal: options.signal, proxied };
    sending.attempts++;
    try {
      return await attempt(dispatcher, address, route, sending, facts);
    } catch (error) {
      sending.isUnsent = connections.isUnconnected(error);
      const isLast = index === addresses.length - 1;
      const isAborted = options.signal?.aborted === true;
      if (sending.isUnsent && !isLast && !isTlsError(error) && !isAborted) continue;
      throw transportError(error, { ...facts, phase: sending.isUnsent ? 'connect' : 'request' });
    }
  }
  throw new TypeError('a call needs an address');
}

type Facts = Omit<TransportFacts, 'phase'>;

async function attempt(
  dispatcher: Dispatcher,
  address: Address,
  { outgoing, proof = address.proof }: Route,
  sending: Sending,
  facts: Facts,
): Promise<Received> {
  const { timeouts, options, acceptsCodings } = sending;
  const additions = { proof, acceptsCodings };
  options.heads?.onRequest?.(
    headOf(`${outgoing.method} ${facts.called.address} HTTP/1.1`, shownHeaders(outgoing, additions)),
  );
  const marks: Marks = { connected: undefined, sent: undefined };
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
  const secrets = () => [...(outgoing.secrets?.() ?? []), ...(proof?.secrets ?? [])];
  const reply = { ...received(response, address, sending, facts, marks), secrets };
  options.heads?.onReply?.(
    headOf(`HTTP/1.1 ${reply.status} ${response.statusText}`.trimEnd(), maskedReply(reply.headers, secrets())),
  );
  return reply;
}

function received(
  { statusCode: status, headers: given, body }: Dispatcher.ResponseData,
  from: Address,
  { start, attempts, acceptsCodings }: Sending,
  facts: Facts,
  { connected, sent }: Marks,
): Omit<Received, 'secrets'> {
  const now = performance.now();
  const headers: Record<string, string> = {};
  for (const name in given) {
    const value = given[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  // Given up before its end, it says so as an error, which nobody waits for any more.
  body.on('error', ignored);
  const { called } = facts;
  const codings = codingsOf(headers['content-encoding']);
  const whole = codings.length === 0 ? arrived(body, headers['content-length']) : undefined;
  const reason = codingFault(codings, acceptsCodings);
  if (reason !== undefined) {
    body.destroy();
    throw new InvokeError('BAD_REPLY', called, reason, { httpResponseCode: status });
  }
  return {
    called,
    from,
    status,
    timings: {
      connected: connected === undefined ? undefined : connected - start,
      // A reply may come before the request is whole.
      sent: (sent ?? now) - start,
      head: now - start,
    },
    attempts,
    headers,
    whole,
    bytes: whole === undefined ? bytesOf(body, codings, facts, status) : inOne(whole),
    hint: undefined,
    // Of one that came whole the connection serves again already.
    discard: whole === undefined ? () => void body.destroy() : ignored,
    release: whole === undefined ? () => void body.dump({ limit: DRAINED }).catch(ignored) : ignored,
  };
}

const ignored = (): void => undefined;

function bytesOf(body: Readable, codings: readonly string[], facts: Facts, status: number): AsyncIterable<Uint8Array> {
  const bytes = receiving(body, { ...facts, phase: 'reply', httpResponseCode: status });
  return codings.length === 0 ? bytes : decoded(bytes, codings, facts.called, status);
}

/**
 * A body that came with its head, as that of most short replies does: to wait for it costs more than to read it. Undefined
 * where there is more to come, or nothing at all.
 */
function arrived(body: Readable, length: string | undefined): Uint8Array | undefined {
  if (length === undefined || Number(length) !== body.readableLength) return undefined;
  return (body.read() as Buffer | null) ?? undefined;
}

async function* receiving(body: AsyncIterable<Uint8Array>, facts: TransportFacts): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw transportError(error, facts);
  }
}
