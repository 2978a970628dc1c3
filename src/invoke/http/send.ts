import { RETRY_DEFAULTS } from '../../model/retry.ts';
import type { Proof } from '../credential/credential.ts';
import { Tokens } from '../credential/tokens.ts';
import type { Outgoing } from '../outgoing.ts';
import { exchange, type RawReply, type Received, type Route } from './exchange.ts';
import type { Peer } from './peer.ts';
import type { Connections } from './pools.ts';
import { following } from './redirect.ts';
import { repeating } from './retry.ts';
import { isRepeatable, type Sending } from './sending.ts';
import type { Address } from './target.ts';
import type { Target } from './transport.ts';
import { transportError } from './transport-error.ts';

/** What a call is sent with. */
export interface Way {
  readonly peer: Peer;
  readonly connections: Connections;
  readonly addresses: readonly Address[];
  /** Undefined where it shows nothing, or what stands in the address. */
  readonly credential: Proof | Tokens | undefined;
  /** Ends what waits. */
  readonly closed: AbortSignal;
}

/**
 * Makes a call: circuit, repetitions, token, redirects, addresses, from the outside in.
 * @throws InvokeError CONFIGURATION, CONNECTION, TLS, TIMEOUT, ABORTED, CUT, BAD_INPUT, BAD_REPLY, CIRCUIT_OPEN, CREDENTIAL,
 * HTTP_STATUS for a redirect that is not followed
 */
export function send({ operation }: Target, outgoing: Outgoing, way: Way, sending: Sending): Promise<RawReply> {
  const { node, circuit } = way.peer;
  const retry = operation.retry ?? node.retry ?? RETRY_DEFAULTS;
  const call = () => repeating(() => shown(outgoing, way, sending), retry, outgoing, sending, way.closed);
  return circuit === undefined ? call() : circuit.run(call, sending.called);
}

/** Sends a request with what it shows. */
function shown(outgoing: Outgoing, way: Way, sending: Sending): Promise<Received> {
  const { credential } = way;
  if (credential instanceof Tokens) return withToken(outgoing, way, credential, sending);
  return followed(outgoing, way, credential, sending);
}

/** Once more with another token, where the first is what the target does not take. */
async function withToken(outgoing: Outgoing, way: Way, credential: Tokens, sending: Sending): Promise<Received> {
  const proof = await tokenOf(credential, sending);
  const reply = await followed(outgoing, way, proof, sending);
  if (reply.status !== 401 || sending.isRenewed || !isRepeatable(outgoing, sending)) return reply;
  sending.isRenewed = true;
  credential.drop(proof);
  reply.release();
  return followed(outgoing, way, await tokenOf(credential, sending), sending);
}

async function tokenOf(tokens: Tokens, { called, node, timeouts, options }: Sending): Promise<Proof> {
  const { signal } = options;
  try {
    return await tokens.proof(called, signal);
  } catch (error) {
    throw transportError(error, { called, node, timeouts, signal, phase: 'request' });
  }
}

function followed(
  outgoing: Outgoing,
  { peer, connections, addresses }: Way,
  proof: Proof | undefined,
  sending: Sending,
): Promise<Received> {
  const { pools, node } = peer;
  const route: Route = { pools, addresses, outgoing, proof };
  if (node.redirects === 0) return exchange(connections, route, sending);
  return following(route, node.redirects, sending, peer.foreign, (to) => exchange(connections, to, sending));
}
