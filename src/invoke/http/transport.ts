import { randomUUID } from 'node:crypto';
import type { Environment } from '../../load/value/config.ts';
import { type CredentialHeader, credentialHeaders, headersOfCredential } from '../../load/value/headers.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import type { ConfigText, ResolveReference } from '../../model/definition.ts';
import type { CallObserver } from '../../model/metrics.ts';
import { isSigning, type Node } from '../../model/node.ts';
import { MASKED_BASIC, type Redactor } from '../../model/redactor.ts';
import { CALL_RETRY } from '../../model/retry.ts';
import { type Clock, SYSTEM_CLOCK } from '../../wire/waiting.ts';
import { buffered } from '../buffered.ts';
import { basic, type Credential, credentialTexts, type Proof } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import type { Timeouts } from '../limits.ts';
import type { Outgoing, PreparedRequest } from '../outgoing.ts';
import type { Tokens } from '../tokens.ts';
import { goneBy, RequestSigner } from '../webhook.ts';
import { assertSignable, MessageSecurity, shownSecured } from '../ws-security.ts';
import { type Address, addressAt, addressBelow, type Base, shownUrl } from './address.ts';
import type { CircuitState } from './circuit.ts';
import { proxiesOf } from './connection/endpoint.ts';
import { Connections, type PoolFigures } from './connection/pools.ts';
import { findHeader, shownHeaders } from './headers.ts';
import { basesAt, openPeer, type Peer } from './peer.ts';
import type { RawReply } from './raw-reply.ts';
import { send } from './send.ts';
import type { Sending, SendingOptions } from './sending.ts';

export interface SendOptions extends SendingOptions {
  readonly called: Called;
  /** Resolves everything that {@link Transport.references} names. */
  readonly resolve: ResolveReference;
}

/**
 * Sends requests: connections, credentials, fail-over, retries, redirects, and the timeouts of each phase. TLS settings and
 * addresses of a target are resolved once.
 */
export interface Transport {
  /** Configuration that a target refers to. */
  references(target: Target): readonly ConfigText[];
  /**
   * The first request that {@link Transport.send} would send.
   * @throws InvokeError CONFIGURATION
   */
  describe(target: Target, outgoing: Outgoing, options: Pick<SendOptions, 'called' | 'resolve'>): PreparedRequest;
  /**
   * Sends a request, with the retries that operation and node allow, and waits for the head of the reply.
   * @throws InvokeError CONFIGURATION, CREDENTIAL, CONNECTION, TLS, TIMEOUT, ABORTED, CUT, BAD_INPUT, BAD_REPLY, CIRCUIT_OPEN,
   * HTTP_STATUS for a redirect that is not followed, at a node that follows some
   */
  send(target: Target, outgoing: Outgoing, options: SendOptions): Promise<RawReply>;
  /** What is known of a node that was called; `undefined` for others, which nothing is opened for. */
  state(node: Node): NodeState | undefined;
  /** Closes the circuit of a node. @returns whether it was not closed */
  closeCircuit(node: Node): boolean;
  /** Ends all connections and the exchanges on them. */
  close(): Promise<void>;
}

/** A node as this process has found it. */
export interface NodeState {
  /** Absent when the node has no circuit breaker. */
  readonly circuit?: CircuitState;
  /** Until when the token that is kept is used, in milliseconds since 1970. */
  readonly tokenUntil?: number;
  readonly connections: readonly PoolFigures[];
}

interface TransportOptions {
  readonly timeouts: Timeouts;
  /** Holds the addresses of proxies. */
  readonly env: Environment;
  /** The folder that paths of certificates are relative to. */
  readonly folder: string;
  readonly redactor: Redactor;
  /** Largest body in bytes of a request that is signed as a whole, and therefore kept in memory. */
  readonly signedBody: number;
  readonly observer?: CallObserver | undefined;
  readonly clock?: Clock;
}

export function createTransport({
  timeouts,
  env,
  folder,
  redactor,
  signedBody,
  observer,
  clock = SYSTEM_CLOCK,
}: TransportOptions): Transport {
  const closed = new AbortController();
  const proxyOf = proxiesOf(env);
  const peers = new WeakMap<Node, Peer | Promise<Peer>>();
  let connections: Promise<Connections> | undefined;

  async function open(node: Node, resolve: ResolveReference, called: Called): Promise<Peer> {
    // Loaded with the first call: neither a start nor an import of the package should wait for it.
    connections ??= import('undici').then((undici) => new Connections(undici));
    return openPeer(node, {
      connections: await connections,
      timeouts,
      folder,
      proxyOf,
      resolve,
      called,
      redactor,
      observer,
      clock,
    });
  }

  function peerOf(node: Node, resolve: ResolveReference, called: Called): Peer | Promise<Peer> {
    const known = peers.get(node);
    if (known !== undefined) return known;
    const opening = open(node, resolve, called);
    peers.set(node, opening);
    opening.then(
      (peer) => peers.set(node, peer),
      () => peers.delete(node),
    );
    return opening;
  }

  /** A request that is signed as a whole is kept in memory. */
  async function signable(outgoing: Outgoing, by: Credentials, { signal, called }: SendOptions): Promise<Outgoing> {
    if (by instanceof RequestSigner)
      return buffered(outgoing, { what: by.isStandard ? 'a webhook' : 'a request', most: signedBody }, signal, called);
    if (!(by instanceof MessageSecurity) || outgoing.soap === undefined || outgoing.soap.isSecured) return outgoing;
    if (!by.signs && outgoing.soap.withBlock !== undefined) return outgoing;
    assertSignable(outgoing, called);
    const { compress } = outgoing;
    const kept = await buffered(
      { ...outgoing, compress: false },
      { what: 'a SOAP message', most: signedBody },
      signal,
      called,
    );
    return { ...kept, compress };
  }

  return {
    references,
    describe({ operation, node, primaryUrl, credential }, written, { called, resolve }) {
      const own = credential === undefined ? node.credential : undefined;
      const outgoing = own?.kind === 'ws-security' ? shownSecured(written, own, resolve) : written;
      const [base] = basesAt(node, primaryUrl, resolve, called) as readonly [Base];
      const { method, shown } = outgoing;
      const { proof, signature } = shownCredential(node, credential, base, outgoing);
      const headers = {
        ...shownHeaders(outgoing, { proof, acceptsCodings: acceptsOf(operation) }),
        ...Object.fromEntries(signature.map(({ name, shown: value }) => [name, value])),
      };
      return { operation: operation.id, method, url: shownUrl(base, outgoing), headers, body: shown.body };
    },
    async send(target, outgoing, options) {
      const { node, primaryUrl, operation, to } = target;
      const { called, resolve } = options;
      if (closed.signal.aborted) throw new Error('the client is closed');
      const start = performance.now();
      const opening = peerOf(node, resolve, called);
      const peer = opening instanceof Promise ? await opening : opening;
      const bases = peer.bases(primaryUrl, called);
      const addresses =
        to === undefined ? bases.map((base) => addressAt(base, outgoing, called)) : [named(to, bases, node, called)];
      const found = credentialOf(peer, target, outgoing, called);
      const signer = found instanceof RequestSigner ? found : undefined;
      const credential =
        signer?.of(options.messageId ?? randomUUID()) ?? (found as Exclude<Credentials, RequestSigner>);
      const retry = operation.retry ?? node.retry ?? CALL_RETRY;
      const sending: Sending = {
        called,
        outgoing: await signable(outgoing, found, options),
        node: node.id,
        timeouts: peer.timeouts,
        options,
        observer,
        redactor,
        closed: closed.signal,
        acceptsCodings: acceptsOf(operation),
        start,
        attempts: 0,
        isUnsent: false,
        isWhole: false,
        isUncertain: false,
        isRenewed: false,
        isSpent: false,
      };
      try {
        const follows = to === undefined && node.redirects > 0;
        const reply = await send({ peer, addresses, credential, retry, follows }, sending);
        if (signer?.isStandard === true && reply.status === 410) throw goneBy(reply, node.id);
        return reply;
      } catch (error) {
        if (error instanceof InvokeError) {
          error.attempts = sending.attempts;
          error.uncertain = sending.isUncertain;
        }
        throw error;
      }
    },
    state(node) {
      const peer = peers.get(node);
      if (peer === undefined || peer instanceof Promise) return undefined;
      const [circuit, tokenUntil] = [peer.circuit?.state(), peer.tokenUntil()];
      return {
        ...(circuit === undefined ? {} : { circuit }),
        ...(tokenUntil === undefined ? {} : { tokenUntil }),
        connections: peer.pools.figures(),
      };
    },
    closeCircuit(node) {
      const peer = peers.get(node);
      return peer !== undefined && !(peer instanceof Promise) && peer.circuit?.close() === true;
    },
    async close() {
      closed.abort();
      await (await connections)?.close();
    },
  };
}

/** @throws InvokeError BAD_INPUT when the base of the node is another one than when the address was checked */
function named(to: string, bases: readonly Base[], { id }: Node, called: Called): Address {
  const found = addressBelow(bases, to);
  if (found !== undefined) return found;
  throw new InvokeError('BAD_INPUT', called, `the address to send to does not lie below the base of node ${id}`);
}

/** Replies over REST may be compressed unless the operation says otherwise. */
function acceptsOf(operation: ConsumerOperation): boolean {
  return operation.kind === 'rest' && operation.properties.acceptCompressed;
}

type Credentials = Proof | Tokens | RequestSigner | MessageSecurity | undefined;

/** The call's own credential, else the node's, unless the operation itself sends the header. */
function credentialOf(peer: Peer, { node, credential }: Target, outgoing: Outgoing, called: Called): Credentials {
  if (credential !== undefined) return basic(credential, called);
  if (node.credential === undefined || declares(outgoing, node)) return undefined;
  return peer.credential(called);
}

/** Whether the operation itself sends a header of the node's credential. */
function declares({ headers }: Outgoing, { credential }: Node): boolean {
  const own = credential === undefined ? ['authorization'] : headersOfCredential(credential);
  return own.some((name) => findHeader(headers, name) !== undefined);
}

/** Masked: what proves the caller, of the credential or else of the address, and the headers of a signature beside it. */
function shownCredential(
  node: Node,
  credential: Credential | undefined,
  base: Base,
  outgoing: Outgoing,
): { readonly proof: Pick<Proof, 'header' | 'shown'> | undefined; readonly signature: readonly CredentialHeader[] } {
  if (credential !== undefined) return { proof: { header: 'Authorization', shown: MASKED_BASIC }, signature: [] };
  const own = declares(outgoing, node) ? undefined : node.credential;
  const set = own === undefined ? [] : credentialHeaders(own);
  if (own === undefined || isSigning(own) || own.kind === 'ws-security')
    return { proof: base.kind === 'url' ? base.proof : undefined, signature: set };
  const [first] = set;
  return { proof: first && { header: first.name, shown: first.shown }, signature: [] };
}

/** The target of a call, with its credential. */
export interface Target {
  readonly operation: ConsumerOperation;
  /** The operation's own target, or the one that the caller chose; PRIMARYURL is ignored then. */
  readonly node: Node;
  /** `PRIMARYURL`: replaces the node's addresses. */
  readonly primaryUrl?: ConfigText | undefined;
  /** Replaces the node's own credential, and one inside an address. */
  readonly credential?: Credential | undefined;
  /** The whole address, below one of the node. Redirects are not followed: they could lead anywhere. */
  readonly to?: string;
}

/** Configuration that a call to a target refers to, without the parts of the node that the call replaces. */
function references({ node, primaryUrl, credential }: Target): readonly ConfigText[] {
  const { caFile, certificate } = node;
  return [
    ...(primaryUrl === undefined ? node.base : [primaryUrl]),
    ...(credential === undefined ? credentialTexts(node) : []),
    ...(caFile === undefined ? [] : [caFile]),
    ...(certificate === undefined ? [] : [certificate.file, certificate.keyFile]),
    ...(certificate?.passphrase === undefined ? [] : [certificate.passphrase]),
    ...node.resolve.values(),
  ];
}
