import type { Retry } from '../../model/retry.ts';
import type { Proof } from '../credential/credential.ts';
import { Tokens } from '../credential/tokens.ts';
import type { Address } from './address.ts';
import { exchange, type Route } from './exchange.ts';
import type { Peer } from './peer.ts';
import type { RawReply, Received } from './raw-reply.ts';
import { following } from './redirect.ts';
import { repeating } from './retry.ts';
import { isRepeatable, type Sending } from './sending.ts';

/** What a call is sent with. */
export interface Way {
  readonly peer: Peer;
  readonly addresses: readonly Address[];
  /** Undefined where it shows nothing, or what stands in the address. */
  readonly credential: Proof | Tokens | undefined;
  readonly retry: Retry;
}

/**
 * Makes a call: circuit, repetitions, token, redirects, addresses, from the outside in.
 * @throws InvokeError CONFIGURATION, CONNECTION, TLS, TIMEOUT, ABORTED, CUT, BAD_INPUT, BAD_REPLY, CIRCUIT_OPEN, CREDENTIAL,
 * HTTP_STATUS for a redirect that is not followed
 */
export function send(way: Way, sending: Sending): Promise<RawReply> {
  const { circuit } = way.peer;
  const call = () => repeating(() => withProof(way, sending), way.retry, sending);
  return circuit === undefined ? call() : circuit.run(call, sending.called);
}

/** Sends a request with what it shows. */
function withProof(way: Way, sending: Sending): Promise<Received> {
  const { credential } = way;
  if (credential instanceof Tokens) return withToken(way, credential, sending);
  return followed(way, credential, sending);
}

/** Once more with another token, where the first is what the target does not take. */
async function withToken(way: Way, credential: Tokens, sending: Sending): Promise<Received> {
  const { called, options } = sending;
  const proof = await credential.proof(called, options.signal);
  const reply = await followed(way, proof, sending);
  if (reply.status !== 401 || sending.isRenewed || !isRepeatable(sending.outgoing, sending)) return reply;
  sending.isRenewed = true;
  credential.drop(proof);
  reply.release();
  return followed(way, await credential.proof(called, options.signal), sending);
}

function followed({ peer, addresses }: Way, proof: Proof | undefined, sending: Sending): Promise<Received> {
  const route: Route = { pools: peer.pools, addresses, outgoing: sending.outgoing, proof };
  return peer.node.redirects === 0 ? exchange(route, sending) : following(route, peer, sending);
}
