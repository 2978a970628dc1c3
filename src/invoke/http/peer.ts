import type { ConfigText, ResolveReference } from '../../model/definition.ts';
import type { CallObserver } from '../../model/metrics.ts';
import { isSigning, type Node } from '../../model/node.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Clock } from '../../wire/waiting.ts';
import { resolveText } from '../configuration.ts';
import { credentialTexts, type Proof, proofOf } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import type { Timeouts } from '../limits.ts';
import { Tokens, tokenClientOf, tokenFetch } from '../tokens.ts';
import { type RequestSigner, signerOf } from '../webhook.ts';
import { MessageSecurity } from '../ws-security.ts';
import { type Base, resolveBase } from './address.ts';
import { type Circuit, createCircuit } from './circuit.ts';
import { endpointsOf, type ProxyOf } from './connection/endpoint.ts';
import type { ConnectionFacts, Connections, Pools } from './connection/pools.ts';

/** A node with everything that calls to it need, resolved once. */
export interface Peer {
  readonly node: Node;
  readonly timeouts: Timeouts;
  /** The node's addresses, or `primaryUrl` in place of them. */
  bases(primaryUrl: ConfigText | undefined, called: Called): readonly Base[];
  readonly pools: Pools;
  /** Connections without the node's certificate, for origins other than its own. */
  foreign(): Pools;
  /**
   * The node's credential, resolved on first use; `undefined` when it has none, or has it in its address.
   * @throws InvokeError CONFIGURATION
   */
  credential(called: Called): Proof | Tokens | RequestSigner | MessageSecurity | undefined;
  /** Until when the token that is kept is used, in milliseconds since 1970; `undefined` without one. */
  tokenUntil(): number | undefined;
  /** `undefined` when the node has no circuit breaker. */
  readonly circuit: Circuit | undefined;
}

/** What peers are opened with. */
export interface PeerSource {
  readonly connections: Connections;
  /** The client's; those of the node override them. */
  readonly timeouts: Timeouts;
  /** The folder that paths of files are relative to. */
  readonly folder: string;
  readonly proxyOf: ProxyOf;
  readonly resolve: ResolveReference;
  readonly called: Called;
  /** Learns the credential, and the tokens that are fetched. */
  readonly redactor: Redactor;
  readonly observer: CallObserver | undefined;
  readonly clock: Clock;
}

/** @throws InvokeError CONFIGURATION */
export async function openPeer(node: Node, source: PeerSource): Promise<Peer> {
  const { connections, folder, proxyOf, resolve, called } = source;
  const timeouts = { ...source.timeouts, ...node.timeouts };
  const hasFiles = node.caFile !== undefined || node.certificate !== undefined;
  const tls = hasFiles ? await import('./connection/tls.ts') : undefined;
  const contextOf = (shows: boolean) => tls?.secureContextOf(node, { folder, resolve, called }, shows);
  const facts: ConnectionFacts = {
    connectTimeout: timeouts.connect,
    secureContext: contextOf(true),
    endpoints: endpointsOf(node, resolve, called),
    proxyOf,
  };
  const pools = connections.pools(facts);
  let foreign: Pools | undefined = node.certificate === undefined ? pools : undefined;
  const credential = credentialOf(node, pools, timeouts, source);
  let tokens: Tokens | undefined;
  return {
    node,
    timeouts,
    bases: basesOf(node, resolve),
    pools,
    foreign() {
      foreign ??= connections.pools({ ...facts, secureContext: contextOf(false) });
      return foreign;
    },
    credential(called) {
      const found = credential(called);
      if (found instanceof Tokens) tokens = found;
      return found;
    },
    tokenUntil() {
      const { clock } = source;
      return tokens?.until === undefined || tokens.until === Number.POSITIVE_INFINITY
        ? undefined
        : clock.now() + tokens.until - clock.elapsed();
    },
    circuit: node.circuit.failures === 0 ? undefined : createCircuit(node, source.observer),
  };
}

/**
 * Keeps what was made from texts: those with a secret until one of them resolves to something else, because its file was
 * changed.
 * @param make is called with the call that needs it
 */
function whileSame<T>(
  texts: readonly ConfigText[],
  resolve: ResolveReference,
  make: (called: Called) => T,
): (called: Called) => T {
  let known: { readonly from: string; readonly made: T } | undefined;
  const isFixed = texts.every(({ parts }) => parts.every(({ kind }) => kind !== 'secret'));
  return (called) => {
    if (isFixed && known !== undefined) return known.made;
    const from = JSON.stringify(texts.map((text) => resolveText(text, resolve)));
    if (known?.from !== from) known = { from, made: make(called) };
    return known.made;
  };
}

/** Resolves each address on first use. */
function basesOf(node: Node, resolve: ResolveReference): Peer['bases'] {
  const at = (primaryUrl?: ConfigText) =>
    whileSame(primaryUrl === undefined ? node.base : [primaryUrl], resolve, (called) =>
      basesAt(node, primaryUrl, resolve, called),
    );
  const own = at();
  const known = new WeakMap<ConfigText, ReturnType<typeof at>>();
  return (primaryUrl, called) => {
    if (primaryUrl === undefined) return own(called);
    const bases = known.get(primaryUrl) ?? at(primaryUrl);
    known.set(primaryUrl, bases);
    return bases(called);
  };
}

/**
 * The addresses of a node, or `primaryUrl` in place of them, in the order in which they are tried.
 * @throws InvokeError CONFIGURATION for an invalid address, and for a node without one
 */
export function basesAt(
  node: Node,
  primaryUrl: ConfigText | undefined,
  resolve: ResolveReference,
  called: Called,
): readonly Base[] {
  const texts = primaryUrl === undefined ? node.base : [primaryUrl];
  if (texts.length === 0) throw new InvokeError('CONFIGURATION', called, `node ${node.id} has no address`);
  const whose = primaryUrl === undefined ? `the address of node ${node.id}` : 'PRIMARYURL';
  return texts.map((text) => resolveBase(text, whose, resolve, called));
}

function credentialOf(
  node: Node,
  pools: Pools,
  timeouts: Timeouts,
  { resolve, redactor, clock, folder }: Pick<PeerSource, 'resolve' | 'redactor' | 'clock' | 'folder'>,
): Peer['credential'] {
  const { id, credential } = node;
  if (credential === undefined) return () => undefined;
  const look = (called: Called): Proof | Tokens | RequestSigner | MessageSecurity => {
    if (isSigning(credential)) {
      const signer = signerOf(credential, { node: id, resolve, now: clock.now, called });
      redactor.learn(signer.secrets);
      return signer;
    }
    if (credential.kind === 'ws-security') {
      const security = new MessageSecurity(credential, { node: id, folder, resolve, called, now: clock.now });
      redactor.learn(security.secrets);
      return security;
    }
    if (credential.kind !== 'client-credentials') {
      const proof = proofOf(credential, id, resolve, called);
      redactor.learn(proof.secrets);
      return proof;
    }
    const client = tokenClientOf(credential, id, resolve, called);
    redactor.learn([client.clientSecret]);
    return new Tokens({
      node: id,
      client,
      send: tokenFetch(pools, id, timeouts),
      time: Math.min(timeouts.connect + timeouts.head + timeouts.idle, timeouts.call),
      redactor,
      elapsed: clock.elapsed,
    });
  };
  return whileSame(credentialTexts(node), resolve, look);
}
