import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Timings } from '../../model/invoke-reply.ts';
import type { Redactor } from '../../model/redactor.ts';
import { LONGEST_TIMER } from '../../wire/waiting.ts';
import type { Proof } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import { DRAINED, SLOWEST } from '../limits.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Address } from './address.ts';
import { codingFault, codingsOf, decoded, inOne } from './body.ts';
import type { Marks } from './connection/pools.ts';
import type { Sending } from './sending.ts';
import { type TransportFacts, transportError } from './transport-error.ts';

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
  /** Knows the secrets of the request, which a target may repeat. */
  readonly redactor: Redactor;
  /** Gives the connection up, read or not. */
  discard(): void;
}

/** A reply that may yet be passed over. */
export interface Received extends RawReply {
  readonly from: Address;
  /** Reads the rest where there is little of it, so that the connection can serve again. */
  release(): void;
}

type Facts = Omit<TransportFacts, 'phase'>;

/** A request on its way to one address. */
export interface Attempt {
  readonly address: Address;
  readonly outgoing: Outgoing;
  readonly proof: Proof | undefined;
  readonly facts: Facts;
  readonly marks: Marks;
}

/** What a target answered to an attempt. @throws InvokeError BAD_REPLY for codings that nobody asked for */
export function received(
  { statusCode: status, headers: given, body }: Dispatcher.ResponseData,
  { address, facts, marks: { connected, sent } }: Attempt,
  { start, attempts, acceptsCodings }: Sending,
  redactor: Redactor,
): Received {
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
    from: address,
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
    redactor,
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

/** A body as it comes. Its pauses are the connection's to bound; one that trickles is given up here. */
async function* receiving(body: Readable, facts: TransportFacts): AsyncGenerator<Uint8Array> {
  const { idle } = facts.timeouts;
  const slow = (): void => {
    // A pause is told as one, by the connection.
    if (performance.now() - since >= idle) return;
    const reason = `the reply brought less than ${SLOWEST} bytes a second`;
    body.destroy(
      new InvokeError('TIMEOUT', facts.called, reason, { httpResponseCode: facts.httpResponseCode, retry: true }),
    );
  };
  let seen = 0;
  // What the reader takes for what it has got is not the target's slowness.
  let waited = 0;
  let since = 0;
  try {
    const chunks = body.iterator({ destroyOnReturn: true });
    for (;;) {
      since = performance.now();
      const timer = setTimeout(slow, Math.min(Math.max(2 * idle, (seen * 1000) / SLOWEST) - waited, LONGEST_TIMER));
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer));
      if (done === true) return;
      waited += performance.now() - since;
      seen += (value as Uint8Array).length;
      yield value as Uint8Array;
    }
  } catch (error) {
    throw transportError(error, facts);
  } finally {
    body.destroy();
  }
}
