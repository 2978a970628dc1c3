import { endpointFault, SCHEME_ONLY } from '../../load/value/address.ts';
import type { ConfigText, ResolveReference } from '../../model/definition.ts';
import { MASK } from '../../model/redactor.ts';
import { resolveText } from '../configuration.ts';
import { basic, type Proof } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import type { Outgoing } from '../outgoing.ts';

/** The address that a request is sent to. */
export interface Address {
  readonly origin: string;
  /** Path and query, as they are sent. */
  readonly path: string;
  /** For messages: without the query and other parts that may hold a secret. */
  readonly shown: string;
  /** The user information of the address (`https://user:password@host`, RFC 3986 section 3.2.1). */
  readonly proof: Proof | undefined;
}

/** The URI of a request, and the same with secrets masked. */
type Requested = Pick<Outgoing, 'uri'> & { readonly shown: Pick<Outgoing['shown'], 'uri'> };

/** An address of a node, resolved once; `named` is its name in messages. */
export type Base = SchemeBase | UrlBase;

/** A scheme alone: the operation's URI templates begin with the host. */
interface SchemeBase {
  readonly kind: 'scheme';
  readonly scheme: string;
  readonly named: string;
}

interface UrlBase {
  readonly kind: 'url';
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  readonly proof: Proof | undefined;
  readonly named: string;
}

/** @param whose its name in messages @throws InvokeError CONFIGURATION for an invalid address */
export function resolveBase(text: ConfigText, whose: string, resolve: ResolveReference, called: Called): Base {
  // Messages quote the unresolved text: the resolved one may hold a secret.
  const named = `${whose} (${text.source})`;
  const address = resolveText(text, resolve).trim();
  if (SCHEME_ONLY.test(address)) return { kind: 'scheme', scheme: address, named };
  const reason = endpointFault(address);
  if (reason !== undefined) throw noAddress(named, reason, called);
  const url = new URL(address);
  const { origin, pathname, search } = url;
  return { kind: 'url', origin, pathname, search, proof: proofIn(url, called), named };
}

/**
 * The whole address of a request: base, exactly one slash, then the request's URI. No slash follows a scheme alone.
 * @throws InvokeError CONFIGURATION; BAD_INPUT when the values of the call do not form a valid host
 */
export function addressAt(base: Base, { uri, shown }: Requested, called: Called): Address {
  if (base.kind === 'scheme') {
    if (uri === undefined) throw noAddress(base.named, 'is only a scheme, not an address to call', called);
    return addressOfHost(base.scheme, uri, shown.uri ?? uri, called);
  }
  const { origin, pathname, search, proof } = base;
  if (uri === undefined) return { origin, path: pathname + search, shown: origin + pathname, proof };
  const above = pathname.replace(/\/+$/, '');
  return {
    origin,
    path: withQuery(`${above}/${uri}`, search),
    shown: `${origin}${above}/${withoutQuery(shown.uri ?? uri)}`,
    proof,
  };
}

/** A path and its query behind the query of a base: `?tenant=7` and `orders?page=2` are `orders?tenant=7&page=2`. */
function withQuery(path: string, search: string): string {
  if (search.length < 2) return path;
  const at = path.indexOf('?');
  if (at === -1) return path + search;
  const own = path.slice(at + 1);
  return `${path.slice(0, at)}${search}${own === '' ? '' : `&${own}`}`;
}

/** Characters of the longest address that a caller may name. */
const LONGEST = 2000;

/** Not in a URI (RFC 3986, appendix A), a fragment, or a half escape. Some servers take a backslash for a slash. */
const NO_ADDRESS = /[^\x21-\x7e]|["#<>\\^`{|}]|%(?![0-9a-f]{2})/i;

/** A dot segment, also one that only servers see that decode first, or that cut off parameters of segments (`..;x`). */
const DOT_SEGMENT = /(?:\/|%2f|%5c)(?:\.|%2e){1,2}(?:[/;]|%2f|%5c|%3b|$)/i;

/**
 * The address that a caller has named; `undefined` when it does not lie below one of the bases: same scheme, host and port, and a
 * path that begins with the segments of theirs.
 */
export function addressBelow(bases: readonly Base[], address: string): Address | undefined {
  if (address.length > LONGEST || NO_ADDRESS.test(address)) return undefined;
  const [, authority, path = ''] = /^https?:\/\/([^/?]+)([^?]*)/i.exec(address) ?? [];
  if (authority === undefined || authority.includes('@') || DOT_SEGMENT.test(path) || !URL.canParse(address))
    return undefined;
  const { origin, pathname, search } = new URL(address);
  for (const base of bases) {
    if (base.kind !== 'url' || base.origin !== origin) continue;
    const above = base.pathname.replace(/\/+$/, '');
    if (pathname !== above && !pathname.startsWith(`${above}/`)) continue;
    // What follows the base may be a secret of the caller.
    return { origin, path: pathname + search, shown: origin + base.pathname, proof: base.proof };
  }
  return undefined;
}

/** The same for messages, with its query: the request has masked that already. */
export function shownUrl(base: Base, { uri, shown }: Requested): string {
  if (base.kind === 'scheme') return base.scheme + (shown.uri ?? '');
  const { origin, pathname } = base;
  // Its values may be secret.
  const search = base.search.replace(/=[^&]*/g, `=${MASK}`);
  if (uri === undefined) return origin + pathname + search;
  return withQuery(`${origin}${pathname.replace(/\/+$/, '')}/${shown.uri ?? ''}`, search);
}

/**
 * The address of a request that has no URI of its own, as a message repeats it: without user information.
 * @throws InvokeError CONFIGURATION for a base that is a scheme alone
 */
export function calledAddress(base: Base, called: Called) {
  const request = { uri: undefined, shown: { uri: undefined } };
  const { origin, path } = addressAt(base, request, called);
  const secrets =
    base.kind === 'url' ? [...new URLSearchParams(base.search).values()].filter((each) => each !== '') : [];
  return { sent: origin + path, shown: shownUrl(base, request), secrets };
}

/** Not valid in a host: stripped by URL parsers, a delimiter of another part (RFC 3986 section 3.2), or an empty label. */
const UNFIT = /[\s\p{C}@\\%]|^\.|\.\./u;

function addressOfHost(scheme: string, uri: string, shown: string, called: Called): Address {
  const [host = ''] = /^[^/?#]*/.exec(uri) ?? [];
  const rest = uri.slice(host.length);
  const fits = host !== '' && !UNFIT.test(host) && URL.canParse(scheme + host);
  const url = fits ? new URL(scheme + host) : undefined;
  if (url === undefined || url.hostname === '' || url.pathname !== '/') {
    const [named] = /^[^/?#]*/.exec(shown) ?? [];
    const hint = 'The host is the part of the URI template before the first slash, filled in from the input.';
    throw new InvokeError('BAD_INPUT', called, `${JSON.stringify(named)} is not a valid host`, { hint });
  }
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return { origin: url.origin, path, shown: scheme + withoutQuery(shown), proof: undefined };
}

const withoutQuery = (uri: string): string => uri.replace(/[?#].*$/s, '');

function noAddress(named: string, reason: string, called: Called): InvokeError {
  return new InvokeError('CONFIGURATION', called, `${named} ${reason}`);
}

function proofIn({ username, password }: URL, called: Called): Proof | undefined {
  if (username === '' && password === '') return undefined;
  return basic({ user: decoded(username), password: decoded(password) }, called);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
