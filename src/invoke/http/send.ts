import type { Retry } from '../../model/retry.ts';
import { empty } from '../../wire/measured.ts';
import type { Proof } from '../credential.ts';
import { InvokeError } from '../error.ts';
import type { Outgoing } from '../outgoing.ts';
import { Tokens } from '../tokens.ts';
import type { RequestSignature } from '../webhook.ts';
import type { MessageSecurity } from '../ws-security.ts';
import type { Address } from './address.ts';
import { exchange, type Route } from './exchange.ts';
import { findHeader } from './headers.ts';
import type { Peer } from './peer.ts';
import type { RawReply, Received } from './raw-reply.ts';
import { repeating } from './repeating.ts';
import { canResend, type Sending } from './sending.ts';

/** What a call is sent with. */
interface Way {
  readonly peer: Peer;
  readonly addresses: readonly Address[];
  /** `undefined` for none, or the one in the address. */
  readonly credential: Proof | Tokens | RequestSignature | MessageSecurity | undefined;
  readonly retry: Retry;
  readonly follows: boolean;
}

/**
 * Makes a call. The layers from the outside in: circuit breaker, retries, token, redirects, addresses.
 * @throws InvokeError CONFIGURATION, CONNECTION, TLS, TIMEOUT, ABORTED, CUT, BAD_INPUT, BAD_REPLY, CIRCUIT_OPEN, CREDENTIAL,
 * HTTP_STATUS for a redirect that is not followed
 */
export function send(way: Way, sending: Sending): Promise<RawReply> {
  const { circuit } = way.peer;
  const call = () => repeating(() => withProof(way, sending), way.retry, sending);
  return circuit === undefined ? call() : circuit.run(call, sending.called);
}

function withProof(way: Way, sending: Sending): Promise<Received> {
  const { credential } = way;
  if (credential instanceof Tokens) return withToken(way, credential, sending);
  return followed(way, credential, sending);
}

/** Sends the request again with a new token when the target rejects the first one. */
async function withToken(way: Way, credential: Tokens, sending: Sending): Promise<Received> {
  const { called, options } = sending;
  const proof = await credential.proof(called, options.signal);
  const reply = await followed(way, proof, sending);
  if (reply.status !== 401 || sending.isRenewed || !canResend(sending.outgoing, sending)) return reply;
  sending.isRenewed = true;
  credential.drop(proof);
  reply.release();
  return followed(way, await credential.proof(called, options.signal), sending);
}

function followed(
  { peer, addresses, follows }: Way,
  proof: Proof | RequestSignature | MessageSecurity | undefined,
  sending: Sending,
): Promise<Received> {
  const route: Route = { pools: peer.pools, addresses, outgoing: sending.outgoing, proof };
  return follows ? following(route, peer, sending) : exchange(route, sending);
}

/** RFC 9110 section 15.4. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request and follows redirects, as many as the node allows.
 * @throws InvokeError HTTP_STATUS for a redirect that is not followed; what sending throws
 */
async function following(first: Route, { node, foreign }: Peer, sending: Sending): Promise<Received> {
  const most = node.redirects;
  let route = first;
  for (let followed = 0; ; followed++) {
    const reply = await exchange(route, sending).catch((error: unknown) => {
      // The request before the redirect was sent, and may have had its effect.
      if (followed > 0) sending.isUnsent = false;
      throw error;
    });
    const { location } = reply.headers;
    if (!REDIRECTS.has(reply.status) || location === undefined) return reply;
    const to = followed < most ? destination(reply, location, route.outgoing) : undefined;
    if (to === undefined || typeof to === 'string') {
      reply.discard();
      throw refused(reply, to ?? `${most} redirects were followed, the limit that redirects: of the node sets`);
    }
    const { method } = route.outgoing;
    if (method === 'POST' && (reply.status === 301 || reply.status === 302) && node.redirectsPost !== true) {
      reply.discard();
      throw refused(reply, `a POST follows ${reply.status} only with redirects: { post: true } at node ${node.id}`);
    }
    const isForeign = to.origin !== reply.from.origin;
    const outgoing = redirected(route.outgoing, reply.status, isForeign);
    const reason =
      outgoing.method === route.outgoing.method ? unsendable(route.outgoing, sending, isForeign) : undefined;
    if (reason !== undefined) {
      reply.discard();
      throw refused(reply, reason);
    }
    reply.release();
    route = isForeign
      ? { pools: foreign(), addresses: [{ ...to, proof: undefined }], outgoing, proof: undefined }
      : { ...route, addresses: [to], outgoing };
  }
}

function refused({ called, status }: RawReply, why: string): InvokeError {
  const reason = `the target answered with the status ${status}, a redirect that is not followed`;
  return new InvokeError('HTTP_STATUS', called, reason, { httpResponseCode: status, hint: `${upper(why)}.` });
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The address that a redirect leads to, or why it is not followed. */
function destination({ from }: Received, location: string, { uri, shown }: Outgoing): Address | string {
  const here = from.origin + from.path;
  if (!URL.canParse(location, here)) return 'its Location is not a valid URL';
  const { protocol, origin, pathname, search } = new URL(location, here);
  if (protocol !== 'https:' && protocol !== 'http:') return `its Location is a URL of ${protocol}, not of HTTP`;
  if (protocol === 'http:' && from.origin.startsWith('https:'))
    return 'it leads from https to http, where anyone on the way could read the call';
  // A Location may repeat secrets in the path of the request.
  const isPlain = uri === shown.uri;
  return { origin, path: pathname + search, shown: isPlain ? origin + pathname : origin, proof: from.proof };
}

/** Why a body can't be sent again; `undefined` when it can. */
function unsendable(outgoing: Outgoing, sending: Sending, isForeign: boolean): string | undefined {
  if (!canResend(outgoing, sending)) return 'the content of the call can be read only once';
  const { text, shown } = outgoing;
  if (isForeign && text !== undefined && text !== '' && shown.body !== text)
    return 'it leads to another origin, and the content of the call holds secrets';
  return undefined;
}

/** Headers that describe a body. */
const OF_BODY: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'content-location',
]);

/** Headers for the original origin only. */
const OF_CALLER: readonly string[] = ['authorization', 'proxy-authorization', 'cookie'];

/**
 * A GET follows after 303. After 301 and 302 RFC 9110 (sections 15.4.2 and 15.4.3) allows a client to turn a POST into a GET too,
 * which loses its body: it stays a POST here.
 */
function redirected(outgoing: Outgoing, status: number, isForeign: boolean): Outgoing {
  const { method } = outgoing;
  const becomesGet = status === 303 && method !== 'HEAD';
  const dropped = (name: string): boolean =>
    (becomesGet && OF_BODY.has(name.toLowerCase())) || (isForeign && isPrivate(outgoing, name));
  const headers = without(outgoing.headers, dropped);
  const { uri, body } = outgoing.shown;
  const shown = { uri, headers: without(outgoing.shown.headers, dropped), body };
  if (!becomesGet) return { ...outgoing, headers, shown };
  return {
    ...outgoing,
    method: 'GET',
    headers,
    length: 0,
    text: undefined,
    bytes: empty,
    again: true,
    compress: false,
    // No envelope is left that could have a Security header.
    soap: outgoing.soap && { version: outgoing.soap.version, isSecured: true },
    shown: { ...shown, body: undefined },
  };
}

/** Whether a header is masked in messages, or identifies the caller. */
function isPrivate({ headers, shown }: Outgoing, name: string): boolean {
  const inShown = findHeader(shown.headers, name.toLowerCase());
  return OF_CALLER.includes(name.toLowerCase()) || inShown === undefined || shown.headers[inShown] !== headers[name];
}

function without(
  headers: Readonly<Record<string, string>>,
  dropped: (name: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped(name)));
}
