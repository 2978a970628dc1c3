import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { inOne } from './body.ts';
import { type Called, InvokeError } from './error.ts';
import type { Timeouts } from './limits.ts';
import type { Pools } from './pools.ts';
import type { Address } from './target.ts';
import { type Heads, headOf } from './trace.ts';
import { isTlsError, type TransportFacts, transportError } from './transport-error.ts';

/** A request that may be sent to any of several addresses. */
export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes; undefined where it is not known. */
  readonly length: number | undefined;
  /** The whole of it, where it is in memory. */
  readonly text: string | undefined;
  /** To be read once. */
  bytes(): AsyncIterable<Uint8Array>;
  /** It travels in gzip (RFC 1952). */
  readonly compress: boolean;
}

export interface ExchangeOptions {
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;
  /** Bytes of the request that were handed over, and those it has, where that is known. */
  readonly onSent: ((sent: number, total: number | undefined) => void) | undefined;
  readonly heads: Heads | undefined;
}

/** What came back, its body still on the connection. */
export interface RawReply {
  readonly called: Called;
  readonly status: number;
  /** By names in lower case; values of one name are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, where all of it came with the head; not empty. */
  readonly whole: Uint8Array | undefined;
  /** Without Content-Encoding, once. @throws InvokeError TIMEOUT, ABORTED, CUT */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Gives the connection up, read or not. */
  discard(): void;
}

/**
 * Sends a request to the first address that there is a connection to, and waits for the head of the reply. Redirects are
 * not followed.
 * @throws InvokeError CONNECTION, TLS, TIMEOUT, ABORTED, CUT, BAD_INPUT, BAD_REPLY
 */
export async function exchange(
  pools: Pools,
  addresses: readonly Address[],
  outgoing: Outgoing,
  called: Called,
  options: ExchangeOptions,
): Promise<RawReply> {
  const { timeouts, signal } = options;
  for (const [index, address] of addresses.entries()) {
    const facts = { called: { ...called, address: address.shown }, timeouts, signal };
    try {
      return await attempt(pools, address, outgoing, facts, options);
    } catch (error) {
      const unconnected = pools.isUnconnected(error);
      const isLast = index === addresses.length - 1;
      if (unconnected && !isLast && !isTlsError(error) && signal?.aborted !== true) continue;
      throw transportError(error, { ...facts, phase: unconnected ? 'connect' : 'request' });
    }
  }
  throw new TypeError('a call needs an address');
}

type Facts = Omit<TransportFacts, 'phase'>;

async function attempt(
  pools: Pools,
  { origin, path, authorization }: Address,
  outgoing: Outgoing,
  facts: Facts,
  options: ExchangeOptions,
): Promise<RawReply> {
  const { timeouts, signal, heads } = options;
  const headers = headersOf(outgoing, authorization);
  const opened = pools.of(origin);
  const pool = opened instanceof Promise ? await opened : opened;
  heads?.onRequest?.(headOf(`POST ${facts.called.address} HTTP/1.1`, headers));
  const response = await pool.request({
    method: 'POST',
    path,
    headers,
    // Iterables are taken as well, which the types do not say.
    body: bodyOf(outgoing, facts.called, options.onSent) as string,
    headersTimeout: timeouts.head,
    bodyTimeout: timeouts.idle,
    signal: signal ?? null,
  });
  const reply = rawReply(response, facts);
  heads?.onReply?.(headOf(`HTTP/1.1 ${reply.status} ${response.statusText}`.trimEnd(), reply.headers));
  return reply;
}

function headersOf(outgoing: Outgoing, authorization: string | undefined): Record<string, string> {
  const { length, compress } = outgoing;
  const headers: Record<string, string> = { ...outgoing.headers };
  if (authorization !== undefined) headers.Authorization = authorization;
  if (compress) headers['Content-Encoding'] = 'gzip';
  else if (length !== undefined) headers['Content-Length'] = String(length);
  return headers;
}

function bodyOf(
  outgoing: Outgoing,
  called: Called,
  onSent: ExchangeOptions['onSent'],
): string | AsyncIterable<Uint8Array> {
  const { text, length, compress } = outgoing;
  if (text !== undefined && !compress && onSent === undefined) return text;
  const bytes = counted(outgoing.bytes(), length, called, onSent);
  return compress ? through(bytes, createGzip()) : bytes;
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  total: number | undefined,
  called: Called,
  onSent: ExchangeOptions['onSent'],
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const chunk of bytes) {
      yield chunk;
      sent += chunk.length;
      onSent?.(sent, total);
    }
  } catch (error) {
    if (error instanceof InvokeError) throw error;
    const reason = `the input could not be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new InvokeError('BAD_INPUT', called, reason, { cause: error });
  }
}

/** A stream's output for an input; what goes wrong on either side ends both. */
async function* through(
  bytes: AsyncIterable<Uint8Array>,
  transform: NodeJS.ReadWriteStream,
): AsyncGenerator<Uint8Array> {
  const piped = pipeline(Readable.from(bytes, { objectMode: false }), transform, () => undefined);
  for await (const chunk of piped) yield chunk as Buffer;
}

function rawReply({ statusCode: status, headers: given, body }: Dispatcher.ResponseData, facts: Facts): RawReply {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  // Given up before its end, it says so as an error, which nobody waits for any more.
  body.on('error', () => undefined);
  const discard = (): void => void body.destroy();
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const { called } = facts;
  const isPlain = coding === '' || coding === 'identity';
  const whole = isPlain ? arrived(body, headers['content-length']) : undefined;
  if (whole !== undefined) return { called, status, headers, whole, bytes: inOne(whole), discard };
  const received = receiving(body, { ...facts, phase: 'reply', httpResponseCode: status });
  const reply = { called, status, headers, whole, discard };
  if (isPlain) return { ...reply, bytes: received };
  if (coding === 'gzip' || coding === 'x-gzip') return { ...reply, bytes: through(received, createGunzip()) };
  discard();
  throw new InvokeError('BAD_REPLY', called, `the reply's Content-Encoding ${coding} was not asked for`, {
    httpResponseCode: status,
  });
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
