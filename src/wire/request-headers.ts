// Header fields of requests (RFC 9110), and what may be done with them.

/** The rules for a header that belongs to the protocol or to the gateway's own handling of a request. */
interface HeaderRule {
  /** The calls that may set it nevertheless. */
  readonly calls?: 'rest' | 'both';
  /** Whether it contains credentials. */
  readonly credential?: true;
}

const OWN: Readonly<Record<string, HeaderRule>> = {
  accept: { calls: 'both' },
  authorization: { calls: 'rest', credential: true },
  connection: {},
  'content-encoding': {},
  'content-length': {},
  'content-type': { calls: 'both' },
  cookie: { calls: 'rest', credential: true },
  expect: {},
  host: {},
  'keep-alive': {},
  'proxy-authorization': { credential: true },
  te: {},
  trailer: {},
  'transfer-encoding': {},
  upgrade: {},
};

/** Headers with a fixed meaning: fields of HTTP, and those that the gateway and proxies read and write. */
const MEANINGFUL: ReadonlySet<string> = new Set(
  `accept-charset accept-encoding accept-language access-control-request-headers access-control-request-method
  authentication-info cache-control content-disposition content-id content-location date forwarded from if-match
  if-modified-since if-none-match if-range if-unmodified-since location max-forwards mime-version operationname operationtype
  origin pragma range ratelimit ratelimit-policy referer retry-after server set-cookie soapaction to user-agent vary via
  www-authenticate x-forwarded-by x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-prefix x-forwarded-proto
  x-forwarded-scheme x-forwarded-server x-http-method-override x-real-ip x-request-id`.split(/\s+/),
);

/** Whether a header belongs to the protocol or to the gateway's own handling of a request. @param name in lower case */
export function isOwnHeader(name: string): boolean {
  return Object.hasOwn(OWN, name);
}

/** The rules for a header; none for one that does not belong to the protocol. @param name in lower case */
export function headerRule(name: string): HeaderRule | undefined {
  return isOwnHeader(name) ? OWN[name] : undefined;
}

/** What identifies a request and who sends it, which calls write unless the operation does. */
const OF_CALLS: ReadonlySet<string> = new Set(['idempotency-key', 'soapaction', 'user-agent', 'x-request-id']);

/**
 * Whether calls write a header themselves. A credential there would be taken for one that the operation sends.
 * @param name in lower case
 */
export function isWrittenByCalls(name: string): boolean {
  return isOwnHeader(name) || OF_CALLS.has(name);
}

/** Whether the credential of a call can be in a header. @param name in lower case */
export function carriesCredential(name: string): boolean {
  return name === 'authorization' || !isWrittenByCalls(name);
}

/**
 * Whether a header can't be used for credentials of callers. Proxies forward certificates in some that begin with `X-Forwarded-`.
 * @param name in lower case
 */
export function isTaken(name: string): boolean {
  return isOwnHeader(name) || MEANINGFUL.has(name) || name.startsWith('proxy-') || name.startsWith('sec-');
}
