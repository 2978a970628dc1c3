import { addressFault, endpointFault, SCHEME_ONLY } from '../../load/value/address.ts';
import type { ConfigText, ResolveReference } from '../../model/definition.ts';
import { resolveText } from '../configuration.ts';
import { basic, type Proof } from '../credential.ts';
import { type Called, InvokeError } from '../error.ts';
import type { Outgoing } from '../outgoing.ts';

/** Where a request goes. */
export interface Address {
  readonly origin: string;
  /** Path and query, as they are asked for. */
  readonly path: string;
  /** Without its query, and what else may hold a secret. */
  readonly shown: string;
  /** What the address itself says of who calls (`https://user:password@host`, RFC 3986 section 3.2.1). */
  readonly proof: Proof | undefined;
}

/** An address of a node, looked up once; `named` is how messages call it. */
export type Base = SchemeBase | UrlBase;

/** The templates begin with the host. */
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

/** @param whose how messages call it @throws InvokeError CONFIGURATION, for what is no address */
export function resolveBase(text: ConfigText, whose: string, resolve: ResolveReference, called: Called): Base {
  // As it is written, since what it resolves to may hold a secret.
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
 * The whole address of a request: base, exactly one slash, and what follows it. After a scheme alone no slash.
 * @throws InvokeError CONFIGURATION; BAD_INPUT, where values of the call make no host
 */
export function addressAt(base: Base, { uri, shown }: Outgoing, called: Called): Address {
  if (base.kind === 'scheme') {
    if (uri === undefined) throw noAddress(base.named, 'is not an address to call, but a scheme alone', called);
    return addressOfHost(base.scheme, uri, shown.uri ?? uri, called);
  }
  const { origin, pathname, search, proof } = base;
  if (uri === undefined) return { origin, path: pathname + search, shown: origin + pathname, proof };
  const reason = search === '' ? undefined : addressFault(origin + pathname + search);
  if (reason !== undefined) throw noAddress(base.named, reason, called);
  const above = pathname.replace(/\/+$/, '');
  return { origin, path: `${above}/${uri}`, shown: `${origin}${above}/${withoutQuery(shown.uri ?? uri)}`, proof };
}

/** The same for telling: its query with it, which a request's texts mask themselves. */
export function shownUrl(base: Base, { uri, shown }: Outgoing): string {
  if (base.kind === 'scheme') return base.scheme + (shown.uri ?? '');
  const { origin, pathname } = base;
  return uri === undefined ? origin + pathname : `${origin}${pathname.replace(/\/+$/, '')}/${shown.uri}`;
}

/** What a host can't hold: it would be taken off, or begin something else (RFC 3986 section 3.2), or is a name's empty part. */
const UNFIT = /[\s\p{C}@\\%]|^\.|\.\./u;

function addressOfHost(scheme: string, uri: string, shown: string, called: Called): Address {
  const [host = ''] = /^[^/?#]*/.exec(uri) ?? [];
  const rest = uri.slice(host.length);
  const fits = host !== '' && !UNFIT.test(host) && URL.canParse(scheme + host);
  const url = fits ? new URL(scheme + host) : undefined;
  if (url === undefined || url.hostname === '' || url.pathname !== '/') {
    const [named] = /^[^/?#]*/.exec(shown) ?? [];
    const hint = 'The part of its URI template before the first slash is the host, which its values fill in.';
    throw new InvokeError('BAD_INPUT', called, `${JSON.stringify(named)} is no host to call`, { hint });
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
