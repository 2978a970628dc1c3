import type { Timings } from '../../model/invoke-reply.ts';
import type { Redactor } from '../../model/redactor.ts';
import { codingsOf } from '../../wire/content-coding.ts';
import { LONGEST_TIMER } from '../../wire/waiting.ts';
import type { Proof } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import { DRAINED, SLOWEST } from '../limits.ts';
import type { Outgoing } from '../outgoing.ts';
import type { Address } from './address.ts';
import { codingFault, decoded, inOne } from './body.ts';
import type { Incoming } from './incoming.ts';
import type { Sending } from './sending.ts';
import { type TransportFacts, transportError } from './transport-error.ts';

/**
 * The request of a reply, with the value of the signature of a SOAP message in base64. The values of messages whose replies come
 * later are not kept: each attempt has its own, and the address of the reply identifies its request.
 */
export type Sent = { readonly signature: string | undefined } | 'earlier';

/** A reply whose body is still on the connection. */
export interface RawReply {
  readonly called: Called;
  readonly status: number;
  readonly timings: Timings;
  /** How often the request was sent or an address was tried. */
  readonly attempts: number;
  /** By names in lower case; values of one name are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, when all of it arrived together with the head; not empty. */
  readonly whole: Buffer | undefined;
  /** The decoded body; can be read once. @throws InvokeError TIMEOUT, ABORTED, CUT, BAD_REPLY */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** How to fix the cause of an error reply, when the transport knows. */
  readonly hint: string | undefined;
  /** Knows the secrets of the request, which a target may repeat. */
  readonly redactor: Redactor;
  readonly sent: Sent;
  /** Closes the connection, whether or not the body was read. */
  discard(): void;
}

/** A reply that may still be followed by another attempt. */
export interface Received extends RawReply {
  readonly from: Address;
  /** Reads the rest of a short body, which frees the connection for another request. */
  release(): void;
}

type Facts = Omit<TransportFacts, 'phase'>;

/** A request on its way to one address. */
export interface Attempt {
  readonly address: Address;
  readonly outgoing: Outgoing;
  readonly proof: Proof | undefined;
  readonly facts: Facts;
}

/** The reply to an attempt. @throws InvokeError BAD_REPLY for content codings that can't be decoded */
export function received(
  incoming: Incoming,
  { address, outgoing, facts }: Attempt,
  { start, attempts }: Sending,
  redactor: Redactor,
): Received {
  const { status, headers: given, connected, sent } = incoming;
  const now = performance.now();
  const headers: Record<string, string> = {};
  for (const name in given) {
    const value = given[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  const { called } = facts;
  const codings = codingsOf(headers['content-encoding']);
  // Most short bodies arrive together with their head: waiting for one costs more than reading it.
  const whole = codings.length === 0 ? incoming.whole() : undefined;
  const reason = codingFault(codings);
  if (reason !== undefined) {
    incoming.discard();
    throw new InvokeError('BAD_REPLY', called, reason, { httpResponseCode: status });
  }
  return {
    called,
    from: address,
    status,
    timings: {
      connected: connected === undefined ? undefined : connected - start,
      // A reply may arrive before the request was sent completely.
      sent: (sent ?? now) - start,
      head: now - start,
    },
    attempts,
    headers,
    whole,
    bytes: whole === undefined ? bytesOf(incoming, codings, facts, status) : inOne(whole),
    hint: undefined,
    redactor,
    sent: { signature: outgoing.soap?.signature },
    discard: () => incoming.discard(),
    release: () => incoming.release(DRAINED),
  };
}

function bytesOf(body: Incoming, codings: readonly string[], facts: Facts, status: number): AsyncIterable<Uint8Array> {
  const bytes = receiving(body, { ...facts, phase: 'reply', httpResponseCode: status });
  return codings.length === 0 ? bytes : decoded(bytes, codings, facts.called, status);
}

/** A body as it arrives. The connection bounds its pauses; a body that only trickles is given up here. */
async function* receiving(body: Incoming, facts: TransportFacts): AsyncGenerator<Uint8Array> {
  const { idle } = facts.timeouts;
  const slow = (): void => {
    // The connection reports a pause.
    if (performance.now() - since >= idle) return;
    const reason = `the reply arrived at less than ${SLOWEST} bytes per second`;
    body.discard(
      new InvokeError('TIMEOUT', facts.called, reason, { httpResponseCode: facts.httpResponseCode, retry: true }),
    );
  };
  let seen = 0;
  // Only waiting counts: the time that the reader takes to process a chunk is not the target's.
  let waited = 0;
  let since = 0;
  const waiting = async (): Promise<Buffer | undefined> => {
    since = performance.now();
    const timer = setTimeout(slow, Math.min(Math.max(2 * idle, (seen * 1000) / SLOWEST) - waited, LONGEST_TIMER));
    const chunk = await body.next().finally(() => clearTimeout(timer));
    waited += performance.now() - since;
    return chunk;
  };
  try {
    for (;;) {
      const chunk = body.take() ?? (await waiting());
      if (chunk === undefined) return;
      seen += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw transportError(error, facts);
  } finally {
    body.discard();
  }
}
